package analyze

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// rowPattern is the context of the expressions of MEASURES and DEFINE.
type rowPattern struct {
	labels map[string]bool // of pattern variables and of their unions
	window bool            // in the frame of a window
}

func (z *analyzer) matchRecognize(r *trinosql.MatchRecognize, s *scope) []*Field {
	in := z.relation(r.Relation, s)
	seen := map[string]bool{}
	for _, f := range in.fields {
		if name := strings.ToUpper(f.Name); name != "" {
			if seen[name] {
				fail("AMBIGUOUS_NAME", r.Relation, "ambiguous column: %s in row pattern input relation", f.Name)
			}
			seen[name] = true
		}
	}
	var out []*Field
	taken := map[*Field]bool{}
	take := func(f *Field) {
		out = append(out, f.renamed(f.Name, ""))
		taken[f] = true
	}
	one := r.Rows == "" || r.Rows == "ONE"
	for _, x := range r.PartitionBy {
		f, t := z.inputColumn(x, in, s)
		if !t.Comparable() {
			fail("TYPE_MISMATCH", x, "%s is not comparable, and therefore cannot be used in PARTITION BY", t)
		}
		take(f)
	}
	for _, item := range r.OrderBy {
		f, t := z.inputColumn(item.Expr, in, s)
		if !t.Orderable() {
			fail("TYPE_MISMATCH", item, "%s is not orderable, and therefore cannot be used in ORDER BY", t)
		}
		if !one {
			take(f)
		}
	}
	if r.Patterns.Search != "" {
		fail("NOT_SUPPORTED", r.Patterns, "Pattern search modifier: %s is not allowed in MATCH_RECOGNIZE clause",
			r.Patterns.Search)
	}
	z.patterns(r.Patterns, context{scope: s.inner(in), noOuter: true}, r.Rows == "ALL UNMATCHED", false)
	for _, m := range r.Patterns.Measures {
		out = append(out, &Field{Name: m.Name.Name, Type: z.rec.Types[m.Expr]})
	}
	for _, f := range in.fields {
		if !one && !taken[f] {
			n := f.renamed(f.Name, "")
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		fail("TABLE_HAS_NO_COLUMNS", r, "pattern recognition output table has no columns")
	}
	return out
}

// inputColumn resolves a column of PARTITION BY or ORDER BY.
func (z *analyzer) inputColumn(x trinosql.Expr, in *relation, s *scope) (*Field, *types.Type) {
	name := qualifiedName(x)
	if name == nil {
		fail("INVALID_COLUMN_REFERENCE", x, "Expected column reference. Actual: %s", show(x))
	}
	r, ok := (&scope{relation: in}).resolve(x, name)
	if !ok {
		fail("COLUMN_NOT_FOUND", x, "Column %s is not present in the input relation", show(x))
	}
	return r.field, z.visit(x, context{scope: s.inner(in), noOuter: true})
}

// patterns resolves the clauses of row pattern recognition.
func (z *analyzer) patterns(r *trinosql.RowPatterns, c context, unmatched, window bool) {
	labels := map[string]bool{}
	z.pattern(r.Pattern, labels, unmatched || window, window)
	primary := maps.Clone(labels)
	for _, s := range r.Subsets {
		name := windowKey(s.Name)
		switch {
		case primary[name]:
			fail("INVALID_LABEL", s.Name,
				"union pattern variable name: %s is a duplicate of primary pattern variable name",
				showName(s.Name))
		case labels[name]:
			fail("INVALID_LABEL", s.Name, "union pattern variable name: %s is declared twice", showName(s.Name))
		}
		labels[name] = true
		for _, of := range s.Of {
			if !primary[windowKey(of)] {
				fail("INVALID_LABEL", of, "subset element: %s is not a primary pattern variable", showName(of))
			}
		}
	}
	defined := map[string]bool{}
	for _, d := range r.Define {
		name := windowKey(d.Name)
		switch {
		case !primary[name]:
			fail("INVALID_LABEL", d.Name, "defined variable: %s is not a primary pattern variable", showName(d.Name))
		case defined[name]:
			fail("INVALID_LABEL", d.Name, "pattern variable with name: %s is defined twice", showName(d.Name))
		}
		defined[name] = true
		for _, x := range collect([]trinosql.Expr{d.Expr}, isFunc) {
			if x.(*trinosql.Func).Mode == "FINAL" {
				fail("INVALID_PROCESSING_MODE", x, "FINAL semantics is not supported in DEFINE clause")
			}
		}
	}
	if r.SkipTo != nil && !labels[windowKey(r.SkipTo)] {
		fail("INVALID_LABEL", r.SkipTo, "%s is not a primary or union pattern variable", showName(r.SkipTo))
	}
	c.pattern = &rowPattern{labels, window}
	for _, d := range r.Define {
		if t := z.visit(d.Expr, c); t.Kind != types.Boolean {
			fail("TYPE_MISMATCH", d.Expr, "Expression defining a label must be boolean (actual type: %s)", t)
		}
	}
	for _, m := range r.Measures {
		z.visit(m.Expr, c)
	}
}

func isFunc(x trinosql.Expr) bool {
	_, ok := x.(*trinosql.Func)
	return ok
}

// pattern collects the variables of a pattern and checks its quantifiers.
func (z *analyzer) pattern(n *trinosql.Pattern, labels map[string]bool, noExclusion, noAnchor bool) {
	switch {
	case n.Kind == "NAME":
		labels[windowKey(n.Name)] = true
	case n.Kind == "{-" && noExclusion:
		fail("INVALID_ROW_PATTERN", n,
			"Pattern exclusion syntax is not allowed when ALL ROWS PER MATCH WITH UNMATCHED ROWS is specified")
	case (n.Kind == "^" || n.Kind == "$") && noAnchor:
		fail("INVALID_ROW_PATTERN", n, "Anchor pattern syntax is not allowed in window")
	}
	for _, item := range n.Items {
		z.pattern(item, labels, noExclusion, noAnchor)
	}
	text, ok := strings.CutPrefix(strings.TrimSuffix(n.Quantifier, "?"), "{")
	if !ok {
		return
	}
	from, to, comma := strings.Cut(strings.TrimSuffix(text, "}"), ",")
	if !comma {
		to = from
	}
	bound := func(text, which string, least int64, what string) *big.Int {
		b, ok := new(big.Int).SetString(goInteger(strings.ReplaceAll(text, "_", "")), 0)
		at := quantifier{n}
		switch {
		case !ok:
			return nil
		case b.Cmp(big.NewInt(least)) < 0:
			fail("NUMERIC_VALUE_OUT_OF_RANGE", at, "Pattern quantifier %s bound must be greater than or equal to %s",
				which, what)
		case b.Cmp(big.NewInt(math.MaxInt32)) > 0:
			fail("NUMERIC_VALUE_OUT_OF_RANGE", at, "Pattern quantifier %s bound must not exceed %d", which,
				math.MaxInt32)
		}
		return b
	}
	lower, upper := bound(from, "lower", 0, "0"), bound(to, "upper", 1, "1")
	if lower != nil && upper != nil && lower.Cmp(upper) > 0 {
		fail("INVALID_RANGE", quantifier{n}, "Pattern quantifier lower bound must not exceed upper bound")
	}
}

// quantifier is the place of the quantifier of a pattern.
type quantifier struct{ *trinosql.Pattern }

func (q quantifier) Pos() trinosql.Pos { return q.Clause() }

// navigations are the functions of row pattern recognition that take the value of another row.
var navigations = []string{"first", "last", "prev", "next"}

// patternCall resolves a call in the context of row patterns. It returns nil for functions that are the same
// everywhere.
func (z *analyzer) patternCall(x *trinosql.Func, name string, c context) *types.Type {
	navigation := slices.Contains(navigations, name)
	if len(x.Name) > 1 || x.Name[0].Quoted || !navigation && name != "classifier" && name != "match_number" {
		return z.patternAggregate(x, name)
	}
	as := x.Name[0].Name
	if clause := firstClause(x, "OVER", "FILTER", "ORDER BY", "DISTINCT"); clause != "" {
		fail("INVALID_PATTERN_RECOGNITION_FUNCTION", x, "Cannot use %s with %s pattern recognition function", clause,
			as)
	}
	if x.Mode != "" && name != "first" && name != "last" {
		fail("INVALID_PROCESSING_MODE", x, "%s semantics is not supported with %s pattern recognition function", x.Mode,
			as)
	}
	switch {
	case name == "match_number" && c.pattern.window:
		fail("INVALID_PATTERN_RECOGNITION_FUNCTION", x, "MATCH_NUMBER function is not supported in window")
	case name == "match_number" && len(x.Args) > 0:
		fail("INVALID_FUNCTION_ARGUMENT", x, "MATCH_NUMBER pattern recognition function takes no arguments")
	case name == "match_number":
		return bigint
	case navigation && len(x.Args) != 1 && len(x.Args) != 2:
		fail("INVALID_FUNCTION_ARGUMENT", x, "%s pattern recognition function requires 1 or 2 arguments", as)
	case navigation:
		return z.navigation(x, as, c)
	case len(x.Args) > 1:
		fail("INVALID_FUNCTION_ARGUMENT", x, "CLASSIFIER pattern recognition function takes no arguments or 1 argument")
	case len(x.Args) == 1:
		label, ok := x.Args[0].(*trinosql.Ident)
		if !ok {
			fail("TYPE_MISMATCH", x.Args[0],
				"CLASSIFIER function argument should be primary pattern variable or subset name. Actual: %s",
				show(x.Args[0]))
		}
		c.label(label)
	}
	return varchar
}

// label rejects a name that is not of a pattern variable.
func (c context) label(id *trinosql.Ident) {
	if !c.pattern.labels[windowKey(id)] {
		fail("INVALID_FUNCTION_ARGUMENT", id, "%s is not a primary pattern variable or subset name", id.Name)
	}
}

// navigation resolves FIRST, LAST, PREV and NEXT.
func (z *analyzer) navigation(x *trinosql.Func, as string, c context) *types.Type {
	if len(x.Args) == 2 {
		n, ok := x.Args[1].(*trinosql.IntLit)
		switch {
		case !ok:
			fail("INVALID_FUNCTION_ARGUMENT", x,
				"%s pattern recognition navigation function requires a number as the second argument", as)
		case integer(n) > math.MaxInt32:
			fail("NUMERIC_VALUE_OUT_OF_RANGE", x,
				"The second argument of %s pattern recognition navigation function must not "+
					"exceed %d (actual: %d)", as, math.MaxInt32, integer(n))
		}
		z.visit(n, c)
	}
	physical := strings.EqualFold(as, "prev") || strings.EqualFold(as, "next")
	nested := collect(x.Args[:1], func(y trinosql.Expr) bool {
		f, ok := y.(*trinosql.Func)
		return ok && len(f.Name) == 1 && !f.Name[0].Quoted && slices.Contains(navigations, f.Name[0].Lower())
	})
	for i, n := range nested {
		inner := n.(*trinosql.Func).Name[0].Name
		switch {
		case !physical, strings.EqualFold(inner, "prev"), strings.EqualFold(inner, "next"):
			fail("INVALID_NAVIGATION_NESTING", n,
				"Cannot nest %s pattern navigation function inside %s pattern navigation function", inner, as)
		case i > 0:
			fail("INVALID_NAVIGATION_NESTING", n,
				"Cannot nest multiple pattern navigation functions inside %s pattern navigation function", as)
		case n != x.Args[0]:
			fail("INVALID_NAVIGATION_NESTING", n, "Immediate nesting is required for pattern navigation functions")
		}
	}
	return z.visit(x.Args[0], c)
}

// firstClause is the first of some clauses that a call has, "" for none.
func firstClause(x *trinosql.Func, clauses ...string) string {
	has := map[string]bool{"OVER": isWindow(x), "FILTER": x.Filter != nil, "ORDER BY": x.OrderBy != nil,
		"DISTINCT": x.Distinct}
	for _, c := range clauses {
		if has[c] {
			return c
		}
	}
	return ""
}

// patternAggregate checks an aggregate in the context of row patterns.
func (z *analyzer) patternAggregate(x *trinosql.Func, name string) *types.Type {
	if !functions.IsKind(name, functions.Aggregate) {
		return nil
	}
	as := showName(x.Name[0])
	if isWindow(x) {
		fail("NESTED_WINDOW", x, "Cannot use OVER with %s aggregate function in pattern recognition context", as)
	}
	if clause := firstClause(x, "FILTER", "ORDER BY", "DISTINCT"); clause != "" {
		fail("NOT_SUPPORTED", x, "Cannot use %s with %s aggregate function in pattern recognition context", clause, as)
	}
	return nil
}

// patternColumn resolves a column after the name of a pattern variable, the only qualifier in the context of row
// patterns.
func (z *analyzer) patternColumn(x *trinosql.Deref, name []string, c context) *types.Type {
	label := trinosql.Expr(x)
	for d, ok := label.(*trinosql.Deref); ok; d, ok = label.(*trinosql.Deref) {
		label = d.Base
	}
	key := windowKey(label.(*trinosql.Ident))
	if !c.pattern.labels[key] {
		c.missingColumn(x, name)
	}
	r, ok := c.resolve(x, name[1:])
	if !ok || len(name) > 2 {
		failNamed("COLUMN_NOT_FOUND", strings.Join(name[1:], "."), x,
			"Column %s prefixed with label %s cannot be resolved",
			strings.Join(name[1:], "."), key)
	}
	return z.column(x, r, c)
}

// measure is the type of a measure of a window.
func (z *analyzer) measure(x *trinosql.Func, w *window) *types.Type {
	var found []trinosql.Expr
	if w.Frame != nil && w.Frame.Patterns != nil {
		for _, m := range w.Frame.Patterns.Measures {
			if windowKey(m.Name) == windowKey(x.Name[0]) {
				found = append(found, m.Expr)
			}
		}
	}
	switch len(found) {
	case 0:
		fail("INVALID_WINDOW_MEASURE", x, "Measure %s is not defined in the corresponding window", x.Name[0].Name)
	case 1:
		return z.rec.Types[found[0]]
	}
	fail("AMBIGUOUS_NAME", x, "Measure %s is defined more than once", x.Name[0].Name)
	return nil
}

// framePatterns resolves the clauses of row pattern recognition of a frame.
func (z *analyzer) framePatterns(f *trinosql.Frame, c context) {
	r := f.Patterns
	if r.Pattern == nil {
		switch {
		case r.Measures != nil:
			fail("MISSING_ROW_PATTERN", f, "Row pattern measures require PATTERN clause")
		case r.Skip != "":
			fail("MISSING_ROW_PATTERN", f, "AFTER MATCH SKIP clause requires PATTERN clause")
		case r.Search != "":
			fail("MISSING_ROW_PATTERN", f, "%s modifier requires PATTERN clause", r.Search)
		case r.Subsets != nil:
			fail("MISSING_ROW_PATTERN", r.Subsets[0], "Union variable definitions require PATTERN clause")
		}
		fail("MISSING_ROW_PATTERN", r.Define[0], "Primary pattern variable definitions require PATTERN clause")
	}
	switch {
	case r.Define == nil:
		fail("MISSING_VARIABLE_DEFINITIONS", f, "Pattern recognition requires DEFINE clause")
	case f.Kind != "ROWS":
		fail("INVALID_WINDOW_FRAME", f, "Pattern recognition requires ROWS frame type")
	case f.Start.Kind != "CURRENT ROW" || f.End == nil:
		fail("INVALID_WINDOW_FRAME", f, "Pattern recognition requires frame specified as BETWEEN CURRENT ROW AND ...")
	}
	z.patterns(r, c, false, true)
}
