package analyze

import (
	"math/big"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// from resolves FROM, whose relations are joined from left to right, and returns its columns.
func (z *analyzer) from(list []trinosql.Relation, s *scope) *relation {
	if len(list) == 0 {
		return noFields
	}
	left := z.relation(list[0], s)
	for _, r := range list[1:] {
		in := s
		if isLateral(r) {
			in = s.inner(left)
		}
		left = joined(left, z.relation(r, in))
	}
	return left
}

// isLateral reports whether a relation sees the columns of those to its left.
func isLateral(r trinosql.Relation) bool {
	switch r := r.(type) {
	case *trinosql.Aliased:
		return isLateral(r.Relation)
	case *trinosql.ParenRel:
		return isLateral(r.Relation)
	case *trinosql.Unnest, *trinosql.Lateral, *trinosql.JSONTable:
		return true
	}
	return false
}

func isUnnest(r trinosql.Relation) bool {
	switch r := r.(type) {
	case *trinosql.Aliased:
		return isUnnest(r.Relation)
	case *trinosql.ParenRel:
		return isUnnest(r.Relation)
	case *trinosql.Unnest:
		return true
	}
	return false
}

// relation resolves an item of FROM.
func (z *analyzer) relation(r trinosql.Relation, s *scope) *relation {
	info := &Relation{Lateral: isLateral(r)}
	var rel *relation
	switch r := r.(type) {
	case *trinosql.TableRef:
		if r.Period != nil {
			failNowhere("NOT_SUPPORTED", "This connector does not support versioned tables")
		}
		info.Fields = z.table(r, r.Name, s)
	case *trinosql.SubqueryRel:
		info.Fields = z.queryIn(r.Query, s.below(), false)
	case *trinosql.Lateral:
		info.Fields = z.queryIn(r.Query, s.below(), false)
	case *trinosql.ParenRel:
		rel = z.relation(r.Relation, s)
	case *trinosql.Aliased:
		info.Fields = z.alias(r, z.relation(r.Relation, s).fields)
	case *trinosql.Sampled:
		z.sample(r)
		rel = z.relation(r.Relation, s)
	case *trinosql.Unnest:
		z.unnest(r, s, info)
	case *trinosql.MatchRecognize:
		info.Fields = z.matchRecognize(r, s)
	case *trinosql.JSONTable:
		info.Fields = z.jsonTable(r, s)
	case *trinosql.TableFunc:
		info.Fields = z.tableFunc(r, s, info)
	case *trinosql.Join:
		rel = z.join(r, s, info)
	}
	if rel == nil {
		rel = newRelation(info.Fields)
	}
	info.Fields = rel.fields
	z.an.Relations[r] = info
	return rel
}

func (z *analyzer) alias(r *trinosql.Aliased, inner []*Field) []*Field {
	if r.Columns == nil {
		fields := make([]*Field, len(inner))
		for i, f := range inner {
			fields[i] = f.renamed(f.Name, r.Alias.Name)
		}
		return fields
	}
	visible := newRelation(inner).visible()
	if len(visible) != len(r.Columns) {
		fail("MISMATCHED_COLUMN_ALIASES", r, "Column alias list has %d entries but '%s' has %d columns available",
			len(r.Columns), showName(r.Alias), len(visible))
	}
	fields := make([]*Field, len(visible))
	for i, f := range visible {
		fields[i] = f.renamed(r.Columns[i].Name, r.Alias.Name)
	}
	return fields
}

func (z *analyzer) sample(r *trinosql.Sampled) {
	names := collect([]trinosql.Expr{r.Percentage}, func(x trinosql.Expr) bool {
		_, ok := x.(*trinosql.Ident)
		return ok
	})
	if len(names) > 0 {
		fail("EXPRESSION_NOT_CONSTANT", r.Percentage, "Sample percentage cannot contain column references")
	}
	t := z.expr(r.Percentage, &scope{relation: noFields})
	switch {
	case !types.CanCoerce(t, types.Of(types.Double)):
		fail("TYPE_MISMATCH", r.Percentage, "Sample percentage should be a numeric expression")
	case t.Kind == types.Unknown:
		fail("INVALID_ARGUMENTS", r.Percentage, "Sample percentage cannot be NULL")
	}
	text, negative := "", false
	switch x := r.Percentage.(type) {
	case *trinosql.IntLit:
		text = x.Text
	case *trinosql.DecimalLit:
		text = x.Text
	case *trinosql.DoubleLit:
		text = x.Text
	case *trinosql.Unary:
		negative = negativeLiteral(x) != nil
	}
	n, ok := new(big.Float).SetString(text)
	switch {
	case negative:
		fail("NUMERIC_VALUE_OUT_OF_RANGE", r.Percentage, "Sample percentage must be greater than or equal to 0")
	case ok && n.Cmp(big.NewFloat(100)) > 0:
		fail("NUMERIC_VALUE_OUT_OF_RANGE", r.Percentage, "Sample percentage must be less than or equal to 100")
	}
}

func (z *analyzer) unnest(r *trinosql.Unnest, s *scope, info *Relation) {
	for _, x := range r.Exprs {
		z.scalarOnly(x, x, "UNNEST")
		t := z.visit(x, context{scope: s, noOuter: z.noOuter})
		n := len(info.Fields)
		switch t.Kind {
		case types.Array:
			if e := t.Args[0]; e.Kind == types.Row {
				for i, f := range e.Args {
					info.Fields = append(info.Fields, &Field{Name: e.FieldName(i), Type: f})
				}
			} else {
				info.Fields = append(info.Fields, &Field{Type: e})
			}
		case types.Map:
			info.Fields = append(info.Fields, &Field{Type: t.Args[0]}, &Field{Type: t.Args[1]})
		default:
			failNowhere("INVALID_FUNCTION_ARGUMENT", "Cannot unnest type: %s", t)
		}
		info.Unnest = append(info.Unnest, len(info.Fields)-n)
	}
	if r.Ordinality {
		info.Fields = append(info.Fields, &Field{Type: bigint})
	}
}

func (z *analyzer) join(r *trinosql.Join, s *scope, info *Relation) *relation {
	if r.Natural {
		fail("NOT_SUPPORTED", r, "Natural join not supported")
	}
	left := z.relation(r.Left, s)
	in := s
	lateral := isLateral(r.Right)
	if lateral {
		in = s.inner(left)
	}
	right := z.relation(r.Right, in)
	if lateral {
		z.lateralJoin(r, left.fields)
	}
	if r.Using != nil {
		z.using(r, s, left, right, info)
		return nil
	}
	rel := joined(left, right)
	if r.On == nil {
		return rel
	}
	z.scalarOnly(r.On, r.On, "JOIN clause")
	t := z.visit(r.On, context{scope: s.inner(rel), noOuter: r.Kind != "INNER"})
	if t.Kind == types.Unknown {
		z.rec.Coercions[r.On] = boolean
	} else if t.Kind != types.Boolean {
		fail("TYPE_MISMATCH", r.On, "JOIN ON clause must evaluate to a boolean: actual type %s", t)
	}
	return rel
}

// lateralJoin checks a join whose right side uses columns of the left one.
func (z *analyzer) lateralJoin(r *trinosql.Join, left []*Field) {
	if r.Kind == "RIGHT" || r.Kind == "FULL" {
		of := map[*Field]bool{}
		for _, f := range left {
			of[f] = true
		}
		var first trinosql.Expr
		trinosql.Inspect(r.Right, func(n trinosql.Node) bool {
			x, ok := n.(trinosql.Expr)
			if ref := z.rec.Columns[x]; ok && ref != nil && of[ref.Field] && first == nil {
				first = x
			}
			return true
		})
		if first != nil {
			fail("INVALID_COLUMN_REFERENCE", first, "LATERAL reference not allowed in %s JOIN", r.Kind)
		}
	}
	onTrue := false
	if lit, ok := r.On.(*trinosql.BoolLit); ok {
		onTrue = lit.Value
	}
	if onTrue || r.On == nil && r.Using == nil {
		return
	}
	var at trinosql.Node = r
	if r.On != nil {
		at = r.On
	}
	if isUnnest(r.Right) {
		fail("NOT_SUPPORTED", at, "%s JOIN involving UNNEST is only supported with condition ON TRUE", r.Kind)
	} else if r.Kind == "FULL" {
		fail("NOT_SUPPORTED", at, "FULL JOIN involving LATERAL relation is only supported with condition ON TRUE")
	}
}

// using resolves JOIN ... USING: the shared columns come first, then the others of both sides.
func (z *analyzer) using(r *trinosql.Join, s *scope, left, right *relation, info *Relation) {
	ls, rs := s.inner(left), s.inner(right)
	seen, taken := map[string]bool{}, map[*Field]bool{}
	for _, id := range r.Using {
		name := id.Lower()
		if seen[name] {
			fail("DUPLICATE_COLUMN_NAME", id, "Column '%s' appears multiple times in USING clause", id.Name)
		}
		seen[name] = true
		l, ok := ls.resolve(id, []string{name})
		if !ok {
			failNamed("COLUMN_NOT_FOUND", name, id, "Column '%s' is missing from left side of join", id.Name)
		}
		rr, ok := rs.resolve(id, []string{name})
		if !ok {
			failNamed("COLUMN_NOT_FOUND", name, id, "Column '%s' is missing from right side of join", id.Name)
		}
		if _, err := z.resolveOperator("EQUAL", l.field.Type, rr.field.Type); err != nil {
			fail("TYPE_MISMATCH", id, "%s", err)
		}
		out := &Field{Name: id.Name, Type: types.Common(l.field.Type, rr.field.Type), From: []*Field{l.field, rr.field}}
		info.Using = append(info.Using, &UsingColumn{Name: id, Left: l.field, Right: rr.field, Out: out})
		info.Fields = append(info.Fields, out)
		taken[l.field], taken[rr.field] = true, true
	}
	for _, side := range [][]*Field{left.fields, right.fields} {
		for _, f := range side {
			if !taken[f] {
				info.Fields = append(info.Fields, f)
			}
		}
	}
}

// lowerEqual reports whether two names are equal, ignoring case.
func lowerEqual(a, b string) bool { return strings.EqualFold(a, b) }
