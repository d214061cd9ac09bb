package output

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// wide is a result of 10 mixed columns as COMPACT has it.
func wide(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"columns":[`)
	for i, typ := range []string{"bigint", "varchar", "varchar", "decimal(38,10)", "double", "boolean", "timestamp(3)", "date", "varchar", "integer"} {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"columnName":"column_%d","dataType":%q}`, i, typ)
	}
	b.WriteString(`],"data":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		note := `null`
		if i%3 > 0 {
			note = `"a remark, with a comma"`
		}
		fmt.Fprintf(&b, `["%d","customer %d","sku-%05d","%d.5000000000","%d.25","%t","2020-06-10 15:55:23.%03d","2020-06-%02d",%s,"%d"]`,
			1000000+i, i, i%70000, i%1000, i%5000, i%2 == 0, i%1000, 1+i%30, note, i%100)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

func BenchmarkWriteRows(b *testing.B) {
	const n = 20_000
	doc := wide(n)
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

// BenchmarkDiff compares a result with itself.
func BenchmarkDiff(b *testing.B) {
	const n = 20_000
	doc := wide(n)
	b.SetBytes(2 * int64(len(doc)))
	for b.Loop() {
		x, y := api.NewRows(io.NopCloser(bytes.NewReader(doc)), api.Compact), api.NewRows(io.NopCloser(bytes.NewReader(doc)), api.Compact)
		if st, err := Diff(x, y, []string{"column_0"}, io.Discard, Options{Format: NDJSON}); err != nil || st.Equal != n {
			b.Fatal(st, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

// TestNoAllocationPerRow holds for the formats whose rows are copied from the wire.
func TestNoAllocationPerRow(t *testing.T) {
	if testing.Short() {
		t.Skip("counts allocations over tens of thousands of rows")
	}
	for _, f := range []Format{CSV, TSV, NDJSON, JSON, Table} {
		measure := func(n int) float64 {
			doc := wide(n)
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
