package intake

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
)

// learned opens a document, calls Learn, and returns its records as sent and its types.
func learned(t *testing.T, name string, raw []byte, o rowfile.Options) (d *Document, records [][]string, types string) {
	t.Helper()
	d, err := open(t, name, raw, o)
	if err == nil {
		err = d.Learn(t.Context(), true)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := sent(t, d)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if records, err = csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil {
		t.Fatalf("%s: %v in %q", name, err, text)
	}
	var all []string
	for _, c := range d.Choices(false) {
		all = append(all, strings.ToLower(c.Type))
	}
	return d, records, strings.Join(all, " ")
}

func TestJSON(t *testing.T) {
	const rows = `{"n":1,"s":"007","d":"2024-02-29","t":true,"o":{"a": [1, 2.50]},"x":1.10}
{"s":"a\nb","n":9007199254740993,"o":null,"x":1e-3,"late":"é"}
{}`
	list := "[" + strings.ReplaceAll(rows, "\n{", ",\n{") + "]"
	want := `[["n" "s" "d" "t" "o" "x" "late"] ["1" "007" "2024-02-29" "true" "{\"a\":[1,2.50]}" "1.10" ""] ` +
		`["9007199254740993" "a\nb" "" "" "" "1e-3" "é"] ["" "" "" "" "" "" ""]]`
	for name, text := range map[string]string{"a.ndjson": rows, "a.json": list, "a.txt": list, "-": rows} {
		d, records, types := learned(t, name, []byte(text), rowfile.Options{})
		if got := fmt.Sprintf("%q", records); got != want ||
			types != "bigint varchar date boolean varchar decimal varchar" || d.Rows != 3 {
			t.Errorf("%s: %d rows, %s\n%s", name, d.Rows, types, got)
		}
	}
	for text, want := range map[string]string{
		`{"a":1}` + "\n" + `{"a":1,"a":2}`: `record 2 has the member "a" twice`,
		`[{"a":1},2]`:                      "record 2 is not an object", `[{"a":1}`: "record 2", `{"a":1`: "record 1",
		`{"a":tru}`:        "record 1",
		"{\"a\":\"\xff\"}": "record 1 is not valid UTF-8",
	} {
		_, err := open(t, "a.json", []byte(text), rowfile.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	// lines of the text are mapped to rows of the file
	d, _, _ := learned(t, "a.json", []byte(list), rowfile.Options{})
	if got, err := d.RowNumbers(t.Context(), []int64{2, 3, 5}); err != nil || fmt.Sprint(got) != "map[2:1 3:2 5:3]" {
		t.Errorf("%v %v", got, err)
	}
}

func TestParquet(t *testing.T) {
	type point struct {
		X int64 `parquet:"x"`
	}
	type row struct {
		ID    int64      `parquet:"id"`
		Small int32      `parquet:"small,optional"`
		F     float64    `parquet:"f"`
		Price int64      `parquet:"price,decimal(2:10)"`
		Name  string     `parquet:"name"`
		Day   int32      `parquet:"day,date"`
		At    *time.Time `parquet:"at,optional,timestamp(microsecond)"`
		OK    bool       `parquet:"ok"`
		Tags  []string   `parquet:"tags,list"`
		P     point      `parquet:"p"`
	}
	at := time.Date(2024, 2, 29, 1, 2, 3, 500000000, time.UTC)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	if _, err := w.Write([]row{{1, 7, 0.5, 1234, "2024-02-29", 19782, &at, true, []string{"a", "b"}, point{1}},
		{2, 0, math.Copysign(0, -1), -5, "", 0, nil, false, nil, point{2}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := `[["id" "small" "f" "price" "name" "day" "at" "ok" "tags" "p"] ["1" "7" "0.5" "12.34" "2024-02-29" ` +
		`"2024-02-29" "2024-02-29 01:02:03.5Z" "true" "[\"a\",\"b\"]" "{\"x\":1}"] ["2" "" "-0.0" "-0.05" "" ` +
		`"1970-01-01" "" "false" "[]" "{\"x\":2}"]]`
	for name, raw := range map[string][]byte{"a.parquet": b.Bytes(), "other": b.Bytes(),
		"a.parquet.gz": zipped(t, b.String())} {
		_, records, types := learned(t, name, raw, rowfile.Options{})
		// no decimal is -0.0
		if got := fmt.Sprintf("%q", records); got != want ||
			types != "bigint bigint varchar decimal varchar date timestamp boolean varchar varchar" {
			t.Errorf("%s: %s\n%s", name, types, got)
		}
	}
	// whole decimals are not changed where their column becomes text, and are no bigints where it does not
	type wide struct {
		Small int64    `parquet:"small,decimal(0:18)"`
		Big   [16]byte `parquet:"big,decimal(0:38)"`
	}
	var decimals bytes.Buffer
	ww := parquet.NewGenericWriter[wide](&decimals)
	var power [16]byte
	new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil).FillBytes(power[:])
	if _, err := ww.Write([]wide{{5, power}}); err != nil || ww.Close() != nil {
		t.Fatal(err)
	}
	if _, records, types := learned(t, "d.parquet", decimals.Bytes(),
		rowfile.Options{}); fmt.Sprint(records) != "[[small big] [5 1000000000000000000000000000000]]" ||
		types != "decimal varchar" {
		t.Errorf("%v %s", records, types)
	}
	if _, err := open(t, "a.parquet", b.Bytes()[:b.Len()-9], rowfile.Options{}); err == nil {
		t.Error("a damaged file was opened")
	}
}

func TestXLSX(t *testing.T) {
	f := excelize.NewFile()
	set := func(cell string, v any) {
		t.Helper()
		if err := f.SetCellValue("Sheet1", cell, v); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range []any{"id", "name", "price", "day", "at", "ok", "id"} {
		cell, _ := excelize.CoordinatesToCellName(i+1, 2) // the first row is empty
		set(cell, v)
	}
	style := func(code string) int {
		n, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, v := range []any{1, "007", 1.1, 45351.0, 45351.04309606481, true, "x"} {
		cell, _ := excelize.CoordinatesToCellName(i+1, 3)
		set(cell, v)
	}
	set("A5", 2)
	// OOXML has this escape for characters that XML cannot contain
	set("B5", "say \"so\"\n_x0041_")
	set("H5", 3)
	for cell, code := range map[string]string{"D3": `yyyy\-mm\-dd;@`, "E3": `dd.mm.yyyy hh:mm`} {
		if err := f.SetCellStyle("Sheet1", cell, cell, style(code)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.NewSheet("Other"); err != nil {
		t.Fatal(err)
	}
	if err := f.SetCellValue("Other", "A1", "n"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "b.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, records, types := learned(t, "b.xlsx", raw, rowfile.Options{})
	want := `[["id" "name" "price" "day" "at" "ok" "id" ""] ["1" "007" "1.1" "2024-02-29" "2024-02-29T01:02:03.5" ` +
		`"true" "x" ""] ["2" "say \"so\"\nA" "" "" "" "" "" "3"]]`
	if got := fmt.Sprintf("%q", records); got != want ||
		types != "bigint varchar decimal date timestamp boolean varchar bigint" || d.Rows != 2 {
		t.Errorf("%d rows, %s\n%s", d.Rows, types, got)
	}
	if got, err := d.RowNumbers(t.Context(), []int64{2, 3}); err != nil || fmt.Sprint(got) != "map[2:3 3:5]" {
		t.Errorf("%v %v", got, err)
	}
	if len(d.Remarks) != 1 || !strings.Contains(d.Remarks[0], `read sheet "Sheet1" of "Sheet1", "Other"`) {
		t.Errorf("%q", d.Remarks)
	}
	if d, err := open(t, "b.xlsx", raw, given(t, "sheet", "Other")); err != nil || fmt.Sprint(d.Header) != "[n]" {
		t.Errorf("%v", err)
	}
	if _, err := open(t, "b.xlsx", raw, given(t, "sheet", "None")); err == nil || !strings.Contains(err.Error(),
		`it has "Sheet1", "Other"`) {
		t.Errorf("%v", err)
	}
}
