package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// scalar writes a scalar subquery; with several columns its value is a row.
func (p *printer) scalar(x *trinosql.Subquery) {
	p.outOfTry(func() {
		p.put("(")
		n := len(p.a.Queries[x.Query].Fields)
		if n > 1 {
			var columns []string
			text := p.capture(func() { columns = p.query(x.Query) })
			p.put("coalesce((SELECT struct_pack(")
			p.list(n, func(i int) { p.put(fmt.Sprintf("f%d := ", i+1), columns[i]) })
			p.put(") FROM (", text, ")), struct_pack(") // without rows it is a row of NULLs, not NULL
			p.list(n, func(i int) {
				p.put(fmt.Sprintf("f%d := CAST(NULL AS ", i+1), p.duckType(x, p.a.Queries[x.Query].Fields[i].Type), ")")
			})
			p.put("))")
		} else {
			p.query(x.Query)
		}
		p.put(")")
	})
}

// condition writes an expression that filters rows. In such a position Trino implements IN (query) as a join, which
// matches fewer rows: NaN, and a row that contains NULL, equal nothing. The conditions of CASE and IF do not filter
// rows.
func (p *printer) condition(x trinosql.Expr) {
	if _, written := p.literal[x]; written || p.a.Coercions[x] != nil || p.grouped != nil {
		p.expr(x)
		return
	}
	switch x := x.(type) {
	case *trinosql.Logic:
		if x.Op != "AND" {
			break
		}
		p.put("(")
		p.w.Join(" AND ", len(x.Terms), func(i int) { p.condition(x.Terms[i]) })
		p.put(")")
		return
	case *trinosql.InQuery:
		info := p.a.Predicates[x]
		common := info.Common.Args
		switch {
		case x.Not:
		case p.asRows(info.Common):
			p.outOfTry(func() {
				p.compareWithRows(x.X, x.Query,
					func() { p.inRows(x.X, info, x.Query, " IS NOT NULL") })
			})
			return
		case len(common) == 1 && float(common[0]) && !p.finite(x.X):
			p.outOfTry(func() {
				p.compareWithRows(x.X, x.Query, func() {
					columns, text := p.commonColumns(x.Query, info.Common)
					p.put("(")
					p.cell(x.X, common[0])
					p.put(" IN (SELECT ", columns[0], " FROM (", text, ") WHERE NOT isnan(", columns[0], ")))")
				})
			})
			return
		}
	}
	p.expr(x)
}

// asRows reports whether a row has several fields none of which is nested.
func (p *printer) asRows(common *types.Type) bool {
	for _, t := range common.Args {
		if nested(t) || float(t) {
			return false
		}
	}
	return len(common.Args) > 1
}

// inRows writes (a, b) IN (query), with an optional test that all columns of the rows must pass.
func (p *printer) inRows(x trinosql.Expr, info *analyze.Predicate, q *trinosql.Query, test string) {
	columns, text := p.commonColumns(q, info.Common)
	if len(columns) == 1 {
		p.put("(", func() { p.cell(x, info.Common.Args[0]) }, " IN (SELECT ", columns[0], " FROM (", text, ")))")
		return
	}
	p.put("(", func() { p.cell(x, info.Common) }, " IN (SELECT struct_pack(")
	p.list(len(columns), func(i int) { p.put(fmt.Sprintf("f%d := ", i+1), columns[i]) })
	p.put(") FROM (", text, ")")
	if test != "" {
		p.put(" WHERE ", strings.Join(columns, test+" AND "), test)
	}
	p.put("))")
}

// commonColumns writes a query with its columns converted to the field types of a row.
func (p *printer) commonColumns(q *trinosql.Query, common *types.Type) (columns []string, text string) {
	text = p.capture(func() { columns = p.query(q) })
	fields := p.a.Queries[q].Fields
	all := true
	for i, t := range common.Args {
		all = all && types.Equal(fields[i].Type, t)
	}
	if all {
		return columns, text
	}
	given := columns
	columns = make([]string, len(common.Args))
	return columns, p.capture(func() {
		p.put("SELECT ")
		p.list(len(columns), func(i int) {
			columns[i] = p.name("c")
			p.convert(q, fields[i].Type, common.Args[i], p.alias(given[i]))
			p.put(" AS ", columns[i])
		})
		p.put(" FROM (", text, ")")
	})
}

func (p *printer) inQuery(x *trinosql.InQuery) {
	p.outOfTry(func() {
		if x.Not {
			p.put("(NOT ")
			defer p.put(")")
		}
		p.compareWithRows(x.X, x.Query, func() { p.predicate(x, x.X, "=", "ANY", x.Query) })
	})
}

func (p *printer) quantified(x *trinosql.Quantified) {
	p.outOfTry(func() {
		q := x.Quantifier
		if q == "SOME" {
			q = "ANY"
		}
		p.compareWithRows(x.X, x.Query, func() { p.predicate(x, x.X, x.Op, q, x.Query) })
	})
}

// compareWithRows writes the comparison of an expression with the rows of a query. Where the expression refers to
// columns of an outer query and the query reads one of WITH, DuckDB loses these columns unless they are columns of a
// relation next to the comparison.
func (p *printer) compareWithRows(x trinosql.Expr, q *trinosql.Query, write func()) {
	columns := p.outerColumns(x)
	if len(columns) == 0 || !p.readsNamed(q) {
		write()
		return
	}
	refs := make([]string, len(columns))
	values := p.capture(func() {
		p.list(len(columns), func(i int) {
			refs[i] = p.name("c")
			p.put(p.fields[columns[i]], " AS ", refs[i])
		})
	})
	for i, f := range columns {
		outer := p.fields[f]
		p.fields[f] = refs[i]
		defer func() { p.fields[f] = outer }()
	}
	p.put("(SELECT ")
	write()
	p.put(" FROM (SELECT ", values, "))")
}

// outerColumns are the columns of outer queries that an expression refers to, without those in its subqueries.
func (p *printer) outerColumns(x trinosql.Expr) (columns []*analyze.Field) {
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		if _, ok := n.(*trinosql.Query); ok {
			return false
		}
		if e, ok := n.(trinosql.Expr); ok {
			if ref := p.a.Columns[e]; ref != nil && ref.Outer > 0 && !slices.Contains(columns, ref.Field) {
				columns = append(columns, ref.Field)
			}
		}
		return true
	})
	return columns
}

// readsNamed reports whether a query reads one of WITH that stands outside of it.
func (p *printer) readsNamed(q *trinosql.Query) (reads bool) {
	own := map[*trinosql.NamedQuery]bool{}
	trinosql.Inspect(q, func(n trinosql.Node) bool {
		if named, ok := n.(*trinosql.NamedQuery); ok {
			own[named] = true
		}
		if use := p.a.Tables[n]; use != nil && use.Named != nil && !own[use.Named] {
			reads = true
		}
		return !reads
	})
	return reads
}

// predicate writes IN (query), which is = ANY, and the other comparisons with the rows of a query. Both sides are
// converted to their common type.
func (p *printer) predicate(at, x trinosql.Expr, op, quantifier string, q *trinosql.Query) {
	info := p.a.Predicates[at]
	common := info.Common.Args[0]
	several := len(info.Common.Args) > 1 || nested(common)
	switch {
	case several && (op == "=" && quantifier == "ANY" || op == "<>" && quantifier == "ALL"):
		// Trino looks the row up among those of the query, where NULL equals NULL.
		if op == "<>" {
			p.put("(NOT ")
			defer p.put(")")
		}
		p.inRows(x, info, q, "")
		return
	case several:
		p.refuse(at, "%s %s over values of type %s is not supported on zone local", op, quantifier, info.Common)
	case op == "=" && quantifier == "ALL" || op == "<>" && quantifier == "ANY":
		if op == "<>" {
			p.put("(NOT ")
			defer p.put(")")
		}
		p.equalsAll(at, x, common, info.Common, q)
		return
	case float(common) && op != "=" && op != "<>" && !p.aggregates(x):
		p.comparesFloats(at, x, op, quantifier, common, info.Common, q)
		return
	}
	columns, text := p.commonColumns(q, info.Common)
	p.put("(")
	p.cell(x, common)
	if op == "=" {
		p.put(" IN (")
	} else {
		p.put(" ", op, " ", quantifier, " (")
	}
	if len(p.a.Queries[q].Fields) > 1 || len(columns) > 1 {
		p.put("SELECT ", columns[0], " FROM (", text, ")")
	} else {
		p.put(text)
	}
	p.put("))")
}

// within writes a subquery whose FROM has the value of x, as a named column, next to the query's columns in the common
// type.
func (p *printer) within(at, x trinosql.Expr, t *types.Type, common *types.Type, q *trinosql.Query,
	write func(value string, columns []string) string) {
	if p.aggregates(x) {
		p.refuse(at, "comparing an aggregate with the rows of a query in this way is not supported on zone local")
	}
	value := p.name("v")
	left := p.capture(func() { p.cell(x, t) })
	columns, text := p.commonColumns(q, common)
	p.put("(SELECT ", write(value, columns), " FROM (SELECT ", left, " AS ", value, "), (", text, "))")
}

// aggregates reports whether an expression contains an aggregate or a window function, which is not allowed in a
// subquery.
func (p *printer) aggregates(x trinosql.Expr) bool {
	found := false
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		if _, ok := n.(*trinosql.Query); ok {
			return false
		}
		if e, ok := n.(trinosql.Expr); ok {
			if c := p.a.Calls[e]; c != nil && c.Function.Kind != functions.Scalar {
				found = true
			}
		}
		return !found
	})
	return found
}

// equalsAll writes x = ALL (query) as Trino computes it: all values are equal, and x equals them.
func (p *printer) equalsAll(at, x trinosql.Expr, t, common *types.Type, q *trinosql.Query) {
	p.within(at, x, t, common, q, func(value string, columns []string) string {
		c := columns[0]
		most := "max(" + c + ")"
		if float(t) {
			most = maxFloat(c)
		}
		return fmt.Sprintf("CASE WHEN count(*) = 0 THEN true ELSE (%s AND %s AND CASE WHEN count(%s) = count(*) THEN "+
			"true END) END",
			p.equal(at, t, "min("+c+")", most), p.equal(at, t, "any_value("+value+")", most), c)
	})
}

// comparesFloats writes the comparison of x with the rows of a query as Trino computes it: with their least or their
// greatest value, which leaves NaN out, where a comparison with each row would not.
func (p *printer) comparesFloats(at, x trinosql.Expr, op, quantifier string, t, common *types.Type, q *trinosql.Query) {
	p.within(at, x, t, common, q, func(value string, columns []string) string {
		c := columns[0]
		of := maxFloat(c)
		if (op[0] == '<') == (quantifier == "ALL") {
			of = "min(" + c + ")"
		}
		compared := p.compared(at, op, t, "any_value("+value+")", of)
		empty, join := "true", "AND"
		if quantifier == "ANY" {
			empty, join = "false", "OR"
		}
		return fmt.Sprintf("CASE WHEN count(*) = 0 THEN %[1]s ELSE (%[2]s %[3]s CASE WHEN count(%[4]s) = count(*) "+
			"THEN %[1]s END) END",
			empty, compared, join, c)
	})
}

// maxFloat is the greatest of some values, which is NaN only if all are.
func maxFloat(c string) string {
	return "coalesce(max(CASE WHEN NOT isnan(" + c + ") THEN " + c + " END), max(" + c + "))"
}
