// Package enginetest is the contract of package engine as tests: every engine must pass Run. It uses only what the
// contract specifies, so that a cluster elsewhere can be tested like the embedded engine.
package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// Open opens an engine over a directory. The suite closes it.
type Open func(t *testing.T, dir string) engine.Engine

// Run tests an engine.
func Run(t *testing.T, open Open) {
	for name, f := range map[string]func(*testing.T, Open){
		"Formats":   formats,
		"Names":     names,
		"Cycles":    cycles,
		"Scans":     scans,
		"Refusals":  refusals,
		"Bindings":  bindings,
		"Stored":    stored,
		"Limits":    limits,
		"Isolation": isolation,
		"Many":      many,
		"Asks":      asks,
		"Merges":    merges,
	} {
		t.Run(name, func(t *testing.T) { f(t, open) })
	}
}

func project(t *testing.T, open Open) engine.Project {
	t.Helper()
	e := open(t, t.TempDir())
	t.Cleanup(func() { _ = e.Close() })
	p, err := e.Project(t.Context(), "prj1")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Query runs a statement and joins its values: columns by "|", rows by line breaks, NULL as "null".
func Query(ctx context.Context, p engine.Project, q sql.Query) (string, error) {
	r, err := sql.Run(ctx, p, q)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var lines []string
	_, err = r.Rows(ctx, func(row [][]byte) error {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = string(c)
			if c == nil {
				cells[i] = "null"
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
		return nil
	})
	return strings.Join(lines, "\n"), err
}

// Kind is the class of an error, or "".
func Kind(err error) engine.Kind {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func want(t *testing.T, p engine.Project, q sql.Query, want string) {
	t.Helper()
	if got, err := Query(t.Context(), p, q); err != nil || got != want {
		t.Errorf("%s:\n got %q, %v\nwant %q", q.SQL, got, err, want)
	}
}

func wantKind(t *testing.T, p engine.Project, q sql.Query, kind engine.Kind, part string) {
	t.Helper()
	got, err := Query(t.Context(), p, q)
	if Kind(err) != kind || !strings.Contains(fmt.Sprint(err), part) {
		t.Errorf("%s:\n got %q, %q: %v\nwant %q: ...%s...", q.SQL, got, Kind(err), err, kind, part)
	}
}

func formats(t *testing.T, open Open) {
	p := project(t, open)
	q := sql.Query{SQL: `SELECT CAST(1 AS bigint) AS a, 'x"y' AS b, CAST(NULL AS varchar) AS c`}
	for f, row := range map[api.Format]string{
		api.CellTyped: `[{"name":"a","displayName":"a","dataType":"bigint","order":0,"value":"1"},{"name":"b",` +
			`"displayName":"b","dataType":"varchar","order":1,"value":"x\"y"},{"name":"c","displayName":"c",` +
			`"dataType":"varchar","order":2,"value":null}]`,
		api.Simple:  `{"a":"1","b":"x\"y","c":null}`,
		api.Compact: `["1","x\"y",null]`,
	} {
		r, err := sql.Run(t.Context(), p, q)
		if err != nil {
			t.Fatal(err)
		}
		cols := r.Columns()
		if len(cols) != 3 || cols[0].Name != "a" || cols[0].DataType != "bigint" || cols[1].DataType != "varchar" &&
			!strings.HasPrefix(cols[1].DataType, "varchar(") {
			t.Errorf("columns %+v", cols)
		}
		var b bytes.Buffer
		starts := 0
		n, err := r.Encode(t.Context(), &b, f, func() {
			if starts++; b.Len() > 0 {
				t.Error("bytes before start")
			}
		})
		_ = r.Close()
		if err != nil || n != 1 || starts != 1 {
			t.Errorf("%s: %d rows, %d starts, %v", f, n, starts, err)
		}
		var doc struct {
			Columns []map[string]any
			Data    []json.RawMessage
		}
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil || len(doc.Columns) != 3 || len(doc.Data) != 1 ||
			string(doc.Data[0]) != row {
			t.Errorf("%s: %v\n%s\nwant row %s", f, err, b.Bytes(), row)
		}
	}
}

func lookup(c, s, n string) engine.TableName {
	return engine.TableName{Catalog: c, Schema: s, Table: n}
}

func names(t *testing.T, open Open) {
	p := project(t, open)
	if _, err := sql.Store(t.Context(), p, "mtquery", "m",
		sql.Query{SQL: `SELECT 1 AS a UNION ALL SELECT 2`}); err != nil {
		t.Fatal(err)
	}
	n := Names{
		lookup("peaka", "mtquery", "m"):  {Base: &engine.TableName{Schema: "mtquery", Table: "m"}},
		lookup("pg", "public", "cached"): {Base: &engine.TableName{Schema: "mtquery", Table: "m"}},
		lookup("peaka", "query", "q"):    {SQL: `SELECT sum(a) AS s FROM "peaka"."mtquery"."m"; -- all`},
		lookup("peaka", "query", "q2"):   {SQL: `SELECT s + 1 AS s FROM "peaka"."query"."q"`},
		lookup("sem", "sales", "t"):      {SQL: `SELECT s * 10 AS s FROM peaka.query.q2`},
		lookup("peaka", "query", "bad"):  {SQL: "SELECT nosuch\nFROM peaka.mtquery.m"},
		lookup("peaka", "query", "ins"):  {SQL: `INSERT INTO peaka.mtquery.m VALUES (1)`},
		lookup("peaka", "query", "par"):  {SQL: `SELECT a FROM peaka.mtquery.m WHERE a = ?`},
	}
	q := func(text string) sql.Query { return sql.Query{SQL: text, Catalogs: n} }
	want(t, p, q(`SELECT a FROM "peaka"."mtquery"."m" ORDER BY a`), "1\n2")
	want(t, p, q(`SELECT count(*) FROM "PG"."Public"."CACHED"`), "2")
	want(t, p, q(`SELECT s FROM peaka.query.q`), "3")
	want(t, p, q(`SELECT s FROM query.q`), "3")
	want(t, p, q(`SELECT peaka.query.q2.s FROM peaka.query.q2`), "4")
	want(t, p, q(`SELECT s FROM sem.sales.t`), "40")
	want(t, p, q(`SELECT x.s, y.s FROM peaka.query.q x, sem.sales.t y`), "3|40")
	wantKind(t, p, q(`SELECT * FROM nosuch.a.b`), engine.KindUnknownCatalog, "nosuch")
	wantKind(t, p, q(`SELECT * FROM pg.nosuch.b`), engine.KindUnknownSchema, "nosuch")
	wantKind(t, p, q(`SELECT * FROM pg.public.nosuch`), engine.KindUnknownTable, "pg.public.nosuch")
	wantKind(t, p, q(`SELECT * FROM peaka.query.nosuch`), engine.KindUnknownTable, "peaka.query.nosuch")
	wantKind(t, p, q(`SELECT * FROM peaka."table".nosuch`), engine.KindUnknownTable,
		"Table 'peaka.table.nosuch' does not exist")
	wantKind(t, p, q(`SELECT nosuch FROM peaka.query.q`), engine.KindUnknownColumn,
		"Column 'nosuch' cannot be resolved")
	wantKind(t, p, q(`SELECT * FROM peaka.query.bad`), engine.KindUnknownColumn, "peaka.query.bad")
	wantKind(t, p, q(`SELECT * FROM peaka.query.ins`), engine.KindNotAllowed, "Statement type 'Insert' is not allowed")
	wantKind(t, p, q(`SELECT * FROM peaka.query.par`), engine.KindBinding, "peaka.query.par")
	// A changed query is read in its new version, also by those that read it.
	n[lookup("peaka", "query", "q")] = sql.Source{SQL: `SELECT 100 AS s, 'new' AS extra`}
	want(t, p, q(`SELECT s FROM sem.sales.t`), "1010")
	want(t, p, q(`SELECT * FROM peaka.query.q`), "100|new")
	delete(n, lookup("peaka", "query", "q"))
	wantKind(t, p, q(`SELECT s FROM sem.sales.t`), engine.KindUnknownTable, "peaka.query.q")
	// So is a stored result, in any shape.
	if _, err := Replace(t.Context(), p, "mtquery", "m", sql.Query{SQL: `SELECT 'z' AS b, 7 AS c`}); err != nil {
		t.Fatal(err)
	}
	want(t, p, q(`SELECT * FROM peaka.mtquery.m`), "z|7")
	want(t, p, q(`SELECT * FROM pg.public.cached`), "z|7")
	// Listings.
	want(t, p, q(`SHOW CATALOGS`), "peaka\npg\nsample\nsem")
	want(t, p, q(`SHOW SCHEMAS FROM pg`), "information_schema\npublic")
	want(t, p, q(`SHOW TABLES FROM peaka.mtquery`), "m")
	want(t, p, q(`SHOW TABLES IN sample.shop LIKE 'o%'`), "order_items\norders")
	want(t, p, q(`DESCRIBE pg.public.cached`), "b|varchar(1)||\nc|integer||")
	want(t, p, q(`SHOW COLUMNS FROM pg.public.cached LIKE 'c'`), "c|integer||")
	wantKind(t, p, q(`SHOW SCHEMAS FROM nosuch`), engine.KindUnknownCatalog, "nosuch")
	wantKind(t, p, q(`SHOW TABLES FROM pg.nosuch`), engine.KindUnknownSchema, "nosuch")
	wantKind(t, p, q(`DESCRIBE pg.public.nosuch`), engine.KindUnknownTable, "nosuch")
	want(t, p, q(`SELECT table_schema, table_name, table_type FROM pg.information_schema.tables WHERE table_schema `+
		`<> 'information_schema'`),
		"public|cached|BASE TABLE")
	want(t, p, q(`SELECT count(*) FROM information_schema.tables WHERE table_catalog = 'peaka' AND table_schema = `+
		`'query' AND table_type = 'VIEW'`), "4")
	want(t, p, q(`SELECT column_name, ordinal_position, data_type FROM information_schema.columns WHERE `+
		`table_catalog = 'pg' AND table_name = 'cached' ORDER BY 2`),
		"b|1|varchar(1)\nc|2|integer")
	want(t, p, q(`SELECT pg.information_schema.schemata.schema_name FROM pg.information_schema.schemata ORDER BY 1`),
		"information_schema\npublic")
	wantKind(t, p, q(`SELECT * FROM nosuch.information_schema.tables`), engine.KindUnknownCatalog, "nosuch")
	wantKind(t, p, q(`SELECT * FROM information_schema.nosuch`), engine.KindUnknownTable, "nosuch")
	want(t, p, q(`SELECT count(*), count(DISTINCT customer_id) > 1000 FROM sample.shop.orders`), "10000|true")
}

func cycles(t *testing.T, open Open) {
	p := project(t, open)
	n := Names{
		lookup("peaka", "query", "a"):    {SQL: `SELECT * FROM peaka.query.b`},
		lookup("peaka", "query", "b"):    {SQL: `SELECT * FROM "peaka"."query"."C"`},
		lookup("peaka", "query", "c"):    {SQL: `SELECT * FROM query.a`},
		lookup("peaka", "query", "self"): {SQL: `SELECT 1 AS x UNION SELECT x FROM peaka.query.self`},
		lookup("peaka", "query", "over"): {SQL: `SELECT * FROM peaka.query.b`},
	}
	wantKind(t, p, sql.Query{SQL: `SELECT * FROM peaka.query.a`, Catalogs: n}, engine.KindCycle,
		"peaka.query.a -> peaka.query.b -> peaka.query.c -> peaka.query.a")
	wantKind(t, p, sql.Query{SQL: `SELECT * FROM peaka.query.self`, Catalogs: n}, engine.KindCycle,
		"peaka.query.self -> peaka.query.self")
	wantKind(t, p, sql.Query{SQL: `SELECT * FROM peaka.query.over`, Catalogs: n}, engine.KindCycle,
		"peaka.query.b -> peaka.query.c -> peaka.query.a -> peaka.query.b")

	// A cycle is found even if other names do not exist, so that it cannot be saved meanwhile.
	n = Names{
		lookup("peaka", "query", "lefthand"): {SQL: `SELECT * FROM peaka."table".gone UNION ALL SELECT nosuch FROM ` +
			`peaka.query.one UNION ALL SELECT * FROM peaka.query.righthand`},
		lookup("peaka", "query", "righthand"): {SQL: `SELECT * FROM away.s.t UNION ALL SELECT * FROM peaka.query.lefthand`},
		lookup("peaka", "query", "one"):       {SQL: `SELECT nosuch FROM (SELECT 1 AS x)`},
		lookup("peaka", "query", "gaps"):      {SQL: `SELECT * FROM peaka.query.one UNION ALL SELECT * FROM peaka."table".gone`},
	}
	wantKind(t, p, sql.Query{SQL: `SELECT * FROM peaka.query.lefthand`, Catalogs: n}, engine.KindCycle,
		"peaka.query.lefthand -> peaka.query.righthand -> peaka.query.lefthand")
	wantKind(t, p, sql.Query{SQL: `SELECT * FROM peaka.query.gaps`, Catalogs: n}, engine.KindUnknownColumn, "nosuch")

	// Each query reads the previous one twice, so the expansion of the last doubles with every step.
	n = Names{lookup("peaka", "query", "d0"): {SQL: `SELECT 1 AS a`}, lookup("peaka", "query",
		"e0"): {SQL: `SELECT * FROM peaka."table".gone`}}
	for i := 1; i <= 40; i++ {
		for _, s := range []string{"d", "e"} {
			n[lookup("peaka", "query", fmt.Sprint(s, i))] = sql.Source{
				SQL: fmt.Sprintf(`SELECT x.a + y.a AS a FROM peaka.query.%s%d x, peaka.query.%s%d y`, s, i-1, s, i-1)}
		}
	}
	want(t, p, sql.Query{SQL: `SELECT a FROM peaka.query.d6`, Catalogs: n}, "64")
	wantKind(t, p, sql.Query{SQL: `SELECT a FROM peaka.query.d40`, Catalogs: n}, engine.KindLimit,
		"more than 2000 saved queries")
	wantKind(t, p, sql.Query{SQL: `SELECT a FROM peaka.query.e40`, Catalogs: n}, engine.KindUnknownTable, "gone")
}

func scans(t *testing.T, open Open) {
	p := project(t, open)
	day := time.Date(2020, 2, 29, 12, 30, 0, 0, time.UTC)
	all := &Rows{
		Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}, {Name: "Name", Type: "varchar(100)"},
			{Name: "amount", Type: "decimal(10,2)"},
			{Name: "ok", Type: "boolean"}, {Name: "day", Type: "date"}, {Name: "at", Type: "timestamp(3)"},
			{Name: "zoned", Type: "timestamp(6) with time zone"},
			{Name: "f", Type: "double"}, {Name: "u", Type: "uuid"}, {Name: "bin", Type: "varbinary"},
			{Name: "j", Type: "json"}, {Name: "t", Type: "time"}},
		Data: [][]any{
			{int64(1), "żółty", "-12.50", true, day, day, day.In(time.FixedZone("", 3600)), 1.5,
				"12151fd2-7586-11e9-8f9e-2a86e4085a59", []byte{1, 255}, `{"a":1.5}`, "01:02:03.5"},
			{int64(2), nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
		},
	}
	many := &Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "integer"}, {Name: "s", Type: "varchar"}}, Batch: 700}
	for i := range 10_000 {
		many.Data = append(many.Data, []any{int64(i), fmt.Sprintf("row number %d", i)})
	}
	broken := &Rows{Cols: many.Cols, Data: many.Data[:3000], Batch: 100, Fail: errors.New("the wire broke")}
	hung := &Rows{Cols: many.Cols, Data: many.Data[:10], Block: true}
	misfit := &Rows{Cols: []engine.ColumnInfo{{Name: "d", Type: "decimal(4,2)"}}, Data: [][]any{{"1.005"}}}
	n := Names{
		lookup("pg", "public", "all"): {Scan: all}, lookup("pg", "public", "many"): {Scan: many}, lookup("pg", "public",
			"broken"): {Scan: broken},
		lookup("pg", "public", "hung"): {Scan: hung}, lookup("pg", "public", "misfit"): {Scan: misfit},
		lookup("peaka", "query", "q"): {SQL: `SELECT s FROM pg.public.many WHERE id = 7`},
	}
	q := func(text string) sql.Query { return sql.Query{SQL: text, Catalogs: n} }
	want(t, p, q(`SELECT * FROM pg.public."all" ORDER BY id`),
		`1|żółty|-12.50|true|2020-02-29|2020-02-29 12:30:00.000|2020-02-29 12:30:00.000000 `+
			`UTC|1.5|12151fd2-7586-11e9-8f9e-2a86e4085a59|01 ff|{"a":1.5}|01:02:03.500000`+
			"\n2"+strings.Repeat("|null", 11))
	want(t, p, q(`SELECT count(*) FROM pg.public.many`), "10000")
	want(t, p, q(`SELECT sum(id), count(DISTINCT s) FROM pg.public.many`), "49995000|10000")
	if got := many.Last.Load().Columns; len(got) != 2 {
		t.Errorf("columns asked for: %v", got)
	}
	want(t, p, q(`SELECT max(s) FROM pg.public.many WHERE s LIKE '%99'`), "row number 9999")
	if got := many.Last.Load().Columns; len(got) != 1 || got[0] != "s" {
		t.Errorf("columns asked for: %v", got)
	}
	want(t, p, q(`SELECT s FROM peaka.query.q`), "row number 7")
	if f := many.Last.Load().Filters; len(f) != 1 || f[0].Column != "id" || f[0].Op != "=" ||
		f[0].Values[0] != int64(7) {
		t.Errorf("filters: %+v", f)
	}
	want(t, p, q(`SELECT a.s, b.s FROM pg.public.many a JOIN pg.public.many b ON a.id = b.id + 1 WHERE a.id = 1`),
		"row number 1|row number 0")
	want(t, p, q(`SELECT count(*) FROM pg.public.many m, peaka.query.q q WHERE m.s = q.s`), "1")
	want(t, p, q(`SELECT id FROM pg.public.many LIMIT 1`), "0")
	wantKind(t, p, q(`SELECT count(*) FROM pg.public.broken`), engine.KindSource, "the wire broke")
	wantKind(t, p, q(`SELECT * FROM pg.public.misfit`), engine.KindSource, "1.005")
	limited := q(`SELECT count(*) FROM pg.public.hung`)
	limited.Timeout = 100 * time.Millisecond
	wantKind(t, p, limited, engine.KindTimeout, "")
	for _, r := range []*Rows{all, many, broken, hung, misfit} {
		if o, c := r.Opened.Load(), r.Closed.Load(); o == 0 || o != c {
			t.Errorf("%d readings opened, %d closed", o, c)
		}
	}
}

func refusals(t *testing.T, open Open) {
	p := project(t, open)
	for text, typ := range map[string]string{
		`INSERT INTO x VALUES (1)`:        "Insert",
		`UPDATE x SET a = 1`:              "Update",
		`DELETE FROM x`:                   "Delete",
		`CREATE TABLE x AS SELECT 1 AS a`: "CreateTableAsSelect",
	} {
		wantKind(t, p, sql.Query{SQL: text}, engine.KindNotAllowed, "Statement type '"+typ+"' is not allowed")
	}
	wantKind(t, p, sql.Query{SQL: `SELECT 1; SELECT 2`}, engine.KindSyntax, "")
	wantKind(t, p, sql.Query{SQL: `SELECT * FROM read_csv('/etc/passwd')`}, engine.KindSyntax, "mismatched input '('")
	wantKind(t, p, sql.Query{SQL: `SELECT * FROM '/etc/passwd'`}, engine.KindSyntax, "mismatched input")
	wantKind(t, p, sql.Query{SQL: `SELECT '` + strings.Repeat("x", 300<<10) + `'`}, engine.KindLimit, "")
	_, err := Query(t.Context(), p, sql.Query{SQL: "SELECT 1\n  FROM WHERE"})
	var e *engine.Error
	if !errors.As(err, &e) || e.Kind != engine.KindSyntax || e.Line != 2 || e.Col != 8 {
		t.Errorf("got %+v", err)
	}
}

func bindings(t *testing.T, open Open) {
	p := project(t, open)
	if _, err := sql.Store(t.Context(), p, "mtquery", "m", sql.Query{
		SQL: `SELECT CAST(1.50 AS decimal(10,2)) AS price, 'it''s' AS s UNION ALL SELECT CAST(1.49 AS decimal(10,` +
			`2)), 'b'`}); err != nil {
		t.Fatal(err)
	}
	n := Names{lookup("peaka", "mtquery", "m"): {Base: &engine.TableName{Schema: "mtquery", Table: "m"}}}
	q := func(where string, binds ...string) sql.Query {
		return sql.Query{SQL: `SELECT s FROM peaka.mtquery.m WHERE ` + where, Bindings: binds, Catalogs: n}
	}
	want(t, p, q(`s = ?`, "it's"), "it's")
	want(t, p, q(`price = ?`, "1.499"), "")
	want(t, p, q(`price > ? AND s <> ?`, "1.499", "b"), "it's")
	wantKind(t, p, q(`price = ?`, "much"), engine.KindBinding, "")
	wantKind(t, p, q(`s = ?`), engine.KindBinding, "")
	wantKind(t, p, q(`s = ?`, "a", "b"), engine.KindBinding, "")
}

// moving is Catalogs in which a stored result has another name each time that it is looked up.
type moving struct {
	Names
	to []string
}

func (m *moving) Lookup(context.Context, engine.TableName) (sql.Source, error) {
	name := m.to[0]
	m.to = m.to[1:]
	return sql.Source{Base: &engine.TableName{Schema: "mtquery", Table: name}}, nil
}

func stored(t *testing.T, open Open) {
	dir := t.TempDir()
	e := open(t, dir)
	p, err := e.Project(t.Context(), "prj1")
	if err != nil {
		t.Fatal(err)
	}
	run := func(text string) (int64, error) {
		return sql.Store(t.Context(), p, "mtquery", "m", sql.Query{SQL: text})
	}
	if n, err := run(`SELECT * FROM (VALUES (1), (2), (3)) t(a)`); n != 3 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	for _, bad := range []string{`SELECT nosuch`, `SELECT CAST(s AS bigint) FROM (VALUES ('1'), ('x')) t(s)`,
		`DELETE FROM m`} {
		if n, err := run(bad); err == nil {
			t.Errorf("%s: stored %d rows", bad, n)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, dir)
	defer e.Close()
	if p, err = e.Project(t.Context(), "prj1"); err != nil {
		t.Fatal(err)
	}
	if n, err := p.RowCount(t.Context(), "mtquery", "m"); n != 3 || err != nil {
		t.Errorf("after opening again: %d rows, %v", n, err)
	}
	moved := &moving{Names: Names{}, to: []string{"gone", "m"}}
	if got, err := Query(t.Context(), p, sql.Query{SQL: `SELECT count(*) FROM peaka.mtquery.x`,
		Catalogs: moved}); got != "3" || err != nil {
		t.Errorf("a result that was replaced after its name was looked up: %q, %v", got, err)
	}
	for range 2 {
		if err := p.DropStored(t.Context(), "mtquery", "m"); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.RowCount(t.Context(), "mtquery", "m"); Kind(err) != engine.KindUnknownTable {
		t.Errorf("after dropping: %v", err)
	}
	if err := e.DropProject(t.Context(), "prj1"); err != nil {
		t.Error(err)
	}
}
