//go:build cgo

package tables

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/projects"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// testTables are the tables of a project that other processes may use too.
func testTables(t testing.TB, dir string) Tables {
	t.Helper()
	ids := 0
	all, err := projects.New(engine.Options{Dir: dir, Threads: 2, Shared: true, LockWait: 20 * time.Second,
		IdleClose: time.Millisecond, NewID: func() string { ids++; return fmt.Sprintf("%s-%d", t.Name(), ids) }},
		func(c bindings.Connection, _ *instance.Instance) error { return Register(c) })
	if err != nil {
		t.Fatal(err)
	}
	p := projects.NewProject("prjA", filepath.Join(dir, "prjA"), all)
	t.Cleanup(func() { _ = p.Close() })
	return Tables{p}
}

// TestImportIntoDroppedProject: what was prepared for a project does not bring it back.
func TestImportIntoDroppedProject(t *testing.T) {
	dir := t.TempDir()
	first, second := testTables(t, dir), testTables(t, dir)
	if _, err := first.CreateTable(t.Context(), engine.SchemaTable, "x", engine.ColumnDef{Name: "n", Type: "bigint"},
		engine.ColumnDef{Name: "label", Type: "varchar"}); err != nil {
		t.Fatal(err)
	}
	for !first.files.Closed() && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	c, err := second.conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"},
		{Name: "label", CSVColumnName: "label"}}}
	tab, targets, err := c.importTargets(t.Context(), engine.SchemaTable, "x", m)
	c.Close()
	if err != nil {
		t.Fatal(err)
	}
	spooled, err := second.files.Spool(t.Context(), strings.NewReader("n,label\n7,late\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer spooled.Remove()
	st, err := second.stageRows(t.Context(), tab, newImporting(tab, targets, m, spooled))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Done()
	if err := first.files.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = second.change(t.Context(), func(conn) error { t.Error("the project is there"); return nil }, st.Stage)
	if !errors.Is(err, engine.ErrDropped) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(second.files.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is back: %v", err)
	}
}

// TestImportsKept: a thousand imports are known by their ids.
func TestImportsKept(t *testing.T) {
	p := testTables(t, t.TempDir())
	if err := p.change(t.Context(), func(c conn) error {
		for i := range importsKept + 20 {
			if err := c.keepImport(t.Context(), fmt.Sprintf("more-%d", i), 1); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c, err := p.conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n, err := c.Count(t.Context(), digTable("imports")); n != importsKept || err != nil {
		t.Errorf("%d imports are kept, %v", n, err)
	}
}

// BenchmarkStagedImport compares an import whose rows are prepared beside the data with one that excludes other writers
// from its start: "exclusive" is the part of the time of the latter during which the former excludes them, "total" its
// whole time.
func BenchmarkStagedImport(b *testing.B) {
	for _, rows := range []int{1_000_000, 5_000_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) { benchStagedImport(b, rows) })
	}
}

func benchStagedImport(b *testing.B, rows int) {
	p := testTables(b, b.TempDir())
	ctx := b.Context()
	m := engine.Import{}
	var defs []engine.ColumnDef
	for i, typ := range []string{"bigint", "varchar", "decimal", "date"} {
		at := int64(i)
		defs = append(defs, engine.ColumnDef{Name: "c_" + typ, Type: typ})
		m.Mappings = append(m.Mappings, api.ImportMapping{Name: "c_" + typ, CSVColumnIndex: &at})
	}
	var text strings.Builder
	for i := range rows {
		fmt.Fprintf(&text, "%d,customer %d,%d.%02d,2024-02-%02d\n", i, i%5000, i%10000, i%100, 1+i%28)
	}
	doc, err := p.files.Spool(ctx, strings.NewReader(text.String()), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer doc.Remove()
	created := func(name string) (*table, []importer.Target) {
		if _, err := p.CreateTable(ctx, engine.SchemaTable, name, defs...); err != nil {
			b.Fatal(err)
		}
		c, err := p.conn(ctx)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		t, targets, err := c.importTargets(ctx, engine.SchemaTable, name, m)
		if err != nil {
			b.Fatal(err)
		}
		return t, targets
	}
	var exclusive, total, direct time.Duration
	tables := 0
	for b.Loop() {
		tables++
		staged, other := fmt.Sprintf("s%d", tables), fmt.Sprintf("d%d", tables)
		t, targets := created(staged)
		created(other)
		began := time.Now()
		st, err := p.stageRows(ctx, t, newImporting(t, targets, m, doc))
		if err != nil {
			b.Fatal(err)
		}
		ready := time.Now()
		err = p.change(ctx, func(c conn) error {
			_, err := st.move(ctx, commit{c, newImporting(t, targets, m, doc)})
			return err
		}, st.Stage)
		exclusive, total = exclusive+time.Since(ready), total+time.Since(began)
		st.Done()
		if err != nil {
			b.Fatal(err)
		}
		began = time.Now()
		if n, err := p.importDirect(ctx, engine.SchemaTable, other, m, doc, nil); n.Rows != int64(rows) || err != nil {
			b.Fatal(n, err)
		}
		direct += time.Since(began)
	}
	b.ReportMetric(exclusive.Seconds()/direct.Seconds(), "exclusive")
	b.ReportMetric(total.Seconds()/direct.Seconds(), "total")
	b.ReportMetric(exclusive.Seconds()/float64(tables), "s-exclusive")
}
