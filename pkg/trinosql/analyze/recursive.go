package analyze

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// recursiveQuery resolves a query of WITH RECURSIVE that refers to itself. It returns false for any other.
func (z *analyzer) recursiveQuery(q *trinosql.NamedQuery, s *scope) bool {
	if q.Columns == nil {
		fail("MISSING_COLUMN_ALIASES", q, "missing column aliases in recursive WITH query")
	}
	trinosql.Inspect(q.Query, func(n trinosql.Node) bool {
		if w, ok := n.(*trinosql.With); ok && w.Recursive {
			fail("NESTED_RECURSIVE", w, "nested recursive WITH query")
		}
		return true
	})
	union, ok := q.Query.Body.(*trinosql.SetOp)
	if !ok || union.Op != "UNION" {
		z.noReference(q)
		return false
	}
	name := q.Name.Lower()
	if refs := references(union.Left, name); len(refs) > 0 {
		fail("INVALID_RECURSIVE_REFERENCE", refs[0], "WITH table name is referenced in the base relation of recursion")
	}
	refs := references(union.Right, name)
	if len(refs) > 1 {
		fail("INVALID_RECURSIVE_REFERENCE", refs[1], "multiple recursive references in the step relation of recursion")
	}
	const outside = "recursive reference outside of FROM clause of the step relation of recursion"
	if t, ok := union.Right.(*trinosql.TableBody); ok && len(t.Name) == 1 && t.Name[0].Lower() == name {
		fail("INVALID_RECURSIVE_REFERENCE", t, outside)
	}
	if len(refs) == 0 {
		return false
	}
	step := union.Right
	for sub, ok := step.(*trinosql.SubqueryBody); ok; sub, ok = step.(*trinosql.SubqueryBody) {
		// The LIMIT after a single SELECT belongs to that SELECT, where it is allowed.
		if _, own := sub.Query.Body.(*trinosql.Select); !own && sub.Query.Limit != nil {
			fail("INVALID_LIMIT_CLAUSE", clause{sub.Query},
				"FETCH FIRST / LIMIT clause in the step relation of recursion")
		}
		step = sub.Query.Body
	}
	sel, ok := step.(*trinosql.Select)
	if !ok || len(sel.From) == 0 {
		fail("INVALID_RECURSIVE_REFERENCE", refs[0], outside)
	}
	inFrom := false
	for _, r := range sel.From {
		inFrom = inFrom || len(references(r, name)) > 0
	}
	if !inFrom {
		fail("INVALID_RECURSIVE_REFERENCE", refs[0], outside)
	}
	z.checkRecursive(q, sel, name)

	anchor := z.rename(q.Columns, newRelation(z.body(union.Left, s)).visible(), q.Name.Name)
	self := &named{tree: q, fields: anchor}
	z.recursive[refs[0]] = self
	fields := newRelation(z.body(union.Right, s)).visible()
	delete(z.recursive, refs[0])
	if len(fields) != len(anchor) {
		fail("TYPE_MISMATCH", union.Right,
			"base and step relations of recursion have different number of fields: %d, %d", len(anchor), len(fields))
	}
	all, coerced := make([]*types.Type, len(fields)), false
	for i, f := range fields {
		if !types.CanCoerce(f.Type, anchor[i].Type) {
			fail("TYPE_MISMATCH", union.Right, "recursion step relation output type (%s) is not coercible to "+
				"recursion base relation output type (%s) at column %d", f.Type, anchor[i].Type, i+1)
		}
		all[i] = anchor[i].Type
		coerced = coerced || !types.Equal(f.Type, all[i])
	}
	if coerced {
		z.an.Bodies[union.Right].Coerced = all
	}
	z.an.Queries[q.Query] = &Query{Fields: anchor}
	z.an.Recursive[q] = &Recursion{Anchor: union.Left, Step: union.Right, Reference: refs[0], Fields: anchor}
	s.named[name] = self
	return true
}

// noReference rejects a self-reference where recursion is not allowed.
func (z *analyzer) noReference(q *trinosql.NamedQuery) {
	if refs := references(q.Query, q.Name.Lower()); len(refs) > 0 {
		fail("INVALID_RECURSIVE_REFERENCE", refs[0], "recursive reference not allowed in this context")
	}
}

// checkRecursive rejects clauses and self-references that are not allowed in a recursive query.
func (z *analyzer) checkRecursive(q *trinosql.NamedQuery, sel *trinosql.Select, name string) {
	switch {
	case q.Query.With != nil:
		fail("NOT_SUPPORTED", q.Query.With, "immediate WITH clause in recursive query")
	case q.Query.OrderBy != nil:
		fail("NOT_SUPPORTED", before{q.Query.OrderBy[0], "ORDER BY "}, "immediate ORDER BY clause in recursive query")
	case q.Query.Offset != nil:
		fail("NOT_SUPPORTED", before{q.Query.Offset, "OFFSET "}, "immediate OFFSET clause in recursive query")
	case q.Query.Limit != nil:
		fail("INVALID_LIMIT_CLAUSE", clause{q.Query}, "immediate FETCH FIRST / LIMIT clause in recursive query")
	}
	bad := func(n trinosql.Node, msg string) {
		if refs := references(n, name); len(refs) > 0 {
			fail("INVALID_RECURSIVE_REFERENCE", refs[0], "%s", msg)
		}
	}
	for _, r := range sel.From {
		trinosql.Inspect(r, func(n trinosql.Node) bool {
			switch n := n.(type) {
			case *trinosql.Join:
				if n.Kind == "RIGHT" || n.Kind == "FULL" {
					bad(n.Left, "recursive reference in left source of "+n.Kind+" join")
				}
				if n.Kind == "LEFT" || n.Kind == "FULL" {
					bad(n.Right, "recursive reference in right source of "+n.Kind+" join")
				}
			case *trinosql.SetOp:
				switch {
				case n.Op == "INTERSECT" && n.All:
					bad(n, "recursive reference in INTERSECT ALL")
				case n.Op == "EXCEPT" && n.All:
					bad(n.Right, "recursive reference in right relation of EXCEPT ALL")
					bad(n.Left, "recursive reference in left relation of EXCEPT ALL")
				case n.Op == "EXCEPT":
					bad(n.Right, "recursive reference in right relation of EXCEPT DISTINCT")
				}
			}
			return true
		})
	}
}

// references are the uses of a table name below a node, without those hidden by the WITH of a subquery.
func references(n trinosql.Node, name string) []*trinosql.TableRef {
	var list []*trinosql.TableRef
	trinosql.Inspect(n, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Query:
			if n.With != nil {
				for _, w := range n.With.Queries {
					if w.Name.Lower() == name {
						return false
					}
				}
			}
		case *trinosql.TableRef:
			if len(n.Name) == 1 && n.Name[0].Lower() == name {
				list = append(list, n)
			}
		}
		return true
	})
	return list
}
