package intake

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"

	"github.com/dig-cli/dig/internal/rowfile"
)

// TestPart checks that the progress of an import is below 1 until it ends, and then 1.
func TestPart(t *testing.T) {
	var b strings.Builder
	type row struct{ A, B int64 }
	var rows []row
	for i, n := 0, uint32(1); i < 200_000; i++ { // numbers that do not compress well
		n = n*1664525 + 1013904223
		rows = append(rows, row{int64(n % 10), int64(n)})
		fmt.Fprintf(&b, "%d,%d\n", n%10, n)
	}
	var columns, book bytes.Buffer
	if err := parquet.Write(&columns, rows); err != nil {
		t.Fatal(err)
	}
	f := excelize.NewFile()
	sheet, err := f.NewStreamWriter("Sheet1")
	for i := 0; i < 80_000 && err == nil; i++ {
		err = sheet.SetRow(fmt.Sprint("A", i+1), []any{rows[i].A, rows[i].B})
	}
	if err != nil || sheet.Flush() != nil || f.Write(&book) != nil {
		t.Fatal(err)
	}
	lines := b.String()
	for name, text := range map[string]string{"a.csv": "a,b\n" + lines,
		"b.csv.gz": string(zipped(t, "a;b\n"+strings.ReplaceAll(lines, ",", ";"))),
		"c.ndjson": strings.Repeat("{\"a\":1}\n", 300_000), "d.parquet": columns.String(), "e.xlsx": book.String()} {
		d, err := open(t, name, []byte(text), rowfile.Options{})
		if err != nil || d.Learn(t.Context(), true) != nil {
			t.Fatal(err)
		}
		r, err := d.Text(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, r, 300_000); err != nil {
			t.Fatal(err)
		}
		if p := d.Part(); p < 0.05 || p > 0.95 {
			t.Errorf("%s: %g in between", name, p)
		}
		if _, err := io.Copy(io.Discard, r); err != nil || d.Part() != 1 {
			t.Errorf("%s: %g at the end, %v", name, d.Part(), err)
		}
		r.Close()
	}
}
