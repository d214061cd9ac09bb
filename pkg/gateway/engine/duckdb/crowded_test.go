//go:build cgo && linux

package duckdb

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestCrowded: while statements take all memory of a project again and again, nothing small that reads fails for that.
// Changes are not among them: they run again as well, but DuckDB may end the process that has no memory left while it
// stores.
func TestCrowded(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir(), func(o *engine.Options) {
		o.MemoryLimit, o.NewID = 64<<20,
			func() string { return "c1" }
	}), "prj")
	ctx := t.Context()
	if _, err := p.CreateTable(ctx, "table", "kept", engine.ColumnDef{Name: "n", Type: "bigint"}); err != nil {
		t.Fatal(err)
	}
	end, cancel := context.WithCancel(ctx)
	var greedy sync.WaitGroup
	full := 0
	greedy.Go(func() {
		for end.Err() == nil {
			res, err := sql.Run(ctx, p, sql.Query{SQL: `SELECT length(listagg(s, '') WITHIN GROUP (ORDER BY i)) FROM ` +
				`(SELECT rpad('x', 1000000, 'x') AS s), UNNEST(sequence(1, 10000)) t(i)`})
			if err == nil {
				_, err = res.Rows(ctx, func([][]byte) error { return nil })
				err = errors.Join(err, res.Close())
			}
			var e *engine.Error
			if !errors.As(err, &e) || e.Kind != engine.KindLimit {
				t.Errorf("the greedy statement ended with %v", err)
				return
			}
			full++
			time.Sleep(100 * time.Millisecond)
		}
	})
	small := map[string]func() error{
		"query": func() error {
			res, err := sql.Run(ctx, p, sql.Query{SQL: `SELECT max(n) FROM kept`})
			if err != nil {
				return err
			}
			_, err = res.Rows(ctx, func([][]byte) error { return nil })
			return errors.Join(err, res.Close())
		},
		"columns": func() error { _, err := p.Columns(ctx, "table", "kept"); return err },
		"tables":  func() error { _, err := p.ListTables(ctx, "table"); return err },
		"rows":    func() error { _, err := p.RowCount(ctx, "table", "kept"); return err },
	}
	var all sync.WaitGroup
	for name, do := range small {
		all.Go(func() {
			for n := range 1000 {
				if err := do(); err != nil {
					t.Errorf("%s, number %d: %v", name, n, err)
					return
				}
			}
		})
	}
	all.Wait()
	cancel()
	greedy.Wait()
	if full == 0 {
		t.Error("the memory was never full")
	}
	t.Logf("full %d times", full)
}
