package limits

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// Text rejects a text that exceeds one of the limits of its tokens.
func Text(sql string) error {
	if err := Length(sql); err != nil {
		return err
	}
	m := trinosql.Measure(sql, MaxTokens, MaxNesting, MaxParts)
	limit := func(at trinosql.Pos, format string, a ...any) error {
		return &engine.Error{Kind: engine.KindLimit, Message: fmt.Sprintf(format, a...), Line: at.Line, Col: at.Col}
	}
	switch {
	case m.Tokens > MaxTokens:
		return limit(m.TooMany, "the statement has %d words and signs, more than %d; put long lists into a table",
			m.Tokens, MaxTokens)
	case m.Depth > MaxNesting:
		return limit(m.TooDeep, "brackets nest deeper than %d levels", MaxNesting)
	case m.Parts > MaxParts:
		return limit(m.TooLong, "a name has more than %d parts", MaxParts)
	}
	return nil
}

// namedSize is a query of WITH and the number of tables it expands to.
type namedSize struct {
	up    *namedSize
	name  string
	reads float64
}

func (s *namedSize) find(name string) *namedSize {
	for ; s != nil; s = s.up {
		if s.name == name {
			return s
		}
	}
	return nil
}

// Sizes counts what the planner expands.
type Sizes struct {
	reads   float64 // tables so far, each as often as the planner expands it
	lambdas int     // around the current node
	depth   int     // of the current node, and the maximum
	deepest int
	tables  int // and subqueries, as written
	err     error
}

// Tree rejects a query that expands to too much: see MaxExpanded, MaxLambdas and MaxGrowing.
func Tree(q *trinosql.Query) (*Sizes, error) {
	b := &Sizes{}
	grown := b.node(q, nil)
	if b.err == nil {
		b.err = Growing(grown)
	}
	return b, b.err
}

// deepTree is the depth from which DuckDB's search for common subexpressions takes longer than it can save: the time
// grows with the third power of the depth, from 0.1 s at 300 to several seconds at 900.
const deepTree = 200

// PlainPlan reports whether a statement is planned faster, and runs no slower, without the optimizer: that search
// cannot be disabled alone for one connection. With several tables the optimizer chooses the join order, which saves
// more.
func (b *Sizes) PlainPlan() bool { return b.deepest > deepTree && b.tables <= 1 }

func (b *Sizes) fail(at trinosql.Node, format string, a ...any) {
	if b.err == nil {
		p := at.Pos()
		b.err = &engine.Error{Kind: engine.KindLimit, Message: fmt.Sprintf(format, a...), Line: p.Line, Col: p.Col}
	}
}

// below calls f for the direct children of a node.
func below(n trinosql.Node, f func(trinosql.Node)) {
	trinosql.Inspect(n, func(c trinosql.Node) bool {
		if c == n {
			return true
		}
		f(c)
		return false
	})
}

// node counts what is below a node and returns how deeply growing functions are nested there.
func (b *Sizes) node(n trinosql.Node, sc *namedSize) (grown int) {
	if b.err != nil {
		return 0
	}
	if b.depth++; b.depth > MaxDepth {
		b.fail(n, "the statement nests deeper than %d levels, such as a chain of as many operators or set operations",
			MaxDepth)
	}
	b.deepest = max(b.deepest, b.depth)
	defer func() { b.depth-- }()
	from := 0 // of the rows of FROM and WITH
	each := func(c trinosql.Node) { grown = max(grown, b.node(c, sc)) }
	switch n := n.(type) {
	case *trinosql.Query:
		if n.With != nil {
			for _, q := range n.With.Queries {
				before := b.reads
				inner := sc
				if n.With.Recursive {
					inner = &namedSize{up: sc, name: q.Name.Lower(), reads: 1}
				}
				from += b.node(q.Query, inner)
				sc = &namedSize{up: sc, name: q.Name.Lower(), reads: b.reads - before}
				b.reads = before
			}
		}
		each(n.Body)
		for _, o := range n.OrderBy {
			each(o)
		}
	case *trinosql.Select:
		before := b.reads
		for _, r := range n.From {
			from += b.node(r, sc)
		}
		for _, it := range n.Items {
			each(it)
		}
		for _, c := range []trinosql.Expr{n.Where, n.Having} {
			if c != nil {
				each(c)
			}
		}
		if n.GroupBy != nil {
			each(n.GroupBy)
		}
		b.reads = before + (b.reads-before)*sameStars(n)
	case *trinosql.TableRef:
		b.table(n, n.Name, sc)
	case *trinosql.TableBody:
		b.table(n, n.Name, sc)
	case *trinosql.Lambda:
		if b.lambdas++; b.lambdas > MaxLambdas {
			b.fail(n, "lambdas nest deeper than %d levels", MaxLambdas)
		}
		each(n.Body)
		b.lambdas--
	case *trinosql.Func:
		below(n, each)
		switch name := strings.ToLower(n.Name[len(n.Name)-1].Name); {
		case growingTrino[name]:
			grown++
		case name == "reduce" || name == "reduce_agg":
			b.fold(n, name)
		}
	default:
		below(n, each)
	}
	return grown + from
}

// growingTrino are Trino's functions that return strings several times as long as their arguments.
var growingTrino = Words(`to_hex to_base to_base64 to_base64url to_base32 url_encode json_format format`)

// table counts a table, or a query of WITH.
func (b *Sizes) table(n trinosql.Node, name []*trinosql.Ident, sc *namedSize) {
	b.tables++
	reads := 1.0
	if len(name) == 1 {
		if q := sc.find(name[0].Lower()); q != nil {
			reads = max(1, q.reads)
		}
	}
	if b.reads += reads; b.reads > MaxExpanded {
		b.fail(n, "the statement reads more than %d tables when each name of a WITH list counts as the tables it reads",
			MaxExpanded)
	}
}

// sameStars is how often the star of one table occurs in a select list, at least 1.
func sameStars(s *trinosql.Select) float64 {
	most, seen := 1, map[string]int{}
	for _, it := range s.Items {
		if star, ok := it.(*trinosql.SelectStar); ok {
			name := ""
			if star.Target != nil {
				name = strings.ToLower(trinosql.String(star.Target))
			}
			seen[name]++
			most = max(most, seen[name])
		}
	}
	return float64(most)
}

// fold rejects a fold whose step concatenates its state with itself: it doubles with each element.
func (b *Sizes) fold(f *trinosql.Func, name string) {
	for _, a := range f.Args {
		if l, ok := a.(*trinosql.Lambda); ok && len(l.Params) > 0 && joinsTwice(l.Body, l.Params[0].Lower()) {
			b.fail(f, "'%s' may not concatenate its state with itself", name)
		}
	}
}

// joinsTwice reports whether a name occurs twice among the arguments of a joining function.
func joinsTwice(x trinosql.Node, name string) (twice bool) {
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		joins := false
		switch n := n.(type) {
		case *trinosql.Binary:
			joins = n.Op == "||"
		case *trinosql.Func:
			joins = Joining[strings.ToLower(n.Name[len(n.Name)-1].Name)]
		}
		twice = twice || joins && mentions(n, name) > 1
		return !twice
	})
	return twice
}

func mentions(x trinosql.Node, name string) (n int) {
	trinosql.Inspect(x, func(c trinosql.Node) bool {
		if id, ok := c.(*trinosql.Ident); ok && id.Lower() == name {
			n++
		}
		return true
	})
	return n
}
