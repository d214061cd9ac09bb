package friendly

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// scope is what is around a query.
type scope struct {
	outer  *scope
	with   *trinosql.With // whose first queries can be named
	named  int
	head   [2]int           // the functions that the statement declares
	reads  *trinosql.Select // whose columns a subquery may name
	likely bool             // reads is not known well enough: its columns cannot be asked for
}

// below are the edits of the queries below a node, the first of them that need any.
func (r *rewriter) below(ctx context.Context, n trinosql.Node, sc *scope) (edits []sqltext.Edit, err error) {
	trinosql.Inspect(n, func(inner trinosql.Node) bool {
		if len(edits) > 0 || err != nil {
			return false
		}
		q, ok := inner.(*trinosql.Query)
		if ok {
			edits, err = r.query(ctx, q, sc)
		}
		return !ok
	})
	return edits, err
}

func (r *rewriter) query(ctx context.Context, q *trinosql.Query, sc *scope) (edits []sqltext.Edit, err error) {
	if len(q.Routines) > 0 {
		from, _ := q.Routines[0].Span()
		_, to := q.Routines[len(q.Routines)-1].Span()
		sc = &scope{outer: sc, head: [2]int{from, to}}
	}
	if q.With != nil {
		for i, named := range q.With.Queries {
			edits, err = r.query(ctx, named.Query, &scope{outer: sc, with: q.With, named: i})
			if len(edits) > 0 || err != nil {
				return edits, err
			}
		}
		sc = &scope{outer: sc, with: q.With, named: len(q.With.Queries)}
	}
	if edits, err = r.body(ctx, q.Body, sc); len(edits) > 0 || err != nil {
		return edits, err
	}
	for _, o := range q.OrderBy {
		if edits, err = r.below(ctx, o, sc); len(edits) > 0 || err != nil {
			return edits, err
		}
	}
	return r.orderByAll(ctx, q, sc)
}

func (r *rewriter) body(ctx context.Context, b trinosql.QueryBody, sc *scope) ([]sqltext.Edit, error) {
	switch b := b.(type) {
	case *trinosql.SetOp:
		if edits, err := r.body(ctx, b.Left, sc); len(edits) > 0 || err != nil {
			return edits, err
		}
		return r.body(ctx, b.Right, sc)
	case *trinosql.SubqueryBody:
		return r.query(ctx, b.Query, sc)
	case *trinosql.Select:
		return r.selection(ctx, b, sc)
	}
	return r.below(ctx, b, sc)
}

func (r *rewriter) selection(ctx context.Context, s *trinosql.Select, sc *scope) (edits []sqltext.Edit, err error) {
	from := map[trinosql.Node]bool{}
	for _, rel := range s.From {
		from[rel] = true
		within := sc
		if hasLateral(rel) {
			within = &scope{outer: sc, reads: s, likely: true}
		}
		if edits, err = r.below(ctx, rel, within); len(edits) > 0 || err != nil {
			return edits, err
		}
	}
	within := &scope{outer: sc, reads: s}
	trinosql.Inspect(s, func(n trinosql.Node) bool {
		if len(edits) > 0 || err != nil || from[n] {
			return false
		}
		q, ok := n.(*trinosql.Query)
		if ok {
			edits, err = r.query(ctx, q, within)
		} else if e := r.extras[n]; e != nil && n != trinosql.Node(s) {
			for _, x := range e.Replace {
				if len(edits) == 0 && err == nil {
					edits, err = r.below(ctx, x, within)
				}
			}
		}
		return !ok
	})
	for _, step := range []func(context.Context, *trinosql.Select, *scope) ([]sqltext.Edit, error){r.stars, r.columns,
		r.groupByAll, r.aliases} {
		if len(edits) > 0 || err != nil {
			return edits, err
		}
		edits, err = step(ctx, s, sc)
	}
	return edits, err
}

func hasLateral(rel trinosql.Relation) (found bool) {
	trinosql.Inspect(rel, func(n trinosql.Node) bool {
		_, is := n.(*trinosql.Lateral)
		found = found || is
		return !found
	})
	return found
}

func copyOf(from, to int) sqltext.EditPart    { return sqltext.EditPart{From: from, To: to} }
func words(text string) sqltext.EditPart      { return sqltext.EditPart{Words: text} }
func nodeOf(n trinosql.Node) sqltext.EditPart { return copyOf(n.Span()) }

// asked is a query for columns.
type asked struct {
	sql   string
	types bool
}

// ask returns the columns of a query that is written here, in the scope of another one.
func (r *rewriter) ask(ctx context.Context, sc *scope, at int, types bool, query ...sqltext.EditPart) ([]Column,
	error) {
	nested := false
	for ; sc != nil; sc = sc.outer {
		var head []sqltext.EditPart
		switch {
		case sc.head[1] > 0:
			head = []sqltext.EditPart{copyOf(sc.head[0], sc.head[1]), words(" ")}
		case sc.with != nil && sc.named > 0:
			if nested {
				query = append(append([]sqltext.EditPart{words("SELECT * FROM (")}, query...), words(")"))
			}
			first, _ := sc.with.Queries[0].Span()
			_, last := sc.with.Queries[sc.named-1].Span()
			keyword := "WITH "
			if sc.with.Recursive {
				keyword += "RECURSIVE "
			}
			head, nested = []sqltext.EditPart{words(keyword), copyOf(first, last), words(" ")}, true
		default:
			continue
		}
		query = append(head, query...)
	}
	text := r.text.Compose(at, query...)
	key := asked{text.String(), types}
	if cols, ok := r.known[key]; ok {
		return cols, nil
	}
	if r.o.Columns == nil {
		return nil, errors.New("the columns are not known")
	}
	cols, err := r.o.Columns(ctx, text.String(), types)
	if err != nil {
		return nil, &ColumnsError{text, err}
	}
	if len(cols) == 0 {
		return nil, r.fail(at, "the gateway does not report the columns of the query")
	}
	r.known[key] = cols
	return cols, nil
}

// fromOf is FROM with the tables of a query.
func fromOf(s *trinosql.Select) []sqltext.EditPart {
	from, _ := s.From[0].Span()
	_, to := s.From[len(s.From)-1].Span()
	return []sqltext.EditPart{words(" FROM "), copyOf(from, to), words(" LIMIT 0")}
}

// reads asks for the columns of what a query selects from; none without FROM.
func (r *rewriter) reads(ctx context.Context, s *trinosql.Select, sc *scope) ([]Column, error) {
	if len(s.From) == 0 {
		return nil, nil
	}
	from, _ := s.From[0].Span()
	return r.ask(ctx, sc, from, false, append([]sqltext.EditPart{words("SELECT *")}, fromOf(s)...)...)
}

// named reports whether a column of a name can be named in a query: one of its tables, or of a query around it. It is
// true where that is not known.
func (r *rewriter) named(ctx context.Context, name string, s *trinosql.Select, sc *scope) bool {
	cols, err := r.reads(ctx, s, sc)
	if err != nil || has(cols, name) {
		return true
	}
	for ; sc != nil; sc = sc.outer {
		if sc.reads != nil && (sc.likely || r.named(ctx, name, sc.reads, sc.outer)) {
			return true
		}
	}
	return false
}

func has(cols []Column, name string) bool { return count(cols, name) > 0 }

func count(cols []Column, name string) (n int) {
	for _, c := range cols {
		if strings.EqualFold(c.Name, name) {
			n++
		}
	}
	return n
}
