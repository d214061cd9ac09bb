// Package generate writes random statements in Trino's language whose types fit, for comparing two engines. The same
// seed produces the same statement.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// Statement returns the statement of a seed. Its result has at most 30 rows. It has ORDER BY if it has LIMIT. It may
// fail when it runs.
func Statement(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0))}
	switch g.r.IntN(10) {
	case 0:
		return g.setOperation()
	case 1, 2:
		return g.grouped()
	case 3:
		return g.windowed()
	case 4:
		return g.joined()
	case 5:
		return g.named()
	}
	return g.plain()
}

// column is a column that expressions can refer to.
type column struct{ name, typ string }

type generator struct {
	r    *rand.Rand
	cols []column
	made int
}

func (g *generator) one(words ...string) string { return words[g.r.IntN(len(words))] }

func (g *generator) name(letter string) string {
	g.made++
	return fmt.Sprintf("%s%d", letter, g.made)
}

// simple are the types of columns; frequent ones occur more than once.
var simple = []string{"bigint", "bigint", "integer", "double", "varchar", "varchar", "decimal", "date", "timestamp",
	"boolean", "real", "smallint"}

// all are all types of the generated expressions.
var all = append([]string{"array(bigint)", "array(varchar)", "map(varchar,bigint)", "varbinary", "tinyint", "interval"},
	simple...)

// tables are tables of the catalog tpch, each with a condition that selects few rows.
var tables = []struct {
	name, where string
	cols        []column
}{
	{"nation", "", []column{{"nationkey", "bigint"}, {"name", "varchar"}, {"regionkey", "bigint"},
		{"comment", "varchar"}}},
	{"region", "", []column{{"regionkey", "bigint"}, {"name", "varchar"}, {"comment", "varchar"}}},
	{"customer", "custkey <= 12", []column{{"custkey", "bigint"}, {"name", "varchar"}, {"nationkey", "bigint"},
		{"phone", "varchar"}, {"acctbal", "double"}, {"mktsegment", "varchar"}}},
	{"orders", "orderkey <= 40", []column{{"orderkey", "bigint"}, {"custkey", "bigint"}, {"orderstatus", "varchar"},
		{"totalprice", "double"}, {"orderdate", "date"}, {"orderpriority", "varchar"}, {"shippriority", "integer"}}},
	{"lineitem", "orderkey <= 5", []column{{"orderkey", "bigint"}, {"linenumber", "integer"}, {"quantity", "double"},
		{"discount", "double"}, {"returnflag", "varchar"}, {"shipdate", "date"}, {"shipmode", "varchar"}}},
}

// from returns an item of FROM with an alias, and a condition that it needs. Expressions can then refer to its columns.
func (g *generator) from() (text, where string) {
	alias := g.name("t")
	if g.r.IntN(5) < 2 {
		t := tables[g.r.IntN(len(tables))]
		for _, c := range t.cols {
			g.cols = append(g.cols, column{alias + "." + c.name, c.typ})
		}
		if t.where != "" {
			where = alias + "." + t.where
		}
		return t.name + " " + alias, where
	}
	n := 1 + g.r.IntN(4)
	types, names := make([]string, n), make([]string, n)
	for i := range types {
		types[i], names[i] = simple[g.r.IntN(len(simple))], g.name("c")
		if g.r.IntN(8) == 0 {
			types[i] = all[g.r.IntN(len(all))]
		}
	}
	var rows []string
	for range 1 + g.r.IntN(5) {
		cells := make([]string, n)
		for i, t := range types {
			if cells[i] = g.literal(t); g.r.IntN(6) == 0 {
				cells[i] = "CAST(NULL AS " + written(t) + ")"
			}
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	for i, name := range names {
		g.cols = append(g.cols, column{alias + "." + name, types[i]})
	}
	return "(VALUES " + strings.Join(rows, ", ") + ") " + alias + " (" + strings.Join(names, ", ") + ")", ""
}

func written(t string) string {
	switch t {
	case "decimal":
		return "decimal(10,2)"
	case "timestamp":
		return "timestamp(3)"
	case "interval":
		return "interval day to second"
	}
	return t
}

func orderable(t string) bool { return !strings.HasPrefix(t, "map") }

// items returns a select list of n expressions, with their types.
func (g *generator) items(n, depth int) (list []string, types []string) {
	for range n {
		t := all[g.r.IntN(len(all))]
		list, types = append(list, g.expr(t, depth)), append(types, t)
	}
	return list, types
}

// order returns ORDER BY all columns, perhaps with a limit, or nothing. It is "" if a column is not orderable.
func (g *generator) order(types []string) string {
	var keys []string
	for i, t := range types {
		if !orderable(t) {
			return ""
		}
		keys = append(keys, fmt.Sprint(i+1)+g.one("", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"))
	}
	switch g.r.IntN(4) {
	case 0:
		return " ORDER BY " + strings.Join(keys, ", ")
	case 1:
		return " ORDER BY " + strings.Join(keys, ", ") + g.one("", " OFFSET 1", " OFFSET 2 ROWS") + " LIMIT " +
			g.one("1", "3", "5")
	}
	return ""
}

func (g *generator) where(needs ...string) string {
	var conds []string
	for _, n := range needs {
		if n != "" {
			conds = append(conds, n)
		}
	}
	if g.r.IntN(3) == 0 {
		conds = append(conds, g.condition(2))
	}
	if len(conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conds, " AND ")
}

// condition returns a boolean expression, which may contain a subquery.
func (g *generator) condition(depth int) string {
	switch g.r.IntN(8) {
	case 0:
		return g.expr("bigint", depth) + g.one(" IN ", " NOT IN ") +
			"(SELECT regionkey FROM nation WHERE nationkey < " + fmt.Sprint(g.r.IntN(6)) + ")"
	case 1:
		return g.one("", "NOT ") + "EXISTS (SELECT 1 FROM nation n WHERE n.regionkey = " + g.expr("bigint", 1) + ")"
	case 2:
		return g.expr("bigint", 1) + g.one(" > ", " <= ", " = ") + "(SELECT " + g.one("max", "min", "count") +
			"(regionkey) FROM region)"
	case 3:
		return g.expr("varchar", 1) + g.one(" LIKE ", " NOT LIKE ") + g.one("'%a%'", "'A_%'", "''", "'%'", "'_b'")
	}
	return g.expr("boolean", depth)
}

func (g *generator) plain() string {
	from, need := g.from()
	list, types := g.items(1+g.r.IntN(3), 1+g.r.IntN(3))
	distinct := ""
	if g.r.IntN(8) == 0 && comparable(types) {
		distinct = "DISTINCT "
	}
	return "SELECT " + distinct + strings.Join(list, ", ") + " FROM " + from + g.where(need) + g.order(types)
}

func comparable([]string) bool { return true } // all types of this package are comparable

func (g *generator) named() string {
	from, need := g.from()
	list, types := g.items(1+g.r.IntN(3), 2)
	with := g.name("q")
	names := make([]string, len(list))
	inner := g.cols
	where := g.where(need)
	g.cols = nil
	for i, t := range types {
		names[i] = g.name("c")
		g.cols = append(g.cols, column{with + "." + names[i], t})
	}
	_ = inner
	outer, types := g.items(1+g.r.IntN(2), 2)
	return "WITH " + with + " (" + strings.Join(names, ", ") + ") AS (SELECT " + strings.Join(list, ", ") + " FROM " +
		from + where + ") SELECT " +
		strings.Join(outer, ", ") + " FROM " + with + g.where() + g.order(types)
}

func (g *generator) joined() string {
	left, need := g.from()
	a := g.cols
	g.cols = nil
	right, need2 := g.from()
	b := g.cols
	g.cols = append(append([]column{}, a...), b...)
	kind := g.one("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "JOIN")
	on := ""
	for _, x := range a { // types by which both DuckDB and Trino can join
		for _, y := range b {
			if x.typ == y.typ && on == "" && orderable(x.typ) {
				on = x.name + " = " + y.name
			}
		}
	}
	if on == "" {
		kind, on = "CROSS JOIN", ""
	} else {
		on = " ON " + on
	}
	list, types := g.items(1+g.r.IntN(2), 2)
	return "SELECT " + strings.Join(list, ", ") + " FROM " + left + " " + kind + " " + right + on + g.where(need,
		need2) + g.order(types) + ""
}

func (g *generator) setOperation() string {
	n := 1 + g.r.IntN(2)
	types := make([]string, n)
	for i := range types {
		types[i] = all[g.r.IntN(len(all))]
	}
	side := func() string {
		g.cols = nil
		from, need := g.from()
		list := make([]string, n)
		for i, t := range types {
			list[i] = g.expr(t, 2)
		}
		return "SELECT " + strings.Join(list, ", ") + " FROM " + from + g.where(need)
	}
	return side() + " " + g.one("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL") + " " +
		side() + g.order(types)
}

// aggregates are calls by the type of their result; %s is replaced by an argument of the type that follows.
var aggregates = map[string][][2]string{
	"bigint": {{"count(%s)", "varchar"}, {"count(DISTINCT %s)", "bigint"}, {"sum(%s)", "bigint"},
		{"max(%s)", "bigint"}, {"min(%s)", "bigint"}, {"count_if(%s)", "boolean"}, {"bitwise_and_agg(%s)", "bigint"}},
	"double": {{"avg(%s)", "bigint"}, {"sum(%s)", "double"}, {"max(%s)", "double"}, {"stddev(%s)", "double"},
		{"var_pop(%s)", "double"}},
	"decimal": {{"sum(%s)", "decimal"}, {"avg(%s)", "decimal"}, {"max(%s)", "decimal"}},
	"varchar": {{"max(%s)", "varchar"}, {"min(%s)", "varchar"},
		{"array_join(array_agg(%[1]s ORDER BY %[1]s), ',')", "varchar"}},
	"boolean":   {{"bool_and(%s)", "boolean"}, {"bool_or(%s)", "boolean"}, {"every(%s)", "boolean"}},
	"date":      {{"max(%s)", "date"}, {"min(%s)", "date"}},
	"timestamp": {{"max(%s)", "timestamp"}, {"min(%s)", "timestamp"}},
	"array(bigint)": {{"array_agg(%[1]s ORDER BY %[1]s)", "bigint"}, {"array_agg(DISTINCT %[1]s ORDER BY %[1]s)",
		"bigint"}},
}

var aggregated = []string{"bigint", "bigint", "double", "decimal", "varchar", "boolean", "date", "timestamp",
	"array(bigint)"}

func (g *generator) aggregate() (text, typ string) {
	typ = aggregated[g.r.IntN(len(aggregated))]
	if g.r.IntN(6) == 0 {
		return "count(*)", "bigint"
	}
	of := aggregates[typ]
	a := of[g.r.IntN(len(of))]
	text = fmt.Sprintf(a[0], g.expr(a[1], 1))
	if g.r.IntN(6) == 0 {
		text += " FILTER (WHERE " + g.expr("boolean", 1) + ")"
	}
	return text, typ
}

func (g *generator) grouped() string {
	from, need := g.from()
	where := g.where(need)
	var keys, list, types []string
	for range g.r.IntN(3) {
		t := simple[g.r.IntN(len(simple))]
		keys, types = append(keys, g.expr(t, 1)), append(types, t)
	}
	list = append(list, keys...)
	for range 1 + g.r.IntN(2) {
		a, t := g.aggregate()
		list, types = append(list, a), append(types, t)
	}
	sql := "SELECT " + strings.Join(list, ", ") + " FROM " + from + where
	if len(keys) > 0 {
		places := make([]string, len(keys))
		for i := range places {
			places[i] = fmt.Sprint(i + 1)
		}
		sql += " GROUP BY " + g.one("", "", "") + strings.Join(places, ", ")
		if g.r.IntN(4) == 0 {
			sql += " HAVING count(*) " + g.one("> 1", "< 3", ">= 1")
		}
	}
	return sql + g.order(types)
}

func (g *generator) windowed() string {
	from, need := g.from()
	where := g.where(need)
	var all []string // all columns, so that the order of the rows is determined
	for _, c := range g.cols {
		if orderable(c.typ) {
			all = append(all, c.name)
		}
	}
	if len(all) == 0 {
		all = []string{"1"}
	}
	over := " OVER (" + g.one("", "PARTITION BY "+all[0]+" ") + "ORDER BY " + strings.Join(all, ", ") + ")"
	calls := [][2]string{{"row_number()", "bigint"}, {"rank()", "bigint"}, {"dense_rank()", "bigint"},
		{"ntile(2)", "bigint"}, {"percent_rank()", "double"}, {"cume_dist()", "double"}}
	var list, types []string
	for range 1 + g.r.IntN(2) {
		switch g.r.IntN(3) {
		case 0:
			c := calls[g.r.IntN(len(calls))]
			list, types = append(list, c[0]+over), append(types, c[1])
		case 1:
			t := g.one("bigint", "varchar", "date")
			list, types = append(list, g.one("lag", "lead", "first_value", "last_value")+"("+g.expr(t, 1)+")"+over),
				append(types, t)
		default:
			list, types = append(list, g.one("sum", "max", "min", "count")+"("+g.expr("bigint", 1)+")"+over),
				append(types, "bigint")
		}
	}
	l, t := g.items(1, 1)
	return "SELECT " + strings.Join(append(list, l...), ", ") + " FROM " + from + where + g.order(append(types, t...))
}

// call is a function with the types of its arguments, as named in this package.
type call struct {
	name string
	args []string
}

// calls are the functions of the table by the type of their result.
var calls = func() map[string][]call {
	m := map[string][]call{}
	for _, f := range functions.All() {
		if f.Kind != functions.Scalar || f.Hidden || f.Nondeterministic || f.Plugin != "" || left[f.Name] ||
			len(f.Args) == 0 {
			continue
		}
		ok := true
		args := make([]string, len(f.Args))
		for i, a := range f.Args {
			args[i] = word(a.String())
			ok = ok && args[i] != ""
		}
		if result := word(f.Result.String()); ok && result != "" {
			m[result] = append(m[result], call{f.Name, args})
		}
	}
	return m
}()

// left are the functions that are left out, because their results depend on more than their arguments, they take long,
// or the Trino of the corpus does not have them.
var left = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(
		`normalize now current_timestamp current_date localtime localtimestamp current_timezone version uuid random rand shuffle sequence repeat
		array_sort fail parse_data_size format_number combinations ngrams lpad rpad human_readable_seconds bar color render rgb hash_counts wilson_interval_lower
		wilson_interval_upper inverse_beta_cdf beta_cdf from_base to_base word_stem parse_presto_data_size parse_duration
		t_cdf t_pdf timezone`) {
		m[n] = true
	}
	return m
}()

// word returns this package's name of a type in a signature, "" if it has none.
func word(sig string) string {
	switch {
	case strings.HasPrefix(sig, "varchar"):
		return "varchar"
	case strings.HasPrefix(sig, "decimal("):
		return "decimal"
	case sig == "timestamp(p)", sig == "timestamp(3)":
		return "timestamp"
	case sig == "interval day to second":
		return "interval"
	}
	switch sig {
	case "boolean", "tinyint", "smallint", "integer", "bigint", "real", "double", "date", "varbinary", "array(bigint)",
		"array(varchar)", "map(varchar,bigint)":
		return sig
	case "array(t)", "array(e)", "array(T)", "array(E)":
		return "array(bigint)"
	case "t", "e", "T", "E":
		return "bigint"
	}
	return ""
}
