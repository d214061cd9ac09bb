package trino_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestLargeSource: a table of a source that is too large to be sent with a statement is refused by name, and stored by
// way of a file, of which nothing remains.
func TestLargeSource(t *testing.T) {
	dir := t.TempDir()
	p := projectOf(t, dir)
	src := &enginetest.Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}, {Name: "Text", Type: "varchar"},
		{Name: "n", Type: "decimal(20,2)"}, {Name: "unused", Type: "json"}}, Batch: 999}
	const rows = 50_000
	for i := range rows {
		row := []any{int64(i), fmt.Sprintf("it's row %d", i), fmt.Sprintf("-%d.25", i), "{}"}
		if i%10 == 0 {
			row[1] = nil
		}
		src.Data = append(src.Data, row)
	}
	from := engine.TableName{Catalog: "rest", Schema: "api", Table: "items"}
	stored := engine.TableName{Catalog: "peaka", Schema: "mtquery", Table: "m"}
	names := enginetest.Names{from: {Scan: src}, stored: {Base: &engine.TableName{Schema: "cache", Table: "run1"}}}
	_, err := enginetest.Query(t.Context(), p, sql.Query{SQL: "SELECT text FROM rest.api.items", Catalogs: names})
	if enginetest.Kind(err) != engine.KindUnsupported || !strings.Contains(err.Error(), "rest.api.items") {
		t.Errorf("%v", err)
	}
	n, err := sql.Store(t.Context(), p, "cache", "run1", sql.Query{SQL: "SELECT id, text, n FROM rest.api.items",
		Catalogs: names})
	if n != rows || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	got, err := enginetest.Query(t.Context(), p, sql.Query{Catalogs: names,
		SQL: "SELECT count(*), count(text), sum(id), sum(n), max(text) FROM peaka.mtquery.m"})
	if want := "50000|45000|1249975000|-1249987500.00|it's row 9999"; got != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	left, err := filepath.Glob(filepath.Join(trinotest.Options(t, dir).Stage, "*", "scan*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q remain, %v", left, err)
	}
	if _, err := os.Stat(trinotest.Options(t, dir).Stage); err != nil {
		t.Error(err)
	}
}
