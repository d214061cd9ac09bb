//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
)

func TestLongTextsAndRecords(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "a", Type: "varchar"}, engine.ColumnDef{Name: "b",
		Type: "bigint"})
	var doc strings.Builder
	doc.WriteString("a,b\n")
	const arenaBlock = 1 << 20
	sizes := []int{12, 13, arenaBlock - 1, arenaBlock, arenaBlock + 1, 5 * arenaBlock, 40 * arenaBlock, 0, 3}
	for i, n := range sizes {
		fmt.Fprintf(&doc, "\"%s\",%d\n", strings.Repeat(string(rune('a'+i)), n), n)
	}
	for range 3 { // batches that are full by their bytes, not by their rows
		for range 100 {
			fmt.Fprintf(&doc, "%s,%d\n", strings.Repeat("z", 300_000), 300_000)
		}
	}
	mustImport(t, p, "t", doc.String())
	got := one(t, p, `SELECT CAST(count(*) AS VARCHAR) || ' ' || CAST(count(*) FILTER (length(a) = b AND replace(a, `+
		`left(a, 1), '') = '') AS VARCHAR) FROM "~data"."table".t`)
	if want := fmt.Sprintf("%d %[1]d", len(sizes)+300); got != want {
		t.Errorf("rows and exact rows: %s, want %s", got, want)
	}
	_, err := importText(t, p, engine.SchemaTable, "t", "a,b\nx,1\n\""+strings.Repeat("never closed\n", (64<<20)/13+10))
	var ie *engine.ImportError
	if !errors.As(err, &ie) || ie.Cells[0].Line != 3 || !strings.Contains(ie.Cells[0].Reason, "quotes are not closed") {
		t.Errorf("an endless record: %v", err)
	}
}

// TestManyRowsThroughEveryPath crosses the bounds of vectors, flushes and trims.
func TestManyRowsThroughEveryPath(t *testing.T) {
	p := tableProject(t, t.TempDir())
	ctx := t.Context()
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "k", Type: "varchar", Unique: ptr(true)},
		engine.ColumnDef{Name: "n", Type: "varchar"}, engine.ColumnDef{Name: "d", Type: "date",
			DefaultValue: ptr("2024-02-29")},
		engine.ColumnDef{Name: "s", Type: "varchar", DefaultValue: ptr("a default that is longer than twelve")})
	const count = 130_001
	var doc strings.Builder
	for i := range count {
		n := fmt.Sprint(i)
		if i%7 == 0 {
			n = ""
		}
		fmt.Fprintf(&doc, "key number %d,%s\n", i, n)
	}
	zero, first := int64(0), int64(1)
	m := engine.Import{Mappings: []api.ImportMapping{{Name: "k", CSVColumnIndex: &zero},
		{Name: "n", CSVColumnIndex: &first}}}
	if n, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader(doc.String()), m); n.Rows != count ||
		err != nil {
		t.Fatalf("%v, %v", n, err)
	}
	check := func(cast string) {
		t.Helper()
		got := one(t, p,
			`SELECT count(*) || ' ' || count(n) || ' ' || sum(CAST(n AS BIGINT)) || ' ' || count(DISTINCT _id) || ' ' ||
			count(*) FILTER (n IS NULL OR k = 'key number ' || `+cast+
				`) || ' ' || count(*) FILTER (d = DATE '2024-02-29' AND s LIKE 'a default%twelve')
			FROM "~data"."table".t`)
		nulls := int64((count + 6) / 7)
		var sum int64
		for i := range int64(count) {
			if i%7 != 0 {
				sum += i
			}
		}
		if want := fmt.Sprintf("%d %d %d %[1]d %[1]d %[1]d", count, count-nulls, sum); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	check("n")
	_, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader(doc.String()), m)
	var ie *engine.ImportError
	if !errors.As(err, &ie) || ie.Total != count || len(ie.Cells) != importer.MaxBadCells || ie.Cells[99].Line != 100 {
		t.Errorf("the same document again: %v", err)
	}
	check("n")
	if _, err := p.UpdateColumn(ctx, engine.SchemaTable, "t", "n", engine.ColumnDef{Type: "bigint"}); err != nil {
		t.Fatal(err)
	}
	check("CAST(n AS VARCHAR)")
	if _, err := p.UpdateColumn(ctx, engine.SchemaTable, "t", "n", engine.ColumnDef{Type: "decimal",
		Unique: ptr(true)}); err != nil {
		t.Fatal(err)
	}
	check("CAST(CAST(n AS BIGINT) AS VARCHAR)")
	if _, err := p.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader("new,\nkey number 99999,1\n"),
		m); err == nil || !strings.Contains(err.Error(), `line 2, column "k": duplicate`) {
		t.Errorf("a duplicate: %v", err)
	}
	if got := one(t, p, `SELECT value FROM duckdb_settings() WHERE name = 'memory_limit'`); got != "1.0 GiB" {
		t.Errorf("the memory limit is now %s", got)
	}
}

// TestRefusedTrimLeavesTheTransaction asks DuckDB to give back more memory than it can.
func TestRefusedTrimLeavesTheTransaction(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "a", Type: "uuid", Unique: ptr(true)})
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Tx(t.Context(), func() error {
		if _, err := c.Exec(t.Context(),
			`INSERT INTO "~data"."table".t (_id, a) SELECT i, uuid() FROM range(50000) r(i)`); err != nil {
			return err
		}
		c.TrimCache(1)
		_, err := c.Exec(t.Context(), `INSERT INTO "~data"."table".t (_id) VALUES (-1)`)
		return err
	})
	if n := one(t, p, `SELECT count(*) FROM "~data"."table".t`); err != nil || n != "50001" {
		t.Errorf("%s rows, %v", n, err)
	}
	if got := one(t, p, `SELECT value FROM duckdb_settings() WHERE name = 'memory_limit'`); got != "1.0 GiB" {
		t.Errorf("the memory limit is now %s", got)
	}
}

func TestDuplicatesOfTwoColumnsAreCounted(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "a", Type: "bigint", Unique: ptr(true)},
		engine.ColumnDef{Name: "b", Type: "date", Unique: ptr(true)})
	var doc strings.Builder
	doc.WriteString("a,b\n")
	for i := range 3000 {
		fmt.Fprintf(&doc, "%d,%04d-01-01\n", i, i+1)
	}
	mustImport(t, p, "t", doc.String())
	_, err := importText(t, p, engine.SchemaTable, "t", doc.String())
	var ie *engine.ImportError
	if !errors.As(err, &ie) || ie.Total != 6000 || len(ie.Cells) != importer.MaxBadCells {
		t.Errorf("the same document again: %v", err)
	}
}
