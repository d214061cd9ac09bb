//go:build cgo

package duckdb

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	bindings "github.com/duckdb/duckdb-go-bindings"
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
			m); n != rows || err != nil {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
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
	p := benchProject(b)
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
	doc, err := p.spool(ctx, strings.NewReader(text.String()), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer doc.remove()
	created := func(name string) (*table, []importer.Target) {
		if _, err := p.CreateTable(ctx, engine.SchemaTable, name, defs...); err != nil {
			b.Fatal(err)
		}
		c, err := p.conn(ctx)
		if err != nil {
			b.Fatal(err)
		}
		defer c.close()
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
		st, err := p.stageRows(ctx, t, targets, m, doc)
		if err != nil {
			b.Fatal(err)
		}
		ready := time.Now()
		err = p.change(ctx, func(c *conn) error { return st.move(ctx, c) }, st.stage)
		exclusive, total = exclusive+time.Since(ready), total+time.Since(began)
		st.done()
		if err != nil {
			b.Fatal(err)
		}
		began = time.Now()
		if n, err := p.importDirect(ctx, engine.SchemaTable, other, m, doc); n != int64(rows) || err != nil {
			b.Fatal(n, err)
		}
		direct += time.Since(began)
	}
	b.ReportMetric(exclusive.Seconds()/direct.Seconds(), "exclusive")
	b.ReportMetric(total.Seconds()/direct.Seconds(), "total")
	b.ReportMetric(exclusive.Seconds()/float64(tables), "s-exclusive")
}

// BenchmarkTranslate is what a statement in Trino's SQL costs before it is planned, beside what DuckDB then takes to
// plan it.
func BenchmarkTranslate(b *testing.B) {
	p := benchProject(b)
	ctes := "WITH q0 AS (SELECT id, total FROM (VALUES (1, 2.5)) t (id, total))"
	for i := range 79 {
		ctes += fmt.Sprintf(", q%d AS (SELECT id, total + %d AS total FROM q%d WHERE id > 0)", i+1, i, i)
	}
	for name, text := range map[string]string{
		"least": `SELECT 1`,
		"report": `SELECT date_trunc('month', o.day) AS month, count(*) AS n, sum(o.price * o.amount) / count(DISTINCT o.id) AS mean
			FROM (VALUES (1, DATE '2024-02-29', DECIMAL '1.50', 3)) AS o(id, day, price, amount)
			WHERE o.day BETWEEN DATE '2024-01-01' AND DATE '2024-12-31' AND regexp_like(CAST(o.id AS varchar), '^[0-9]+$') GROUP BY 1 ORDER BY 2 DESC LIMIT 10`,
		"ctes2": `WITH o AS (SELECT id, customer_id, ordered_at FROM sample.shop.orders WHERE status <> 'cancelled'),
			i AS (SELECT order_id, sum(quantity * unit_price) AS total FROM sample.shop.order_items GROUP BY order_id)
			SELECT year(o.ordered_at) AS y, count(*) AS n, sum(i.total) AS total FROM o JOIN i ON i.order_id = o.id GROUP BY 1 ORDER BY 1`,
		"terms900": "SELECT x" + strings.Repeat(" + x", 899) + " FROM (VALUES BIGINT '1') t (x)",
		"ctes80":   ctes + " SELECT sum(total) FROM q79",
		"in5000":   "SELECT x IN (0" + strings.Repeat(", 17", 4999) + ") FROM (VALUES 1) t (x)",
	} {
		translated := func() (*statement, *translation, error) {
			x, err := sql.Read(b.Context(), p, sql.Query{SQL: text})
			if err != nil {
				return nil, nil, err
			}
			s, err := p.statement(b.Context(), x, false)
			if err != nil {
				return nil, nil, err
			}
			t, err := s.write(b.Context(), x)
			return s, t, err
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, _, err := translated()
				if err != nil {
					b.Fatal(err)
				}
				s.close()
			}
		})
		b.Run(name+"/plan", func(b *testing.B) {
			s, x, err := translated()
			if err == nil {
				_, err = s.connect(b.Context())
			}
			for b.Loop() && err == nil {
				var ps bindings.PreparedStatement
				if bindings.Prepare(s.c.c, x.text, &ps) == bindings.StateError {
					err = faults.Parse(bindings.PrepareError(ps), false)
				}
				bindings.DestroyPrepare(&ps)
			}
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(x.text)), "bytes")
			s.close()
		})
	}
}
