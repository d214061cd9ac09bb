package trinosql

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// statements are one or more for each rule of the grammar.
var statements = []string{
	"SELECT 1", "SELECT DISTINCT a, b AS c, t.* FROM t", "SELECT ALL x FROM t", "SELECT all FROM t", "SELECT all, 1",
	"SELECT t.r.* AS (a, b) FROM t", "SELECT (r).* FROM t",
	"SELECT a b, c FROM x.y.z AS t (p, q), u",
	"WITH a AS (SELECT 1), b (x) AS (VALUES 1, 2) SELECT * FROM a, b",
	"WITH RECURSIVE t (n) AS (VALUES 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t",
	"TABLE a.b", "VALUES (1, 'a'), (2, 'b')", "VALUES ROW(1, 2)",
	"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4",
	"(SELECT 1) UNION DISTINCT (SELECT 2 ORDER BY 1 LIMIT 1)",
	"SELECT 1 ORDER BY 1 DESC NULLS LAST, 2 ASC, 3 NULLS FIRST OFFSET 5 ROWS LIMIT 10", "SELECT 1 LIMIT ALL",
	"SELECT 1 OFFSET ? LIMIT ?", "SELECT 1 FETCH FIRST ROW ONLY", "SELECT 1 FETCH NEXT 3 ROWS WITH TIES",
	"SELECT * FROM a JOIN b ON a.x = b.x LEFT OUTER JOIN c USING (x, y) CROSS JOIN d NATURAL FULL JOIN e RIGHT JOIN " +
		"f ON TRUE",
	"SELECT * FROM a JOIN b JOIN c ON b.x = c.x ON a.x = b.x", "SELECT * FROM (a CROSS JOIN b) CROSS JOIN c",
	"SELECT * FROM ((SELECT 1) AS x CROSS JOIN y)",
	"SELECT * FROM (SELECT 1) t, LATERAL (SELECT t.a) AS u, UNNEST(ARRAY[1], MAP(ARRAY[1], ARRAY[2])) WITH " +
		"ORDINALITY AS v (a, b, c, o)",
	"SELECT * FROM t TABLESAMPLE BERNOULLI (10)", "SELECT * FROM t FOR TIMESTAMP AS OF TIMESTAMP '2020-01-01 00:00:00'",
	"SELECT a FROM t WHERE x GROUP BY a, (b, c), (), (d), ROLLUP (a, b), CUBE (a), GROUPING SETS ((a), b, ()) HAVING " +
		"count(*) > 1",
	"SELECT a FROM t GROUP BY DISTINCT a", "SELECT a FROM t GROUP BY (a) + 1, (SELECT 1)",
	"SELECT sum(x) OVER w, rank() OVER (w ORDER BY y) FROM t WINDOW w AS (PARTITION BY a, b ORDER BY c DESC ROWS " +
		"BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING), v AS ()",
	"SELECT first_value(x) IGNORE NULLS OVER (RANGE CURRENT ROW), lag(x, 1, 0) RESPECT NULLS OVER (ORDER BY y GROUPS " +
		"UNBOUNDED PRECEDING)",
	"SELECT count(DISTINCT a) FILTER (WHERE b > 0), array_agg(x ORDER BY y DESC), count(*) FILTER (WHERE TRUE) OVER ()",
	"SELECT LISTAGG(DISTINCT x, ', ' ON OVERFLOW TRUNCATE '...' WITH COUNT) WITHIN GROUP (ORDER BY x) FILTER (WHERE y)",
	"SELECT listagg(x) WITHIN GROUP (ORDER BY 1)",
	"SELECT transform(a, x -> x + 1), reduce(a, 0, (s, x) -> s + x, s -> s), f(() -> 1)",
	"SELECT a AND b OR NOT c AND NOT (d OR e)", "SELECT NOT NOT a = b", "SELECT (a OR b) OR c", "SELECT a = b",
	"SELECT (a = b) = c", "SELECT a <> ALL (SELECT 1), b = ANY (VALUES 1), c >= SOME (TABLE t)",
	"SELECT x BETWEEN 1 AND 2 AND y NOT BETWEEN a + 1 AND b || c",
	"SELECT x IN (1, 2), x NOT IN (SELECT 1), (a, b) IN ((1, 2), (3, 4)), x IN ((SELECT 1), 2)",
	"SELECT x LIKE 'a%', x NOT LIKE 'b!_' ESCAPE '!', x IS NULL, x IS NOT NULL, x IS DISTINCT FROM y, x IS NOT " +
		"DISTINCT FROM NULL",
	"SELECT 1 + 2 * 3 - 4 / 5 % 6 || 'a', (1 + 2) * 3, 1 - (2 - 3), -(-1), - -1, +x, -x AT TIME ZONE 'UTC', (-x) AT " +
		"TIME ZONE INTERVAL '1' HOUR",
	"SELECT a.b.c[1].d[x + 1], (f(x)).y, ARRAY[1, 2][1], (1)[2], ARRAY[]",
	"SELECT CASE a WHEN 1 THEN 'x' ELSE NULL END, CASE WHEN a THEN b WHEN c THEN d END",
	"SELECT CAST(a AS varchar(10)), TRY_CAST(b AS decimal(10, 2)), CAST(c AS array(row(x bigint, \"y z\" varchar))), " +
		"CAST(d AS map(varchar, timestamp(3) with time zone))",
	"SELECT CAST(a AS bigint ARRAY), CAST(a AS double precision), CAST(a AS ARRAY<bigint>), CAST(a AS " +
		"MAP<varchar,bigint>), CAST(a AS interval day to second), CAST(a AS time(6) without time zone), CAST(a AS " +
		"row(bigint, double precision, interval year to month))",
	"SELECT DATE '2020-01-01', timestamp '2020-01-01 00:00:00 Europe/Berlin', DECIMAL '1.5', JSON '1', char 'x', " +
		"DOUBLE PRECISION '1', INTERVAL -'3' DAY TO SECOND, interval '1' year",
	"SELECT 1, 1.5, .5, 5., 1e10, 1.5E-3, .5e1, 0xFF, 0b101, 0o17, 1_000, 1_000.000_1, 'it''s', U&'\\0041\\+01F600', " +
		"U&'!0041' UESCAPE '!', X'0aFF', TRUE, FALSE, NULL, ?",
	"SELECT CURRENT_DATE, CURRENT_TIME(3), CURRENT_TIMESTAMP, LOCALTIME, LOCALTIMESTAMP(0), CURRENT_USER, " +
		"CURRENT_CATALOG, CURRENT_SCHEMA, CURRENT_PATH",
	"SELECT TRIM(x), TRIM(BOTH FROM x), TRIM(LEADING 'a' FROM x), TRIM('a' FROM x), TRIM(x, 'a'), SUBSTRING(x FROM 1 " +
		"FOR 2), substring(x, 1), POSITION('a' IN x), position('a', x), EXTRACT(YEAR FROM x), NORMALIZE(x), " +
		"NORMALIZE(x, NFKC)",
	"SELECT GROUPING(a, t.b) FROM t GROUP BY CUBE (a, t.b)",
	"SELECT EXISTS (SELECT 1), (SELECT 1), ((SELECT 1)), ((SELECT 1) + 1), (((SELECT 1) UNION (SELECT 2)))",
	"SELECT ROW(1, 'a'), (1, 'a'), ROW(1)[1]", "SELECT JSON_EXISTS(j, 'lax $.a' PASSING 1 AS x TRUE ON ERROR), " +
		"JSON_VALUE(j FORMAT JSON ENCODING UTF8, '$.a' RETURNING bigint DEFAULT 1 + 1 ON EMPTY ERROR ON ERROR)",
	"SELECT JSON_QUERY(j, '$' RETURNING varchar FORMAT JSON WITH CONDITIONAL ARRAY WRAPPER KEEP QUOTES ON SCALAR " +
		"STRING EMPTY ARRAY ON EMPTY NULL ON ERROR), JSON_QUERY(j, '$' WITHOUT WRAPPER)",
	"SELECT JSON_OBJECT(KEY 'a' VALUE 1, 'b' : 2, 'c' VALUE 3 NULL ON NULL WITHOUT UNIQUE KEYS), JSON_OBJECT(), " +
		"JSON_OBJECT('a' : x ABSENT ON NULL RETURNING varbinary FORMAT JSON ENCODING UTF16), JSON_ARRAY(1, NULL, 'x' " +
		"NULL ON NULL RETURNING varchar), JSON_ARRAY()",
	"SELECT \"a b\", \"x\"\"y\".\"SELECT\" FROM \"Tab\"",
	"SELECT show, offset, window, limit, only, some, any, desc, to, asc, both, lateral, fetch, verbose FROM limit",
	"SELECT a limit, b offset FROM t limit", "SELECT a FROM t offset 2", "SELECT a FROM t AS limit limit 3",
	"SELECT at AT TIME ZONE 'UTC', over, filter(x, y -> y), interval + 1, date, time, timestamp, row, array, " +
		"position, if(a, b), count FROM t",
	"SELECT count(*) over FROM t", "SELECT x FROM t ORDER BY desc desc, asc", "SELECT all * 2, current, rows FROM t",
	"SELECT 1 -- comment\n, 2 /* /* */ + 10 --", "EXPLAIN SELECT 1", "EXPLAIN ANALYZE VERBOSE SELECT 1",
	"EXPLAIN (TYPE LOGICAL, FORMAT JSON) SELECT 1",
	"SHOW TABLES", "SHOW TABLES FROM a.b LIKE 'x%' ESCAPE '$'", "SHOW SCHEMAS IN c", "SHOW CATALOGS LIKE 'a'",
	"SHOW COLUMNS FROM a.b.c", "SHOW FUNCTIONS LIKE 'x'", "SHOW SESSION", "SHOW ROLES", "SHOW CURRENT ROLES FROM c",
	"SHOW ROLE GRANTS IN c", "SHOW GRANTS", "SHOW GRANTS ON TABLE a.b", "SHOW STATS FOR a.b",
	"SHOW STATS FOR (SELECT 1)",
	"SHOW CREATE VIEW a.b", "SHOW CREATE TABLE t", "SHOW CREATE SCHEMA s", "SHOW CREATE MATERIALIZED VIEW v",
	"DESCRIBE t", "DESC a.b.c", "DESCRIBE INPUT x", "DESCRIBE OUTPUT x",
}

// TestPrintedTextGivesTheSameTree parses, prints and parses again.
func TestPrintedTextGivesTheSameTree(t *testing.T) {
	for _, text := range statements {
		again(t, text)
	}
}

func again(t *testing.T, text string) {
	t.Helper()
	first, err := Parse(text)
	if err != nil {
		t.Errorf("%s\n\t%v", text, err)
		return
	}
	printed := String(first)
	second, err := Parse(printed)
	if err != nil {
		t.Errorf("%s\n\tprinted as %s\n\t%v", text, printed, err)
		return
	}
	if a, b := dump(first), dump(second); a != b {
		t.Errorf("%s\n\tprinted as %s\n\t%s\n\t%s", text, printed, a, b)
	}
	if again := String(second); again != printed {
		t.Errorf("%s\n\tprinted as %s\n\tand then  %s", text, printed, again)
	}
}

// dump writes a tree without its positions. Quotes that a name does not need are left out.
func dump(n any) string {
	var b strings.Builder
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer:
			if v.IsNil() {
				b.WriteString("nil")
				return
			}
			walk(v.Elem())
		case reflect.Struct:
			fmt.Fprintf(&b, "%s{", v.Type().Name())
			for i := range v.NumField() {
				switch f := v.Type().Field(i); f.Name {
				case "node", "clause", "Quoted":
				default:
					b.WriteString(f.Name + ":")
					walk(v.Field(i))
					b.WriteString(" ")
				}
			}
			b.WriteString("}")
		case reflect.Slice:
			b.WriteString("[")
			for i := range v.Len() {
				walk(v.Index(i))
				b.WriteString(" ")
			}
			b.WriteString("]")
		default:
			fmt.Fprintf(&b, "%q", fmt.Sprint(v.Interface()))
		}
	}
	walk(reflect.ValueOf(n))
	return b.String()
}

// TestShapes compares what precedence and lookahead make of a text.
func TestShapes(t *testing.T) {
	for _, c := range []struct{ text, same string }{
		{"SELECT 1 + 2 * 3", "SELECT 1 + (2 * 3)"},
		{"SELECT a || b + c", "SELECT a || (b + c)"},
		{"SELECT -a * b", "SELECT (-a) * b"},
		{"SELECT -a AT TIME ZONE 'x'", "SELECT -(a AT TIME ZONE 'x')"},
		{"SELECT NOT a = b AND c OR d", "SELECT ((NOT (a = b)) AND c) OR d"},
		{"SELECT a - b - c", "SELECT (a - b) - c"},
		{"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", "SELECT 1 UNION (SELECT 2 INTERSECT SELECT 3)"},
		{"SELECT all * 2 FROM t", "SELECT all * 2 FROM t"},
		{"SELECT 1 /* /* */ + 10 --", "SELECT 1 + 10"},
		{"SELECT a FROM t limit 5", "SELECT a FROM t LIMIT 5"},
		{"SELECT a FROM t limit", "SELECT a FROM t AS \"limit\""},
		{"SELECT a b FROM t", "SELECT a AS b FROM t"},
		{"SELECT x -> y OR z", "SELECT x -> (y OR z)"},
		{"SELECT CAST(a AS x ARRAY)", "SELECT CAST(a AS array(x))"},
	} {
		a, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		b, err := Parse(c.same)
		if err != nil {
			t.Errorf("%s: %v", c.same, err)
			continue
		}
		strip := strings.NewReplacer("ARRAY", "array")
		da, db := strip.Replace(dump(a)), strip.Replace(dump(b))
		if strings.Contains(c.text, "INTERSECT") { // the parentheses are a node of their own
			so := b.(*Query).Body.(*SetOp)
			so.Right = so.Right.(*SubqueryBody).Query.Body
			db = dump(b)
		}
		if da != db {
			t.Errorf("%s\n\t%s\n%s\n\t%s", c.text, da, c.same, db)
		}
	}
}

// TestErrors compares places and words with those of Trino.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1:1: mismatched input '<EOF>'. Expecting: 'ALTER'"},
		{"SELECT FROM t", "line 1:8: mismatched input 'FROM'. Expecting: <expression>"},
		{"SELECT 1 FROM", "line 1:14: mismatched input '<EOF>'. Expecting: '('"},
		{"SELECT\n  1 +", "line 2:6: mismatched input '<EOF>'. Expecting: <expression>"},
		{"SELECT 'żółć', )", "line 1:16: mismatched input ')'. Expecting: <expression>"},
		{"SELECT 1 LIMIT 5 OFFSET 2", "line 1:18: mismatched input 'OFFSET'. Expecting: <EOF>"},
		{"SELECT 1;", "line 1:9: mismatched input ';'. Expecting: <EOF>"},
		{"SELECT `a`", "line 1:8: backquoted identifiers are not supported; use double quotes to quote identifiers"},
		{"SELECT * FROM 1a",
			"line 1:15: identifiers must not start with a digit; surround the identifier with double quotes"},
		{"SELECT a = b = c", "line 1:14: mismatched input '='. Expecting: <EOF>"},
		{"SELECT X'abc'", "line 1:8: Binary literal must contain an even number of digits"},
		{"SELECT X'zz'", "line 1:8: Binary literal can only contain hexadecimal digits"},
		{`SELECT ""`, "line 1:8: Zero-length delimited identifier not allowed"},
		{"SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A))", "line 1:45: mismatched input ')'. Expecting: 'DEFINE'"},
		{"SELECT (1 + (SELECT 2)", "line 1:23: mismatched input '<EOF>'. Expecting: ')'"},
		{"SELECT ((SELECT 1 FROM) + 1)", "line 1:23: mismatched input ')'. Expecting: '('"},
		{"SELECT 'abc", "line 1:8: mismatched input '''. Expecting: <expression>"},
		{"foo", "line 1:1: mismatched input 'foo'. Expecting: 'ALTER'"},
		{"SELECT " + strings.Repeat("(", 600) + "1" + strings.Repeat(")", 600),
			"statement is too large (stack overflow while parsing)"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s\n\tgot  %v\n\twant %s", c.text, err, c.want)
		}
	}
}

// TestPositions compares places with those that Trino gives to nodes.
func TestPositions(t *testing.T) {
	s, err := Parse("SELECT a + b, (c) . d,\n 'ż' || x BETWEEN 1 AND 2")
	if err != nil {
		t.Fatal(err)
	}
	items := s.(*Query).Body.(*Select).Items
	for i, want := range []string{"1:10", "1:15", "2:11"} {
		at := items[i].(*SelectExpr).Expr.Pos()
		if got := fmt.Sprintf("%d:%d", at.Line, at.Col); got != want {
			t.Errorf("item %d is at %s, want %s", i, got, want)
		}
	}
}

func TestOtherStatements(t *testing.T) {
	for text, want := range map[string]string{
		"INSERT INTO t VALUES 1": "Insert", "CREATE TABLE a AS SELECT 1": "CreateTableAsSelect",
		"CREATE OR REPLACE VIEW v AS SELECT 1": "CreateView", "create table t (a bigint)": "CreateTable",
		"DROP TABLE t": "DropTable", "DELETE FROM t": "Delete", "UPDATE t SET a = 1": "Update",
		"MERGE INTO t USING u ON a": "Merge", "SET SESSION a = 1": "SetSession", "SET TIME ZONE LOCAL": "SetTimeZone",
		"RESET SESSION AUTHORIZATION": "ResetSessionAuthorization", "SET ROLE r": "SetRole", "SET PATH a.b": "SetPath",
		"TRUNCATE TABLE t":          "TruncateTable",
		"ALTER TABLE t RENAME TO u": "AlterTable", "GRANT SELECT ON t TO u": "Grant",
		"START TRANSACTION": "StartTransaction", "REFRESH MATERIALIZED VIEW v": "RefreshMaterializedView",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if o, ok := s.(*Other); !ok || o.Kind != want {
			t.Errorf("%s: %#v, want %s", text, s, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range statements {
		f.Add(s)
	}
	list, err := witness.Statements("witness/testdata/language")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range list {
		f.Add(s.SQL)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if o, ok := s.(*Other); ok && o.Kind != "" {
			return
		}
		if e, ok := s.(*Explain); ok {
			if _, ok := e.Statement.(*Other); ok {
				return
			}
		}
		again(t, text)
	})
}

func BenchmarkParse(b *testing.B) {
	const text = `SELECT c.city, count(*) AS orders, sum(o.amount) FILTER (WHERE o.amount > 1.5) AS total
FROM sample.shop.customers c LEFT JOIN sample.shop.orders o ON o.customer_id = c.id AND o.placed >= DATE '2020-01-01'
WHERE c.city IN ('Berlin', 'Kraków', 'Oslo') AND lower(c.name) LIKE 'a%' GROUP BY c.city HAVING count(*) > 3 ORDER BY total DESC LIMIT 20`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
