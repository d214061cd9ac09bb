//go:build cgo

package duckdb

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// While a sender stalls in the middle of a document, others write to the same table, and another process opens the
// project.
func TestStalledUploadHoldsUpNobody(t *testing.T) {
	dir := t.TempDir()
	ids := func(o *engine.Options) { o.NewID, o.LockWait = func() string { return "1" }, 20*time.Second }
	p := testProject(t, testEngine(t, dir, ids), "prjA")
	if _, err := p.CreateTable(t.Context(), engine.SchemaTable, "t"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.AddColumns(t.Context(), engine.SchemaTable, "t",
		[]engine.ColumnDef{{Name: "a", Type: "bigint"}}); err != nil {
		t.Fatal(err)
	}
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "a", CSVColumnName: "a"}}}
	stalled := func(p *project) (w *io.PipeWriter, end chan error) {
		t.Helper()
		r, w := io.Pipe()
		end = make(chan error, 1)
		go func() {
			n, err := p.ImportCSV(t.Context(), engine.SchemaTable, "t", r, m)
			if err == nil && n.Rows != 2 {
				t.Errorf("%v rows of the slow document", n)
			}
			end <- err
		}()
		if _, err := io.WriteString(w, "a\n1\n"); err != nil {
			t.Fatal(err)
		}
		return w, end
	}
	finish := func(w *io.PipeWriter, end chan error) {
		t.Helper()
		if _, err := io.WriteString(w, "2\n"); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if err := <-end; err != nil {
			t.Error(err)
		}
	}
	rows := func(p *project, want int64) {
		t.Helper()
		if n, err := p.RowCount(t.Context(), engine.SchemaTable, "t"); n != want || err != nil {
			t.Errorf("%d rows, want %d: %v", n, want, err)
		}
	}
	w, end := stalled(p)
	quick, quickEnd := stalled(p)
	finish(quick, quickEnd)
	rows(p, 2)
	finish(w, end)
	rows(p, 4)

	w, end = stalled(p)
	// as in another process: the lock is the file's
	other := testProject(t, testEngine(t, dir, ids, func(o *engine.Options) { o.IdleClose = time.Millisecond }), "prjA")
	rows(other, 4)
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "incoming", "*")); len(left) > 0 && os.PathSeparator == '/' {
		t.Errorf("documents by name: %v", left)
	}
	finish(w, end)
	rows(p, 6)
}
