//go:build cgo

package duckdb

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestImportIsStoredOnce: of imports with one ID, one after the other, at the same time and after the file was opened
// again, one stores its rows.
func TestImportIsStoredOnce(t *testing.T) {
	dir := t.TempDir()
	p := window(t, dir)
	if _, err := p.CreateTable(t.Context(), engine.SchemaTable, "x", engine.ColumnDef{Name: "n", Type: "bigint"},
		engine.ColumnDef{Name: "label", Type: "varchar"}); err != nil {
		t.Fatal(err)
	}
	large, many := stagedDocument("large")
	total := 0
	for i, doc := range []string{"n,label\n1,a\n2,b\n", large} {
		rows := []int{2, many}[i]
		m := stagedMapping
		m.ID = fmt.Sprintf("import-%d", i)
		if n, stored, err := p.FindImport(t.Context(), m.ID); n != 0 || stored || err != nil {
			t.Errorf("before: %d, %t, %v", n, stored, err)
		}
		total += rows
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if n, err := p.ImportCSV(t.Context(), engine.SchemaTable, "x", strings.NewReader(doc),
					m); n.Rows != int64(rows) || err != nil {
					t.Errorf("%v rows, want %d: %v", n, rows, err)
				}
			})
		}
		wait.Wait()
		again := window(t, dir)
		if n, err := again.ImportCSV(t.Context(), engine.SchemaTable, "x", strings.NewReader(doc),
			m); n.Rows != int64(rows) || err != nil {
			t.Errorf("again: %v rows, want %d: %v", n, rows, err)
		}
		if n, stored, err := again.FindImport(t.Context(), m.ID); n != int64(rows) || !stored || err != nil {
			t.Errorf("after: %d, %t, %v", n, stored, err)
		}
	}
	if got := one(t, p, `SELECT count(*) FROM "~data"."table".x`); got != fmt.Sprint(total) {
		t.Errorf("%s rows are stored, want %d", got, total)
	}
}
