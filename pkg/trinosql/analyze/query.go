package analyze

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/missing"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// openQuery is a query that is being resolved.
type openQuery struct {
	info  *Query
	outer []outerRef
}

// outerRef is the use of a column of an outer query: level 1 is the directly enclosing query.
type outerRef struct {
	expr  trinosql.Expr
	level int
}

// correlate records the use of a column of an outer query.
func (z *analyzer) correlate(x trinosql.Expr, outer int) {
	for i := 0; i < outer && i < len(z.open); i++ {
		q := z.open[len(z.open)-1-i]
		q.info.Correlated = true
		q.outer = append(q.outer, outerRef{x, outer - i})
	}
}

// queryIn resolves a query in which columns of outer queries may be rejected.
func (z *analyzer) queryIn(q *trinosql.Query, s *scope, noOuter bool) []*Field {
	was := z.noOuter
	z.noOuter = noOuter
	fields := z.query(q, s)
	z.noOuter = was
	return fields
}

// query resolves a query and returns its columns, hidden ones included.
func (z *analyzer) query(q *trinosql.Query, s *scope) []*Field {
	open := &openQuery{info: &Query{}}
	z.open = append(z.open, open)
	sel := z.sel
	z.sel = nil
	defer func() { z.sel = sel }()

	s = s.inner(noFields)
	if q.With != nil {
		z.with(q.With, s)
	}
	info := open.info
	if b, ok := q.Body.(*trinosql.Select); ok {
		info.Fields = z.selectBody(b, q, s)
		info.OrderBy = z.an.Selects[b].OrderBy
	} else {
		info.Fields = z.body(q.Body, s)
		if len(q.OrderBy) > 0 {
			out := s.inner(newRelation(info.Fields))
			out.output = true
			info.OrderBy = z.orderBy(q.OrderBy, out, q)
		}
		z.limits(q)
	}
	z.open = z.open[:len(z.open)-1]
	z.an.Queries[q] = info
	z.outer[q] = open.outer
	return info.Fields
}

// limits checks OFFSET, LIMIT and FETCH FIRST.
func (z *analyzer) limits(q *trinosql.Query) {
	if p, ok := q.Offset.(*trinosql.Param); ok {
		z.rec.Types[p] = z.param(p)
	}
	if q.Offset != nil {
		z.rowCount(q.Offset)
	}
	if q.Limit != nil {
		n, known := z.rowCount(q.Limit)
		if q.Fetch && known && n <= 0 {
			fail("NUMERIC_VALUE_OUT_OF_RANGE", clause{q}, "FETCH FIRST row count must be positive (actual value: %d)",
				n)
		}
	}
	if q.WithTies && len(q.OrderBy) == 0 {
		fail("MISSING_ORDER_BY", clause{q}, "FETCH FIRST WITH TIES clause requires ORDER BY")
	}
}

func (z *analyzer) rowCount(x trinosql.Expr) (int64, bool) {
	switch x := x.(type) {
	case *trinosql.IntLit:
		return integer(x), true
	case *trinosql.Param:
		if t := z.expr(x, &scope{relation: noFields}); z.opt.Describe || t.Kind != types.Bigint {
			z.rec.Coercions[x] = bigint
		}
	}
	return 0, false
}

// with adds the queries of WITH to a scope.
func (z *analyzer) with(w *trinosql.With, s *scope) {
	s.named = map[string]*named{}
	for _, q := range w.Queries {
		name := q.Name.Lower()
		if s.named[name] != nil {
			fail("DUPLICATE_NAMED_QUERY", q, "WITH query name '%s' specified more than once", name)
		}
		if w.Recursive && z.recursiveQuery(q, s) {
			continue
		}
		fields := newRelation(z.query(q.Query, s.below())).visible()
		if q.Columns != nil {
			fields = z.rename(q.Columns, fields, "")
		}
		s.named[name] = &named{tree: q, fields: fields}
	}
}

// rename gives columns the names of a column list.
func (z *analyzer) rename(names []*trinosql.Ident, fields []*Field, alias string) []*Field {
	if len(names) != len(fields) {
		fail("MISMATCHED_COLUMN_ALIASES", names[0], "Column alias list has %d entries but relation has %d columns",
			len(names), len(fields))
	}
	seen := map[string]bool{}
	list := make([]*Field, len(fields))
	for i, f := range fields {
		if seen[names[i].Lower()] {
			fail("DUPLICATE_COLUMN_NAME", names[i], "Column name '%s' specified more than once", names[i].Name)
		}
		seen[names[i].Lower()] = true
		list[i] = f.renamed(names[i].Name, alias)
	}
	return list
}

// renamed is a copy of a column under another name and table name.
func (f *Field) renamed(name, alias string) *Field {
	n := *f
	n.Name, n.From = name, []*Field{f}
	n.Alias = nil
	if alias != "" {
		n.Alias = []string{alias}
	}
	return &n
}

// body resolves the body of a query, unless it is a single SELECT, which resolves its ORDER BY itself.
func (z *analyzer) body(b trinosql.QueryBody, s *scope) []*Field {
	info := &Body{}
	switch b := b.(type) {
	case *trinosql.Select:
		info.Fields = z.selectBody(b, nil, s)
	case *trinosql.SetOp:
		info.Fields = z.setOp(b, s, info)
	case *trinosql.Values:
		info.Fields = z.values(b, s)
	case *trinosql.TableBody:
		info.Fields = z.table(b, b.Name, s)
	case *trinosql.SubqueryBody:
		info.Fields = z.queryIn(b.Query, s.below(), false)
	}
	z.an.Bodies[b] = info
	return info.Fields
}

func (z *analyzer) setOp(b *trinosql.SetOp, s *scope, info *Body) []*Field {
	sides := [2][]*Field{newRelation(z.body(b.Left, s)).visible(), newRelation(z.body(b.Right, s)).visible()}
	left, right := sides[0], sides[1]
	if b.Corresponding {
		info.Corresponding = corresponding(b, left, right)
		left, right = pick(left, info.Corresponding[0]), pick(right, info.Corresponding[1])
	}
	if len(left) != len(right) {
		fail("TYPE_MISMATCH", b, "%s query has different number of fields: %d, %d", b.Op, len(left), len(right))
	}
	out, all := make([]*Field, len(left)), make([]*types.Type, len(left))
	for i, f := range left {
		if all[i] = types.Common(f.Type, right[i].Type); all[i] == nil {
			fail("TYPE_MISMATCH", b, "column %d in %s query has incompatible types: %s, %s", i+1, b.Op,
				f.Type, right[i].Type)
		}
		n := *f
		n.Type, n.From, n.Column, n.Table = all[i], []*Field{f, right[i]}, nil, nil
		out[i] = &n
	}
	if b.Op != "UNION" || !b.All {
		for _, t := range all {
			if !t.Comparable() {
				distinct := ""
				if b.Op == "UNION" {
					distinct = " DISTINCT"
				}
				fail("TYPE_MISMATCH", b, "Type %s is not comparable and therefore cannot be used in %s%s", t,
					b.Op, distinct)
			}
		}
	}
	for side, body := range []trinosql.QueryBody{b.Left, b.Right} {
		coerced, differs := make([]*types.Type, len(sides[side])), false
		for i, f := range sides[side] {
			coerced[i] = f.Type
		}
		for i, t := range all {
			at := i
			if info.Corresponding != nil {
				at = info.Corresponding[side][i]
			}
			differs = differs || !types.Equal(coerced[at], t)
			coerced[at] = t
		}
		if differs {
			z.an.Bodies[body].Coerced = coerced
		}
	}
	return out
}

// corresponding are the columns of both sides that have the same names, in the order of the left one.
func corresponding(b *trinosql.SetOp, left, right []*Field) *[2][]int {
	if b.By != nil {
		fail("NOT_SUPPORTED", b, "CORRESPONDING with columns is unsupported")
	}
	var both [2][]int
	for i, f := range left {
		for j, g := range right {
			if f.Name != "" && lowerEqual(f.Name, g.Name) {
				both[0], both[1] = append(both[0], i), append(both[1], j)
			}
		}
	}
	if both[0] == nil {
		fail("MISMATCHED_COLUMN_ALIASES", b, "No corresponding columns")
	}
	return &both
}

func pick(fields []*Field, at []int) []*Field {
	list := make([]*Field, len(at))
	for i, n := range at {
		list[i] = fields[n]
	}
	return list
}

func (z *analyzer) values(b *trinosql.Values, s *scope) []*Field {
	var common, first *types.Type
	rows := make([]*types.Type, len(b.Rows))
	for i, r := range b.Rows {
		z.scalarOnly(r, r, "VALUES")
		rows[i] = z.expr(r, s)
	}
	for _, t := range rows {
		if t.Kind != types.Row {
			t = types.NewRow(nil, []*types.Type{t})
		}
		if common == nil {
			common, first = t, t
		}
		if len(t.Args) != len(common.Args) {
			fail("TYPE_MISMATCH", b, "Values rows have mismatched sizes: %d vs %d", len(common.Args), len(t.Args))
		}
		super := types.Common(t, common)
		if super == nil {
			fail("TYPE_MISMATCH", b, "Values rows have mismatched types: %s vs %s", first, t)
		}
		common = super
	}
	for i, r := range b.Rows {
		switch lit, ok := r.(*trinosql.Row); {
		case ok:
			for j, item := range lit.Items {
				if !types.Equal(rows[i].Args[j], common.Args[j]) {
					z.rec.Coercions[item] = common.Args[j]
				}
			}
		case rows[i].Kind == types.Row && !types.Equal(rows[i], common):
			z.rec.Coercions[r] = common
		case rows[i].Kind != types.Row && !types.Equal(rows[i], common.Args[0]):
			z.rec.Coercions[r] = common.Args[0]
		}
	}
	fields := make([]*Field, len(common.Args))
	for i, t := range common.Args {
		fields[i] = &Field{Type: t}
	}
	return fields
}

// orderBy resolves the items of ORDER BY over the columns of the result and, for a SELECT, those of FROM.
func (z *analyzer) orderBy(items []*trinosql.SortItem, s *scope, at trinosql.Node) []SortKey {
	keys := make([]SortKey, len(items))
	visible := newRelation(s.fields).visible()
	for i, item := range items {
		k := SortKey{Item: item, Output: -1}
		if n, ok := ordinal(item.Expr); ok {
			if n < 1 || n > int64(len(visible)) {
				fail("INVALID_COLUMN_REFERENCE", item.Expr, "ORDER BY position %d is not in select list", n)
			}
			k.Output = int(n) - 1
			k.Type = s.fields[k.Output].Type
		} else {
			k.Type = z.visit(item.Expr, context{scope: s, noOuter: z.noOuter})
		}
		if !k.Type.Orderable() {
			text := show(item.Expr)
			if k.Output >= 0 {
				text = ":input(" + itoa(k.Output) + ")"
			}
			fail("TYPE_MISMATCH", at, "Type %s is not orderable, and therefore cannot be used in ORDER BY: %s", k.Type,
				text)
		}
		keys[i] = k
	}
	return keys
}

// table resolves a table name.
func (z *analyzer) table(at trinosql.Node, parts []*trinosql.Ident, s *scope) []*Field {
	names := lowerNames(parts)
	suffix := names[len(names)-1]
	if len(names) == 1 {
		ref, _ := at.(*trinosql.TableRef)
		if q := z.recursive[ref]; q != nil && ref != nil {
			z.an.Tables[at] = &TableUse{Named: q.tree, Recursive: true, Fields: q.fields}
			return q.fields
		}
		if q := s.query(suffix); q != nil {
			fields := make([]*Field, len(q.fields))
			for i, f := range q.fields {
				fields[i] = f.renamed(f.Name, suffix)
			}
			z.an.Tables[at] = &TableUse{Named: q.tree, Fields: fields}
			return fields
		}
	}
	name := z.fullName(at, names)
	table, ok := z.opt.Catalog.Table(name)
	switch {
	case ok:
	case !z.opt.Catalog.HasCatalog(name.Catalog):
		failNamed("CATALOG_NOT_FOUND", name.Catalog, at, "Catalog '%s' does not exist", name.Catalog)
	case !z.opt.Catalog.HasSchema(name.Catalog, name.Schema):
		failNamed("SCHEMA_NOT_FOUND", name.Schema, at, "Schema '%s' does not exist", name.Schema)
	default:
		failNamed("TABLE_NOT_FOUND", name.String(), at, "%s", missing.Table(name.Catalog, name.Schema, name.Table))
	}
	fields := make([]*Field, len(table.Columns))
	for i := range table.Columns {
		c := &table.Columns[i]
		fields[i] = &Field{Name: c.Name, Alias: names, Type: c.Type, Hidden: c.Hidden, Column: c, Table: &table.Name}
	}
	z.an.Tables[at] = &TableUse{Table: table, Fields: fields}
	return fields
}

// fullName completes the name of a table.
func (z *analyzer) fullName(at trinosql.Node, names []string) Name {
	n := Name{z.opt.DefaultCatalog, z.opt.DefaultSchema, names[len(names)-1]}
	switch len(names) {
	case 1:
	case 2:
		n.Schema = names[0]
	case 3:
		n.Catalog, n.Schema = names[0], names[1]
	default:
		failNowhere("SYNTAX_ERROR", "Too many dots in table name: %s", strings.Join(names, "."))
	}
	if n.Catalog == "" {
		fail("MISSING_CATALOG_NAME", at, "Catalog must be specified when session catalog is not set")
	}
	if n.Schema == "" {
		fail("MISSING_SCHEMA_NAME", at, "Schema must be specified when session schema is not set")
	}
	return n
}
