package sqlstmt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dig-cli/dig/internal/sqltext"
)

// TestLimit: words that Trino does not reserve are names, and only clauses of the outermost query limit it.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		sql     string
		want    string
		wrapped int
	}{
		{"SELECT limit FROM t ORDER BY offset -- end", "SELECT limit FROM t ORDER BY offset\nLIMIT 5", 0},
		{"SELECT a AS fetch FROM t;", "SELECT a AS fetch FROM t\nLIMIT 5", 0},
		{"SELECT a FROM t LIMIT ALL", "SELECT * FROM (\nSELECT a FROM t LIMIT ALL\n) LIMIT 5", 1},
		{"SELECT a FROM t FETCH FIRST ROW ONLY", "SELECT * FROM (\nSELECT a FROM t FETCH FIRST ROW ONLY\n) LIMIT 5", 1},
		{"(SELECT a FROM t LIMIT 9)", "(SELECT a FROM t LIMIT 9)\nLIMIT 5", 0},
		{"SELECT a FROM (SELECT a FROM t LIMIT 9)", "SELECT a FROM (SELECT a FROM t LIMIT 9)\nLIMIT 5", 0},
		{"SELECT 1 /* /* */ ; ", "SELECT 1\nLIMIT 5", 0},
		{"\nWITH FUNCTION f() RETURNS int BEGIN RETURN 1; END SELECT f() LIMIT 9;", "\nWITH FUNCTION f() RETURNS int " +
			"BEGIN RETURN 1; END SELECT * FROM (\n SELECT f() LIMIT 9\n) LIMIT 5", 1},
		{"SELECT $1 LIMIT 3", "SELECT * FROM (\nSELECT $1 LIMIT 3\n) LIMIT 5", 1}, // not parsed
	} {
		if got, wrapped := Limit(c.sql, 5); got != c.want || wrapped != c.wrapped {
			t.Errorf("%s\n%q, %d, want\n%q, %d", c.sql, got, wrapped, c.want, c.wrapped)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []sqltext.Part
	}{
		{"-- one\nSELECT 1;\n\n  SELECT ';' /* ; */ ; ;", []sqltext.Part{{Text: "-- one\nSELECT 1"},
			{Text: "SELECT ';' /* ; */", Line: 3, Col: 2}}},
		{"SELECT 1 /* /* */; SELECT 2 /* */", []sqltext.Part{{Text: "SELECT 1 /* /* */"},
			{Text: "SELECT 2 /* */", Col: 19}}},
		{" ; -- none\n;", nil},
		{"SELECT 'open; SELECT 2", []sqltext.Part{{Text: "SELECT 'open; SELECT 2"}}},
	} {
		if got := Split(c.sql); !slices.Equal(got, c.want) {
			t.Errorf("%q\n%+v, want\n%+v", c.sql, got, c.want)
		}
	}
}

func TestTrimEnd(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT 1 ; -- done": "SELECT 1", "SELECT 1; SELECT 2;": "SELECT 1; SELECT 2", "SELECT 1; -- two": "SELECT 1",
		"SELECT 'a;": "SELECT 'a;", "SELECT ';'": "SELECT ';'", ";": ";", "": "",
	} {
		if got := TrimEnd(sql); got != want {
			t.Errorf("%q: %q, want %q", sql, got, want)
		}
	}
}

// TestTables: only tables are found, not columns with as many parts, and in text that is not parsed every name.
func TestTables(t *testing.T) {
	ref := func(c, s, n string) sqltext.TableRef { return sqltext.TableRef{Catalog: c, Schema: s, Table: n} }
	for sql, want := range map[string][]sqltext.TableRef{
		`SELECT a.b.c, t.r.x FROM Lake.Files."Orders" t JOIN lake.files.items USING (id);`: {ref("lake", "files",
			"Orders"), ref("lake", "files", "items")},
		`WITH t AS (SELECT * FROM a.b.c) SELECT * FROM t, s.u`:   {ref("a", "b", "c")},
		`SELECT 'x.y.z' -- p.q.r`:                                nil,
		`SELECT * FROM a.b.c WHERE EXISTS (SELECT 1 FROM d.e.f)`: {ref("a", "b", "c"), ref("d", "e", "f")},
		`PIVOT a.b.c ON d`:                                       {ref("a", "b", "c")},
		`SHOW COLUMNS FROM a.b.c`:                                nil,
		`EXPLAIN SELECT * FROM a.b.c`:                            {ref("a", "b", "c")},
	} {
		if got := Tables(sql); !slices.Equal(got, want) {
			t.Errorf("%s\n%v, want %v", sql, got, want)
		}
	}
}

func TestParamsOf(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT :a, :b_1 WHERE x = :a":     "SELECT ? , ?    WHERE x = ?  [a b_1 a] 0",
		"SELECT ':a', \":b\" -- :c\n, ?":   "SELECT ':a', \":b\" -- :c\n, ? [] 1",
		"SELECT x::int, a[1:2], : d":       "SELECT x::int, a[1:2], : d [] 0",
		"SELECT json_object('k' : v), :né": "SELECT json_object('k' : v), ?   [né] 0",
	} {
		p := ParamsOf(sql)
		if got := fmt.Sprintf("%s %v %d", p.Text, p.Names, p.Placeholders); got != want {
			t.Errorf("%s\n%q, want\n%q", sql, got, want)
		}
	}
}

func TestReads(t *testing.T) {
	for sql, want := range map[string]bool{
		`SELECT * FROM peaka."table".people`: true, `SELECT * FROM "table".People JOIN a.b.c ON true`: true,
		`SELECT 1 FROM (SELECT * FROM PEAKA."table"."people")`:   true,
		`WITH p AS (TABLE peaka."table".people) SELECT * FROM p`: true, `PIVOT peaka."table".people ON n`: true,
		`SELECT * FROM peaka.bitable.people`: false, `SELECT * FROM peaka."table".people2`: false,
		`SELECT 'peaka."table".people' -- peaka."table".people`: false, `SELECT people FROM t`: false,
		`SELECT * FROM people`: true, `SELECT * FROM PEOPLE p JOIN t ON true`: true,
		`WITH people AS (SELECT 1) SELECT * FROM people`: false,
	} {
		if Reads(sql, "peaka", "people", "table") != want {
			t.Errorf("%s: %v", sql, !want)
		}
	}
	for sql, want := range map[string]bool{`SELECT * FROM shop.public.orders`: true, `SELECT * FROM SHOP.x.y`: true,
		`SELECT * FROM shop2.x.y`: false, `SELECT shop.a.b FROM t.u.v`: false} {
		if Reads(sql, "shop", "") != want {
			t.Errorf("%s: %v", sql, !want)
		}
	}
}

// TestNamingOf: a statement needs the tables that it describes, which it does not read.
func TestNamingOf(t *testing.T) {
	for sql, want := range map[string]string{
		"DESCRIBE people": "[[people]]", "SHOW COLUMNS FROM a.b.c": "[[a b c]]", "EXPLAIN DESC b.c": "[[b c]]",
		`SHOW CREATE TABLE peaka."table".t`: "[[peaka table t]]", "SHOW CREATE VIEW v": "[[v]]",
		"SHOW TABLES FROM a.b": "[]", "SELECT 1 FROM t": "[[t]]",
	} {
		if got := fmt.Sprint(NamingOf(sql)); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	if got := ReadingOf("DESCRIBE people"); len(got) > 0 {
		t.Error(got)
	}
}

// TestMentions: a statement mentions a column wherever it names it, and with all columns.
func TestMentions(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT b FROM t": false, "SELECT count(*) FROM t": false, "SELECT b, 'a' FROM t -- a": false,
		"SELECT a FROM t": true, "SELECT t.A FROM t": true,
		`SELECT b FROM t ORDER BY "a"`: true, "SELECT 1 AS x FROM t JOIN u USING (a)": true,
		"SELECT b FROM t NATURAL JOIN u": true, "SELECT * FROM t": true, "SELECT t.* FROM t": true,
		"TABLE t": true, "SELECT b FROM (SELECT max(a) AS b FROM t)": true,
		"SELECT b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.b)": true, "SELECT b FROM t QUALIFY x": true,
		"SELECT b AS a FROM t": false, "SELECT b AS a FROM t WHERE a > 1": true, "SELECT a AS a FROM t": true,
		"SELECT x FROM t AS s(x, y)":                  true,
		"SELECT x FROM (t JOIN u ON true) AS s(x, y)": true, "SELECT x FROM t AS s": false,
		"SELECT x FROM t TABLESAMPLE BERNOULLI (10) AS s(x, y)": true,
		"SELECT x FROM (SELECT b FROM t) AS s(x)":               false, "SELECT x FROM UNNEST(ARRAY[1]) AS s(x)": false,
	} {
		if got := Mentions(sql, "a"); got != want {
			t.Errorf("%s: %t", sql, got)
		}
	}
}
