//go:build cgo

package duckdb

import (
	"context"
	"io"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// panickingSource is a source that panics while it is described, or while it is read.
type panickingSource struct{ describes bool }

func (p panickingSource) Columns(context.Context) ([]engine.ColumnInfo, error) {
	if !p.describes {
		panic("index out of range")
	}
	return []engine.ColumnInfo{{Name: "a", Type: "bigint"}}, nil
}

func (panickingSource) Scan(context.Context, engine.ScanRequest) (engine.Batches, error) {
	panic("slice bounds out of range")
}

// TestPanicOfASource: neither a connection nor the supervision of the statement remains, and the project can be used
// and closed.
func TestPanicOfASource(t *testing.T) {
	e := testEngine(t, t.TempDir())
	p := testProject(t, e, "prj")
	for _, src := range []panickingSource{{false}, {true}} {
		func() {
			defer func() { _ = recover() }() // as the handler of a request does
			res, err := sql.Run(t.Context(), p, sql.Query{SQL: "SELECT a FROM cat.sch.tab",
				Catalogs: oneSource{src: src}})
			if err == nil {
				_, err = res.Encode(t.Context(), io.Discard, api.Compact, func() {})
				_ = res.Close()
			}
			if err == nil {
				t.Error("rows were read")
			}
		}()
		if n := e.files.Memory.Statements(); n != 0 {
			t.Errorf("%+v: %d statements remain", src, n)
		}
		if n, err := rows(t, p, sql.Query{SQL: "SELECT 1"}); n == "" || err != nil {
			t.Errorf("%s, %v", n, err)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
