package friendly

import (
	"context"
	"slices"
	"strconv"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// aliases writes the expression of an item of the select list, or its number in GROUP BY, for its name in WHERE, GROUP
// BY and HAVING, unless there is a column of that name.
func (r *rewriter) aliases(ctx context.Context, s *trinosql.Select, sc *scope) ([]sqltext.Edit, error) {
	items := map[string][]int{}
	for i, item := range s.Items {
		if x, ok := item.(*trinosql.SelectExpr); ok && x.Alias != nil {
			items[x.Alias.Lower()] = append(items[x.Alias.Lower()], i)
		}
	}
	if len(items) == 0 {
		return nil, nil
	}
	var found []reference
	if s.Where != nil {
		found = references(s.Where, found, false)
	}
	if s.GroupBy != nil {
		for _, e := range s.GroupBy.Elements {
			for _, set := range e.Sets {
				for _, x := range set.Exprs {
					found = references(x, found, e.Kind == "")
				}
			}
		}
	}
	if s.Having != nil {
		found = references(s.Having, found, false)
	}
	var edits []sqltext.Edit
	for _, ref := range found {
		list := items[ref.id.Lower()]
		if len(list) == 0 {
			continue
		}
		x := s.Items[list[0]].(*trinosql.SelectExpr)
		if mentions(x.Expr, ref.id.Lower()) || r.named(ctx, ref.id.Lower(), s, sc) {
			continue
		}
		from, to := ref.id.Span()
		number, starred := list[0]+1, slices.ContainsFunc(s.Items[:list[0]], isStar)
		switch {
		case r.renames > maxRenames || len(r.text.String()) > 16*r.typed+maxBytes:
			return nil, r.fail(from, "%s stands for a name that stands for it", ref.id.Name)
		case len(list) > 1:
			return nil, r.fail(from, "several columns of the select list are named %s", ref.id.Name)
		case ref.item && !starred:
			edits = append(edits, sqltext.Words(from, to, strconv.Itoa(number)))
		case hasParam(x.Expr):
			return nil, r.fail(from, "the column %s of the select list has a parameter, and cannot be named here",
				ref.id.Name)
		case callsAnew(x.Expr) != "":
			return nil, r.fail(from, "the column %s of the select list cannot be named here: %s gives another value "+
				"each time", ref.id.Name, callsAnew(x.Expr))
		default:
			with := []sqltext.EditPart{nodeOf(x.Expr)}
			if !simple(x.Expr) {
				with = []sqltext.EditPart{words("("), nodeOf(x.Expr), words(")")}
			}
			edits = append(edits, sqltext.Edit{From: from, To: to, With: with})
		}
	}
	if len(edits) > 0 {
		r.renames++
	}
	return edits, nil
}

func isStar(item trinosql.SelectItem) bool {
	_, ok := item.(*trinosql.SelectStar)
	return ok
}

// reference is a name without a table before it.
type reference struct {
	id   *trinosql.Ident
	item bool // it is a whole item of GROUP BY
}

// references appends the names in an expression that may be those of columns, except in its subqueries.
func references(x trinosql.Expr, to []reference, item bool) []reference {
	var visit func(n trinosql.Node, bound []string)
	visit = func(n trinosql.Node, bound []string) {
		trinosql.Inspect(n, func(n trinosql.Node) bool {
			within := func(list ...trinosql.Expr) bool {
				for _, x := range list {
					if x != nil {
						visit(x, bound)
					}
				}
				return false
			}
			switch n := n.(type) {
			case *trinosql.Ident:
				if !slices.Contains(bound, n.Lower()) {
					to = append(to, reference{n, item && trinosql.Expr(n) == x})
				}
			case *trinosql.Query, trinosql.Type, *trinosql.JSONFunc:
				return false
			case *trinosql.Deref:
				if _, table := n.Base.(*trinosql.Ident); !table {
					within(n.Base)
				}
				return false
			case *trinosql.Extract:
				return within(n.X)
			case *trinosql.Lambda:
				inner := slices.Clone(bound)
				for _, p := range n.Params {
					inner = append(inner, p.Lower())
				}
				visit(n.Body, inner)
				return false
			case *trinosql.Func:
				within(n.Args...)
				for _, o := range n.OrderBy {
					within(o.Expr)
				}
				return within(n.Filter)
			}
			return true
		})
	}
	visit(x, nil)
	return to
}

// mentions reports whether an expression has a name, so that there is a column of that name.
func mentions(x trinosql.Expr, name string) bool {
	return slices.ContainsFunc(references(x, nil, false), func(ref reference) bool { return ref.id.Lower() == name })
}

func hasParam(x trinosql.Expr) (found bool) {
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		_, is := n.(*trinosql.Param)
		found = found || is
		return !found
	})
	return found
}

// callsAnew is the name of a function in an expression that gives another value each time that it is called; empty if
// there is none.
func callsAnew(x trinosql.Expr) (name string) {
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		if f, ok := n.(*trinosql.Func); ok && len(f.Name) == 1 && slices.ContainsFunc(
			functions.Named(f.Name[0].Lower()), func(f *functions.Function) bool { return f.Nondeterministic }) {
			name = f.Name[0].Lower()
		}
		return name == ""
	})
	return name
}

// simple reports whether an expression binds tightly enough to stand for a name.
func simple(x trinosql.Expr) bool {
	switch x := x.(type) {
	case *trinosql.Ident, *trinosql.Deref, *trinosql.Cast, *trinosql.Case, *trinosql.Subscript, *trinosql.StringLit,
		*trinosql.Subquery, *trinosql.Extract, *trinosql.Trim, *trinosql.Substring:
		return true
	case *trinosql.Func:
		return x.Over == nil && x.OverName == nil && x.Mode == ""
	}
	return false
}
