//go:build cgo

package duckdb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
)

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	if err := os.WriteFile(secret, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := testProject(t, testEngine(t, filepath.Join(dir, "data")), "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 1::BIGINT AS a`)
	const x = `"peaka"."table"."x"`
	not := func(typ string) string { return "Statement type '" + typ + "' is not allowed" }
	for _, c := range []struct {
		sql  string
		kind engine.Kind
		msg  string // a part of the message
	}{
		{`INSERT INTO ` + x + ` VALUES (1)`, engine.KindNotAllowed, not("Insert")},
		{`insert into ` + x + ` values (1)`, engine.KindNotAllowed, not("Insert")},
		{`/* SELECT */ -- SELECT` + "\n" + `INSERT INTO ` + x + ` VALUES (1)`, engine.KindNotAllowed, not("Insert")},
		{`WITH t AS (SELECT 1) INSERT INTO ` + x + ` SELECT * FROM t`, engine.KindNotAllowed, not("Insert")},
		{`WITH t AS (INSERT INTO ` + x + ` VALUES (1) RETURNING *) SELECT * FROM t`, engine.KindSyntax, ""},
		{`UPDATE ` + x + ` SET a = 2`, engine.KindNotAllowed, not("Update")},
		{`DELETE FROM ` + x, engine.KindNotAllowed, not("Delete")},
		{`MERGE INTO ` + x + ` USING y ON true WHEN MATCHED THEN DELETE`, engine.KindNotAllowed, not("Merge")},
		{`TRUNCATE TABLE ` + x, engine.KindNotAllowed, not("TruncateTable")},
		{`CREATE TABLE y AS SELECT 1`, engine.KindNotAllowed, not("CreateTableAsSelect")},
		{`CREATE OR REPLACE TABLE y AS SELECT 1`, engine.KindNotAllowed, not("CreateTableAsSelect")},
		{`CREATE TABLE y (a int)`, engine.KindNotAllowed, not("CreateTable")},
		{`CREATE VIEW y AS SELECT 1`, engine.KindNotAllowed, not("CreateView")},
		{`CREATE MACRO y() AS 1`, engine.KindNotAllowed, not("CreateMacro")},
		{`DROP TABLE ` + x, engine.KindNotAllowed, not("DropTable")},
		{`ALTER TABLE ` + x + ` ADD COLUMN b int`, engine.KindNotAllowed, not("AlterTable")},
		{`ATTACH '` + secret + `' AS y`, engine.KindNotAllowed, not("Attach")},
		{`DETACH peaka`, engine.KindNotAllowed, not("Detach")},
		{`COPY ` + x + ` TO '` + filepath.Join(dir, "out.csv") + `'`, engine.KindNotAllowed, not("Copy")},
		{`PRAGMA enable_profiling`, engine.KindNotAllowed, not("Pragma")},
		{`SET memory_limit = '1TB'`, engine.KindNotAllowed, not("SetSession")},
		{`RESET memory_limit`, engine.KindNotAllowed, not("ResetSession")},
		{`INSTALL httpfs`, engine.KindNotAllowed, not("Install")},
		{`LOAD httpfs`, engine.KindNotAllowed, not("Load")},
		{`EXPORT DATABASE 'x'`, engine.KindNotAllowed, not("Export")},
		{`IMPORT DATABASE 'x'`, engine.KindNotAllowed, not("Import")},
		{`CALL pragma_version()`, engine.KindNotAllowed, not("Call")},
		{`USE peaka`, engine.KindNotAllowed, not("Use")},
		{`BEGIN`, engine.KindNotAllowed, not("StartTransaction")},
		{`COMMIT`, engine.KindNotAllowed, not("Commit")},
		{`EXPLAIN SELECT 1`, engine.KindNotAllowed, not("Explain")},
		{`EXPLAIN ANALYZE SELECT 1`, engine.KindNotAllowed, not("Explain")},
		{`PREPARE a AS SELECT 1`, engine.KindNotAllowed, not("Prepare")},
		{`EXECUTE a`, engine.KindNotAllowed, not("Execute")},
		{`CHECKPOINT`, engine.KindNotAllowed, not("Checkpoint")},
		{`VACUUM`, engine.KindNotAllowed, not("Vacuum")},
		{`SUMMARIZE ` + x, engine.KindNotAllowed, not("Summarize")},
		{`PIVOT ` + x + ` ON a USING sum(a)`, engine.KindNotAllowed, not("Pivot")},
		{`SELECT 1; DELETE FROM ` + x, engine.KindSyntax, "mismatched input ';'"},
		{`SELECT 1; SELECT 2`, engine.KindSyntax, "mismatched input ';'"},
		{``, engine.KindSyntax, "mismatched input '<EOF>'"},
		{` ; `, engine.KindSyntax, "mismatched input '<EOF>'"},
		{`-- nothing`, engine.KindSyntax, "mismatched input '<EOF>'"},
		{`SELECT 'open`, engine.KindSyntax, "does not end"},
		{`SELECT /* open`, engine.KindSyntax, "does not end"},
		{"SELECT '\xff'", engine.KindSyntax, "UTF-8"},
		{"SELECT '\x00'", engine.KindSyntax, "UTF-8"},
		{`SELECT * FROM read_csv('` + secret + `')`, engine.KindNotAllowed, "Table function 'read_csv' is not allowed"},
		{`SELECT * FROM read_csv_auto('` + secret + `')`, engine.KindNotAllowed, "read_csv_auto"},
		{`SELECT * FROM read_blob('` + secret + `')`, engine.KindNotAllowed, "read_blob"},
		{`SELECT * FROM read_text('` + secret + `')`, engine.KindNotAllowed, "read_text"},
		{`SELECT * FROM read_json('` + secret + `')`, engine.KindNotAllowed, "read_json"},
		{`SELECT * FROM read_parquet('` + secret + `')`, engine.KindNotAllowed, "read_parquet"},
		{`SELECT * FROM parquet_scan('` + secret + `')`, engine.KindNotAllowed, "parquet_scan"},
		{`SELECT * FROM sniff_csv('` + secret + `')`, engine.KindNotAllowed, "sniff_csv"},
		{`SELECT * FROM glob('` + dir + `/*')`, engine.KindNotAllowed, "glob"},
		{`SELECT * FROM '` + secret + `'`, engine.KindUnknownTable, "does not exist"},
		{`SELECT * FROM "` + secret + `"`, engine.KindUnknownTable, "does not exist"},
		{`SELECT * FROM duckdb_settings()`, engine.KindNotAllowed, "duckdb_settings"},
		{`SELECT * FROM duckdb_tables()`, engine.KindNotAllowed, "duckdb_tables"},
		{`SELECT * FROM pragma_database_size()`, engine.KindNotAllowed, "pragma_database_size"},
		{`SELECT * FROM enable_logging('x')`, engine.KindNotAllowed, "enable_logging"},
		{`SELECT * FROM query('SELECT 1')`, engine.KindNotAllowed, "query"},
		{`SELECT * FROM query_table('x')`, engine.KindNotAllowed, "query_table"},
		{`SELECT * FROM histogram('x', 'a')`, engine.KindNotAllowed, "histogram"},
		{`SELECT * FROM json_execute_serialized_sql('{}')`, engine.KindNotAllowed, "json_execute_serialized_sql"},
		{`SELECT * FROM checkpoint()`, engine.KindNotAllowed, "checkpoint"},
		{`SELECT * FROM sql_auto_complete('SEL')`, engine.KindNotAllowed, "sql_auto_complete"},
		{`SELECT * FROM which_secret('a', 'b')`, engine.KindNotAllowed, "which_secret"},
		{`SELECT * FROM arrow_scan(1, 2, 3)`, engine.KindNotAllowed, "arrow_scan"},
		{`SELECT * FROM seq_scan('x')`, engine.KindNotAllowed, "seq_scan"},
		{`SELECT * FROM system.main.duckdb_settings()`, engine.KindNotAllowed, "duckdb_settings"},
		{`SELECT a FROM ` + x + ` WHERE EXISTS (SELECT * FROM read_csv('` + secret + `'))`, engine.KindNotAllowed, "read_csv"},
		{`WITH t AS (SELECT * FROM read_csv('` + secret + `')) SELECT 1`, engine.KindNotAllowed, "read_csv"},
		{`SELECT (SELECT max(a) FROM read_csv('` + secret + `'))`, engine.KindNotAllowed, "read_csv"},
		{`SELECT * FROM (DESCRIBE ` + x + `)`, engine.KindNotAllowed, "DESCRIBE"},
		{`SELECT * FROM (SHOW TABLES)`, engine.KindNotAllowed, "SHOW"},
		{`SELECT * FROM ` + x + ` AT (VERSION => 1)`, engine.KindNotAllowed, "time travel"},
		{`SELECT getenv('HOME')`, engine.KindUnsupported, "Function 'getenv' not registered"},
		{`SELECT current_setting('temp_directory')`, engine.KindNotAllowed, "current_setting"},
		{`SELECT getvariable('x')`, engine.KindNotAllowed, "getvariable"},
		{`SELECT nextval('x')`, engine.KindNotAllowed, "nextval"},
		{`SELECT json_serialize_plan('SELECT 1')`, engine.KindNotAllowed, "json_serialize_plan"},
		{`SELECT pg_sleep(1)`, engine.KindNotAllowed, "pg_sleep"},
		{`SELECT write_log('x')`, engine.KindNotAllowed, "write_log"},
		{`SELECT nosuchfunction(1)`, engine.KindUnsupported, "Function 'nosuchfunction' not registered"},
		{`SELECT system.main.repeat('a', 10)`, engine.KindNotAllowed, "may not be qualified"},
		{`SELECT main.repeat('a', 10)`, engine.KindNotAllowed, "may not be qualified"},
		{`SELECT length(repeat('a', 100000000))`, engine.KindValue, "longer than 1000000"},
		{`SELECT length(lpad('a', 100000000, 'b'))`, engine.KindValue, "longer than 1000000"},
		{`SELECT length(rpad('a', 100000000, 'b'))`, engine.KindValue, "longer than 1000000"},
		{`SELECT len(generate_series(1, 100000000))`, engine.KindValue, "more than 1000000"},
		{`SELECT len(list_resize([1], 100000000))`, engine.KindValue, "more than 1000000"},
		{`SELECT 1e999`, engine.KindSyntax, "a number in the statement is too large"},
		{`SELECT 1` + strings.Repeat("0", 400), engine.KindSyntax, "a number in the statement is too large"},
		{`SELECT levenshtein(repeat('a', 20000), repeat('b', 20000))`, engine.KindValue, "levenshtein: the texts are too long"},
		{`SELECT editdist3(repeat('a', 20000), repeat('b', 20000))`, engine.KindValue, "editdist3: the texts are too long"},
		{`SELECT damerau_levenshtein(repeat('a', 5000), repeat('b', 5000))`, engine.KindValue, "damerau_levenshtein: the texts are too long"},
		{`SELECT main.levenshtein('a', 'b')`, engine.KindNotAllowed, "may not be qualified"},
		{`SELECT format('{:100000000}', 1)`, engine.KindNotAllowed, "999"},
		{`SELECT format('{:{}}', 1, 100000000)`, engine.KindNotAllowed, "999"},
		{`SELECT printf('%*d', 100000000, 1)`, engine.KindNotAllowed, "999"},
		{`SELECT printf(f, 1) FROM (VALUES ('%100000000d')) t(f)`, engine.KindNotAllowed, "constant"},
		{`SELECT ` + strings.Repeat("list_transform([1], lambda x: ", 40) + `1` + strings.Repeat(")", 40), engine.KindLimit, "lambdas nest deeper"},
		{`SELECT ` + strings.Repeat("1+", 200_000) + `1`, engine.KindLimit, "exceeds the maximum length"},
		{`SELECT * FROM "~data"."table"."x"`, engine.KindUnknownTable, "does not exist"},
		{`SELECT * FROM system.information_schema.tables`, engine.KindUnknownCatalog, "does not exist"},
		{`SELECT * FROM peaka.pg_catalog.pg_class`, engine.KindUnknownTable, "does not exist"},
		{`SELECT * FROM sqlite_master`, engine.KindUnknownTable, "Table 'peaka.table.sqlite_master' does not exist"},
		{`SELECT * FROM nosuch`, engine.KindUnknownTable, "Table 'peaka.table.nosuch' does not exist"},
		{`SELECT * FROM "Peaka"."Table"."Nosuch"`, engine.KindUnknownTable, "Table 'peaka.table.nosuch' does not exist"},
		{`SELECT nosuch FROM ` + x, engine.KindUnknownColumn, "Column 'nosuch' cannot be resolved"},
		{`SELECT y.a FROM ` + x, engine.KindUnknownColumn, "Column 'y.a' cannot be resolved"},
		{`SELECT x.nosuch FROM ` + x, engine.KindUnknownColumn, "Column 'x.nosuch' cannot be resolved"},
		{`SELECT nosuch`, engine.KindUnknownColumn, "Column 'nosuch' cannot be resolved"},
		{`SELECT FROM`, engine.KindSyntax, ""},
		{`SELEC 1`, engine.KindSyntax, ""},
	} {
		got, err := rows(t, p, engine.Query{SQL: c.sql, Dialect: trino.DialectDuck})
		name := c.sql
		if len(name) > 100 {
			name = name[:100] + "..."
		}
		var e *engine.Error
		switch {
		case err == nil:
			t.Errorf("%s went through: %s", name, got)
		case !errors.As(err, &e):
			t.Errorf("%s: not an *engine.Error: %v", name, err)
		case e.Kind != c.kind || !strings.Contains(e.Message, c.msg):
			t.Errorf("%s:\n got %s: %s\nwant %s: %s", name, e.Kind, e.Message, c.kind, c.msg)
		}
		for _, inner := range []string{dir, naming.Store, "LINE 1", "exception_"} {
			if err != nil && !strings.Contains(c.sql, inner) && strings.Contains(err.Error(), inner) {
				t.Errorf("%s: the message tells too much: %v", name, err)
			}
		}
	}
	if got := one(t, p, `SELECT string_agg(a::VARCHAR, ',') FROM "~data"."table"."x"`); got != "1" {
		t.Errorf("the table now holds %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "out.csv")); err == nil {
		t.Error("a file was written")
	}
}

// TestDeepJSON: some functions call themselves for each level of their argument, and at some depth the stack of the process is full.
// The engine alone would end the process for every value here.
func TestDeepJSON(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT repeat('[', 900000) || repeat(']', 900000) AS list,
		system.main.repeat('{"a":', 150000) || '1' || repeat('}', 150000) AS object`)
	deep := `(repeat('[', 900000) || repeat(']', 900000))`
	spec := strings.Repeat("[", 100_000) + `"INT"` + strings.Repeat("]", 100_000)
	for sql, want := range map[string]struct {
		kind engine.Kind
		msg  string
	}{
		`SELECT json_structure(` + deep + `)`:                               {engine.KindValue, "JSON nests deeper than 1000 levels"},
		`SELECT json_structure(list) FROM x`:                                {engine.KindValue, "JSON nests deeper than 1000 levels"},
		`SELECT json_structure(object) FROM x`:                              {engine.KindValue, "JSON nests deeper than 1000 levels"},
		`SELECT json_group_structure(list::JSON) FROM x`:                    {engine.KindValue, "JSON nests deeper than 1000 levels"},
		`SELECT json_contains(list, '1') FROM x`:                            {engine.KindValue, "JSON nests deeper than 1000 levels"},
		`SELECT json_contains('[1]', list) FROM x`:                          {engine.KindValue, "JSON nests deeper than 1000 levels"},
		`SELECT json_merge_patch(object, object) FROM x`:                    {engine.KindValue, "JSON nests deeper than 1000 levels"},
		`SELECT json_merge_patch('{}', '{}', object) FROM x`:                {engine.KindValue, "JSON nests deeper than 1000 levels"},
		`SELECT main.json_contains(list, '1') FROM x`:                       {engine.KindNotAllowed, "may not be qualified"},
		`SELECT json_transform('1', '` + spec + `')`:                        {engine.KindNotAllowed, "nest deeper than 100 levels"},
		`SELECT from_json_strict('1', '` + spec + `')`:                      {engine.KindNotAllowed, "nest deeper than 100 levels"},
		`SELECT json_transform('1', ` + deep + `)`:                          {engine.KindNotAllowed, "must be a constant text"},
		`SELECT list::JSON::VARIANT = NULL FROM x`:                          {engine.KindUnsupported, "VARIANT"},
		`SELECT TRY_CAST(list::JSON AS STRUCT(a variant)[]) IS NULL FROM x`: {engine.KindUnsupported, "VARIANT"},
	} {
		got, err := rows(t, p, engine.Query{SQL: sql, Dialect: trino.DialectDuck})
		var e *engine.Error
		if !errors.As(err, &e) || e.Kind != want.kind || !strings.Contains(e.Message, want.msg) {
			t.Errorf("%.100s: got %.100q, %.200v; want %s: %s", sql, got, err, want.kind, want.msg)
		}
	}
	for sql, want := range map[string]string{
		`SELECT json_structure('{"a":[1,{"b":"]]]"}]}')`:                                                      `{"a":["JSON"]}`,
		`SELECT json_structure('[1]'::JSON), json_structure(NULL)`:                                            `["UBIGINT"]|null`,
		`SELECT json_group_structure(j) FROM (VALUES ('{"a":1}'), ('{"b":2}')) t(j)`:                          `"VARCHAR"`,
		`SELECT json_group_structure(j::JSON) FROM (VALUES ('{"a":1}'), ('{"b":2}')) t(j)`:                    `{"a":"UBIGINT","b":"UBIGINT"}`,
		`SELECT json_contains('[[1],2]', '1'), json_contains('[1]'::JSON, 2::JSON)`:                           "true|false",
		`SELECT json_merge_patch('{"a":1}', '{"b":2}'), json_merge_patch('{"a":1}', '{"a":null}', '{"c":3}')`: `{"a":1,"b":2}|{"c":3}`,
		`SELECT json_transform('{"a":"1"}', '{"a":"INTEGER"}').a, from_json('[1,2]', '["BIGINT"]')`:           "1|[1,2]",
	} {
		if got, err := rows(t, p, engine.Query{SQL: sql, Dialect: trino.DialectDuck}); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", sql, got, err, want)
		}
	}
}

// TestTryOfMany has TRY fail for some of many rows, where DuckDB writes beyond the memory of a value that CASE computes.
func TestTryOfMany(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	for expr, want := range map[string]string{
		`TRY(coalesce(TRY_CAST(x || if(x % 3 = 0, 'x', '') AS BIGINT), CAST('x' || x AS BIGINT)))`: "6666|33326667",
		`try (CASE WHEN x % 3 = 0 THEN CAST('x' || x AS BIGINT) ELSE x END)`:                       "6666|33326667",
	} {
		got, err := rows(t, p, engine.Query{SQL: "SELECT count(y), sum(y) FROM (SELECT " + expr + " AS y FROM range(10000) t(x))", Dialect: trino.DialectDuck})
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", expr, got, err, want)
		}
	}
}

func TestLargeNumbersInTrino(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	_, err := rows(t, p, engine.Query{SQL: `SELECT 1` + strings.Repeat("0", 400)})
	if kindOf(err) != engine.KindSyntax || !strings.Contains(err.Error(), "Invalid numeric literal: 1000") {
		t.Errorf("got %v", err)
	}
}

func TestAllowed(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 1::BIGINT AS a, 'q' AS b`, `CREATE TABLE "~data"."bitable"."y" AS SELECT 2::BIGINT AS a`)
	for sql, want := range map[string]string{
		`SELECT 1`:                              "1",
		`SELECT 1;`:                             "1",
		`SELECT 1 ;; -- done`:                   "1",
		`(SELECT 1)`:                            "1",
		`VALUES (1, 'a'), (2, NULL)`:            "1|a\n2|null",
		`TABLE x`:                               "1|q",
		`SELECT * FROM x`:                       "1|q",
		`SELECT x.a FROM x`:                     "1",
		`SELECT * FROM "table"."x"`:             "1|q",
		`SELECT "table"."x".a FROM "table"."x"`: "1",
		`SELECT * FROM bitable.y`:               "2",
		`SELECT * FROM peaka.bitable.y`:         "2",
		`SELECT peaka."table".x.a FROM peaka."table".x`:                                                    "1",
		`SELECT * FROM "PEAKA"."TABLE"."X"`:                                                                "1|q",
		`SELECT l.a + r.a FROM x l, bitable.y r`:                                                           "3",
		`SELECT * FROM x JOIN bitable.y USING (a)`:                                                         "",
		`WITH x AS (SELECT 5 AS a) SELECT * FROM x`:                                                        "5",
		`WITH x AS (SELECT a + 10 AS a FROM x) SELECT * FROM x`:                                            "11",
		`WITH w AS (SELECT 1), x AS (SELECT * FROM w) SELECT * FROM x`:                                     "1",
		`WITH w AS MATERIALIZED (SELECT a FROM x) SELECT * FROM w, (SELECT * FROM w) v`:                    "1|1",
		`WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT max(n) FROM r`: "3",
		`SELECT (WITH x AS (SELECT 7 AS a) SELECT a FROM x), a FROM x`:                                     "7|1",
		`SELECT count(*) FROM x WHERE a IN (SELECT a - 1 FROM bitable.y)`:                                  "1",
		`SELECT 'read_csv(''x'')', "b" FROM x -- INSERT; DROP`:                                             "read_csv('x')|q",
		`SELECT sum(n) FROM range(4) t(n)`:                                                                 "6",
		`SELECT * FROM unnest([1, 2]) t(n)`:                                                                "1\n2",
		`SELECT repeat('ab', 2), lpad('a', 3, '-'), rpad('a', 3, '-'), len(range(3))`:                      "abab|--a|a--|3",
		`SELECT levenshtein('kitten', 'sitting'), editdist3('a', NULL), damerau_levenshtein('ab', 'ba')`:   "3|null|1",
		`SELECT DISTINCT a FROM x UNION SELECT a FROM bitable.y ORDER BY 1 LIMIT 1`:                        "1",
		`SELECT rank() OVER (ORDER BY a), sum(a) FILTER (WHERE a > 0) OVER () FROM x`:                      "1|1",
		`SELECT a FROM x TABLESAMPLE BERNOULLI (100 PERCENT)`:                                              "1",
		`SELECT CASE WHEN a BETWEEN 0 AND 2 THEN a::DECIMAL(5,2) END FROM x`:                               "1.00",
		`SELECT list_transform([1, 2], lambda e: e + 1)`:                                                   "[2,3]",
		`SELECT format('{:>5}', 1), printf('%5d', 1)`:                                                      "    1|    1",
	} {
		if got, err := rows(t, p, engine.Query{SQL: sql, Dialect: trino.DialectDuck}); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", sql, got, err, want)
		}
	}
}

func TestPositions(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 1::BIGINT AS a`)
	for sql, want := range map[string][2]int{
		"SELECT\n  nosuch FROM x":                    {2, 3},
		"SELECT 'é', nosuch FROM x":                  {1, 13},
		"SELECT a FROM x WHERE nosuch = 1":           {1, 23}, // after a name that was completed
		"SELECT x.a FROM x, x y\nWHERE y.nosuch = 1": {2, 7},
		"SELECT * FROM nosuch":                       {1, 15},
		"SELECT a\nFROM x, nosuch":                   {2, 9},
		"SELECT a FROM x WHERE":                      {1, 22},
		"SELECT a FROM x WHEREX a":                   {1, 24},
		"SELECT a FROM x\nWHERE nosuchfunction(a)":   {2, 7},
		"SELECT a FROM x, read_csv('a')":             {1, 26},
		"SELECT a FROM x; SELECT a FROM x":           {1, 16},
		"INSERT INTO x VALUES (1)":                   {1, 1},
		"WITH t AS (SELECT 1)\nDELETE FROM x":        {2, 1},
	} {
		_, err := rows(t, p, engine.Query{SQL: sql})
		var e *engine.Error
		if !errors.As(err, &e) || [2]int{e.Line, e.Col} != want {
			t.Errorf("%q: got %+v (%v), want %v", sql, e, err, want)
		}
	}
}

// TestFunctionsAreKnown compares functions.txt with the functions of the DuckDB that is linked in: after an upgrade each new one
// must be put on one side.
func TestFunctionsAreKnown(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	c, err := p.conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	var missing []string
	err = c.query(t.Context(), `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')
		AND database_name = 'system' AND NOT starts_with(function_name, '~') ORDER BY 1`, nil, func(v []*string) error {
		if !p.functions.Allowed[*v[0]] && !p.functions.Refused[*v[0]] {
			missing = append(missing, *v[0])
		}
		return nil
	})
	if err != nil || len(missing) > 0 {
		t.Errorf("not in functions.txt: %q, %v", missing, err)
	}
	for name := range p.functions.Allowed {
		if p.functions.Refused[name] {
			t.Errorf("%s is allowed and refused", name)
		}
	}
}
