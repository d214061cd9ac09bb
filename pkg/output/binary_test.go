package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/cell/celltest"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
)

func TestXLSXReadBack(t *testing.T) {
	rows := celltest.Corpus()
	var notes bytes.Buffer
	f, err := excelize.OpenReader(strings.NewReader(render(t, celltest.CorpusFields, rows,
		Options{Format: XLSX, Notes: &notes})))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	controls := 0
	for i, want := range append([][]*string{{celltest.Text("txt"), celltest.Text("big"), celltest.Text("dec"),
		celltest.Text("dbl"), celltest.Text("ok"), celltest.Text("ts"), celltest.Text("tz"), celltest.Text("day"),
		celltest.Text("txt")}}, rows...) {
		for j := range want {
			cell, _ := excelize.CoordinatesToCellName(j+1, i+1)
			got, err := f.GetCellValue("Sheet1", cell, excelize.Options{RawCellValue: true})
			if err != nil {
				t.Fatal(err)
			}
			typ, _ := f.GetCellType("Sheet1", cell)
			bad := func() { t.Errorf("%s: got %q (type %d), want %s", cell, got, typ, celltest.Show(want[j])) }
			if want[j] == nil {
				if got != "" || typ != excelize.CellTypeUnset {
					bad()
				}
				continue
			}
			w := *want[j]
			switch {
			case i > 0 && (j == 1 || j == 2): // exact, as a number or as text
				a, _ := new(big.Rat).SetString(got)
				b, _ := new(big.Rat).SetString(w)
				if a == nil || a.Cmp(b) != 0 {
					bad()
				}
			case i > 0 && j == 3:
				a, err := strconv.ParseFloat(got, 64)
				if b, _ := strconv.ParseFloat(w, 64); err != nil || a != b && !math.IsNaN(a) {
					bad()
				}
			case i > 0 && j == 4:
				if typ != excelize.CellTypeBool || got != map[string]string{"true": "1", "false": "0"}[w] {
					bad()
				}
			case i > 0 && j == 7 && got != w: // a date before 1900 stays text
				days, err := strconv.ParseFloat(got, 64)
				if back := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days)); err != nil ||
					back.Format("2006-01-02") != w {
					bad()
				}
			default:
				if strings.ContainsAny(w, "\x01\x02\x1b") {
					controls++
					w = strings.NewReplacer("\x01", "␁", "\x02", "␂", "\x1b", "␛").Replace(w)
				}
				if got != w {
					bad()
				}
			}
		}
	}
	if controls == 0 || !strings.Contains(notes.String(), "control characters") {
		t.Errorf("%d cells with control characters, note %q", controls, notes.String())
	}
}

func TestXLSXNumbers(t *testing.T) {
	for in, want := range map[string]any{
		"12.5000000000": 12.5, "123456789012345": 123456789012345.0, "1234567890123456": nil, "0.1234567890123456": nil,
		"100000000000000000000": nil, "-0.5": -0.5, "0": 0.0, "0.000": 0.0, "-10.50": -10.5,
		"1000000000000000": nil, "100000000000000.000": 1e14, "0.00000000001230": 1.23e-11, "1.50e3": 1500.0,
		"1e-400": nil, "007": nil, "1e400": nil, "": nil,
	} {
		var got any
		if f, ok := number([]byte(in)); ok {
			got = f
		}
		if got != want {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}

func TestXLSXRefusesWhatItWouldCut(t *testing.T) {
	rows := [][]*string{{celltest.Text("a")}, {celltest.Text(strings.Repeat("x", 32768))}}
	_, err := WriteRows(io.Discard, celltest.Result(t, []celltest.Field{{"v", ""}}, rows), Options{Format: XLSX})
	if want :=
		`row 2, column "v": 32768 characters do not fit into a cell of a sheet, the limit is 32767`; err == nil ||
		err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// TestXLSXFullDisk: a failing writer ends the workbook before all rows were read.
func TestXLSXFullDisk(t *testing.T) {
	rows := make([][]*string, 20000)
	for i := range rows {
		rows[i] = []*string{celltest.Text(fmt.Sprintf("row %d is %x", i, i*i*i*7919))}
	}
	full := errors.New("no space left")
	st, err := WriteRows(failAbove{1000, full}, celltest.Result(t, []celltest.Field{{"v", "varchar"}}, rows),
		Options{Format: XLSX})
	if !errors.Is(err, full) || st.Rows == int64(len(rows)) {
		t.Errorf("%v after %d rows", err, st.Rows)
	}
}

// failAbove refuses writes of more than n bytes.
type failAbove struct {
	n   int
	err error
}

func (f failAbove) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return 0, f.err
	}
	return len(p), nil
}

// TestXLSXSheets: what does not fit into a sheet goes on in the next one, under the same heading.
func TestXLSXSheets(t *testing.T) {
	var b bytes.Buffer
	rows := [][]*string{{celltest.Text("_x0041_ _x00zz_ _")}, {celltest.Text("2 \xff")}, {celltest.Text("3")}}
	book, err := newXLSXBook(&b)
	if err != nil {
		t.Fatal(err)
	}
	x := &xlsxWriter{cols: []cell.Column{{Name: "v"}}, letters: columnLetters(1), book: book}
	if err := x.begin(); err != nil {
		t.Fatal(err)
	}
	x.line = sheetRows
	for i, r := range rows {
		cell, _ := json.Marshal(*r[0])
		if i == 1 {
			cell = []byte("\"2 \xff\"")
		}
		if err := x.row(int64(i+1), []api.Cell{cell}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(x.end(), book.close()); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct{ sheet, cell, want string }{
		{"Sheet1", "A1", "v"}, {"Sheet1", "A1048576", "_x0041_ _x00zz_ _"}, {"Sheet2", "A1", "v"},
		{"Sheet2", "A2", "2 \ufffd"}, {"Sheet2", "A3", "3"},
	} {
		if got, err := f.GetCellValue(c.sheet, c.cell); err != nil || got != c.want {
			t.Errorf("%s %s: %q (%v), want %q", c.sheet, c.cell, got, err, c.want)
		}
	}
	if got := columnLetters(sheetColumns); got[25] != "Z" || got[26] != "AA" || got[701] != "ZZ" || got[702] != "AAA" ||
		got[sheetColumns-1] != "XFD" {
		t.Errorf("columns %q, %q, %q, %q", got[26], got[701], got[702], got[sheetColumns-1])
	}
}

func TestBinarySourceError(t *testing.T) {
	for _, f := range []Format{XLSX, Parquet} {
		var b bytes.Buffer
		if _, err := WriteRows(&b, celltest.CutShort(t), Options{Format: f}); err == nil ||
			!strings.Contains(err.Error(), "after 2 rows") {
			t.Errorf("%s: %v", f, err)
		}
		if _, err := excelize.OpenReader(&b); f == XLSX && err == nil {
			t.Error("a workbook was written")
		}
		if _, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len())); f == Parquet && err == nil {
			t.Error("a file with a footer was written")
		}
	}
}

func openParquet(t *testing.T, doc string) (*parquet.File, []parquet.Row) {
	t.Helper()
	f, err := parquet.OpenFile(strings.NewReader(doc), int64(len(doc)))
	if err != nil {
		t.Fatal(err)
	}
	var all []parquet.Row
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buf := make([]parquet.Row, 100)
		for {
			n, err := rows.ReadRows(buf)
			for _, r := range buf[:n] {
				all = append(all, r.Clone())
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	return f, all
}

// fromParquet turns a value back into text of the wire, by the annotation in the file.
func fromParquet(typ string, v parquet.Value) *string {
	if v.IsNull() {
		return nil
	}
	switch {
	case typ == "bigint":
		return celltest.Text(strconv.FormatInt(v.Int64(), 10))
	case strings.HasPrefix(typ, "decimal"):
		n := new(big.Int).SetBytes(v.ByteArray())
		if v.ByteArray()[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		return celltest.Text(new(big.Rat).SetFrac(n, big.NewInt(1e10)).FloatString(10))
	case typ == "double":
		return celltest.Text(strconv.FormatFloat(v.Double(), 'g', -1, 64))
	case typ == "boolean":
		return celltest.Text(strconv.FormatBool(v.Boolean()))
	case typ == "date":
		return celltest.Text(time.Unix(int64(v.Int32())*86400, 0).UTC().Format("2006-01-02"))
	case strings.HasPrefix(typ, "timestamp"):
		return celltest.Text(time.UnixMicro(v.Int64()).UTC().Format("2006-01-02 15:04:05.000000"))
	}
	return celltest.Text(string(v.ByteArray()))
}

func TestParquetReadBack(t *testing.T) {
	rows := celltest.Corpus()
	f, got := openParquet(t, render(t, celltest.CorpusFields, rows, Options{Format: Parquet}))
	for i, path := range f.Schema().Columns() {
		if strings.Join(path, ".") != corpusKeys[i] {
			t.Errorf("column %d is %v", i, path)
		}
	}
	if len(got) != len(rows) {
		t.Fatalf("%d rows of %d", len(got), len(rows))
	}
	utc := map[string]string{
		"2020-06-10 15:55:23.383 UTC":           "2020-06-10 15:55:23.383000",
		"2020-06-10 15:55:23.000 Europe/Berlin": "2020-06-10 13:55:23.000000",
		"1900-01-01 00:00:00.000 +05:30":        "1899-12-31 18:30:00.000000",
	}
	for i, want := range rows {
		for j := range want {
			typ := celltest.CorpusFields[j].Type
			g, w := fromParquet(typ, got[i][j]), want[j]
			if w != nil {
				switch {
				case typ == "double":
					x, _ := strconv.ParseFloat(*w, 64)
					w = celltest.Text(strconv.FormatFloat(x, 'g', -1, 64))
				case strings.HasPrefix(typ, "decimal"):
					x, _ := new(big.Rat).SetString(*w)
					w = celltest.Text(x.FloatString(10))
				case strings.HasSuffix(typ, "zone"):
					w = celltest.Text(utc[*w])
				}
			}
			if !celltest.Same(g, w) {
				t.Errorf("row %d, %s: got %s, want %s", i, corpusKeys[j], celltest.Show(g), celltest.Show(w))
			}
		}
	}
	for i, want := range map[int]string{1: "INT(64,true)", 2: "DECIMAL(38,10)",
		5: "TIMESTAMP(isAdjustedToUTC=false,unit=MICROS)",
		6: "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)", 7: "DATE", 8: "STRING"} {
		if l := f.Schema().Fields()[i].Type().LogicalType(); fmt.Sprint(l) != want {
			t.Errorf("column %d is %v, want %s", i, l, want)
		}
	}
}

func TestParquetTypes(t *testing.T) {
	fields := []celltest.Field{{"i", "integer"}, {"s", "decimal(9,2)"}, {"m", "decimal(18,4)"}, {"u", "uuid"},
		{"b", "varbinary"}, {"t", "time(3)"}, {"n", "timestamp(9)"}, {"r", "real"}}
	rows := [][]*string{{celltest.Text("-5"), celltest.Text("-1234567.89"), celltest.Text("12345678901234.5"),
		celltest.Text("12151fd2-7586-11e9-8f9e-2a86e4085a59"),
		celltest.Text("00 ff 10"), celltest.Text("01:02:03.004"), celltest.Text("2020-01-01 00:00:00.000000001"),
		celltest.Text("1.5")}}
	_, got := openParquet(t, render(t, fields, rows, Options{Format: Parquet}))
	r := got[0]
	if r[0].Int32() != -5 || r[1].Int32() != -123456789 || r[2].Int64() != 123456789012345000 ||
		fmt.Sprintf("%x", r[3].ByteArray()) != "12151fd2758611e98f9e2a86e4085a59" ||
		string(r[4].ByteArray()) != "\x00\xff\x10" || r[5].Int64() != 3723004000 ||
		r[6].Int64() != 1577836800000000001 || r[7].Float() != 1.5 {
		t.Errorf("got %v", r)
	}
}

// TestParquetTimes: dates with a midnight behind them and times with the mark of UTC are what they say.
func TestParquetTimes(t *testing.T) {
	const dayNo, micros = 18423, 1591750523383000
	for _, c := range [][2]string{
		{"date", "2020-06-10"}, {"date", "2020-06-10 00:00:00.0"}, {"date", "2020-06-10T00:00:00Z"},
		{"date", "2020-06-10 00:00:00.000 UTC"},
		{"timestamp(3)", "2020-06-10 00:55:23.383"}, {"timestamp(3)", "2020-06-10T00:55:23.383Z"},
		{"timestamp(6)", "2020-06-10 00:55:23.383000Z"},
		{"timestamp", "2020-06-10 00:55:23.383 UTC"}, {"timestamp(3)", "2020-06-10T00:55:23.383+00:00"},
		{"timestamp(3) with time zone", "2020-06-10T00:55:23.383Z"}, {"timestamp(3) with time zone",
			"2020-06-10 00:55:23.383 Z"},
		{"timestamp(3) with time zone", "2020-06-10 02:55:23.383 Europe/Berlin"},
	} {
		_, got := openParquet(t, render(t, []celltest.Field{{"v", c[0]}}, [][]*string{{&c[1]}},
			Options{Format: Parquet}))
		if v := got[0][0]; c[0] == "date" && v.Int32() != dayNo || c[0] != "date" && v.Int64() != micros {
			t.Errorf("%v: %v", c, v)
		}
	}
}

func TestParquetRefusesWhatDoesNotFit(t *testing.T) {
	for _, tt := range [][2]string{
		{"bigint", "9223372036854775808"}, {"integer", "2147483648"}, {"bigint", ""}, {"boolean", "yes"},
		{"decimal(5,2)", "1.001"},
		{"decimal(5,2)", "1000.00"}, {"date", "2020-02-30"}, {"date", "2020-02-28 00:00:01"},
		{"timestamp(3)", "2020-02-28T00:00:00.000+02:00"}, {"timestamp(3)", "2020-02-28 00:00:00.0000001"},
		{"double", "x"}, {"uuid", "12"},
		{"timestamp(3) with time zone", "2020-02-28 00:00:00.000"}, {"timestamp(9)", "3000-01-01 00:00:00"},
	} {
		rows := [][]*string{{nil}, {&tt[1]}}
		_, err := WriteRows(io.Discard, celltest.Result(t, []celltest.Field{{"v", tt[0]}}, rows),
			Options{Format: Parquet})
		if err == nil || !strings.HasPrefix(err.Error(), `row 2, column "v": `) || !strings.HasSuffix(err.Error(),
			"--raw writes all values as text") {
			t.Errorf("%v: error %v", tt, err)
		}
		_, got := openParquet(t, render(t, []celltest.Field{{"v", tt[0]}}, rows, Options{Format: Parquet, Raw: true}))
		if string(got[1][0].ByteArray()) != tt[1] {
			t.Errorf("raw %v: %v", tt, got)
		}
	}
}

func TestParquetRowGroups(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	var rows [][]*string
	for i := range 30 {
		rows = append(rows, []*string{&big, celltest.Text(strconv.Itoa(i))})
	}
	f, got := openParquet(t, render(t, []celltest.Field{{"", ""}, {"n", "bigint"}}, rows, Options{Format: Parquet}))
	if len(got) != len(rows) || len(f.RowGroups()) < 2 {
		t.Fatalf("%d rows in %d groups", len(got), len(f.RowGroups()))
	}
	for i, r := range got {
		if r[1].Int64() != int64(i) || string(r[0].ByteArray()) != big {
			t.Errorf("row %d: %v", i, r[1])
		}
	}
}
