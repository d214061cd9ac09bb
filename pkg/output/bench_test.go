package output

import (
	"bytes"
	"io"
	"testing"

	"github.com/dig-cli/dig/internal/cell/celltest"
	"github.com/dig-cli/dig/pkg/api"
)

func BenchmarkWriteRows(b *testing.B) {
	const n = 20_000
	doc := celltest.Wide(n)
	for _, f := range Formats() {
		b.Run(f, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				r := api.NewRows(io.NopCloser(bytes.NewReader(doc)), api.Compact)
				if st, err := WriteRows(io.Discard, r, Options{Format: Format(f)}); err != nil || st.Rows != n {
					b.Fatal(st, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
	b.Run("decode", func(b *testing.B) { // the floor: reading without writing
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			r := api.NewRows(io.NopCloser(bytes.NewReader(doc)), api.Compact)
			for r.Next() {
				_ = r.Row()
			}
			if r.Err() != nil {
				b.Fatal(r.Err())
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
}

// TestNoAllocationPerRow holds for the formats whose rows are copied from the wire.
func TestNoAllocationPerRow(t *testing.T) {
	if testing.Short() {
		t.Skip("counts allocations over tens of thousands of rows")
	}
	for _, f := range []Format{CSV, TSV, NDJSON, JSON, Table} {
		measure := func(n int) float64 {
			doc := celltest.Wide(n)
			return testing.AllocsPerRun(1, func() {
				r := api.NewRows(io.NopCloser(bytes.NewReader(doc)), api.Compact)
				if _, err := WriteRows(io.Discard, r, Options{Format: f}); err != nil {
					t.Fatal(err)
				}
			})
		}
		few, many := 11_000, 21_000 // both beyond the sample of a table
		if grown := measure(many) - measure(few); grown > float64(many-few)/100 {
			t.Errorf("%s: %.0f more allocations for %d more rows", f, grown, many-few)
		}
	}
}
