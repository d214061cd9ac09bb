package analyze

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// TestWhole looks for parts of statements that were not analyzed, and for inconsistent results.
func TestWhole(t *testing.T) {
	list, err := witness.Statements("../witness/testdata")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range list {
		tree, err := trinosql.Parse(s.SQL)
		if err != nil {
			continue
		}
		a, err := Analyze(tree, session)
		if err != nil {
			continue
		}
		seen++
		for _, x := range expressions(tree) {
			if msg := a.missing(x); msg != "" {
				t.Errorf("%s\n\t%s: %s", s.SQL, show(x), msg)
			}
		}
		for x, to := range a.Coercions {
			if from := a.Types[x]; from == nil || !types.CanCoerce(from, to) && !functions.CanCast(from, to) {
				t.Errorf("%s\n\t%s: %v is not coerced to %s", s.SQL, show(x), from, to)
			}
		}
		trinosql.Inspect(tree, func(n trinosql.Node) bool {
			switch n := n.(type) {
			case *trinosql.Select:
				info := a.Selects[n]
				if info == nil || len(info.Fields) != len(info.Items) || info.Grouped == (info.Sets == nil) {
					t.Errorf("%s: incomplete %+v", s.SQL, info)
				}
			case *trinosql.Query:
				if a.Queries[n] == nil {
					t.Errorf("%s: nothing about a query", s.SQL)
				}
			case trinosql.Relation:
				if a.Relations[n] == nil {
					t.Errorf("%s: nothing about a relation", s.SQL)
				}
			}
			return true
		})
	}
	if seen < 2000 {
		t.Errorf("%d statements", seen)
	}
}

// expressions are the expressions of a statement that have a value.
func expressions(tree trinosql.Node) []trinosql.Expr {
	var list []trinosql.Expr
	var add func(trinosql.Expr)
	add = func(x trinosql.Expr) {
		list = append(list, x)
		for _, c := range children(x) {
			add(c)
		}
		if q := query(x); q != nil {
			list = append(list, expressions(q)...)
		}
	}
	trinosql.Inspect(tree, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.SelectStar:
			return false // a target may be the name of a table
		case *trinosql.SortItem: // an ordinal has no type
			if _, ok := ordinal(n.Expr); ok {
				return false
			}
		case *trinosql.GroupingSet:
			for _, x := range n.Exprs {
				if row, ok := x.(*trinosql.Row); ok && row.Bare { // (b, c) of ROLLUP are two keys
					for _, item := range row.Items {
						add(item)
					}
				} else if _, ok := ordinal(x); !ok {
					add(x)
				}
			}
			return false
		case *trinosql.Query:
			for _, x := range []trinosql.Expr{n.Limit, n.Offset} {
				if p, ok := x.(*trinosql.Param); ok {
					add(p)
				}
			}
		case *trinosql.IntLit:
			return false // those of LIMIT; others are found from the enclosing node
		case trinosql.Expr:
			if _, name := n.(*trinosql.Ident); !name {
				add(n)
			}
			return false
		}
		return true
	})
	return list
}

// missing returns what an analysis lacks about an expression.
func (a *Analysis) missing(x trinosql.Expr) string {
	if a.Types[x] == nil {
		switch x := x.(type) {
		case *trinosql.Ident: // the qualifier of a column, which is not an expression itself
			return ""
		case *trinosql.Deref:
			if qualifiedName(x) != nil {
				return ""
			}
		case *trinosql.StringLit, *trinosql.IntervalLit:
			return ""
		}
		return "no type"
	}
	switch x := x.(type) {
	case *trinosql.Ident:
		if a.Columns[x] == nil && a.Lambdas[x] == nil {
			return "no column"
		}
	case *trinosql.Deref:
		if _, ok := a.Fields[x]; !ok && a.Columns[x] == nil {
			return "no column and no field"
		}
	case *trinosql.Func:
		if a.Calls[x] == nil && a.Specials[x] == "" {
			return "no function"
		}
		if isWindow(x) != (a.Windows[x] != nil) {
			return "no window"
		}
	case *trinosql.Listagg, *trinosql.Trim, *trinosql.Position, *trinosql.Substring, *trinosql.Normalize:
		if a.Calls[x] == nil {
			return "no function"
		}
	case *trinosql.Binary:
		if (a.Operators[x] == nil) == (a.Calls[x] == nil) {
			return "no operator"
		}
	case *trinosql.Compare, *trinosql.IsDistinct:
		if a.Operators[x] == nil {
			return "no operator"
		}
	case *trinosql.InQuery, *trinosql.Quantified:
		if a.Predicates[x] == nil {
			return "no predicate"
		}
	}
	return ""
}

// TestHostile analyzes statements with parts exchanged: the result is an analysis or an error, and never a panic.
func TestHostile(t *testing.T) {
	list, err := witness.Statements("../witness/testdata")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	var texts []string
	for _, s := range list {
		if strings.HasPrefix(s.File, "names") || strings.HasPrefix(s.File, "groups") ||
			strings.HasPrefix(s.File, "recursive") {
			texts = append(texts, s.SQL)
			words = append(words, strings.Fields(s.SQL)...)
		}
	}
	r := rand.New(rand.NewSource(1))
	n, parsed := 30_000, 0
	if testing.Short() {
		n = 3000
	}
	for range n {
		parts := strings.Fields(texts[r.Intn(len(texts))])
		for range 1 + r.Intn(3) {
			parts[r.Intn(len(parts))] = words[r.Intn(len(words))]
		}
		text := strings.Join(parts, " ")
		tree, err := trinosql.Parse(text)
		if err != nil {
			continue
		}
		parsed++
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s: %v", text, p)
				}
			}()
			var e *Error
			if _, err := Analyze(tree, session); err != nil && (!errors.As(err, &e) || e.Kind == "" || e.Msg == "") {
				t.Errorf("%s: %v", text, err)
			}
		}()
	}
	if parsed < n/20 {
		t.Errorf("only %d of %d were statements", parsed, n)
	}
}
