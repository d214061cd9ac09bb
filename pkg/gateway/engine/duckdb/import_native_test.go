//go:build cgo && linux

package duckdb

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/internal/intake"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// recordsOf is a document of which an engine reads the records alone.
type recordsOf struct{ csv.Document }

func (recordsOf) Native() *csv.Native    { return nil }
func (recordsOf) Parts(int64) []csv.Part { return nil }

// watched counts how often an engine has read a document by itself to its end.
type watched struct {
	csv.Document
	read *int
}

func (w watched) Native() *csv.Native {
	n := w.Document.Native()
	if n == nil {
		return nil
	}
	out := *n
	out.Still = func() error {
		*w.read++
		return n.Still()
	}
	return &out
}

// learned opens a file, and finds the columns of a table for those of the file; none if
// it is refused.
func learned(t *testing.T, path string) (*intake.Document, []engine.ColumnDef, []api.ImportMapping) {
	t.Helper()
	doc := openedFile(t, path)
	if doc == nil || doc.Learn(t.Context(), true) != nil {
		return nil, nil, nil
	}
	var defs []engine.ColumnDef
	var maps []api.ImportMapping
	types := make([]string, len(doc.Header))
	for i, c := range doc.Choices(true) {
		at := int64(i)
		types[i] = c.Type
		defs = append(defs, engine.ColumnDef{Name: fmt.Sprint("c", i), Type: c.Type, Widens: ptr(c.Narrow)})
		maps = append(maps, api.ImportMapping{Name: fmt.Sprint("c", i), CSVColumnIndex: &at})
	}
	if _, err := doc.Aim(t.Context(), types); err != nil {
		return nil, nil, nil
	}
	return doc, defs, maps
}

// openedFile opens a file, nil if it is refused.
func openedFile(t *testing.T, path string) *intake.Document {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := intake.Open(t.Context(), path, f, rowfile.Options{})
	if err != nil {
		return nil
	}
	return doc
}

// imported imports a document into a new table, and returns its rows in both orders, or the error.
func imported(t *testing.T, p *project, doc csv.Document, defs []engine.ColumnDef, m []api.ImportMapping) string {
	t.Helper()
	makeTable(t, p, engine.SchemaTable, "x", append(defs, engine.ColumnDef{Name: "given", Type: "bigint",
		DefaultValue: ptr("7")})...)
	defer func() {
		if err := p.DropTable(t.Context(), engine.SchemaTable, "x"); err != nil {
			t.Error(err)
		}
	}()
	done, err := p.ImportCSV(t.Context(), engine.SchemaTable, "x", nil, engine.Import{Mappings: m, Document: doc,
		Header: true})
	if err != nil {
		var list strings.Builder
		for _, b := range badCells(err) {
			fmt.Fprintln(&list, b)
		}
		return "error: " + err.Error() + list.String()
	}
	out := fmt.Sprintln(done.Rows, one(t, p, `SELECT count(DISTINCT _id) FROM "~data"."table".x`))
	for _, order := range []string{"rowid", "_id"} {
		out += one(t, p, `SELECT string_agg(row(*COLUMNS(c -> c NOT IN ('_id', '_created_time', `+
			`'_last_modified_time')))::VARCHAR, chr(10) ORDER BY `+order+`) FROM "~data"."table".x`) + "\n"
	}
	return out
}

func badCells(err error) []engine.BadCell {
	if e, ok := err.(*engine.ImportError); ok {
		return e.Cells
	}
	return nil
}

// simpleRow has a column for each type that tables and files share.
type simpleRow struct {
	N     int64    `parquet:"n,dict"`
	Flag  *bool    `parquet:"flag,optional"`
	Small *int32   `parquet:"small,optional"`
	Tiny  int8     `parquet:"tiny"`
	U8    *uint8   `parquet:"u8,optional"`
	U32   uint32   `parquet:"u32"`
	U64   *uint64  `parquet:"u64,optional"`
	Price *int64   `parquet:"price,optional,decimal(2:18)"`
	Cheap int32    `parquet:"cheap,decimal(1:4)"`
	Text  *string  `parquet:"Text It's,optional,dict"`
	Day   *int32   `parquet:"day,optional,date"`
	Milli int64    `parquet:"milli,timestamp(millisecond:local)"`
	Micro *int64   `parquet:"micro,optional,timestamp(microsecond:local)"`
	Clock int64    `parquet:"clock,time(microsecond:local)"`
	ID    [16]byte `parquet:"id,uuid"`
}

func simple(n int, text string, day int32) simpleRow {
	r := simpleRow{N: int64(n), Flag: ptr(n%2 == 0), Tiny: int8(n), U8: ptr(uint8(n)), U32: uint32(n) << 12,
		Price: ptr(int64(n) * -12345), Cheap: int32(n % 1000), Text: &text, Day: &day, Milli: int64(n) * 1001,
		Clock: int64(n) * 1007, ID: [16]byte{byte(n), 15: 7}}
	if n%3 != 0 {
		r.Small, r.U64, r.Micro = ptr(int32(-n)), ptr(math.MaxUint64-uint64(n)), ptr(int64(n)*-1_000_003)
	}
	return r
}

// TestNativeImport imports files of Parquet by DuckDB's reader and by their records: rows, their order and errors are
// equal.
func TestNativeImport(t *testing.T) {
	for name, staged := range map[string]bool{"direct": false, "staged": true} {
		t.Run(name, func(t *testing.T) { nativeImports(t, staged) })
	}
}

func nativeImports(t *testing.T, staged bool) {
	p := window(t, t.TempDir())
	dir, read := t.TempDir(), 0
	files := nativeFiles(t)
	files["fine.parquet"] = parquetOf(t, []simpleRow{{N: 1}, simple(2, "two", -719162), simple(3, "\\N", 2932896)})
	files["nul.parquet"] = parquetOf(t, []simpleRow{simple(1, "a\x00b", 0), {N: 2}})
	files["late.parquet"] = parquetOf(t, []simpleRow{{N: 1}, simple(2, "two", 2932897)})
	files["early.parquet"] = parquetOf(t, []simpleRow{{N: 1}, simple(2, "two", -719163)})
	var many []simpleRow
	for i := range 130_000 { // more than a row group of a table has
		many = append(many, simple(i, fmt.Sprint("a text that is not stored in the row itself ", i), int32(i/10)))
	}
	files["many.parquet"] = parquetOf(t, many, parquet.MaxRowsPerRowGroup(50_000))
	if staged { // which needs a large document
		files = map[string][]byte{"many.parquet": files["many.parquet"]}
		defer reading(t, window(t, p.files.Dir+"/.."), `SELECT 1`)()
	}
	native := map[string]bool{"fine.parquet": true, "nul.parquet": true, "many.parquet": true}
	for name, raw := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		doc, defs, maps := learned(t, path)
		if len(maps) == 0 {
			continue
		}
		for _, strict := range []bool{false, true} {
			if strict && !native[name] {
				continue
			}
			if strict {
				defs[1].NotNull, defs[0].Unique = ptr(true), ptr(true)
			}
			want, before := imported(t, p, recordsOf{doc}, defs, maps), read
			if got := imported(t, p, watched{doc, &read}, defs, maps); got != want {
				t.Errorf("%s: by DuckDB\n%.300s\nby its records\n%.300s", name, got, want)
			}
			if native[name] && read == before && !strings.Contains(want, "not-null") {
				t.Errorf("%s was not read by DuckDB: %.300s", name, want)
			}
		}
		if err := doc.Close(); err != nil {
			t.Error(err)
		}
	}
}
