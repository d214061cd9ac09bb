package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// scope has the columns of FROM of a SELECT.
type scope struct {
	fields map[*analyze.Field]bool
	any    string // the reference of one of them, "" if there is none
}

func (p *printer) scopeOf(s *trinosql.Select) scope {
	in := scope{fields: map[*analyze.Field]bool{}}
	var visit func(r trinosql.Relation)
	visit = func(r trinosql.Relation) {
		for _, f := range p.a.Relations[r].Fields {
			in.fields[f] = true
			if in.any == "" {
				in.any = p.fields[f]
			}
		}
		switch r := r.(type) {
		case *trinosql.Join:
			visit(r.Left)
			visit(r.Right)
		case *trinosql.ParenRel:
			visit(r.Relation)
		}
	}
	for _, r := range s.From {
		visit(r)
	}
	return in
}

// ownAggregate keeps an aggregate of columns of outer queries alone, or a window function of such, in its query: DuckDB takes it for one of the
// outer query unless it refers to a column of its own. [O]
func (p *printer) ownAggregate(c *call) {
	if w := p.a.Windows[c.fn]; w != nil {
		p.noOuterWindow(c.fn, w)
		return
	}
	if !p.outerOnly(c.fn) {
		return
	}
	if p.own.any == "" {
		p.refuse(c.fn, "an aggregate of columns of an outer query in a query without columns of its own is not supported on zone local")
	}
	for i, a := range c.args {
		if a.expr == nil || p.typeOf(a.expr) == nil || p.typeOf(a.expr).Kind == types.Function || !p.refers(a.expr, nil) {
			continue
		}
		write := a.write
		c.args[i].write, c.args[i].cheap = func() { p.owned(write) }, false
	}
}

// noOuterWindow rejects a window function of columns of outer queries.
func (p *printer) noOuterWindow(fn *trinosql.Func, w *analyze.Window) {
	nodes := []trinosql.Node{fn}
	for _, x := range w.PartitionBy {
		nodes = append(nodes, x)
	}
	for _, s := range w.OrderBy {
		nodes = append(nodes, s.Expr)
	}
	if w.Frame != nil {
		nodes = append(nodes, w.Frame)
	}
	for _, n := range nodes {
		trinosql.Inspect(n, func(n trinosql.Node) bool {
			if x, ok := n.(trinosql.Expr); ok {
				if ref := p.a.Columns[x]; ref != nil && ref.Outer > 0 && !ref.OfOutput {
					p.refuse(fn, "a window function of columns of an outer query is not supported on zone local")
				}
			}
			_, query := n.(*trinosql.Query)
			return !query
		})
	}
}

// owned writes a value with a reference to a column of the current SELECT.
func (p *printer) owned(write func()) {
	text := p.capture(write)
	p.put("CASE WHEN ", p.own.any, " IS NULL THEN ", text, " ELSE ", text, " END")
}

// outerOnly reports whether a call in a subquery refers to columns, and to none of FROM of its query.
func (p *printer) outerOnly(fn trinosql.Expr) bool {
	return p.refers(fn, nil) && !p.refers(fn, p.own.fields)
}

// refers reports whether there is a column in a node, or one of some fields.
func (p *printer) refers(n trinosql.Node, of map[*analyze.Field]bool) bool {
	found := false
	trinosql.Inspect(n, func(n trinosql.Node) bool {
		if x, ok := n.(trinosql.Expr); ok {
			if ref := p.a.Columns[x]; ref != nil && (of == nil || of[ref.Field]) {
				found = true
			}
		}
		return !found
	})
	return found
}
