package rowset

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/cell/celltest"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) api.RowReader {
	t.Helper()
	r, err := Open(t.Context(), path, path, rowfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestFilesReadBack: what is written to a file is the same when it is read again, value for value.
func TestFilesReadBack(t *testing.T) {
	fields := append([]celltest.Field(nil), celltest.CorpusFields...)
	fields[8].Name = "txt2" // json and parquet have no two columns of one name
	rows := celltest.Corpus()
	for _, f := range []output.Format{output.CSV, output.TSV, output.NDJSON, output.JSON, output.Parquet} {
		t.Run(f.String(), func(t *testing.T) {
			want, fs := rows, fields
			if f == output.Parquet { // it keeps the instant and not the zone
				want, fs = make([][]*string, len(rows)), append([]celltest.Field(nil), fields...)
				for i, r := range rows {
					want[i] = append(append([]*string(nil), r[:6]...), r[7:]...)
				}
				fs = append(fs[:6], fs[7:]...)
			}
			path := file(t, "rows."+f.String(), write(t, celltest.Result(t, fs, want), f))
			if st, lines, _ := diffLines(t, open(t, path), celltest.Result(t, fs, want), nil, nil,
				sortChunk); !st.Same() || st.Equal != int64(len(want)) {
				t.Errorf("%+v\n%s", st, lines)
			}
		})
	}
}

func TestParquetTypesReadBack(t *testing.T) {
	fields := []celltest.Field{{"i", "integer"}, {"s", "decimal(9,2)"}, {"m", "decimal(18,4)"}, {"u", "uuid"},
		{"b", "varbinary"}, {"t", "time(3)"}, {"f", "time(9)"}, {"n", "timestamp(9)"}, {"r", "real"}}
	rows := [][]*string{{celltest.Text("-5"), celltest.Text("-1234567.89"), celltest.Text("12345678901234.5000"),
		celltest.Text("12151fd2-7586-11e9-8f9e-2a86e4085a59"),
		celltest.Text("00 ff 7e"), celltest.Text("23:59:59.001"), celltest.Text("00:00:00.000000001"),
		celltest.Text("1999-12-31 23:59:59.123456789"), celltest.Text("1.5E-7")}, make([]*string, 9)}
	path := file(t, "x.parquet", write(t, celltest.Result(t, fields, rows), output.Parquet))
	if st, lines, _ := diffLines(t, open(t, path), celltest.Result(t, fields, rows), nil, nil, sortChunk); !st.Same() {
		t.Errorf("%+v\n%s", st, lines)
	}
}

// TestWorkbooksReadBack: numbers compare by value with those of other files, and texts that look like numbers stay
// texts.
func TestWorkbooksReadBack(t *testing.T) {
	fields := []celltest.Field{{"id", "bigint"}, {"n", "decimal(9,2)"}, {"d", "double"}, {"s", "varchar"},
		{"day", "date"}, {"b", "boolean"}}
	rows := [][]*string{
		{celltest.Text("1"), celltest.Text("21.00"), celltest.Text("18.1"), celltest.Text("007"),
			celltest.Text("2024-02-29"), celltest.Text("true")},
		{celltest.Text("2"), nil, celltest.Text("-1.5E-7"), celltest.Text(""), nil, celltest.Text("false")},
		{celltest.Text("3"), celltest.Text("0.10"), nil, nil, celltest.Text("1999-12-31"), nil}}
	path := file(t, "x.xlsx", write(t, celltest.Result(t, fields, rows), output.XLSX))
	for _, f := range []output.Format{output.CSV, output.Parquet, output.NDJSON} {
		other := file(t, "x."+f.String(), write(t, celltest.Result(t, fields, rows), f))
		if st, lines, _ := diffLines(t, open(t, path), open(t, other), []string{"id"}, nil, sortChunk); !st.Same() ||
			st.Equal != 3 {
			t.Errorf("%s: %+v\n%s", f, st, lines)
		}
	}
}

func read(t *testing.T, name, content string) (string, error) {
	t.Helper()
	path := file(t, name, content)
	r, err := Open(t.Context(), path, path, rowfile.Options{})
	if err != nil {
		return "", err
	}
	defer r.Close()
	var b strings.Builder
	_, err = output.WriteRows(&b, r, output.Options{Format: output.NDJSON})
	return b.String(), err
}

func TestOpenRows(t *testing.T) {
	for name, c := range map[string]struct{ file, content, want, err string }{
		"null and empty": {file: "a.csv", content: "a,b\n,\"\"\n1,x\n", want: `{"a":null,"b":""}` + "\n" +
			`{"a":1,"b":"x"}` + "\n"},
		"an empty number": {file: "a.csv", content: "a\n\"\"\n1\n", want: `{"a":null}` + "\n" + `{"a":1}` + "\n"},
		"mark, crlf, blank": {file: "A.CSV", content: "\xef\xbb\xbfa,b\r\n1,\"x\r\ny\"\r\n\r\n2,3",
			want: `{"a":1,"b":"x\r\ny"}` + "\n" + `{"a":2,"b":"3"}` + "\n"},
		"one column": {file: "a.csv", content: "a\nx\n\n\"\"\n",
			want: "{\"a\":\"x\"}\n{\"a\":null}\n{\"a\":\"\"}\n"},
		"one column, \\N":  {file: "a.csv", content: "a\n\\N\n\"\\N\"\n", want: "{\"a\":null}\n{\"a\":\"\\\\N\"}\n"},
		"two columns, \\N": {file: "a.csv", content: "a,b\n\\N,\n", want: "{\"a\":\"\\\\N\",\"b\":null}\n"},
		"the word null":    {file: "a.csv", content: "a,b\nnull,n\n", want: `{"a":"null","b":"n"}` + "\n"},
		"only a header":    {file: "a.csv", content: "a,b\n"},
		"open quote":       {file: "a.csv", content: "a\n\"x\ny", err: "line 2: a quoted field is not closed"},
		"after a quote": {file: "a.csv", content: "a,b\n\"x\"y,1\n",
			err: `line 2: text after the closing quote of field "x"`},
		"ragged": {file: "a.csv", content: "a,b\n1,2\n3\n",
			err: "line 3: the record has 1 fields, the first one has 2"},
		"latin1": {file: "a.csv", content: "a\n\xe9\n", err: `line 2, column "a": invalid UTF-8`},
		"NUL":    {file: "a.csv", content: "a\nx\x00\n", want: `{"a":"x\u0000"}` + "\n"},
		"no csv": {file: "a.csv", err: "the file is empty"},
		"tsv": {file: "a.tsv", content: "a\tb\n\\N\tx\\ty\\\\\n", want: `{"a":null,"b":"x\ty\\"}` +
			"\n"},
		"tsv without NULL": {file: "a.tsv", content: "a\tb\n1\tx\\ty\n", want: `{"a":1,"b":"x\ty"}` + "\n"},
		"tsv with a quote": {file: "a.tsv", content: "a\tb\n1\t\"x\n", want: `{"a":1,"b":"\"x"}` + "\n"},
		"quoted tsv":       {file: "a.tsv", content: "a\tb\n1\t\"x\ty\"\n", want: `{"a":1,"b":"x\ty"}` + "\n"},
		"paths":            {file: "a.tsv", content: "a\tb\n1\tC:\\new\n", want: `{"a":1,"b":"C:\\new"}` + "\n"},
		"lines": {file: "a.ndjson", content: "\n{\"a\":1.50,\"b\":{\"c\": [1]}}\n\n{\"b\":null}\n",
			want: `{"a":1.50,"b":"{\"c\":[1]}"}` + "\n" + `{"a":null,"b":null}` + "\n"},
		"no lines": {file: "a.jsonl"},
		"late key": {file: "a.ndjson", content: "{\"a\":1}\n{\"c\":1}\n",
			want: `{"a":1,"c":null}` + "\n" + `{"a":null,"c":1}` + "\n"},
		"broken line": {file: "a.ndjson", content: "{\"a\":1}\n{\"a\":\n", err: "record 2: unexpected EOF"},
		"array": {file: "a.json", content: " [{\"a\":true},\n{\"a\":false}]",
			want: "{\"a\":true}\n{\"a\":false}\n"},
		"a gateway's answer": {file: "a.json",
			content: `{"columns":[{"columnName":"a","dataType":"bigint"}],"data":[["12"]]}`, want: "{\"a\":12}\n"},
		"truncated": {file: "a.json", content: `[{"a":1},{"a":`, err: "record 2: unexpected EOF"},
		"unknown":   {file: "a.xls", content: "\xd0\xcf\x11\xe0", err: "save it as .xlsx"},
		"no ending": {file: "rows", content: "a;b\n1;2\n", want: `{"a":1,"b":2}` + "\n"},
		"no text": {file: "rows", content: "\x7fELF\x00",
			err: "neither text nor a Parquet file nor a workbook"},
		"YAML":             {file: "a.yaml", content: "a: 1\n", err: "YAML is not read as a table"},
		"tab":              {file: "a.TAB", content: "a\tb\n1\t2\n", want: `{"a":1,"b":2}` + "\n"},
		"text, semicolons": {file: "a.txt", content: "a;b\n1;\n", want: `{"a":1,"b":null}` + "\n"},
		"text, tabs":       {file: "a.TXT", content: "a\tb\n1\t2\n", want: `{"a":1,"b":2}` + "\n"},
		"no workbook":      {file: "a.xlsx", content: "a\n1\n", err: "a.xlsx: not a workbook"},
		"packed workbook":  {file: "a.xlsx.gz", content: "PK", err: "not a workbook"},
		"utf-16":           {file: "a.csv", content: "\xff\xfea\x00\n\x00\xe9\x00\n\x00", want: "{\"a\":\"é\"}\n"},
		"zstd by content":  {file: "a.json", content: packed(t, "\xef\xbb\xbf[{\"a\":1}]"), want: "{\"a\":1}\n"},
		"zstd":             {file: "a.ndjson.zst", content: packed(t, "{\"a\":1}\n"), want: "{\"a\":1}\n"},
		"cut off":          {file: "a.csv.zst", content: packed(t, "a\n1\n")[:12], err: "it was cut off"},
		"not packed":       {file: "a.csv.gz", content: "a\n1\n", want: "{\"a\":1}\n"},
		"misnamed":         {file: "a.csv", content: "PAR1", err: "too short for a Parquet file"},
		"packed parquet":   {file: "a.parquet.gz", content: "PAR1", err: "too short for a Parquet file"},
		"not parquet":      {file: "a.parquet", content: "PAR1", err: "a.parquet"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, c.file, c.content)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %q, error %v; want %q", got, err, c.err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
	if _, err := Open(t.Context(), t.TempDir(), "dir", rowfile.Options{}); err == nil {
		t.Error("a directory was opened")
	}
}

func packed(t *testing.T, text string) string {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

func TestOpenRowsGzip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	_, _ = z.Write([]byte("a\n" + strings.Repeat("long ", 1<<17) + "\n"))
	if z.Close() != nil || f.Close() != nil {
		t.Fatal("gzip")
	}
	var b strings.Builder
	if st, err := output.WriteRows(&b, open(t, path), output.Options{Format: output.CSV}); err != nil || st.Rows != 1 ||
		b.Len() < 5<<17 {
		t.Errorf("%+v, %v, %d bytes", st, err, b.Len())
	}
}

// TestCSVAgainstLibrary: what encoding/csv writes is read as it would read it itself.
func TestCSVAgainstLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	pieces := []string{"a", ",", `"`, "\n", "\r\n", " ", "é", "\\", "null", "'", "\t", ";", "😀", ""}
	for round := range 200 {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.UseCRLF = round%2 == 1
		width := 2 + r.IntN(4)
		if err := w.Write([]string{"a", "b", "c", "d", "e"}[:width]); err != nil {
			t.Fatal(err)
		}
		for range r.IntN(20) {
			row := make([]string, width)
			for i := range row {
				for range r.IntN(5) {
					row[i] += pieces[r.IntN(len(pieces))]
				}
			}
			row[0] += "x" // an empty row would be a blank line
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		lib := csv.NewReader(bytes.NewReader(b.Bytes()))
		want, err := lib.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		rows := open(t, file(t, "x.csv", b.String()))
		cols, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		got := [][]string{{}}
		for _, c := range cols {
			got[0] = append(got[0], c.Name)
		}
		for rows.Next() {
			row := []string{}
			for _, c := range rows.Row() {
				s := ""
				if !c.IsNull() {
					b, err := c.AppendText(nil)
					if err != nil {
						t.Fatal(err)
					}
					s = string(b)
				}
				row = append(row, strings.ReplaceAll(s, "\r\n", "\n")) // the library folds line breaks
			}
			got = append(got, row)
		}
		if rows.Err() != nil {
			t.Fatalf("%v in\n%s", rows.Err(), b.String())
		}
		for i := range got[0] {
			got[0][i] = strings.ReplaceAll(got[0][i], "\r\n", "\n")
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\ngot  %q\nwant %q", b.String(), got, want)
		}
	}
}

// TestSystemLast: the columns of an internal table that its owner declared come first, each with its values. Other
// results are left alone.
func TestSystemLast(t *testing.T) {
	fields := []celltest.Field{}
	var row []*string
	for _, n := range append(append([]string(nil), SystemNames...), "name", "age") {
		fields, row = append(fields, celltest.Field{Name: n, Type: "varchar"}),
			append(row, celltest.Text("value of "+n))
	}
	for _, tt := range []struct {
		fields []celltest.Field
		row    []*string
		first  string
	}{{fields, row, "name"}, {fields[1:], row[1:], SystemNames[1]}} {
		rows, err := SystemLast(celltest.Result(t, tt.fields, [][]*string{tt.row}))
		if err != nil {
			t.Fatal(err)
		}
		cols, err := rows.Columns()
		if err != nil || len(cols) != len(tt.fields) || cols[0].Name != tt.first {
			t.Fatalf("%v, %v", cols, err)
		}
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		for i, c := range rows.Row() {
			if want := `"value of ` + cols[i].Name + `"`; string(c) != want {
				t.Errorf("%s has %s", cols[i].Name, c)
			}
		}
	}
}

// The file is pyarrow's: booleans that are encoded as runs, alone and in lists and groups.
func TestParquetWithRunsOfBooleans(t *testing.T) {
	r := open(t, "../../pkg/gateway/connector/files/testdata/flags2.parquet")
	cols, err := r.Columns()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; r.Next(); n++ {
		for i, c := range cols {
			got := string(r.Row()[i])
			switch {
			case c.Name == "r" && got != strconv.Quote(strconv.FormatBool(n >= 20)), c.Name == "s" &&
				got != fmt.Sprintf(`"{\"x\":%v}"`, n > 100), c.Name == "l" && n == 1 && got != `"[true]"`:
				t.Errorf("row %d: %s is %s", n, c.Name, got)
			}
		}
	}
	if err := r.Err(); err != nil || n != 300 || len(cols) < 4 {
		t.Errorf("%d rows, %v, %v", n, cols, err)
	}
}

// TestParquetOfOthers: types that dig does not write have the texts of the wire.
func TestParquetOfOthers(t *testing.T) {
	got, err := nextRow(t, "../../pkg/gateway/connector/files/testdata/half.parquet")
	if want := `["0.0" "[1.5]"]`; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	type row struct {
		U uint64            `parquet:"u"`
		M map[string]string `parquet:"m"`
		T time.Time         `parquet:"t,timestamp(millisecond)"`
		C int32             `parquet:"c,time(millisecond)"`
		F float32           `parquet:"f"`
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	at := time.Date(1969, 12, 31, 23, 59, 59, 5e6, time.UTC)
	if err := parquet.WriteFile(path, []row{{math.MaxUint64, map[string]string{"k": "v"}, at, 1001, 1e7}}); err != nil {
		t.Fatal(err)
	}
	got, err = nextRow(t, path)
	if want :=
		`["18446744073709551615" "{\"k\":\"v\"}" "1969-12-31 23:59:59.005000 UTC" "00:00:01.001000" "1.0E7"]`; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func nextRow(t *testing.T, path string) (string, error) {
	r := open(t, path)
	r.Next()
	return fmt.Sprintf("%s", r.Row()), r.Err()
}
