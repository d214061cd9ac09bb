//go:build cgo && linux

package duckdb

import (
	"fmt"
	"strings"
)

// million is a text of a million characters.
const million = `repeat('x', 1000000)`

var hostile = []attack{
	{"dotted name", "", nest("SELECT x", ".a", 30000, "", "", ""), "a name has more than 100 parts"},
	{"dotted name duckdb", "duckdb", nest("SELECT x", ".a", 30000, "", "", ""), "a name has more than 100 parts"},
	{"dotted table", "duckdb", nest("SELECT * FROM x", ".a", 30000, "", "", ""), "a name has more than"},
	{"subscripts", "", nest("SELECT x", "[1]", 50000, "", "", ""), ""},
	{"subscripts duckdb", "duckdb", nest("SELECT x", "[1]", 50000, "", "", ""), ""},
	{"casts", "duckdb", nest("SELECT x", "::INT", 40000, "", "", ""), "more than"},
	{"method calls", "duckdb", nest("SELECT x", ".a()", 40000, "", "", ""), ""},
	{"array types", "", nest("SELECT CAST(NULL AS ", "ARRAY(", 15000, "INTEGER", ")", ")"), "brackets nest deeper"},
	{"row types", "", nest("SELECT CAST(NULL AS ", "ROW(a ", 13000, "INTEGER", ")", ")"), "brackets nest deeper"},
	{"list types duckdb", "duckdb", nest("SELECT CAST(NULL AS INTEGER", "[]", 100000, "", "", ")"), "words and signs"},
	{"struct types duckdb", "duckdb", nest("SELECT CAST(NULL AS ", "STRUCT(a ", 25000, "INTEGER", ")", ")"), ""},
	{"map types duckdb", "duckdb", nest("SELECT CAST(NULL AS ", "MAP(INT, ", 25000, "INTEGER", ")", ")"), ""},
	{"string type text", "duckdb", nest("SELECT CAST('", "[", 100000, "", "]", "' AS INTEGER[][][])"), ""},
	{"brackets", "", nest("SELECT ", "(", 100000, "1", ")", ""), "words and signs"},
	{"brackets duckdb", "duckdb", nest("SELECT ", "(", 100000, "1", ")", ""), ""},
	{"lists duckdb", "duckdb", nest("SELECT ", "[", 100000, "1", "]", ""), ""},
	{"arrays", "", nest("SELECT ", "ARRAY[", 40000, "1", "]", ""), ""},
	{"structs duckdb", "duckdb", nest("SELECT ", "{'a': ", 40000, "1", "}", ""), ""},
	{"calls", "", nest("SELECT ", "abs(", 40000, "1", ")", ""), ""},
	{"minus", "", nest("SELECT ", "- ", 100000, "1", "", ""), ""},
	{"minus duckdb", "duckdb", nest("SELECT ", "- ", 100000, "1", "", ""), ""},
	{"not", "", nest("SELECT ", "NOT ", 60000, "true", "", ""), ""},
	{"not duckdb", "duckdb", nest("SELECT ", "NOT ", 60000, "true", "", ""), ""},
	{"plus", "", nest("SELECT 1", "+1", 100000, "", "", ""), ""},
	{"plus duckdb", "duckdb", nest("SELECT 1", "+1", 100000, "", "", ""), ""},
	{"concat duckdb", "duckdb", nest("SELECT 'a'", "||'a'", 50000, "", "", ""), ""},
	{"and", "", nest("SELECT true", " AND true", 25000, "", "", ""), ""},
	{"and duckdb", "duckdb", nest("SELECT true", " AND true", 25000, "", "", ""), ""},
	{"unions", "", nest("SELECT 1", " UNION SELECT 1", 16000, "", "", ""), ""},
	{"unions duckdb", "duckdb", nest("SELECT 1", " UNION SELECT 1", 16000, "", "", ""), ""},
	{"unions all", "", nest("SELECT 1", " UNION ALL SELECT 1", 12000, "", "", ""), "nests deeper than 2000 levels"},
	{"intersects", "", nest("SELECT 1", " INTERSECT SELECT 1", 12000, "", "", ""), "nests deeper than 2000 levels"},
	{"excepts", "", nest("SELECT 1", " EXCEPT SELECT 1", 12000, "", "", ""), "nests deeper than 2000 levels"},
	{"intervals", "", nest("SELECT DATE '2020-01-01'", " + INTERVAL '1' DAY", 10000, "", "", ""), "nests deeper than 2000 levels"},
	{"intervals of timestamps", "", nest("SELECT TIMESTAMP '2020-01-01 00:00:00 UTC'", " + INTERVAL '1' MONTH", 10000, "", "", ""), "nests deeper than 2000 levels"},
	{"intervals column", "", nest("SELECT d", " + INTERVAL '1' DAY", 10000, " FROM (VALUES DATE '2020-01-01') t(d)", "", ""), "nests deeper than 2000 levels"},
	{"intervals duckdb", "duckdb", nest("SELECT DATE '2020-01-01'", " + INTERVAL 1 DAY", 10000, "", "", ""), ""},
	{"decimals", "", nest("SELECT 1.5", " + 1.5", 10000, "", "", ""), "nests deeper than 2000 levels"},
	{"divisions", "", nest("SELECT x", " / 2", 10000, " FROM (VALUES 1) t(x)", "", ""), "nests deeper than 2000 levels"},
	{"multiplications", "", nest("SELECT x", " * 1", 10000, " FROM (VALUES 1) t(x)", "", ""), "nests deeper than 2000 levels"},
	{"concatenations", "", nest("SELECT x", " || 'a'", 10000, " FROM (VALUES 'a') t(x)", "", ""), "nests deeper than 2000 levels"},
	{"concatenations of arrays", "", nest("SELECT x", " || ARRAY[1]", 10000, " FROM (VALUES ARRAY[1]) t(x)", "", ""), "nests deeper than 2000 levels"},
	{"jaro", "duckdb", stmt(`SELECT jaro_similarity(repeat('xy', 500000), repeat('yx', 500000))`), "the texts are too long"},
	{"jaro winkler", "duckdb", stmt(`SELECT jaro_winkler_similarity(repeat('xy', 500000), repeat('yx', 500000))`), "the texts are too long"},
	{"levenshtein", "", stmt(`SELECT levenshtein_distance(rpad('x', 1000000, 'xy'), rpad('x', 1000000, 'yx'))`), ""},
	{"list_sort of lists", "duckdb", stmt(`SELECT len(list_sort(list_transform(range(1000000), x -> [x % 1000, x])))`), ""},
	{"list_sort of structs", "duckdb", stmt(`SELECT len(list_sort(list_transform(range(1000000), x -> {'a': x % 10, 'b': [x]})))`), ""},
	{"list_distinct of lists", "duckdb", stmt(`SELECT len(list_distinct(list_transform(range(1000000), x -> [x % 1000, x])))`), ""},
	{"list_grade_up", "duckdb", stmt(`SELECT len(list_grade_up(list_transform(range(1000000), x -> [x % 1000, x])))`), ""},
	{"array_sort of arrays", "", stmt(`SELECT cardinality(array_sort(array_agg(ARRAY[x % 1000, x]))) FROM (SELECT a * 1000 + b AS x FROM UNNEST(sequence(1, 1000)) t(a), UNNEST(sequence(1, 1000)) u(b))`), ""},
	{"array_distinct of arrays", "", stmt(`SELECT cardinality(array_distinct(array_agg(ARRAY[x % 1000, x]))) FROM (SELECT a * 1000 + b AS x FROM UNNEST(sequence(1, 1000)) t(a), UNNEST(sequence(1, 1000)) u(b))`), ""},
	{"array_sort lambda", "", stmt(`SELECT cardinality(array_sort(array_agg(x), (a, b) -> IF(a < b, 1, -1))) FROM (SELECT a * 1000 + b AS x FROM UNNEST(sequence(1, 1000)) t(a), UNNEST(sequence(1, 1000)) u(b))`), "more than 10000 elements"},
	{"recursive unnest", "duckdb", stmt(`SELECT count(*) FROM (SELECT unnest(l, recursive := true) FROM (SELECT [[[x]]] AS l FROM range(1000000) t(x)))`), ""},
	{"recursive unnest deep", "duckdb", nest("SELECT unnest(", "[", 400, "1", "]", ", recursive := true)"), ""},
	{"max_depth unnest", "duckdb", stmt(`SELECT count(*) FROM (SELECT unnest([range(1000000)], max_depth := 2) FROM range(100000))`), ""},
	{"concat many arrays", "", func() string {
		return `SELECT cardinality(concat(` + strings.Repeat("ARRAY[x], ", 126) + `ARRAY[x])) FROM (VALUES 1) t(x)`
	}, "1 rows"},
	{"concat many constant arrays", "", func() string { return `SELECT cardinality(concat(` + strings.Repeat("ARRAY[1], ", 126) + `ARRAY[1]))` }, "1 rows"},
	{"concat many maps", "", func() string {
		return `SELECT cardinality(map_concat(` + strings.Repeat("MAP(ARRAY[1], ARRAY[x]), ", 126) + `MAP(ARRAY[1], ARRAY[x]))) FROM (VALUES 1) t(x)`
	}, "1 rows"},
	{"joins", "", nest("SELECT 1 FROM (SELECT 1)", ", (SELECT 1)", 15000, "", "", ""), ""},
	{"joins duckdb", "duckdb", nest("SELECT 1 FROM (SELECT 1)", ", (SELECT 1)", 15000, "", "", ""), ""},
	{"cross joins duckdb", "duckdb", nest("SELECT 1 FROM (SELECT 1)", " CROSS JOIN (SELECT 1)", 11000, "", "", ""), ""},
	{"cases", "", nest("SELECT ", "CASE WHEN true THEN ", 9000, "1", " END", ""), ""},
	{"subqueries", "", nest("SELECT ", "(SELECT ", 20000, "1", ")", ""), ""},
	{"subqueries duckdb", "duckdb", nest("SELECT ", "(SELECT ", 20000, "1", ")", ""), ""},
	{"derived tables", "", nest("", "SELECT * FROM (", 8000, "SELECT 1", ")", ""), ""},
	{"derived tables duckdb", "duckdb", nest("", "SELECT * FROM (", 8000, "SELECT 1", ")", ""), ""},
	{"collate duckdb", "duckdb", nest("SELECT 'a'", " COLLATE nocase", 16000, "", "", ""), ""},
	{"arrows duckdb", "duckdb", nest("SELECT '{}'::json", "->'a'", 45000, "", "", ""), ""},
	{"at time zone duckdb", "duckdb", nest("SELECT now()", " AT TIME ZONE 'UTC'", 12000, "", "", ""), ""},
	{"is null", "", nest("SELECT 1", " IS NULL", 30000, "", "", ""), ""},
	{"in list", "", nest("SELECT 1 IN (1", ",1", 120000, "", "", ")"), ""},
	{"values", "", nest("SELECT * FROM (VALUES (1)", ",(1)", 60000, "", "", ") t(a)"), ""},
	{"columns", "", nest("SELECT 1", ",1", 120000, "", "", ""), "words and signs"},
	{"order by columns", "", nest("SELECT 1 ORDER BY 1", ",1", 120000, "", "", ""), ""},
	{"grouping sets", "", nest("SELECT 1 FROM (SELECT 1 a) GROUP BY CUBE(a", ",a", 30, "", "", ")"), ""},
	{"grouping sets duckdb", "duckdb", nest("SELECT 1 FROM (SELECT 1 a) GROUP BY CUBE(a", ",a", 30, "", "", ")"), ""},
	{"cubes", "", nest("SELECT 1 FROM (SELECT 1 a) GROUP BY CUBE(a,a,a,a,a,a)", ",CUBE(a,a,a,a,a,a)", 8, "", "", ""), ""},
	{"rollups duckdb", "duckdb", nest("SELECT 1 FROM (SELECT 1 a) GROUP BY ROLLUP(a,a,a,a,a,a)", ",ROLLUP(a,a,a,a,a,a)", 12, "", "", ""), ""},
	{"doubling ctes", "duckdb", doubling(40, "AS NOT MATERIALIZED "), "reads more than 2000 tables"},
	{"doubling ctes default", "duckdb", doubling(40, "AS "), "reads more than 2000 tables"},
	{"doubling ctes trino", "", doubling(40, "AS "), "reads more than 2000 tables"},
	{"doubling derived", "duckdb", func() string {
		s := "SELECT 1 AS a"
		for range 12 {
			s = "SELECT a FROM (" + s + ") UNION ALL SELECT a FROM (" + s + ")"
		}
		return s
	}, ""},
	{"stars", "duckdb", func() string {
		s := []string{"WITH t0 AS (SELECT 1 a, 2 b, 3 c, 4 d)"}
		for i := range 20 {
			s = append(s, fmt.Sprintf(", t%d AS (SELECT *, * FROM t%d)", i+1, i))
		}
		return strings.Join(s, "") + " SELECT count(*) FROM t20"
	}, ""},
	{"stars trino", "", func() string {
		s := []string{"WITH t0(a,b) AS (SELECT 1, 2)"}
		for i := range 20 {
			s = append(s, fmt.Sprintf(", t%d AS (SELECT *, * FROM t%d)", i+1, i))
		}
		return strings.Join(s, "") + " SELECT count(*) FROM t20"
	}, ""},
	{"doubling texts", "", doublingText(40, "%[1]s || %[1]s"), ""},
	{"doubling texts duckdb", "duckdb", doublingText(40, "%[1]s || %[1]s"), ""},
	{"concat texts duckdb", "duckdb", doublingText(40, "concat(%[1]s, %[1]s)"), ""},
	{"concat_ws texts duckdb", "duckdb", doublingText(40, "concat_ws(%[1]s, %[1]s, %[1]s)"), ""},
	{"concat lists duckdb", "duckdb", strings0(`SELECT len(e) FROM (`, "SELECT list_concat(e, e) AS e FROM (", 40, "SELECT range(1000) AS e", ")", ")"), ""},
	{"concat arrays", "", strings0(`SELECT cardinality(e) FROM (`, "SELECT concat(e, e) AS e FROM (", 40, "SELECT sequence(1, 1000) AS e", ")", ")"), ""},
	{"replace", "", stmt("SELECT length(replace(s, 'x', s)) FROM (SELECT rpad('x', 1000000, 'x') AS s)"), "more than the 256 MiB"},
	{"replace duckdb", "duckdb", stmt("SELECT length(replace(s, 'x', s)) FROM (SELECT " + million + " AS s)"), "more than the 256 MiB"},
	{"replace nested duckdb", "duckdb", stmt("SELECT length(replace(replace('xxxxxxxxxx', 'x', s), 'x', s)) FROM (SELECT repeat('x', 30000) AS s)"), ""},
	{"translate duckdb", "duckdb", stmt("SELECT length(translate(s, s, s)) FROM (SELECT " + million + " AS s)"), ""},
	{"regexp_replace duckdb", "duckdb", stmt("SELECT length(regexp_replace(s, 'x', s, 'g')) FROM (SELECT " + million + " AS s)"), "constant text of at most 100 bytes"},
	{"regexp_replace", "", stmt("SELECT length(regexp_replace(s, 'x', s)) FROM (SELECT rpad('x', 1000000, 'x') AS s)"), ""},
	{"format width", "duckdb", stmt(`SELECT length(format('{:>{}}', 'x', 1500000000))`), "may not exceed 999"},
	{"format spec", "duckdb", stmt(`SELECT length(format('{:>1500000000}', 'x'))`), ""},
	{"format doubled brackets", "duckdb", stmt(`SELECT length(format('{{}}{0:>{1}}', 'x', 1500000000))`), "may not exceed 999"},
	{"format precision", "duckdb", stmt(`SELECT length(format('{:.{}f}', 1.5, 1500000000))`), ""},
	{"printf star", "duckdb", stmt(`SELECT length(printf('%*d', 1500000000, 1))`), ""},
	{"printf width", "duckdb", stmt(`SELECT length(printf('%1500000000d', 1))`), ""},
	{"format trino", "", stmt(`SELECT length(format('%1500000000d', 1))`), ""},
	{"format trino column", "", stmt(`SELECT length(format(f, 1)) FROM (SELECT concat('%15', '00000000d') AS f)`), ""},
	{"format many", "duckdb", func() string { return `SELECT length(format('` + strings.Repeat("{0}", 80000) + `', ` + million + `))` }, "more than the 256 MiB"},
	{"printf many", "duckdb", func() string {
		return `SELECT length(printf('` + strings.Repeat("%1$s", 40000) + `', ` + million + `))`
	}, "more than the 256 MiB"},
	{"concat many", "duckdb", func() string {
		return `SELECT length(concat(s` + strings.Repeat(",s", 100000) + `)) FROM (SELECT ` + million + ` AS s)`
	}, ""},
	{"list many", "duckdb", func() string {
		return `SELECT length(array_to_string([s` + strings.Repeat(",s", 9000) + `], '')) FROM (SELECT ` + million + ` AS s)`
	}, ""},
	{"array_to_string separator", "duckdb", stmt(`SELECT length(array_to_string(range(1000000), ` + million + `))`), ""},
	{"string_agg separator", "duckdb", stmt(`SELECT length(string_agg(i::VARCHAR, ` + million + `)) FROM range(1000000) t(i)`), ""},
	{"string_agg rows", "duckdb", stmt(`SELECT length(string_agg(s, '')) FROM (SELECT ` + million + ` AS s), range(100000) t(i)`), ""},
	{"listagg trino", "", stmt(`SELECT length(listagg(s, '') WITHIN GROUP (ORDER BY i)) FROM (SELECT rpad('x', 1000000, 'x') AS s), UNNEST(sequence(1, 100000)) t(i)`), ""},
	{"list rows", "duckdb", stmt(`SELECT len(list(i)) FROM range(1000000) t(i), range(1000000) u(j)`), ""},
	{"array_agg rows", "", stmt(`SELECT cardinality(array_agg(i)) FROM UNNEST(sequence(1, 1000000)) t(i), UNNEST(sequence(1, 1000000)) u(j)`), ""},
	{"histogram rows", "duckdb", stmt(`SELECT cardinality(histogram(i * 1000000 + j)) FROM range(1000000) t(i), range(1000000) u(j)`), ""},
	{"group_array json", "duckdb", stmt(`SELECT length(json_group_array(i)) FROM range(1000000) t(i), range(1000000) u(j)`), ""},
	{"quantile rows", "duckdb", stmt(`SELECT quantile_cont(i, 0.5) FROM range(1000000) t(i), range(1000000) u(j)`), ""},
	{"mode rows", "duckdb", stmt(`SELECT mode(i * 1000000 + j) FROM range(1000000) t(i), range(1000000) u(j)`), ""},
	{"reservoir", "duckdb", stmt(`SELECT reservoir_quantile(x, 0.5, 2000000000) FROM range(1000000) t(x)`), "at most 10000"},
	{"reservoir groups", "duckdb", stmt(`SELECT count(r) FROM (SELECT reservoir_quantile(x, 0.5, 1000000) AS r FROM range(1000000) t(x) GROUP BY x)`), "at most 10000"},
	{"approx_top_k", "duckdb", stmt(`SELECT approx_top_k(x, 2000000000) FROM range(1000000) t(x)`), ""},
	{"max n", "duckdb", stmt(`SELECT len(max(x, 999999)) FROM range(1000000) t(x), range(1000000) u(j)`), ""},
	{"arg_max n groups", "duckdb", stmt(`SELECT count(r) FROM (SELECT arg_max(x, x, 999999) AS r FROM range(1000000) t(x) GROUP BY x)`), ""},
	{"max_by n", "", stmt(`SELECT max_by(x, x, 2000000000) FROM UNNEST(sequence(1, 1000000)) t(x)`), ""},
	{"bitstring_agg", "duckdb", stmt(`SELECT bitstring_agg(x, 0, 90000000000) FROM range(10) t(x)`), ""},
	{"bitstring_agg groups", "duckdb", stmt(`SELECT count(b) FROM (SELECT bitstring_agg(x, 0, 900000000) b FROM range(100000) t(x) GROUP BY x)`), ""},
	{"range step", "duckdb", stmt(`SELECT len(range(0, 9000000000000000000, 1))`), ""},
	{"range in lists", "duckdb", stmt(`SELECT sum(len(range(1000000))) FROM range(1000000) t(i)`), ""},
	{"range per row", "duckdb", stmt(`SELECT max(range(1000000 + i * 0)) FROM range(1000000) t(i)`), ""},
	{"list_transform nested", "duckdb", stmt(`SELECT len(list_transform(range(1000000), x -> range(1000000)))`), ""},
	{"transform trino", "", stmt(`SELECT cardinality(transform(sequence(1, 10000 + i * 0), x -> sequence(1, 5000))) FROM UNNEST(sequence(1, 10)) t(i)`), ""},
	{"transform texts", "", stmt(`SELECT cardinality(transform(sequence(1, 10000 + i * 0), x -> rpad('x', 1000000, 'x'))) FROM UNNEST(sequence(1, 10)) t(i)`), ""},
	{"chain trino", "", stmt(`SELECT 1` + strings.Repeat(`+1`, 20000)), "nests deeper than 2000 levels"},
	{"sequence trino", "", stmt(`SELECT cardinality(sequence(1, 9000000000000000000))`), ""},
	{"repeat trino", "", stmt(`SELECT cardinality(repeat(rpad('x', 1000000, 'x'), 10000))`), ""},
	{"repeat rows", "duckdb", stmt(`SELECT max(repeat('x', 1000000 + i * 0)) FROM range(1000000) t(i)`), ""},
	{"list_resize value", "duckdb", stmt(`SELECT len(list_resize([` + million + `], 1000000, ` + million + `))`), ""},
	{"list_resize rows", "duckdb", stmt(`SELECT max(list_resize([i], 1000000)) FROM range(100000) t(i)`), ""},
	{"unnest many", "duckdb", stmt(`SELECT count(*) FROM (SELECT unnest(range(1000000)) FROM range(1000000))`), ""},
	{"list_zip", "duckdb", stmt(`SELECT len(list_zip(range(1000000), range(1000000), range(1000000)))`), ""},
	{"flatten", "duckdb", stmt(`SELECT len(flatten(list_transform(range(1000), x -> range(1000000))))`), ""},
	{"list_reduce", "duckdb", stmt(`SELECT length(list_reduce(list_transform(range(1000), x -> 'aaaaaaaaaa'), (a, b) -> a || a))`), ""},
	{"reduce trino", "", stmt(`SELECT length(reduce(sequence(1, 40), 'x', (s, x) -> concat(s, s), s -> s))`), ""},
	{"list_reduce range", "duckdb", stmt(`SELECT len(list_reduce([range(1000)] || list_transform(range(40), x -> [x]), (a, b) -> list_concat(a, a)))`), "concatenate its state with itself"},
	{"like", "duckdb", stmt(`SELECT repeat('a', 1000000) LIKE repeat('%a', 200000) || 'b'`), ""},
	{"like million", "duckdb", stmt(`SELECT ('' || s || 'a') LIKE (repeat('%a%', 300000) || '_b') FROM (SELECT repeat('a', 1000000) s)`), ""},
	{"like pattern rows", "duckdb", stmt(`SELECT count(*) FROM (SELECT repeat('a', 100000) s), range(3) t(i) WHERE s LIKE repeat('%a', 1000) || 'b' || i`), ""},
	{"like trino", "", stmt(`SELECT rpad('a', 1000000, 'a') LIKE concat(rpad('%a', 200000, '%a'), 'b')`), ""},
	{"ilike", "duckdb", stmt(`SELECT repeat('a', 1000000) ILIKE repeat('%a', 200000) || 'b'`), ""},
	{"not ilike", "duckdb", stmt(`SELECT repeat('a', 1000000) NOT ILIKE repeat('%a', 200000) || 'b'`), ""},
	{"like escape", "duckdb", stmt(`SELECT like_escape(repeat('a', 1000000), repeat('%a', 200000) || 'b', '!')`), ""},
	{"like escape trino", "", stmt(`SELECT rpad('a', 1000000, 'a') LIKE concat(rpad('%a', 200000, '%a'), 'b') ESCAPE '!'`), ""},
	{"glob", "duckdb", stmt(`SELECT repeat('a', 1000000) GLOB (repeat('*a', 200000) || 'b')`), "too many wildcards"},
	{"glob small", "duckdb", stmt(`SELECT repeat('a', 3000) GLOB (repeat('*a', 200) || 'b')`), "too many wildcards"},
	{"similar", "duckdb", stmt(`SELECT repeat('a', 1000000) SIMILAR TO (repeat('a?', 1000) || repeat('a', 1000))`), ""},
	{"regexp counted trino", "", stmt(`SELECT regexp_like(rpad('a', 1000000, 'a'), '(((a{0,100}){0,100}){0,100}){0,10}b')`), ""},
	{"regexp backtracking", "", stmt(`SELECT regexp_like(rpad('a', 1000000, 'a'), '(a+)+(?=b)')`), ""},
	{"regexp lookbehind", "", stmt(`SELECT regexp_count(rpad('a', 1000000, 'a'), '(?<=(a|aa)*)a')`), ""},
	{"regexp nested lookahead", "", stmt(`SELECT regexp_like('a', concat('(?=', repeat('(', 1000), repeat(')', 1000), ')'))`), ""},
	{"regexp million pattern", "duckdb", stmt(`SELECT regexp_matches('a', repeat('(a|b)', 200000))`), ""},
	{"regexp_extract_all", "duckdb", stmt(`SELECT len(regexp_extract_all(` + million + `, ''))`), ""},
	{"split regex", "duckdb", stmt(`SELECT len(string_split_regex(` + million + `, 'x*?'))`), ""},
	{"bignum", "duckdb", stmt(`SELECT (repeat('9', 1000000)::BIGNUM)::VARCHAR`), "can be cast to BIGNUM"},
	{"bignum mult", "duckdb", stmt(`SELECT (repeat('9', 1000000)::BIGNUM) * (repeat('9', 1000000)::BIGNUM)`), ""},
	{"bignum column", "duckdb", stmt(`SELECT max(s::BIGNUM) FROM (SELECT repeat('9', 1000000) s), range(3)`), ""},
	{"bignum varint", "duckdb", stmt(`SELECT TRY_CAST(repeat('9', 1000000) AS VARINT)`), ""},
	{"bignum nested", "duckdb", stmt(`SELECT CAST([repeat('9', 1000000)] AS BIGNUM[])`), ""},
	{"bignum struct", "duckdb", stmt(`SELECT CAST({'a': repeat('9', 1000000)} AS STRUCT(a BIGNUM))`), "can be cast to BIGNUM"},
	{"factorial", "duckdb", stmt(`SELECT factorial(2000000000)`), ""},
	{"bit casts", "duckdb", stmt(`SELECT length((repeat('1', 1000000)::BIT << 3)::VARCHAR)`), ""},
	{"pow hugeint", "duckdb", stmt(`SELECT pow(10, 1000000)`), ""},
	{"json depth", "duckdb", stmt(`SELECT json_extract(repeat('[', 1000000), '$[0]')`), ""},
	{"json_pretty", "duckdb", stmt(`SELECT length(json_pretty(repeat('[', 3000) || '1' || repeat(']', 3000)))`), ""},
	{"json_each depth", "duckdb", stmt(`SELECT count(*) FROM json_tree(repeat('[', 20000) || '1' || repeat(']', 20000))`), ""},
	{"json_merge growth", "duckdb", stmt(`SELECT length(json_object(` + million + `, ` + million + `)::VARCHAR)`), ""},
	{"json_keys wild", "duckdb", stmt(`SELECT len(json_extract(s, '$.**.a')) FROM (SELECT repeat('{"a":', 5000) || '1' || repeat('}', 5000) AS s)`), ""},
	{"json wild list", "duckdb", stmt(`SELECT len(json_extract_string('[' || repeat('[1],', 100000) || '[1]]', '$[*][*]'))`), ""},
	{"json_serialize depth", "duckdb", stmt(`SELECT to_json(x)::VARCHAR FROM (SELECT repeat('[', 100000) || repeat(']', 100000) AS x)`), ""},
	{"jaccard", "duckdb", stmt(`SELECT jaccard(` + million + `, ` + million + `)`), ""},
	{"jaro", "duckdb", stmt(`SELECT jaro_winkler_similarity(` + million + `, ` + million + `)`), ""},
	{"jaro sim", "duckdb", stmt(`SELECT jaro_similarity(` + million + `, reverse(` + million + `))`), ""},
	{"hamming", "duckdb", stmt(`SELECT hamming(` + million + `, ` + million + `)`), ""},
	{"levenshtein trino", "", stmt(`SELECT levenshtein_distance(rpad('x', 1000000, 'x'), rpad('y', 1000000, 'y'))`), ""},
	{"strpos n", "", stmt(`SELECT strpos(rpad('a', 1000000, 'a'), concat(rpad('a', 500000, 'a'), 'b'), 5)`), ""},
	{"list_position", "duckdb", stmt(`SELECT sum(list_position(range(1000000), i)) FROM range(1000000) t(i)`), ""},
	{"list_sort", "duckdb", stmt(`SELECT len(list_sort(range(1000000))) FROM range(100) t(i)`), ""},
	{"combinations", "", stmt(`SELECT cardinality(combinations(sequence(1, 40), 5))`), ""},
	{"cross join", "duckdb", stmt(`SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE a.range + b.range + c.range = 0`), ""},
	{"recursive", "duckdb", stmt(`WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t`), ""},
	{"recursive text", "", stmt(`WITH RECURSIVE t(n) AS (SELECT 'x' UNION ALL SELECT concat(n, n) FROM t) SELECT count(*) FROM t`), ""},
	{"recursive fast", "duckdb", stmt(`WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t, range(10)) SELECT count(*) FROM t`), ""},
	{"window", "duckdb", stmt(`SELECT sum(x) FROM (SELECT list(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS l, len(l) AS x FROM range(100000) t(i))`), ""},
	{"window string_agg", "duckdb", stmt(`SELECT max(length(l)) FROM (SELECT string_agg(repeat('x', 1000), '') OVER (ORDER BY i) AS l FROM range(100000) t(i))`), ""},
	{"pivot", "duckdb", stmt(`SELECT * FROM (PIVOT range(1000000) ON range IN (1, 2) USING sum(range))`), ""},
	{"wide values", "duckdb", func() string { return "SELECT * FROM (SELECT unnest([" + strings.Repeat("1,", 100000) + "1]))" }, ""},
	{"time_bucket", "duckdb", stmt(`SELECT count(*) FROM generate_series(TIMESTAMP '1-01-01', TIMESTAMP '9999-01-01', INTERVAL '1 microsecond')`), ""},
	{"range infinite", "duckdb", stmt(`SELECT count(*) FROM range(TIMESTAMP '2000-01-01', TIMESTAMP 'infinity', INTERVAL '1 day')`), ""},
	{"range zero step", "duckdb", stmt(`SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2001-01-01', INTERVAL '1 month -30 day'))`), ""},
	{"bin", "duckdb", stmt(`SELECT length(bin(` + million + `)), length(hex(` + million + `)), length(to_base64(` + million + `::BLOB))`), ""},
	{"url_encode chain", "duckdb", func() string {
		return "SELECT length(" + strings.Repeat("hex(", 30) + "repeat('é', 1000)" + strings.Repeat(")", 30) + ")"
	}, ""},
	{"url_encode chain 2", "duckdb", func() string {
		return "SELECT length(" + strings.Repeat("url_encode(", 40) + "repeat('é', 1000)" + strings.Repeat(")", 40) + ")"
	}, "are nested"},
	{"json_quote chain", "duckdb", func() string {
		return "SELECT length(" + strings.Repeat("json_quote(", 40) + "'\"\\'" + strings.Repeat(")::VARCHAR", 40) + ")"
	}, ""},
	{"to_json chain", "duckdb", func() string {
		return "SELECT length(" + strings.Repeat("to_json(", 40) + "'\"'" + strings.Repeat(")::VARCHAR", 40) + ")"
	}, ""},
	{"json_format chain", "", func() string {
		return "SELECT length(" + strings.Repeat("json_format(CAST(", 40) + "'\"\\'" + strings.Repeat(" AS JSON))", 40) + ")"
	}, ""},
	{"to_hex chain", "", func() string {
		return "SELECT length(" + strings.Repeat("to_hex(to_utf8(", 30) + "'abc'" + strings.Repeat("))", 30) + ")"
	}, "are nested"},
	{"regexp_escape chain", "duckdb", func() string {
		return "SELECT length(" + strings.Repeat("regexp_escape(", 40) + "'..'" + strings.Repeat(")", 40) + ")"
	}, ""},
	{"strftime", "duckdb", func() string { return "SELECT length(strftime(DATE '2020-01-01', repeat('%A', 1000000)))" }, ""},
	{"strftime column", "duckdb", func() string {
		return "SELECT length(strftime(d, f)) FROM (SELECT DATE '2020-01-01' d, repeat('%A', 500000) f)"
	}, ""},
	{"date_format", "", func() string {
		return "SELECT length(date_format(TIMESTAMP '2020-01-01 00:00:00', rpad('%W', 1000000, '%W')))"
	}, ""},
	{"to_base", "duckdb", stmt(`SELECT length(to_base(5, 2, 2000000000))`), ""},
	{"to_base rows", "duckdb", stmt(`SELECT to_base(5, 2, 64)`), ""},
	{"left negative", "duckdb", stmt(`SELECT substring('abc', -9000000000000000000, 9000000000000000000)`), ""},
	{"bar", "duckdb", stmt(`SELECT bar(1, 0, 1, 2000000000)`), ""},
	{"array_value fixed", "duckdb", stmt(`SELECT CAST(NULL AS INTEGER[100000])`), ""},
	{"array_value nested fixed", "duckdb", stmt(`SELECT CAST(NULL AS INTEGER[100000][100000])`), ""},
	{"array fixed rows", "duckdb", stmt(`SELECT CAST(NULL AS INTEGER[100000][1000]) FROM range(1000)`), ""},
	{"sample", "duckdb", stmt(`SELECT count(*) FROM range(1000000) USING SAMPLE reservoir(900000000 ROWS)`), ""},
	{"limit", "duckdb", stmt(`SELECT * FROM range(1000000) ORDER BY range LIMIT 900000000 OFFSET 900000000`), ""},
	{"top n text", "duckdb", stmt(`SELECT length(max(s)) FROM (SELECT s FROM (SELECT repeat('x', 1000000) || i AS s FROM range(100000) t(i)) ORDER BY s LIMIT 1000000)`), ""},
	{"distinct texts", "duckdb", stmt(`SELECT count(DISTINCT s) FROM (SELECT repeat('x', 100000) || i AS s FROM range(1000000) t(i))`), ""},
	{"min texts groups", "duckdb", stmt(`SELECT count(m) FROM (SELECT min(repeat('x', 100000) || i) AS m FROM range(1000000) t(i) GROUP BY i)`), ""},
	{"first texts groups", "duckdb", stmt(`SELECT count(m) FROM (SELECT any_value(repeat('x', 100000) || i) AS m FROM range(1000000) t(i) GROUP BY i)`), ""},
	{"constant folding", "duckdb", stmt(`SELECT length(list_transform(range(1000000), x -> repeat('x', 1000000))::VARCHAR)`), ""},
	{"list to text", "duckdb", stmt(`SELECT length(l::VARCHAR) FROM (SELECT list_transform(range(2000 + i * 0), x -> repeat('x', 100000)) AS l FROM range(1) t(i))`), ""},
	{"struct to text", "duckdb", stmt(`SELECT length(row(s, s, s, s, s, s, s, s, s, s)::VARCHAR) FROM (SELECT ` + million + ` AS s)`), ""},
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
	return strings0("SELECT length(e) FROM (", "SELECT "+fmt.Sprintf(form, "e")+" AS e FROM (", n, "SELECT 'xxxxxxxxxxxxxxxx' AS e", ")", ")")
}

func strings0(start, before string, n int, middle, after, end string) func() string {
	return nest(start, before, n, middle, after, end)
}
