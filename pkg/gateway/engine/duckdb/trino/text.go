package trino

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// A statement in Trino's dialect is parsed, analysed with the names and types of the catalogs, and printed for DuckDB with
// generated names: nothing that a user wrote reaches DuckDB except the values of literals.

// Text is a translated statement.
type Text struct {
	SQL     string
	Plain   bool             // it is planned without the optimizer
	Columns []analyze.Column // of the result
	Origins []engine.TableName
	Printed *translate.Statement

	divisions []trinosql.Pos // whose divisor may be zero
}

// ErrNotTranslated is wrapped by the error for what is valid in Trino and not supported on zone local.
var ErrNotTranslated = errors.New("not supported on zone local")

// KeepsZones rejects a result whose times would lose their zone when stored.
func (x *Text) KeepsZones() error {
	if x.Printed == nil {
		return nil
	}
	for i, zone := range x.Printed.Zones {
		if zone != "" {
			return &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf("column '%s' has times in zone '%s', and a stored result keeps no zone on zone local: cast it to timestamp or varchar",
				x.Columns[i].Name, zone)}
		}
	}
	return nil
}

// Translate parses, analyses and prints a statement.
func (s *Session) Translate(ctx context.Context, sql string) (*Text, error) {
	tree, err := s.parse(sql)
	if err != nil {
		return nil, err
	}
	return s.translateTree(ctx, tree)
}

// analysed is a query and its analysis.
type analysed struct {
	analysis *analyze.Analysis
	catalog  *catalog
	values   []string // parameters, and values of the gateway's own forms
	params   []string // their names in the text
}

func (s *Session) analysed(ctx context.Context, query *trinosql.Query) (*analysed, error) {
	r := &analysed{catalog: &catalog{s: s, ctx: ctx, uses: map[*analyze.Table]*Used{}}}
	given := s.BoundHere()
	texts, err := s.ownForms(query, r.catalog)
	if err != nil {
		return nil, err
	}
	r.values = slices.Concat(given, texts)
	if r.analysis, r.params, err = s.analyze(query, r.catalog, r.values, len(given)); err != nil {
		return nil, r.catalog.cycleError(query, err)
	}
	return r, nil
}

func (s *Session) translateTree(ctx context.Context, tree trinosql.Statement) (*Text, error) {
	var query *trinosql.Query
	switch tree := tree.(type) {
	case *trinosql.Query:
		query = tree
	case *trinosql.Show:
		return s.show(ctx, tree)
	case *trinosql.Explain:
		return s.explain(ctx, tree)
	default:
		return nil, notAllowed(tree)
	}
	size, err := limits.Tree(query)
	if err != nil {
		return nil, err
	}
	r, err := s.analysed(ctx, query)
	if err != nil {
		return nil, err
	}
	a, cat, values, params := r.analysis, r.catalog, r.values, r.params
	if err := cat.read(query, a, values); err != nil {
		return nil, err
	}
	out, err := translate.Query(query, a, translate.Options{Table: cat.text, Param: func(i int) string { return params[i] },
		Catalog: s.defaults.Catalog, Schema: s.defaults.Schema, User: s.Q.Props["user"]})
	var refused *translate.Unsupported
	if errors.As(err, &refused) {
		return nil, PlacedAt(refused.At, &engine.Error{Kind: engine.KindUnsupported, Message: refused.Msg, Err: ErrNotTranslated})
	}
	if err != nil {
		return nil, cat.analysisError(err)
	}
	return &Text{SQL: out.SQL, Plain: size.PlainPlan(), Columns: a.Output, Origins: originsOf(query, a), Printed: out, divisions: divisions(query)}, nil
}

// divisions are the places of the divisions of a query whose divisor may be zero.
func divisions(query *trinosql.Query) (places []trinosql.Pos) {
	trinosql.Inspect(query, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Binary:
			if (n.Op == "/" || n.Op == "%") && mayBeZero(n.R) {
				places = append(places, n.Pos())
			}
		case *trinosql.Func:
			if len(n.Name) == 1 && n.Name[0].Lower() == "mod" && len(n.Args) == 2 && mayBeZero(n.Args[1]) {
				places = append(places, n.Pos())
			}
		}
		return true
	})
	return places
}

func mayBeZero(x trinosql.Expr) bool {
	switch x := x.(type) {
	case *trinosql.IntLit:
		return strings.Trim(x.Text, "0_") == ""
	case *trinosql.DecimalLit:
		return strings.Trim(x.Text, "0_.") == ""
	case *trinosql.DoubleLit:
		return false
	}
	return true
}

// DivisionHint tells where a query divides, for an error that has no position; empty if it does not.
func (x *Text) DivisionHint() string {
	const most = 3
	var at []string
	for _, p := range x.divisions[:min(len(x.divisions), most)] {
		at = append(at, fmt.Sprintf("line %d:%d", p.Line, p.Col))
	}
	switch {
	case len(at) == 0:
		return ""
	case len(x.divisions) > most:
		at = append(at, fmt.Sprintf("%d more places", len(x.divisions)-most))
	}
	return "the statement divides at " + strings.Join(at, ", ") + "; x / nullif(y, 0) is NULL where y is 0"
}

// parse parses one statement.
func (s *Session) parse(sql string) (trinosql.Statement, error) {
	if err := limits.Text(sql); err != nil {
		return nil, err
	}
	parts := trinosql.Split(sql)
	text := ""
	switch {
	case len(parts) > 1:
		return nil, PlacedAt(trinosql.Pos{Line: 1, Col: 1}, semicolonIn(sql, parts[0]))
	case len(parts) == 1: // positions refer to the whole text
		text = sql[:parts[0].End]
	}
	files := s.Q.Files
	if len(s.Chain) > 0 { // in a saved query
		files = ""
	}
	tree, err := trinosql.ParseFiles(text, files)
	var e *trinosql.Error
	if !errors.As(err, &e) {
		return tree, err
	}
	if e.Unsupported {
		return nil, PlacedAt(e.At, &engine.Error{Kind: engine.KindUnsupported, Message: e.Msg + " on zone local", Err: err})
	}
	out := &engine.Error{Kind: engine.KindSyntax, Message: e.Msg, Err: err}
	if strings.HasPrefix(e.Msg, "mismatched input ''") && strings.Contains(e.Msg, "'UNNEST'") && byteAt(text, e.At) == '\'' {
		out.Hint = "a file is read as a table only for a statement that a command runs in its own process: not by a gateway that is served, and not in a saved query"
	} else {
		out.Hint = trinosql.SyntaxHint(text, e.At.Offset)
	}
	return nil, PlacedAt(e.At, out)
}

func byteAt(text string, p trinosql.Pos) byte {
	if p.Offset < len(text) {
		return text[p.Offset]
	}
	return 0
}

// semicolonIn is the error for a semicolon between two statements.
func semicolonIn(sql string, first trinosql.Part) *engine.Error {
	at := first.End + strings.IndexByte(sql[first.End:], ';')
	e := &engine.Error{Kind: engine.KindSyntax, Message: "mismatched input ';'. Expecting: <EOF>"}
	e.Line = 1 + strings.Count(sql[:at], "\n")
	e.Col = 1 + utf8.RuneCountInString(sql[strings.LastIndexByte(sql[:at], '\n')+1:at])
	return e
}

// notAllowed is the error for a statement that is not a query.
func notAllowed(tree trinosql.Statement) error {
	kind := "Describe"
	switch tree := tree.(type) {
	case *trinosql.Other:
		kind = tree.Kind
	}
	return PlacedAt(tree.Pos(), &engine.Error{Kind: engine.KindNotAllowed, Message: fmt.Sprintf("Statement type '%s' is not allowed", kind)})
}

// PlacedAt gives an error a position, if it has none yet.
func PlacedAt(at trinosql.Pos, e *engine.Error) error {
	if e.Line == 0 && at.Line > 0 {
		e.Line, e.Col = at.Line, at.Col
	}
	return e
}

// analysisError converts an error of the analysis to an error of the engine's contract.
func (c *catalog) analysisError(err error) error {
	var e *analyze.Error
	if !errors.As(err, &e) {
		return err
	}
	if c.err != nil { // a name could not be looked up
		return replaceAt(c.err, e.At)
	}
	kind := engine.KindValue
	switch e.Kind {
	case "SYNTAX_ERROR":
		kind = engine.KindSyntax
	case "COLUMN_NOT_FOUND":
		kind = engine.KindUnknownColumn
	case "NOT_SUPPORTED":
		kind = engine.KindUnsupported
	case "FUNCTION_NOT_FOUND":
		if !strings.HasPrefix(e.Msg, "Unexpected parameters") {
			kind = engine.KindUnsupported
		}
	}
	out := &engine.Error{Kind: kind, Message: e.Msg, Hint: e.Hint, Err: err}
	if e.Unsupported {
		out.Kind, out.Err = engine.KindUnsupported, errors.Join(err, ErrNotTranslated)
	}
	return PlacedAt(e.At, out)
}

// replaceAt gives an error a position, if it has none yet.
func replaceAt(err error, at trinosql.Pos) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Line != 0 {
		return err
	}
	placed := *e
	placed.Err = err
	return PlacedAt(at, &placed)
}

// Named is a text whose rows have the column names of the result, with rows as structs with field names, as a stored table needs it.
func (x *Text) Named() (string, error) {
	var b strings.Builder
	b.WriteString("SELECT ")
	alias := make([]string, len(x.Columns))
	seen := map[string]bool{}
	for i, c := range x.Columns {
		if seen[strings.ToLower(c.Name)] {
			return "", &engine.Error{Kind: engine.KindValue, Message: "Column name '" + c.Name + "' specified more than once"}
		}
		seen[strings.ToLower(c.Name)] = true
		if i > 0 {
			b.WriteString(", ")
		}
		alias[i] = fmt.Sprintf(`"~o%d"`, i+1)
		b.WriteString(outward(alias[i], c.Type) + " AS " + sqltext.Quote(c.Name))
	}
	b.WriteString(" FROM (" + x.SQL + `) AS "~o"(` + strings.Join(alias, ", ") + ")")
	return b.String(), nil
}

// originsOf is the table column that each column of the result is an unchanged copy of.
func originsOf(q *trinosql.Query, a *analyze.Analysis) []engine.TableName {
	out := make([]engine.TableName, len(a.Output))
	i := 0
	for _, f := range a.Queries[q].Fields {
		if f.Hidden {
			continue
		}
		if f.Table != nil && i < len(out) {
			out[i] = engine.TableName(*f.Table)
			if out[i].Catalog == naming.AllCatalogs {
				out[i].Catalog = engine.InternalCatalog
			}
		}
		i++
	}
	return out
}

// WireType is the name of a type in replies. The length of varchar is omitted, and the precision of times with microseconds.
func WireType(t *types.Type) string {
	switch t.Kind {
	case types.Varchar:
		return "varchar"
	case types.Time:
		if t.N == 6 {
			return "time"
		}
	case types.Timestamp:
		if t.N == 6 {
			return "timestamp"
		}
	case types.TimestampTZ:
		if t.N == 6 {
			return "timestamp with time zone"
		}
	case types.Array:
		return "array(" + WireType(t.Args[0]) + ")"
	case types.Map:
		return "map(" + WireType(t.Args[0]) + ", " + WireType(t.Args[1]) + ")"
	case types.Row:
		fields := make([]string, len(t.Args))
		for i, f := range t.Args {
			fields[i] = FieldName(t.FieldName(i)) + WireType(f)
		}
		return "row(" + strings.Join(fields, ", ") + ")"
	}
	return t.String()
}

// IsUnknown reports whether an error is about a name that does not exist.
func IsUnknown(err error) bool {
	var e *engine.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case engine.KindUnknownCatalog, engine.KindUnknownSchema, engine.KindUnknownTable, engine.KindUnknownColumn, engine.KindNoFile:
		return true
	}
	return false
}
