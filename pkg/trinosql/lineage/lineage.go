// Package lineage follows the columns of an analysed query to the columns of the tables that it names.
package lineage

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// Column is a column of the result.
type Column struct {
	Expression string // as written, without its alias; the column's name if it came from a star
	Reads      []Read // in the order in which the statement names them, without duplicates
}

// Read is a column of a table.
type Read struct {
	Table  analyze.Name
	Column string
}

// Of returns an entry for each column of the result of a query, whose statement is text. Only tables that the query
// itself names are read: a view counts as a table.
func Of(q *trinosql.Query, a *analyze.Analysis, text string) []Column {
	l := &lines{a: a, exprs: map[*analyze.Field][]trinosql.Expr{}, also: map[*analyze.Field][]*analyze.Field{},
		known: map[*analyze.Field][]Read{}, busy: map[*analyze.Field]bool{}}
	l.learn()
	items := l.items(q.Body)
	var out []Column
	for _, f := range a.Queries[q].Fields {
		if f.Hidden {
			continue
		}
		c := Column{Expression: f.Name, Reads: l.field(f)}
		if i := len(out); i < len(items) && items[i].Expr != nil {
			c.Expression = l.written(items[i], text)
		}
		out = append(out, c)
	}
	return out
}

type lines struct {
	a     *analyze.Analysis
	exprs map[*analyze.Field][]trinosql.Expr  // the expressions that a field is computed from
	also  map[*analyze.Field][]*analyze.Field // sources of a field in addition to those of the analysis
	texts map[trinosql.Expr]*trinosql.SelectExpr
	known map[*analyze.Field][]Read
	busy  map[*analyze.Field]bool // fields being resolved: those of a recursive query refer to themselves
}

// learn records the sources of the fields of queries.
func (l *lines) learn() {
	l.texts = map[trinosql.Expr]*trinosql.SelectExpr{}
	for s, info := range l.a.Selects {
		for i, it := range info.Items {
			switch f := info.Fields[i]; {
			case it.Expr != nil:
				l.exprs[f] = append(l.exprs[f], it.Expr)
			case it.Row != nil:
				l.exprs[f] = append(l.exprs[f], it.Row)
			case it.Source != nil && it.Source != f:
				l.also[f] = append(l.also[f], it.Source)
			}
		}
		for _, it := range s.Items {
			if x, ok := it.(*trinosql.SelectExpr); ok {
				l.texts[x.Expr] = x
			}
		}
	}
	for r, info := range l.a.Relations {
		for _, f := range info.Fields {
			switch r := r.(type) {
			case *trinosql.Unnest:
				l.exprs[f] = append(l.exprs[f], r.Exprs...)
			case *trinosql.JSONTable:
				l.exprs[f] = append(l.exprs[f], r.Root)
			case *trinosql.MatchRecognize:
				for _, m := range r.Patterns.Measures {
					if f.From == nil && m.Name.Name == f.Name {
						l.exprs[f] = append(l.exprs[f], m.Expr)
					}
				}
			}
		}
	}
	for b, info := range l.a.Bodies {
		v, ok := b.(*trinosql.Values)
		if !ok {
			continue
		}
		for _, r := range v.Rows {
			for i, f := range info.Fields {
				if row, ok := r.(*trinosql.Row); ok && i < len(row.Items) {
					l.exprs[f] = append(l.exprs[f], row.Items[i])
				} else {
					l.exprs[f] = append(l.exprs[f], r)
				}
			}
		}
	}
	for _, r := range l.a.Recursive {
		for _, b := range []trinosql.QueryBody{r.Anchor, r.Step} {
			for i, f := range r.Fields {
				if info := l.a.Bodies[b]; info != nil && i < len(info.Fields) {
					l.also[f] = append(l.also[f], info.Fields[i])
				}
			}
		}
	}
}

// field returns the columns that a field is read from.
func (l *lines) field(f *analyze.Field) []Read {
	if r, ok := l.known[f]; ok {
		return r
	}
	if l.busy[f] {
		return nil
	}
	l.busy[f] = true
	var out []Read
	for _, from := range slices.Concat(f.From, l.also[f]) {
		out = joined(out, l.field(from))
	}
	for _, x := range l.exprs[f] {
		out = joined(out, l.expr(x))
	}
	if len(out) == 0 && f.Table != nil && f.Column != nil {
		out = []Read{{*f.Table, f.Column.Name}}
	}
	delete(l.busy, f)
	if len(l.busy) == 0 { // a result found within a cycle may be incomplete
		l.known[f] = out
	}
	return out
}

// expr returns the columns that an expression is computed from.
func (l *lines) expr(x trinosql.Expr) (out []Read) {
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		if q, ok := n.(*trinosql.Query); ok {
			if info := l.a.Queries[q]; info != nil {
				for _, f := range info.Fields {
					out = joined(out, l.field(f))
				}
			}
			return false
		}
		if e, ok := n.(trinosql.Expr); ok {
			if ref := l.a.Columns[e]; ref != nil {
				out = joined(out, l.field(ref.Field))
				return false
			}
		}
		return true
	})
	return out
}

// items are the columns of the first select list of a body.
func (l *lines) items(b trinosql.QueryBody) []analyze.Item {
	switch b := b.(type) {
	case *trinosql.Select:
		return l.a.Selects[b].Items
	case *trinosql.SetOp:
		items := l.items(b.Left)
		both := l.a.Bodies[b].Corresponding
		if both == nil || items == nil {
			return items
		}
		var out []analyze.Item
		for _, i := range both[0] {
			out = append(out, items[i])
		}
		return out
	case *trinosql.SubqueryBody:
		return l.items(b.Query.Body)
	}
	return nil
}

// written is the text of an expression of a select list.
func (l *lines) written(it analyze.Item, text string) string {
	x := l.texts[it.Expr]
	if x == nil {
		return it.Name
	}
	from, end := x.Span()
	if x.Alias != nil {
		end, _ = x.Alias.Span()
	}
	if from < 0 || end > len(text) || from >= end {
		return it.Name
	}
	s := strings.TrimSpace(text[from:end])
	if n := len(s) - 2; x.Alias != nil && n > 0 && strings.EqualFold(s[n:], "AS") && strings.ContainsAny(s[n-1:n],
		" \t\r\n)]'\"") {
		s = strings.TrimSpace(s[:n])
	}
	return s
}

// joined returns the union in order of first appearance.
func joined(a, b []Read) []Read {
	out := slices.Clone(a)
	for _, r := range b {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
