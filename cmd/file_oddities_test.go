package cmd

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// wireDocument is a result of a gateway in one of its formats.
func wireDocument(row string) string {
	return `{"columns":[{"columnName":"id","dataType":"bigint"},{"columnName":"d","dataType":"double"},` +
		`{"columnName":"s","dataType":"varchar"}],"data":[` + row + `]}`
}

// sheet is a workbook whose only sheet has these rows of cells.
func sheet(t *testing.T, rows ...string) string {
	t.Helper()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	return zipped(t, [][2]string{
		{"xl/workbook.xml", `<workbook xmlns:r="` + office +
			`"><sheets><sheet name="S" r:id="r"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r" Type="` + office +
			`/worksheet" Target="s.xml"/></Relationships>`},
		{"xl/s.xml", `<worksheet><sheetData><row>` + strings.Join(rows, "</row><row>") +
			`</row></sheetData></worksheet>`},
	}...)
}

// zipped is a ZIP archive of files: their names and contents.
func zipped(t *testing.T, parts ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range parts {
		out, err := z.Create(part[0])
		if err == nil {
			_, err = out.Write([]byte(part[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFileOddities reads files of each kind in all ways. A result is written as the names, the types and the rows.
func TestFileOddities(t *testing.T) {
	w := newFileWays(t)
	text := func(s string) string { return `<c t="inlineStr"><is><t>` + s + `</t></is></c>` }
	number := func(s string) string { return `<c><v>` + s + `</v></c>` }
	formula := func(s string) string { return `<c t="str"><f>A1</f><v>` + s + `</v></c>` }
	odd := sheet(t, text("a")+text("f")+text("n")+text("s"),
		formula("")+formula("")+number("1.2345678901234502E+19")+text("007"),
		number("2")+formula("x")+number("3")+text("")+number("0.30000000000000004"))
	const oddSheet = `["a" "f" "n" "s" "column_5"] ["bigint" "varchar" "decimal(21,1)" "varchar" "double"] ` +
		`[["\\N" "" "12345678901234502000.0" "007" "\\N"] ["2" "x" "3.0" "" "0.30000000000000004"]]`
	ints96, err := os.ReadFile(filepath.Join("testdata", "files", "kinds_int96.parquet"))
	noRows, noErr := os.ReadFile(filepath.Join("testdata", "files", "no_rows_arrow.parquet"))
	if err = errors.Join(err, noErr); err != nil {
		t.Fatal(err)
	}
	wide := func(s string) (out string) { // UTF-16 without a byte order mark
		for _, c := range s {
			out += string([]byte{byte(c), byte(c >> 8)})
		}
		return out
	}
	type row struct {
		A int64  `parquet:"a\x00b"`
		B string `parquet:"b"`
	}
	var zeros bytes.Buffer
	if err := parquet.Write(&zeros, []row{{1, "x\x00y"}}); err != nil {
		t.Fatal(err)
	}
	const zero = `["a b" "b"] ["bigint" "varchar"] [["1" "x\x00y"]]` // tables have NUL characters too
	type far struct {
		D int32 `parquet:"d,date"`
		T int64 `parquet:"t,timestamp(microsecond:local)"`
		Z int64 `parquet:"z,timestamp(microsecond)"`
	}
	var years bytes.Buffer
	err = parquet.Write(&years, []far{{5_000_000, 432_000_000_000_000_000, 253_402_300_800_000_000},
		{-719_528, -62_167_219_200_000_000, -62_167_219_200_000_001}, {-800_000, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	const plain = `["a" "b"] ["bigint" "varchar"] [["1" "x"] ["2" "y"]]`
	const wire = `["id" "d" "s"] ["bigint" "double" "varchar"] [["1" "1.0" "007"]]`
	for name, c := range map[string]struct{ text, want string }{
		"types.csv": {"i,d,e,b,day,at,utc,u,z\n1,1.50,0.30000000000000004,TRUE,2024-02-29,2024-02-29 01:02:03," +
			"2024-02-29T01:02Z,12151fd2-7586-11e9-8f9e-2a86e4085a59,007\n-2,.5,1e-7,,,,,,\n",
			`["i" "d" "e" "b" "day" "at" "utc" "u" "z"] ["bigint" "decimal(3,2)" "double" "boolean" "date" ` +
				`"timestamp" "timestamp" "uuid" "varchar"] [["1" "1.50" "0.30000000000000004" "true" "2024-02-29" ` +
				`"2024-02-29 01:02:03.000000" "2024-02-29 01:02:00.000000" ` +
				`"12151fd2-7586-11e9-8f9e-2a86e4085a59" "007"] ` +
				`["-2" "0.50" "1.0E-7" "\\N" "\\N" "\\N" "\\N" "\\N" "\\N"]]`},
		"empty.csv": {"n,s\n\"\",\"\"\n1,\n,x\n",
			`["n" "s"] ["bigint" "varchar"] [["\\N" ""] ["1" "\\N"] ["\\N" "x"]]`},
		"header.csv": {"\"a\nb\",c,c,C\n1,2,3,4\n",
			`["a b" "c" "c_2" "C_3"] ["bigint" "bigint" "bigint" "bigint"] [["1" "2" "3" "4"]]`},
		"blank.csv":       {"\n\na,b\n\n1,x\n\n2,y\n\n", plain},
		"one.csv":         {"a\n1\n\n\\N\n3\n", `["a"] ["bigint"] [["1"] ["\\N"] ["\\N"] ["3"]]`},
		"lineends.csv":    {"a,b\r\n1,x\n2,\"y\rz\"\r\n", `["a" "b"] ["bigint" "varchar"] [["1" "x"] ["2" "y\rz"]]`},
		"mac.csv":         {"a,b\r1,x\r2,y\r", plain},
		"semicolons.csv":  {"a;b\n1;x\n2;y\n", plain},
		"bars.txt":        {"a|b\n1|x\n2|y\n", plain},
		"wide.csv":        {"\xff\xfea\x00;\x00b\x00\n\x001\x00;\x00x\x00\n\x002\x00;\x00y\x00", plain},
		"greek.csv":       {wide("α;b\n1;ж\n"), `["α" "b"] ["bigint" "varchar"] [["1" "ж"]]`},
		"mark.csv":        {"\xef\xbb\xbfa,b\n1,x\n2,y", plain},
		"nameless":        {"a,b\n1,x\n2,y\n", plain},
		"packed.csv.gz":   {gzipped(t, "a,b\n1,x\n2,y\n"), plain},
		"packed.csv":      {gzipped(t, "a,b\n1,x\n2,y\n"), plain},
		"unpacked.csv.gz": {"a,b\n1,x\n2,y\n", plain},
		"null.csv":        {"a,b\n1,NULL\n2,\\N\n", `["a" "b"] ["bigint" "varchar"] [["1" "NULL"] ["2" "\\N"]]`},
		"tabs.tsv":        {"a\tb\r\n1\tx\n2\ty\r\n", plain},
		"own.tsv": {"a\tb\n1\tx\\ty\\\\\n2\tn\\nm\n",
			`["a" "b"] ["bigint" "varchar"] [["1" "x\ty\\"] ["2" "n\nm"]]`},
		"nulls.tsv": {"a\\nb\tc\n1\t\\N\n", `["a b" "c"] ["bigint" "varchar"] [["1" "\\N"]]`},
		"nulls.csv": {"a\tb\n1\tx\\ty\n2\t\\N\n", `["a" "b"] ["bigint" "varchar"] [["1" "x\ty"] ["2" "\\N"]]`},
		"paths.tsv": {"a\tb\n1\tC:\\new\n2\tC:\\temp\n",
			`["a" "b"] ["bigint" "varchar"] [["1" "C:\\new"] ["2" "C:\\temp"]]`},
		"users.tsv":  {"a\tb\n1\tC:\\Users\n", `["a" "b"] ["bigint" "varchar"] [["1" "C:\\Users"]]`},
		"quotes.tsv": {"a\tb\n1\t\"x\ty\"\n", `["a" "b"] ["bigint" "varchar"] [["1" "x\ty"]]`},
		"quote.tsv":  {"a\tb\n1\t\"x\n", `["a" "b"] ["bigint" "varchar"] [["1" "\"x"]]`},
		"objects.json": {`[{"x":1,"X":2},{"y":{"k": [1, 2]},"x":1e-7}]`,
			`["x" "X_2" "y"] ["double" "bigint" "json"] [["1.0" "2" "\\N"] ["1.0E-7" "\\N" "{\"k\":[1,2]}"]]`},
		"strings.json": {`[{"n":"007","d":"2024-02-29","e":"","b":true},{"n":"8","e":"x"}]`,
			`["n" "d" "e" "b"] ["varchar" "date" "varchar" "boolean"] [["007" "2024-02-29" "" "true"] ["8" "\\N" ` +
				`"x" "\\N"]]`},
		"lines.ndjson":     {"{\"a\":1,\"b\":\"x\"}\n\n{\"a\":2,\"b\":\"y\"}\n", plain},
		"packed.ndjson.gz": {gzipped(t, "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n"), plain},
		"typed.json": {wireDocument(`[{"name":"id","dataType":"bigint","order":0,"value":"1"},{"name":"d",` +
			`"dataType":"double","order":1,"value":"1.0"},{"name":"s","dataType":"varchar","order":2,` +
			`"value":"007"}]`),
			wire},
		"simple.json":  {wireDocument(`{"id":"1","d":"1.0","s":"007"}`), wire},
		"compact.json": {wireDocument(`["1","1.0","007"]`), wire},
		"odd.xlsx":     {odd, oddSheet},
		"zero.csv":     {"a\x00b,b\n1,x\x00y\n", zero},
		"zero.tsv":     {"a\x00b\tb\n1\tx\x00y\n", zero},
		"zero.json":    {`[{"a\u0000b":1,"b":"x\u0000y"}]`, zero},
		"zero.xlsx":    {sheet(t, text("a_x0000_b")+text("b"), number("1")+text("x_x0000_y")), zero},
		"zero.parquet": {zeros.String(), zero},
		"years.parquet": {years.String(), `["d" "t" "z"] ["date" "timestamp" "timestamp with time zone"] ` +
			`[["+15659-07-15" "+15659-07-15 00:00:00.000000" "+10000-01-01 00:00:00.000000 UTC"] ` +
			`["0000-01-01" "0000-01-01 00:00:00.000000" "-0001-12-31 23:59:59.999999 UTC"] ` +
			`["-0221-09-04" "1970-01-01 00:00:00.000000" "1970-01-01 00:00:00.000001 UTC"]]`},
		"packed.xlsx.gz": {gzipped(t, odd), oddSheet},
		"misnamed.csv":   {odd, oddSheet},
		"arrow.parquet":  {string(noRows), `["a"] ["bigint"] []`},
		"packed.parquet.gz": {gzipped(t, string(ints96)),
			`["i96" "i960"] ["timestamp(9)" "timestamp"] [["2023-11-14 22:13:20.123456789" "2023-11-14 ` +
				`22:13:20.123456"] ["\\N" "\\N"]]`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			r := w.same(t, path)
			if got := fmt.Sprintf("%q %q %q", r.names, r.types, r.rows); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
	for name, c := range map[string]struct{ text, why string }{
		"latin.csv":    {"a,b\n1,\xe9\n", `line 2, column "b": invalid UTF-8`},
		"returns.csv":  {"a,b\n1,x\r2,y\n", "line 2: a carriage return without a line feed"},
		"ragged.csv":   {"a,b\n1,2\n3\n", "line 3: the record has 1 fields, the first one has 2"},
		"ragged.tsv":   {"a\tb\n1\t\\N\n3\n", "line 3: the record has 1 fields, the first one has 2"},
		"separate.csv": {"sep=;\na;b\n1;2\n", "tells Excel the delimiter"},
		"twice.json":   {`[{"x":1,"x":2}]`, `record 1 has the member "x" twice`},
		"none.csv":     {"", "the file is empty; its first line must name the columns"},
		"bare.json":    {`[{},{}]`, "and it has 2 records without members"},
		"a.csv.bz2":    {"BZh91AY&SY\xbf", "it is packed with bzip2, which is not read: unpack it, or pack it with"},
		"a.xz":         {"\xfd7zXZ\x00\x00", "it is packed with xz, which is not read"},
		"a.csv.zip":    {zipped(t, [2]string{"a.csv", ""}), "it is packed with ZIP, which is not read"},
		"zipped.csv":   {zipped(t, [2]string{"a.csv", ""}), "it is packed with ZIP, which is not read"},
		"old.xlsx":     {"\xd0\xcf\x11\xe0", "save it as .xlsx"},
		"text.parquet": {"a,b\n1,2\n", "not a Parquet file"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.refused(t, path, c.why)
	}
	// a list without records is no table; where its rows count alone, it has none
	w.run(t, "table", "create", "some", "--column", "a:bigint")
	for name, text := range map[string]string{"list.json": "[]", "result.json": `{"columns":[],"data":[]}`,
		"nothing.ndjson": "\n"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at, table := w.place(t, path)
		for _, args := range [][]string{{"sql", "SELECT * FROM '" + at + "'"}, {"sql", "SELECT * FROM " + table},
			{"sql", at}, {"table", "import", "none", at, "--create"}} {
			code, out, errs := runDig(t, w.env, args...)
			if code != 1 || !strings.Contains(errs, name+": it has no columns, because it has no records") {
				t.Errorf("%q: exit %d: %s%s", args, code, out, errs)
			}
		}
		w.run(t, "table", "import", "some", at)
		for _, sides := range [][]string{{at, at, "0"}, {at, "sql:VALUES 1, 2", "2"}} {
			code, out, errs := runDig(t, w.env, "query", "diff", sides[0], sides[1])
			if code > 1 || !strings.Contains(errs, ": 0 only in a, "+sides[2]+" only in b, 0 changed, 0 equal") {
				t.Errorf("%q: exit %d: %s%s", sides, code, out, errs)
			}
		}
		w.run(t, "query", "execute", "--sql", "SELECT ?", "--each-row", at, "--bind-columns", "a")
	}
	// a statement has a note of each renamed column, also over a table of a folder
	path := filepath.Join(t.TempDir(), "twice.csv")
	if err := os.WriteFile(path, []byte("a,a\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at, table := w.place(t, path)
	for _, from := range []string{"'" + at + "'", table} {
		_, _, errs := runDig(t, w.env, "sql", "SELECT * FROM "+from)
		if strings.Count(errs, `it is called`) != 1 {
			t.Errorf("%s: %s", from, errs)
		}
	}
}
