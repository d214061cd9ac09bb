package enginetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// Minimal tests what every engine does, however little of the language it runs: columns and literals of one table,
// conditions on columns, LIMIT and stored results; and that it refuses by name what it does not run.
func Minimal(t *testing.T, open Open) {
	for name, f := range map[string]func(*testing.T, Open){
		"Formats":   formats,
		"Rows":      minimalRows,
		"Stored":    minimalStored,
		"Ends":      ends,
		"Isolation": isolation,
		"Refusals":  minimalRefusals,
	} {
		t.Run(name, func(t *testing.T) { f(t, open) })
	}
}

func minimalRows(t *testing.T, open Open) {
	p := project(t, open)
	src := &Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}, {Name: "Name", Type: "varchar"},
		{Name: "x", Type: "double"}},
		Data: [][]any{{int64(1), "a", 0.5}, {int64(2), nil, nil}, {int64(3), "a text of more than twelve bytes",
			-1e300}},
		Batch: 2}
	n := Names{
		lookup("pg", "public", "t"):   {Scan: src},
		lookup("peaka", "query", "v"): {SQL: `SELECT name AS n, id FROM pg.public.t WHERE id >= 2`},
		lookup("peaka", "query", "w"): {SQL: `SELECT n, id, 'w' AS k FROM peaka.query.v`},
	}
	q := func(text string) sql.Query { return sql.Query{SQL: text, Catalogs: n} }
	want(t, p, q(`SELECT * FROM pg.public.t`), "1|a|0.5\n2|null|null\n3|a text of more than twelve bytes|-1.0E300")
	want(t, p, q(`SELECT x, id FROM pg.public.t WHERE name IS NOT NULL LIMIT 1`), "0.5|1")
	want(t, p, q(`SELECT id FROM pg.public.t WHERE name = 'a' AND id < 9`), "1")
	want(t, p, q(`SELECT id FROM pg.public.t WHERE name <> 'a'`), "3") // NULL is not unequal
	want(t, p, q(`SELECT k, id, n FROM peaka.query.w WHERE id > 2`), "w|3|a text of more than twelve bytes")
	wantKind(t, p, q(`SELECT nosuch FROM pg.public.t`), engine.KindUnknownColumn, "nosuch")
	wantKind(t, p, q(`SELECT * FROM pg.public.nosuch`), engine.KindUnknownTable, "nosuch")
	src.Fail = errors.New("the source is gone")
	wantKind(t, p, q(`SELECT * FROM pg.public.t`), engine.KindSource, "the source is gone")
	if opened, closed := src.Opened.Load(), src.Closed.Load(); opened == 0 || opened != closed {
		t.Errorf("%d scans were opened, %d closed", opened, closed)
	}
}

func minimalStored(t *testing.T, open Open) {
	dir := t.TempDir()
	e := open(t, dir)
	defer e.Close()
	p, err := e.Project(t.Context(), "prj1")
	if err != nil {
		t.Fatal(err)
	}
	src := &Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}}, Data: [][]any{{int64(1)}, {int64(2)}}}
	n := Names{lookup("pg", "public", "t"): {Scan: src}, lookup("pg", "public",
		"s"): {Base: &engine.TableName{Schema: "cache", Table: "s"}}}
	store := func(name, text string) (int64, error) {
		return sql.Store(t.Context(), p, "cache", name, sql.Query{SQL: text, Catalogs: n})
	}
	if n, err := store("s", `SELECT id FROM pg.public.t`); n != 2 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	want(t, p, sql.Query{SQL: `SELECT * FROM pg.public.s`, Catalogs: n}, "1\n2")
	src.Fail = errors.New("the source is gone")
	if _, err := store("u", `SELECT id, 'more' AS b FROM pg.public.t`); err == nil {
		t.Error("rows of a source that failed were stored")
	}
	if _, err := p.RowCount(t.Context(), "cache", "u"); Kind(err) != engine.KindUnknownTable {
		t.Errorf("after a source that failed: %v", err)
	}
	src.Fail = nil
	if n, err := store("s", `SELECT 'other' AS b FROM pg.public.t LIMIT 1`); !errors.Is(err, engine.ErrStored) {
		t.Fatalf("stored rows were replaced: %d rows, %v", n, err)
	}
	want(t, p, sql.Query{SQL: `SELECT * FROM pg.public.s`, Catalogs: n}, "1\n2")
	if n, err := p.RowCount(t.Context(), "cache", "s"); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	for range 2 {
		if err := p.DropStored(t.Context(), "cache", "s"); err != nil {
			t.Error(err)
		}
	}
	wantKind(t, p, sql.Query{SQL: `SELECT * FROM pg.public.s`, Catalogs: n}, engine.KindUnknownTable, "pg.public.s")
}

// Tables tests the internal tables of an engine that does not embed engine.NoTables.
func Tables(t *testing.T, open Open) {
	p := project(t, open)
	ctx := t.Context()
	if _, err := p.CreateTable(ctx, engine.SchemaTable, "t", engine.ColumnDef{Name: "id", Type: "bigint"},
		engine.ColumnDef{Name: "name", Type: "varchar"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.CreateTable(ctx, engine.SchemaTable, "t"); Kind(err) != engine.KindExists {
		t.Errorf("a table twice: %v", err)
	}
	m := engine.Import{ID: "one", Header: true, Mappings: []api.ImportMapping{{Name: "id", CSVColumnName: "n"},
		{Name: "name", CSVColumnName: "s"}}}
	if n, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader("s,n\nx,1\n,2\n"), m); n.Rows != 2 ||
		err != nil {
		t.Fatalf("%v, %v", n, err)
	}
	bad := m
	bad.ID = "two"
	var fault *engine.ImportError
	if _, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader("s,n\ny,3\nz,four\n"),
		bad); !errors.As(err, &fault) || len(fault.Cells) != 1 || fault.Cells[0].Line != 3 {
		t.Errorf("a text for a number: %v", err)
	}
	want(t, p, sql.Query{SQL: `SELECT id, name FROM t`}, "1|x\n2|null")
	if n, stored, err := p.FindImport(ctx, "one"); n != 2 || !stored || err != nil {
		t.Errorf("the import: %d rows, %v, %v", n, stored, err)
	}
	if _, stored, err := p.FindImport(ctx, "two"); stored || err != nil {
		t.Errorf("the failed import: %v, %v", stored, err)
	}
	if _, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader("s,n\nx,1\n"), m); err != nil {
		t.Error(err)
	}
	want(t, p, sql.Query{SQL: `SELECT id FROM t`}, "1\n2") // once
	for _, step := range []struct {
		mode api.ImportMode
		text string
		done engine.Imported
		rows string
		bad  []int64 // lines
	}{
		{api.ImportMode{Mode: api.ImportUpsert, Key: []string{"ID"}}, "s,n\nb,2\nx,1\nc,3\n",
			engine.Imported{Rows: 3, Inserted: 1, Updated: 1, Unchanged: 1}, "1|x\n2|b\n3|c", nil},
		{api.ImportMode{Mode: api.ImportUpsert, Key: []string{"id"}, DeleteMissing: true}, "s,n\nb,2\n,4\n",
			engine.Imported{Rows: 2, Inserted: 1, Unchanged: 1, Deleted: 2}, "2|b\n4|null", nil},
		{api.ImportMode{Mode: api.ImportUpsert, Key: []string{"id", "name"}}, "s,n\nb,2\nc,2\n",
			engine.Imported{Rows: 2, Inserted: 1, Unchanged: 1}, "2|b\n4|null\n2|c", nil},
		{api.ImportMode{Mode: api.ImportUpsert, Key: []string{"id"}}, "s,n\na,1\nb,5\nb,5\nd,1\n", engine.Imported{},
			"2|b\n4|null\n2|c", []int64{4, 5}},
		{api.ImportMode{Mode: api.ImportUpsert, Key: []string{"id"}}, "s,n\na,1\nb,\n", engine.Imported{},
			"2|b\n4|null\n2|c", []int64{3}},
		{api.ImportMode{Mode: api.ImportReplace}, "s,n\ny,7\ny,8\n",
			engine.Imported{Rows: 2, Inserted: 2, Deleted: 3}, "7|y\n8|y", nil},
		{api.ImportMode{Mode: api.ImportReplace}, "s,n\nz,9\nz,nine\n", engine.Imported{}, "7|y\n8|y", []int64{3}},
		{api.ImportMode{Mode: api.ImportReplace}, "s,n\n", engine.Imported{Deleted: 2}, "", nil},
	} {
		m := m
		m.ID, m.ImportMode = "", step.mode
		done, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader(step.text), m)
		var lines []int64
		if fault := (*engine.ImportError)(nil); errors.As(err, &fault) {
			for _, c := range fault.Cells {
				lines = append(lines, c.Line)
			}
		} else if err != nil {
			t.Error(err)
		}
		if done != step.done || !slices.Equal(lines, step.bad) {
			t.Errorf("%+v of %q: %+v, faults in lines %d", step.mode, step.text, done, lines)
		}
		got, err := Query(ctx, p, sql.Query{SQL: `SELECT id, name FROM t`})
		sorted := strings.Split(got, "\n") // the order of rows that were updated is up to the engine
		expect := strings.Split(step.rows, "\n")
		slices.Sort(sorted)
		if slices.Sort(expect); err != nil || !slices.Equal(sorted, expect) {
			t.Errorf("%+v of %q: rows %q, %v", step.mode, step.text, got, err)
		}
	}
	if names, err := p.ListTables(ctx, engine.SchemaTable); err != nil || strings.Join(names, " ") != "t" {
		t.Errorf("%q, %v", names, err)
	}
	if err := p.DropTable(ctx, engine.SchemaTable, "t"); err != nil {
		t.Error(err)
	}
	wantKind(t, p, sql.Query{SQL: `SELECT id FROM t`}, engine.KindUnknownTable, "t")
}

// ends tests that the end of a context ends a statement whose source waits.
func ends(t *testing.T, open Open) {
	p := project(t, open)
	src := &Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}}, Block: true}
	n := Names{lookup("pg", "public", "t"): {Scan: src}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for src.Opened.Load() == 0 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := Query(ctx, p, sql.Query{SQL: `SELECT id FROM pg.public.t`, Catalogs: n}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
	if opened, closed := src.Opened.Load(), src.Closed.Load(); opened == 0 || opened != closed {
		t.Errorf("%d scans were opened, %d closed", opened, closed)
	}
}

func minimalRefusals(t *testing.T, open Open) {
	p := project(t, open)
	wantKind(t, p, sql.Query{SQL: `DELETE FROM t`}, engine.KindNotAllowed, "not allowed")
	wantKind(t, p, sql.Query{SQL: "SELECT 1\nFROM WHERE"}, engine.KindSyntax, "mismatched input")
	n := Names{lookup("pg", "public", "t"): {Scan: &Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}},
		Data: [][]any{{int64(1)}, {int64(3)}, {int64(3)}}}}}
	// What an engine does not run it refuses, and never answers in part.
	for text, answer := range map[string]string{
		`SELECT count(*) FROM pg.public.t`:                                                "3",
		`SELECT sum(id) FROM pg.public.t GROUP BY id > 5`:                                 "7",
		`SELECT id + 1 FROM pg.public.t WHERE id = 1`:                                     "2",
		`SELECT id FROM pg.public.t WHERE id = 1 OR id = 5`:                               "1",
		`SELECT id FROM pg.public.t WHERE id = 1 UNION SELECT 1`:                          "1",
		`WITH a AS (SELECT 7 AS n) SELECT n FROM a`:                                       "7",
		`SELECT DISTINCT id FROM pg.public.t WHERE id > 1`:                                "3",
		`SELECT id FROM pg.public.t ORDER BY id DESC LIMIT 1`:                             "3",
		`SELECT a.id FROM pg.public.t a JOIN pg.public.t b ON a.id = b.id WHERE a.id = 1`: "1",
		`SELECT max(id) OVER () FROM pg.public.t LIMIT 1`:                                 "3",
		`SELECT id FROM pg.public.t OFFSET 2`:                                             "3",
	} {
		got, err := Query(t.Context(), p, sql.Query{SQL: text, Catalogs: n})
		if (err != nil || got != answer) && Kind(err) != engine.KindUnsupported {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}
