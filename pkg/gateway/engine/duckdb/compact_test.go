//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// waste makes and drops a table, behind which there is another: the file does not get shorter by itself. A process that
// was killed may have left the first.
func waste(t *testing.T, p *project) {
	t.Helper()
	mustExec(t, p, `CREATE OR REPLACE TABLE "~data"."table".junk AS SELECT i, hash(i) AS h FROM range(500000) r(i)`,
		`CHECKPOINT "~data"`,
		`CREATE OR REPLACE TABLE "~data"."table".behind AS SELECT hash(i) AS h FROM range(50000) r(i)`,
		`CHECKPOINT "~data"`,
		`DROP TABLE "~data"."table".junk`, `CHECKPOINT "~data"`)
}

func compacted(t *testing.T, p *project) engine.Compaction {
	t.Helper()
	c, err := p.files.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := fileSize(p.files.Dir); err != nil || n != c.After {
		t.Errorf("the file has %d bytes (%v), told were %d", n, err, c.After)
	}
	if found(filepath.Join(p.files.Dir, "compacting")) {
		t.Error("the directory of the copy was left behind")
	}
	return c
}

// picture is all that a project's file holds, its rows in their order.
func picture(t *testing.T, p *project) string {
	t.Helper()
	var all []string
	const user = ` AND NOT internal`
	own := map[string]string{"types": user, "functions": user, "views": user, "columns": user}
	for kind, columns := range map[string]string{
		"schemas": "schema_name, comment",
		"tables":  "schema_name, table_name, comment, column_count, has_primary_key, check_constraint_count, sql",
		"columns": "schema_name, table_name, column_name, column_index, comment, column_default, is_nullable, " +
			"data_type, numeric_precision, numeric_scale",
		"constraints": "schema_name, table_name, constraint_type, constraint_text, expression, " +
			"constraint_column_names, constraint_name",
		"indexes":   "schema_name, index_name, comment, table_name, is_unique, is_primary, expressions, sql",
		"sequences": "schema_name, sequence_name, comment, increment_by, min_value, max_value, cycle, sql",
		"views":     "schema_name, view_name, comment, sql",
		"types":     "schema_name, type_name, logical_type, labels",
		"functions": "schema_name, function_name, function_type, parameters, macro_definition",
	} {
		for _, r := range rowsOf(t, p, `SELECT `+columns+` FROM duckdb_`+kind+`() WHERE database_name = '~data'`+
			own[kind]) {
			all = append(all, kind+" "+r)
		}
	}
	for _, name := range rowsOf(t, p,
		`SELECT schema_name || '|' || table_name FROM duckdb_tables() WHERE database_name = '~data'`) {
		schema, table, _ := strings.Cut(name, "|")
		all = append(all, name+"\n"+strings.Join(rowsOf(t, p, `SELECT * FROM `+naming.StoredTable(schema, table)),
			"\n"))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// oneOfEverything puts one of everything that dig makes into a project, and some that it does not.
func oneOfEverything(t *testing.T, p *project) {
	t.Helper()
	defs := append(allTypes(), engine.ColumnDef{Name: "key one", Type: "bigint", Unique: ptr(true),
		Desc: ptr("what it's for")},
		engine.ColumnDef{Name: "must", Type: "varchar", NotNull: ptr(true), DefaultValue: ptr("it's")})
	makeTable(t, p, engine.SchemaTable, "Everything", defs...)
	makeTable(t, p, engine.SchemaBI, "bi", engine.ColumnDef{Name: "a", Type: "decimal"})
	for i := range 3 {
		mustImport(t, p, "everything", fmt.Sprintf("key one,text\n%d,ä 😀\n%d,\n", 2*i, 2*i+1))
	}
	for schema, text := range map[string]string{
		"mtquery": "SELECT 1 AS a, DATE '2024-02-29' AS d, ARRAY[1,2] AS l, MAP(ARRAY['k'], ARRAY[1.50]) AS m",
		"cache":   "SELECT * FROM sample.shop.orders"} {
		if _, err := sql.Store(t.Context(), p, schema, "12345678901234567",
			sql.Query{SQL: text, Catalogs: sql.Own{}}); err != nil {
			t.Fatal(err)
		}
	}
	mustExec(t, p, `CREATE SCHEMA "~data"."empty ""one"`, `CREATE SEQUENCE "~data"."table".s START 7`,
		`SELECT nextval('"~data"."table".s')`,
		`CREATE TYPE "~data"."table".mood AS ENUM ('a', 'b')`,
		`CREATE TABLE "~data"."table".raw (a BIGINT PRIMARY KEY, b VARCHAR DEFAULT 'x' NOT NULL, c DECIMAL(38,3) UNIQUE, d TIMESTAMPTZ DEFAULT now(),
			e MAP(VARCHAR, STRUCT(x INT, "y z" BLOB[])), f HUGEINT, g DOUBLE, h UUID, i INTERVAL, j BIT, k TIMESTAMP_NS, l TIME, m "~data"."table".mood, n JSON, o INTEGER[2],
			p UNION(i INTEGER, s VARCHAR), CHECK (a > -2), UNIQUE (b, c))`,
		`CREATE INDEX ix ON "~data"."table".raw (g, b)`, `CREATE VIEW "~data"."table".v AS SELECT 1 AS x`,
		`COMMENT ON TABLE "~data"."table".raw IS 'it''s "one"'`, `COMMENT ON COLUMN "~data"."table".raw.b IS 'c'`,
		`COMMENT ON VIEW "~data"."table".v IS 'v'`,
		`CREATE MACRO "~data"."table".mm(a) AS a + 1`,
		`INSERT INTO "~data"."table".raw (a) VALUES (-1)`,
		`INSERT INTO "~data"."table".raw SELECT i, 'b' || i, i / 8, TIMESTAMPTZ '2020-01-01 00:00:00.123456Z' + to_seconds(i), MAP {'k': {'x': i::INT, 'y z': ['\x00\xff'::BLOB]}}, i::HUGEINT << 80,
			CASE i WHEN 3 THEN 'nan'::DOUBLE WHEN 6 THEN '-inf' WHEN 9 THEN -0.0 ELSE i / 7 END, ('00000000-0000-4000-8000-' || lpad(i::VARCHAR, 12, '0'))::UUID, to_months(i::INT) + to_days(i::INT), '0101',
			'2024-01-01 00:00:00.123456789'::TIMESTAMP_NS, '24:00:00', 'b', '{"a": 1.10}', [i, NULL], i::INT
			FROM range(5000) r(i)`,
		`DELETE FROM "~data"."table".raw WHERE a % 3 = 1`,
		`UPDATE "~data"."table".raw SET b = 'changed' || a WHERE a % 5 = 0 AND a > 0`)
}

func TestCompactKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	p := tableProject(t, dir)
	oneOfEverything(t, p)
	waste(t, p)
	want := picture(t, p)
	for _, s := range []string{"it's for", "mtquery|12345678901234567\n", "cache|12345678901234567\n", "😀",
		"sequences table|s|", "types table|mood|", "nan"} {
		if !strings.Contains(want, s) {
			t.Errorf("the picture lacks %q", s)
		}
	}
	columns, err := p.Columns(t.Context(), engine.SchemaTable, "everything")
	if err != nil {
		t.Fatal(err)
	}
	ids := rowsOf(t, p, `SELECT max(_id) FROM "~data"."table".everything`)
	c := compacted(t, p)
	if c.Before-c.After < 2<<20 {
		t.Errorf("%d bytes before, %d after", c.Before, c.After)
	}
	check := func(when string) {
		t.Helper()
		if got := picture(t, p); got != want {
			t.Errorf("%s the file holds other things: %s", when, differ(want, got))
		}
		if got, err := p.Columns(t.Context(), engine.SchemaTable, "everything"); err != nil ||
			fmt.Sprint(columnNames(got)) != columnNames(columns) || *got[len(got)-1].DefaultValue != "it's" ||
			*got[len(got)-2].Desc != "what it's for" {
			t.Errorf("%s the columns are %v, %v", when, got, err)
		}
	}
	check("after it")
	if err := p.files.Close(); err != nil {
		t.Fatal(err)
	}
	p = tableProject(t, dir)
	check("opened again")
	if c := compacted(t, p); c.After > c.Before {
		t.Errorf("the second time made %d bytes of %d", c.After, c.Before)
	}
	check("after a second time")

	// What is kept is in force.
	if _, err := importText(t, p, engine.SchemaTable, "everything", "key one\n3\n"); err == nil {
		t.Error("the unique constraint is gone")
	}
	mustImport(t, p, "everything", "key one\n100\n")
	if got := rowsOf(t, p, `SELECT must, _id > `+ids[0]+
		` FROM "~data"."table".everything WHERE "key one" = 100`); got[0] != "it's|true" {
		t.Errorf("a new row has %v", got)
	}
	if got := one(t, p, `SELECT nextval('"~data"."table".s')::VARCHAR`); got != "8" {
		t.Errorf("the sequence goes on with %s", got)
	}
	conn, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range []string{`(a) VALUES (0)`, `(a) VALUES (-3)`, `(a, b) VALUES (9000, NULL)`,
		`(a, c) VALUES (9000, 1.125)`} {
		if _, err := conn.Exec(t.Context(), `INSERT INTO "~data"."table".raw `+s); err == nil {
			t.Errorf("%s was taken", s)
		}
	}
}

// TestCompactEnds cancels compactions, and drops a project, in the middle.
func TestCompactEnds(t *testing.T) {
	e := testEngine(t, t.TempDir())
	p := testProject(t, e, "prjA")
	cut := 0
	for i := range 6 {
		waste(t, p)
		want := picture(t, p)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(5+15*i)*time.Millisecond)
		if _, err := p.files.Compact(ctx); err != nil {
			if cut++; kindOf(err) != engine.KindTimeout {
				t.Errorf("cut off: %v", err)
			}
		}
		cancel()
		if found(filepath.Join(p.files.Dir, "compacting")) {
			t.Error("the directory of the copy was left behind")
		}
		if got := picture(t, p); got != want {
			t.Errorf("after it: %s", differ(want, got))
		}
	}
	if cut == 0 {
		t.Error("nothing was cut off")
	}
	waste(t, p)
	done := make(chan error, 1)
	go func() {
		_, err := p.files.Compact(context.Background())
		done <- err
	}()
	for !found(filepath.Join(p.files.Dir, "compacting")) && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if err := e.DropProject(t.Context(), "prjA"); err != nil || found(p.files.Dir) {
		t.Errorf("dropped meanwhile: %v", err)
	}
	if err := <-done; !errors.Is(err, engine.ErrDropped) {
		t.Errorf("of a project that is dropped: %v", err)
	}
}

// differ is the beginning of what two texts do not share.
func differ(was, is string) string {
	i := 0
	for i < min(len(was), len(is)) && was[i] == is[i] {
		i++
	}
	return fmt.Sprintf("%.300q, before it was %.300q", is[i:], was[i:])
}
