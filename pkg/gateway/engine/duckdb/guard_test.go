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
	"github.com/dig-cli/dig/pkg/gateway/sql"
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
		text string
		kind engine.Kind
		msg  string // a part of the message
	}{
		{`INSERT INTO ` + x + ` VALUES (1)`, engine.KindNotAllowed, not("Insert")},
		{`insert into ` + x + ` values (1)`, engine.KindNotAllowed, not("Insert")},
		{`/* SELECT */ -- SELECT` + "\n" + `INSERT INTO ` + x + ` VALUES (1)`, engine.KindNotAllowed, not("Insert")},
		{`WITH t AS (SELECT 1) INSERT INTO ` + x + ` SELECT * FROM t`, engine.KindSyntax, "mismatched input 'INSERT'"},
		{`WITH t AS (INSERT INTO ` + x + ` VALUES (1) RETURNING *) SELECT * FROM t`, engine.KindSyntax, ""},
		{`UPDATE ` + x + ` SET a = 2`, engine.KindNotAllowed, not("Update")},
		{`DELETE FROM ` + x, engine.KindNotAllowed, not("Delete")},
		{`MERGE INTO ` + x + ` USING y ON true WHEN MATCHED THEN DELETE`, engine.KindNotAllowed, not("Merge")},
		{`TRUNCATE TABLE ` + x, engine.KindNotAllowed, not("TruncateTable")},
		{`CREATE TABLE y AS SELECT 1`, engine.KindNotAllowed, not("CreateTableAsSelect")},
		{`CREATE OR REPLACE TABLE y AS SELECT 1`, engine.KindNotAllowed, not("CreateTableAsSelect")},
		{`CREATE TABLE y (a int)`, engine.KindNotAllowed, not("CreateTable")},
		{`CREATE VIEW y AS SELECT 1`, engine.KindNotAllowed, not("CreateView")},
		{`CREATE MACRO y() AS 1`, engine.KindNotAllowed, "Statement type 'Create' is not allowed"},
		{`DROP TABLE ` + x, engine.KindNotAllowed, not("DropTable")},
		{`ALTER TABLE ` + x + ` ADD COLUMN b int`, engine.KindNotAllowed, not("AlterTable")},
		{`ATTACH '` + secret + `' AS y`, engine.KindSyntax, "mismatched input 'ATTACH'"},
		{`DETACH peaka`, engine.KindSyntax, "mismatched input 'DETACH'"},
		{`COPY ` + x + ` TO '` + filepath.Join(dir, "out.csv") + `'`, engine.KindSyntax, "mismatched input 'COPY'"},
		{`PRAGMA enable_profiling`, engine.KindSyntax, "mismatched input 'PRAGMA'"},
		{`SET memory_limit = '1TB'`, engine.KindNotAllowed, not("SetSession")},
		{`RESET memory_limit`, engine.KindNotAllowed, not("ResetSession")},
		{`INSTALL httpfs`, engine.KindSyntax, "mismatched input 'INSTALL'"},
		{`LOAD httpfs`, engine.KindSyntax, "mismatched input 'LOAD'"},
		{`EXPORT DATABASE 'x'`, engine.KindSyntax, "mismatched input 'EXPORT'"},
		{`IMPORT DATABASE 'x'`, engine.KindSyntax, "mismatched input 'IMPORT'"},
		{`CALL pragma_version()`, engine.KindNotAllowed, not("Call")},
		{`USE peaka`, engine.KindNotAllowed, not("Use")},
		{`BEGIN`, engine.KindSyntax, "mismatched input 'BEGIN'"},
		{`COMMIT`, engine.KindNotAllowed, not("Commit")},
		{`EXPLAIN ANALYZE SELECT 1`, engine.KindUnsupported, "EXPLAIN ANALYZE is not supported on zone local"},
		{`PREPARE a AS SELECT 1`, engine.KindNotAllowed, not("Prepare")},
		{`EXECUTE a`, engine.KindNotAllowed, not("Execute")},
		{`CHECKPOINT`, engine.KindSyntax, "mismatched input 'CHECKPOINT'"},
		{`VACUUM`, engine.KindSyntax, "mismatched input 'VACUUM'"},
		{`SUMMARIZE ` + x, engine.KindSyntax, "mismatched input 'SUMMARIZE'"},
		{`PIVOT ` + x + ` ON a USING sum(a)`, engine.KindSyntax, "mismatched input 'PIVOT'"},
		{`SELECT 1; DELETE FROM ` + x, engine.KindSyntax, "mismatched input ';'"},
		{`SELECT 1; SELECT 2`, engine.KindSyntax, "mismatched input ';'"},
		{``, engine.KindSyntax, "mismatched input '<EOF>'"},
		{` ; `, engine.KindSyntax, "mismatched input '<EOF>'"},
		{`-- nothing`, engine.KindSyntax, "mismatched input '<EOF>'"},
		{`SELECT 'open`, engine.KindSyntax, "mismatched input '''"},
		{`SELECT /* open`, engine.KindSyntax, "mismatched input '/'"},
		{"SELECT '\xff'", engine.KindSyntax, "UTF-8"},
		{"SELECT '\x00'", engine.KindSyntax, "UTF-8"},
		{`SELECT * FROM read_csv('` + secret + `')`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM read_blob('` + secret + `')`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM read_text('` + secret + `')`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM glob('` + dir + `/*')`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM '` + secret + `'`, engine.KindSyntax, "mismatched input ''"},
		{`SELECT * FROM "` + secret + `"`, engine.KindUnknownTable, "does not exist"},
		{`SELECT * FROM duckdb_settings()`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM duckdb_tables()`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM enable_logging('x')`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM query('SELECT 1')`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM histogram('x', 'a')`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM system.main.duckdb_settings()`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT a FROM ` + x + ` WHERE EXISTS (SELECT * FROM read_csv('` + secret + `'))`, engine.KindSyntax,
			"mismatched input '('"},
		{`WITH t AS (SELECT * FROM read_csv('` + secret + `')) SELECT 1`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT (SELECT max(a) FROM read_csv('` + secret + `'))`, engine.KindSyntax, "mismatched input '('"},
		{`SELECT * FROM (DESCRIBE ` + x + `)`, engine.KindSyntax, "mismatched input 'DESCRIBE'"},
		{`SELECT * FROM (SHOW TABLES)`, engine.KindUnknownTable, "Table 'peaka.table.show' does not exist"},
		{`SELECT * FROM ` + x + ` AT (VERSION => 1)`, engine.KindSyntax, "mismatched input '=>'"},
		{`SELECT getenv('HOME')`, engine.KindUnsupported, "Function 'getenv' not registered"},
		{`SELECT current_setting('temp_directory')`, engine.KindUnsupported,
			"Function 'current_setting' not registered"},
		{`SELECT pg_sleep(1)`, engine.KindUnsupported, "Function 'pg_sleep' not registered"},
		{`SELECT nosuchfunction(1)`, engine.KindUnsupported, "Function 'nosuchfunction' not registered"},
		{`SELECT system.main.repeat('a', 10)`, engine.KindUnsupported, "Function 'system.main.repeat' not registered"},
		{`SELECT main.repeat('a', 10)`, engine.KindUnsupported, "Function 'main.repeat' not registered"},
		{`SELECT length(repeat('a', 100000000))`, engine.KindValue,
			"Unexpected parameters (array(varchar(1))) for function lengt"},
		{`SELECT length(lpad('a', 100000000, 'b'))`, engine.KindValue, "longer than 1000000"},
		{`SELECT length(rpad('a', 100000000, 'b'))`, engine.KindValue, "longer than 1000000"},
		{`SELECT len(generate_series(1, 100000000))`, engine.KindUnsupported,
			"Function 'generate_series' not registered"},
		{`SELECT 1` + strings.Repeat("0", 400), engine.KindSyntax,
			"Invalid numeric literal: 10000000000000000000000000000000000"},
		{`SELECT levenshtein(repeat('a', 20000), repeat('b', 20000))`, engine.KindUnsupported,
			"Function 'levenshtein' not registered"},
		{`SELECT ` + strings.Repeat("1+", 200_000) + `1`, engine.KindLimit, "exceeds the maximum length"},
		{`SELECT * FROM "~data"."table"."x"`, engine.KindUnsupported,
			"the name ~data.table.x is reserved by the engine"},
		{`SELECT * FROM peaka.pg_catalog.pg_class`, engine.KindUnsupported,
			"the name peaka.pg_catalog.pg_class is reserved by the engine"},
		{`SELECT * FROM sqlite_master`, engine.KindUnknownTable, "Table 'peaka.table.sqlite_master' does not exist"},
		{`SELECT * FROM nosuch`, engine.KindUnknownTable, "Table 'peaka.table.nosuch' does not exist"},
		{`SELECT * FROM "Peaka"."Table"."Nosuch"`, engine.KindUnknownTable,
			"Table 'peaka.table.nosuch' does not exist"},
		{`SELECT nosuch FROM ` + x, engine.KindUnknownColumn, "Column 'nosuch' cannot be resolved"},
		{`SELECT y.a FROM ` + x, engine.KindUnknownColumn, "Column 'y.a' cannot be resolved"},
		{`SELECT x.nosuch FROM ` + x, engine.KindUnknownColumn, "Column 'x.nosuch' cannot be resolved"},
		{`SELECT nosuch`, engine.KindUnknownColumn, "Column 'nosuch' cannot be resolved"},
		{`SELECT FROM`, engine.KindSyntax, ""},
		{`SELEC 1`, engine.KindSyntax, ""},
	} {
		got, err := rows(t, p, sql.Query{SQL: c.text})
		name := c.text
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
			if err != nil && !strings.Contains(c.text, inner) && strings.Contains(err.Error(), inner) {
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

func TestLargeNumbersInTrino(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	_, err := rows(t, p, sql.Query{SQL: `SELECT 1` + strings.Repeat("0", 400)})
	if kindOf(err) != engine.KindSyntax || !strings.Contains(err.Error(), "Invalid numeric literal: 1000") {
		t.Errorf("got %v", err)
	}
}

func TestPositions(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT 1::BIGINT AS a`)
	for text, want := range map[string][2]int{
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
		_, err := rows(t, p, sql.Query{SQL: text})
		var e *engine.Error
		if !errors.As(err, &e) || [2]int{e.Line, e.Col} != want {
			t.Errorf("%q: got %+v (%v), want %v", text, e, err, want)
		}
	}
}
