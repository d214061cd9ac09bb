//go:build cgo && linux

package duckdb

import (
	"fmt"
	"strings"
)

var hostile = []attack{
	{"dotted name", nest("SELECT x", ".a", 30000, "", "", ""), "a name has more than 100 parts"},
	{"subscripts", nest("SELECT x", "[1]", 50000, "", "", ""), ""},
	{"array types", nest("SELECT CAST(NULL AS ", "ARRAY(", 15000, "INTEGER", ")", ")"), "brackets nest deeper"},
	{"row types", nest("SELECT CAST(NULL AS ", "ROW(a ", 13000, "INTEGER", ")", ")"), "brackets nest deeper"},
	{"brackets", nest("SELECT ", "(", 100000, "1", ")", ""), "words and signs"},
	{"arrays", nest("SELECT ", "ARRAY[", 40000, "1", "]", ""), ""},
	{"calls", nest("SELECT ", "abs(", 40000, "1", ")", ""), ""},
	{"minus", nest("SELECT ", "- ", 100000, "1", "", ""), ""},
	{"not", nest("SELECT ", "NOT ", 60000, "true", "", ""), ""},
	{"plus", nest("SELECT 1", "+1", 100000, "", "", ""), ""},
	{"and", nest("SELECT true", " AND true", 25000, "", "", ""), ""},
	{"unions", nest("SELECT 1", " UNION SELECT 1", 16000, "", "", ""), ""},
	{"unions all", nest("SELECT 1", " UNION ALL SELECT 1", 12000, "", "", ""), "nests deeper than 2000 levels"},
	{"intersects", nest("SELECT 1", " INTERSECT SELECT 1", 12000, "", "", ""), "nests deeper than 2000 levels"},
	{"excepts", nest("SELECT 1", " EXCEPT SELECT 1", 12000, "", "", ""), "nests deeper than 2000 levels"},
	{"intervals", nest("SELECT DATE '2020-01-01'", " + INTERVAL '1' DAY", 10000, "", "", ""),
		"nests deeper than 2000 levels"},
	{"intervals of timestamps", nest("SELECT TIMESTAMP '2020-01-01 00:00:00 UTC'", " + INTERVAL '1' MONTH", 10000, "",
		"", ""), "nests deeper than 2000 levels"},
	{"intervals column", nest("SELECT d", " + INTERVAL '1' DAY", 10000, " FROM (VALUES DATE '2020-01-01') t(d)", "",
		""), "nests deeper than 2000 levels"},
	{"decimals", nest("SELECT 1.5", " + 1.5", 10000, "", "", ""), "nests deeper than 2000 levels"},
	{"divisions", nest("SELECT x", " / 2", 10000, " FROM (VALUES 1) t(x)", "", ""), "nests deeper than 2000 levels"},
	{"multiplications", nest("SELECT x", " * 1", 10000, " FROM (VALUES 1) t(x)", "", ""),
		"nests deeper than 2000 levels"},
	{"concatenations", nest("SELECT x", " || 'a'", 10000, " FROM (VALUES 'a') t(x)", "", ""),
		"nests deeper than 2000 levels"},
	{"concatenations of arrays", nest("SELECT x", " || ARRAY[1]", 10000, " FROM (VALUES ARRAY[1]) t(x)", "", ""),
		"nests deeper than 2000 levels"},
	{"levenshtein", stmt(`SELECT levenshtein_distance(rpad('x', 1000000, 'xy'), rpad('x', 1000000, 'yx'))`), ""},
	{"array_sort of arrays", stmt(`SELECT cardinality(array_sort(array_agg(ARRAY[x % 1000, x]))) FROM (SELECT a * ` +
		`1000 + b AS x FROM UNNEST(sequence(1, 1000)) t(a), UNNEST(sequence(1, 1000)) u(b))`), ""},
	{"array_distinct of arrays", stmt(`SELECT cardinality(array_distinct(array_agg(ARRAY[x % 1000, x]))) FROM ` +
		`(SELECT a * 1000 + b AS x FROM UNNEST(sequence(1, 1000)) t(a), UNNEST(sequence(1, 1000)) u(b))`), ""},
	{"array_sort lambda", stmt(`SELECT cardinality(array_sort(array_agg(x), (a, b) -> IF(a < b, 1, -1))) FROM ` +
		`(SELECT a * 1000 + b AS x FROM UNNEST(sequence(1, 1000)) t(a), UNNEST(sequence(1, 1000)) u(b))`),
		"more than 10000 elements"},
	{"concat many arrays", func() string {
		return `SELECT cardinality(concat(` + strings.Repeat("ARRAY[x], ", 126) + `ARRAY[x])) FROM (VALUES 1) t(x)`
	}, "1 rows"},
	{"concat many constant arrays", func() string {
		return `SELECT cardinality(concat(` + strings.Repeat("ARRAY[1], ",
			126) + `ARRAY[1]))`
	}, "1 rows"},
	{"concat many maps", func() string {
		return `SELECT cardinality(map_concat(` + strings.Repeat("MAP(ARRAY[1], ARRAY[x]), ", 126) +
			`MAP(ARRAY[1], ARRAY[x]))) FROM (VALUES 1) t(x)`
	}, "1 rows"},
	{"joins", nest("SELECT 1 FROM (SELECT 1)", ", (SELECT 1)", 15000, "", "", ""), ""},
	{"cases", nest("SELECT ", "CASE WHEN true THEN ", 9000, "1", " END", ""), ""},
	{"subqueries", nest("SELECT ", "(SELECT ", 20000, "1", ")", ""), ""},
	{"derived tables", nest("", "SELECT * FROM (", 8000, "SELECT 1", ")", ""), ""},
	{"is null", nest("SELECT 1", " IS NULL", 30000, "", "", ""), ""},
	{"in list", nest("SELECT 1 IN (1", ",1", 120000, "", "", ")"), ""},
	{"values", nest("SELECT * FROM (VALUES (1)", ",(1)", 60000, "", "", ") t(a)"), ""},
	{"columns", nest("SELECT 1", ",1", 120000, "", "", ""), "words and signs"},
	{"order by columns", nest("SELECT 1 ORDER BY 1", ",1", 120000, "", "", ""), ""},
	{"grouping sets", nest("SELECT 1 FROM (SELECT 1 a) GROUP BY CUBE(a", ",a", 30, "", "", ")"), ""},
	{"cubes", nest("SELECT 1 FROM (SELECT 1 a) GROUP BY CUBE(a,a,a,a,a,a)", ",CUBE(a,a,a,a,a,a)", 8, "", "", ""), ""},
	{"doubling ctes trino", doubling(40, "AS "), "reads more than 2000 tables"},
	{"stars trino", func() string {
		s := []string{"WITH t0(a,b) AS (SELECT 1, 2)"}
		for i := range 20 {
			s = append(s, fmt.Sprintf(", t%d AS (SELECT *, * FROM t%d)", i+1, i))
		}
		return strings.Join(s, "") + " SELECT count(*) FROM t20"
	}, ""},
	{"doubling texts", doublingText(40, "%[1]s || %[1]s"), ""},
	{"concat arrays", strings0(`SELECT cardinality(e) FROM (`, "SELECT concat(e, e) AS e FROM (", 40,
		"SELECT sequence(1, 1000) AS e", ")", ")"), ""},
	{"replace", stmt("SELECT length(replace(s, 'x', s)) FROM (SELECT rpad('x', 1000000, 'x') AS s)"),
		"more than the 256 MiB"},
	{"regexp_replace", stmt("SELECT length(regexp_replace(s, 'x', s)) FROM (SELECT rpad('x', 1000000, 'x') AS s)"), ""},
	{"format trino", stmt(`SELECT length(format('%1500000000d', 1))`), ""},
	{"format trino column", stmt(`SELECT length(format(f, 1)) FROM (SELECT concat('%15', '00000000d') AS f)`), ""},
	{"listagg trino", stmt(`SELECT length(listagg(s, '') WITHIN GROUP (ORDER BY i)) FROM (SELECT rpad('x', 1000000, ` +
		`'x') AS s), UNNEST(sequence(1, 100000)) t(i)`), ""},
	{"array_agg rows", stmt(`SELECT cardinality(array_agg(i)) FROM UNNEST(sequence(1, 1000000)) t(i), ` +
		`UNNEST(sequence(1, 1000000)) u(j)`), ""},
	{"max_by n", stmt(`SELECT max_by(x, x, 2000000000) FROM UNNEST(sequence(1, 1000000)) t(x)`), ""},
	{"transform trino", stmt(`SELECT cardinality(transform(sequence(1, 10000 + i * 0), x -> sequence(1, 5000))) FROM ` +
		`UNNEST(sequence(1, 10)) t(i)`), ""},
	{"transform texts", stmt(`SELECT cardinality(transform(sequence(1, 10000 + i * 0), x -> rpad('x', 1000000, ` +
		`'x'))) FROM UNNEST(sequence(1, 10)) t(i)`), ""},
	{"chain trino", stmt(`SELECT 1` + strings.Repeat(`+1`, 20000)), "nests deeper than 2000 levels"},
	{"sequence trino", stmt(`SELECT cardinality(sequence(1, 9000000000000000000))`), ""},
	{"repeat trino", stmt(`SELECT cardinality(repeat(rpad('x', 1000000, 'x'), 10000))`), ""},
	{"reduce trino", stmt(`SELECT length(reduce(sequence(1, 40), 'x', (s, x) -> concat(s, s), s -> s))`), ""},
	{"like trino", stmt(`SELECT rpad('a', 1000000, 'a') LIKE concat(rpad('%a', 200000, '%a'), 'b')`), ""},
	{"like escape trino", stmt(`SELECT rpad('a', 1000000, 'a') LIKE concat(rpad('%a', 200000, '%a'), 'b') ESCAPE '!'`),
		""},
	{"regexp counted trino", stmt(`SELECT regexp_like(rpad('a', 1000000, 'a'), '(((a{0,100}){0,100}){0,100}){0,10}b')`),
		""},
	{"regexp backtracking", stmt(`SELECT regexp_like(rpad('a', 1000000, 'a'), '(a+)+(?=b)')`), ""},
	{"regexp lookbehind", stmt(`SELECT regexp_count(rpad('a', 1000000, 'a'), '(?<=(a|aa)*)a')`), ""},
	{"regexp nested lookahead",
		stmt(`SELECT regexp_like('a', concat('(?=', repeat('(', 1000), repeat(')', 1000), ')'))`), ""},
	{"levenshtein trino", stmt(`SELECT levenshtein_distance(rpad('x', 1000000, 'x'), rpad('y', 1000000, 'y'))`), ""},
	{"strpos n", stmt(`SELECT strpos(rpad('a', 1000000, 'a'), concat(rpad('a', 500000, 'a'), 'b'), 5)`), ""},
	{"combinations", stmt(`SELECT cardinality(combinations(sequence(1, 40), 5))`), ""},
	{"recursive text", stmt(`WITH RECURSIVE t(n) AS (SELECT 'x' UNION ALL SELECT concat(n, n) FROM t) SELECT ` +
		`count(*) FROM t`), ""},
	{"json_format chain", func() string {
		return "SELECT length(" + strings.Repeat("json_format(CAST(", 40) + "'\"\\'" +
			strings.Repeat(" AS JSON))", 40) + ")"
	}, ""},
	{"to_hex chain", func() string {
		return "SELECT length(" + strings.Repeat("to_hex(to_utf8(", 30) + "'abc'" + strings.Repeat("))", 30) + ")"
	}, "are nested"},
	{"date_format", func() string {
		return "SELECT length(date_format(TIMESTAMP '2020-01-01 00:00:00', rpad('%W', 1000000, '%W')))"
	}, ""},
}

// doubling is n common table expressions of which each reads the one before twice.
func doubling(n int, as string) func() string {
	return func() string {
		var b strings.Builder
		b.WriteString("WITH t0 " + as + "(SELECT 1 AS a)")
		for i := range n {
			fmt.Fprintf(&b, ", t%d %s(SELECT x.a FROM t%d x, t%d y)", i+1, as, i, i)
		}
		fmt.Fprintf(&b, " SELECT count(*) FROM t%d", n)
		return b.String()
	}
}

// doublingText is a text that n derived tables double.
func doublingText(n int, form string) func() string {
	return strings0("SELECT length(e) FROM (", "SELECT "+fmt.Sprintf(form, "e")+" AS e FROM (", n,
		"SELECT 'xxxxxxxxxxxxxxxx' AS e", ")", ")")
}

func strings0(start, before string, n int, middle, after, end string) func() string {
	return nest(start, before, n, middle, after, end)
}
