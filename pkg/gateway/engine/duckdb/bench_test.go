//go:build cgo

package duckdb

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func benchProject(b *testing.B) *project {
	var n atomic.Int64
	e, err := Open(engine.Options{Dir: b.TempDir(), Threads: 2,
		NewID: func() string { return fmt.Sprintf("c%d", n.Add(1)) }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close() })
	p, err := e.Project(b.Context(), "bench")
	if err != nil {
		b.Fatal(err)
	}
	return p.(*project)
}

func BenchmarkImportCSV(b *testing.B) {
	p := benchProject(b)
	types := []string{"bigint", "varchar", "decimal", "boolean", "timestamp", "date"}
	var defs []engine.ColumnDef
	var m engine.Import
	for i, typ := range types {
		at := int64(i)
		defs = append(defs, engine.ColumnDef{Name: "c_" + typ, Type: typ})
		m.Mappings = append(m.Mappings, api.ImportMapping{Name: "c_" + typ, CSVColumnIndex: &at})
	}
	const rows = 100_000
	var doc strings.Builder
	for i := range rows {
		fmt.Fprintf(&doc, "%d,customer %d,%d.%02d,%t,2024-01-%02d 12:00:00.%03d,2024-02-%02d\n", i, i%5000, i%10000,
			i%100, i%3 == 0, 1+i%28, i%1000, 1+i%28)
	}
	b.SetBytes(int64(doc.Len()))
	tables := 0
	for b.Loop() {
		name := fmt.Sprintf("t%d", tables)
		tables++
		if _, err := p.CreateTable(b.Context(), engine.SchemaTable, name); err != nil {
			b.Fatal(err)
		}
		if _, err := p.AddColumns(b.Context(), engine.SchemaTable, name, defs); err != nil {
			b.Fatal(err)
		}
		if n, err := p.ImportCSV(b.Context(), engine.SchemaTable, name, strings.NewReader(doc.String()),
			m); n.Rows != rows || err != nil {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
