//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestResultsBesideImports asks and stores results while a document is imported into an empty table: each holds none of
// its rows, or all of them as they are.
func TestResultsBesideImports(t *testing.T) {
	p := tableProject(t, t.TempDir())
	ctx := t.Context()
	const text = `SELECT mark, batch, count(*) AS n FROM e GROUP BY mark, batch`
	const row = "project-2|c02-00000|36"
	doc := "mark,batch\n" + strings.Repeat("project-2,c02-00000\n", 36)
	for range 40 {
		makeTable(t, p, engine.SchemaTable, "e", engine.ColumnDef{Name: "mark", Type: "varchar"},
			engine.ColumnDef{Name: "batch", Type: "varchar"})
		imported, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for imported.Err() == nil {
					got, err := rows(t, p, sql.Query{SQL: text})
					if i%2 == 0 {
						got, err = stored(ctx, p, fmt.Sprintf("m%d", i), text)
					}
					if err != nil || got != "" && got != row {
						t.Errorf("%q, %v", got, err)
						return
					}
				}
			})
		}
		mustImport(t, p, "e", doc)
		stop()
		wg.Wait()
		if t.Failed() {
			return
		}
		if err := p.DropTable(ctx, engine.SchemaTable, "e"); err != nil {
			t.Fatal(err)
		}
	}
}

// stored keeps the result of a statement and reads it back.
func stored(ctx context.Context, p *project, name, text string) (got string, err error) {
	if _, err := enginetest.Replace(ctx, p, engine.SchemaMtQuery, name, sql.Query{SQL: text}); err != nil {
		return "", err
	}
	c, err := p.files.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	err = c.Query(ctx, `SELECT concat_ws('|', mark, batch, n) FROM `+naming.StoredTable(engine.SchemaMtQuery, name),
		nil, func(v []*string) error {
			got += *v[0]
			return nil
		})
	return got, err
}
