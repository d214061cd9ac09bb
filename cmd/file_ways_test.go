package cmd

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/internal/rowfile"
)

// fileWays reads files in the six ways in which dig reads them: FROM, a connection to a folder, `sql FILE`, an import
// that creates the table, `query diff` and `--each-row`.
type fileWays struct {
	env    map[string]string
	folder string
	n      int
}

func newFileWays(t *testing.T) *fileWays {
	t.Helper()
	needLocal(t)
	home := t.TempDir()
	w := &fileWays{folder: filepath.Join(t.TempDir(), "in"), env: map[string]string{"HOME": home,
		"DIG_CONFIG_DIR": home, "DIG_STATE_DIR": home, "DIG_DATA_DIR": filepath.Join(home, "data")}}
	credential := filepath.Join(home, "credential.json")
	err := os.WriteFile(credential, []byte(`{"path":`+strconv.Quote(w.folder)+`}`), 0o600)
	if err == nil {
		err = os.Mkdir(w.folder, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.run(t, "connection", "create", "inbox", "--type", "files", "--credential-file", credential)
	w.run(t, "catalog", "create", "inbox", "--connection", "inbox")
	return w
}

func (w *fileWays) run(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := runDig(t, w.env, args...)
	if code != 0 {
		t.Fatalf("%q: exit %d: %s%s", args, code, out, errs)
	}
	return out
}

// fileResult is what one of the ways finds in a file. NULL is \N.
type fileResult struct {
	names, types []string
	rows         [][]string
}

// result runs a command that prints a result as a gateway sends it.
func (w *fileWays) result(t *testing.T, args ...string) (r fileResult) {
	t.Helper()
	var doc struct {
		Columns []struct{ ColumnName, DataType string }
		Data    [][]struct{ Value *string }
	}
	if err := json.Unmarshal([]byte(w.run(t, append(args, "-o", "json", "--raw")...)), &doc); err != nil {
		t.Fatal(args, err)
	}
	for _, c := range doc.Columns {
		r.names, r.types = append(r.names, c.ColumnName), append(r.types, c.DataType)
	}
	for _, cells := range doc.Data {
		row := []string{}
		for _, c := range cells {
			v := `\N`
			if c.Value != nil {
				v = *c.Value
			}
			row = append(row, v)
		}
		r.rows = append(r.rows, row)
	}
	return r
}

// place copies a file below the folder of the connection, and returns its path and the name of its table.
func (w *fileWays) place(t *testing.T, path string) (at, table string) {
	t.Helper()
	w.n++
	schema := fmt.Sprintf("s%d", w.n)
	raw, err := os.ReadFile(path)
	at = filepath.Join(w.folder, schema, filepath.Base(path))
	if err == nil {
		err = os.Mkdir(filepath.Dir(at), 0o700)
	}
	if err == nil {
		err = os.WriteFile(at, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	stem, _, _ := strings.Cut(filepath.Base(path), ".")
	return at, fmt.Sprintf(`inbox.%s."%s"`, schema, stem)
}

// storedAs are the types of tables for the types of files.
var storedAs = map[string][]string{"bigint": {"bigint"}, "integer": {"bigint"}, "decimal": {"decimal"},
	"double": {"decimal", "varchar"}, "real": {"decimal", "varchar"}, "boolean": {"boolean"}, "date": {"date"},
	"time": {"time"}, "timestamp": {"timestamp", "varchar"}, "timestamp with time zone": {"timestamp", "varchar"},
	"uuid": {"uuid"}, "varchar": {"varchar"}, "json": {"varchar"}, "varbinary": {"varchar"}}

// same reads a file in each of the ways, which find the same names, types and values. It returns them. Tables do not
// have all types of files: where theirs is another one, the values are the same. options are pairs of the name of an
// option and its value.
func (w *fileWays) same(t *testing.T, path string, options ...string) fileResult {
	t.Helper()
	at, table := w.place(t, path)
	from := strings.TrimSpace("'" + at + "' " + given(t, options).Text())
	want := w.result(t, "sql", "SELECT * FROM "+from)
	got := map[string]fileResult{}
	if filepath.Ext(at) != "" && filepath.Ext(at) != ".txt" { // others are no tables of a folder, nor known to be data
		got["sql FILE"] = w.result(t, append([]string{"sql", at}, readFlagsOf(t, rowfile.ByFileFlag, options)...)...)
		got["the folder"] = w.result(t, "sql", "SELECT * FROM "+w.within(t, table, options))
	}
	for way, r := range got {
		if fmt.Sprintf("%q", r) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: %s finds %q, FROM %q", at, way, r, want)
		}
	}
	var quoted, casts []string
	for i, n := range want.names {
		typ := want.types[i]
		switch typ {
		case "json", "varbinary":
			typ = "varchar"
		case "time", "timestamp", "timestamp with time zone":
			typ = strings.Replace(typ, "time", "time(6)", 1)
			typ = strings.Replace(typ, "time(6)stamp", "timestamp(6)", 1)
		}
		quoted = append(quoted, `"`+n+`"`)
		casts = append(casts, "CAST(CAST(? AS "+typ+") AS varchar)")
	}
	// an import
	stored := fmt.Sprintf("t%d", w.n)
	w.run(t, append([]string{"table", "import", stored, at, "--create"}, readFlagsOf(t, rowfile.ByFlag, options)...)...)
	w.run(t, append([]string{"table", "import", stored, at, "--check"}, readFlagsOf(t, rowfile.ByFlag, options)...)...)
	r := w.result(t, "sql", "SELECT "+strings.Join(quoted, ", ")+` FROM peaka."table".`+stored+" ORDER BY _id")
	for i, typ := range r.types {
		base, _, _ := strings.Cut(typ, "(")
		of, _, _ := strings.Cut(want.types[i], "(")
		if !slices.Contains(storedAs[of], base) || of == "decimal" && typ != want.types[i] {
			t.Errorf("%s: %s is %s in a table, FROM finds %s", at, want.names[i], typ, want.types[i])
		}
	}
	sameValues(t, at+" in a table", r.rows, want.rows)
	// a comparison with FROM, in which names and values count
	flags := readFlagsOf(t, rowfile.ByFileFlag, options)
	code, out, errs := runDig(t, w.env, append([]string{"query", "diff", at, "sql:SELECT * FROM " + from, "-o", "csv"},
		flags...)...)
	if equal := fmt.Sprintf(" %d equal", len(want.rows)); code != 0 || !strings.Contains(errs, equal) ||
		strings.Contains(errs, "only in a:") || strings.Contains(errs, "only in b:") {
		t.Errorf("%s: query diff exits with %d: %s%s", at, code, out, errs)
	}
	// values for a statement
	out = w.run(t, append([]string{"query", "execute", "--sql", "SELECT " + strings.Join(casts, ", "), "--each-row", at,
		"--bind-columns", csvLine(t, want.names), "-o", "csv", "--no-header", "--null", `\N`}, flags...)...)
	bound, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sameValues(t, at+" with --each-row", bound, want.rows)
	return want
}

// given are options of reading as those of a statement.
func given(t *testing.T, options []string) *rowfile.Options {
	t.Helper()
	var o rowfile.Options
	for pair := range slices.Chunk(options, 2) {
		if err := o.Set(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	return &o
}

// option is the option of a name.
func option(t *testing.T, name string) rowfile.Option {
	t.Helper()
	at := slices.IndexFunc(rowfile.All(), func(o rowfile.Option) bool { return o.Name == name })
	if at < 0 {
		t.Fatal(name)
	}
	return rowfile.All()[at]
}

// readFlagsOf are options as flags.
func readFlagsOf(t *testing.T, way rowfile.Way, options []string) (flags []string) {
	t.Helper()
	for pair := range slices.Chunk(options, 2) {
		flags = append(flags, "--"+option(t, pair[0]).In(way)+"="+pair[1])
	}
	return flags
}

// within returns the name of a table in a catalog over the same folder whose connection has the options.
func (w *fileWays) within(t *testing.T, table string, options []string) string {
	t.Helper()
	if len(options) == 0 {
		return table
	}
	fields := map[string]any{"path": w.folder}
	for pair := range slices.Chunk(options, 2) {
		o := option(t, pair[0])
		switch name := o.In(rowfile.ByField); {
		case o.Field == "-":
		case o.Kind != rowfile.List:
			fields[name] = pair[1]
		case fields[name] == nil:
			fields[name] = []any{pair[1]}
		default:
			fields[name] = append(fields[name].([]any), pair[1])
		}
	}
	raw, err := json.Marshal(fields)
	credential, name := filepath.Join(t.TempDir(), "credential.json"), fmt.Sprintf("with%d", w.n)
	if err == nil {
		err = os.WriteFile(credential, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.run(t, "connection", "create", name, "--type", "files", "--credential-file", credential)
	w.run(t, "catalog", "create", name, "--connection", name)
	return name + strings.TrimPrefix(table, "inbox")
}

func csvLine(t *testing.T, fields []string) string {
	t.Helper()
	var b strings.Builder
	out := csv.NewWriter(&b)
	if err := out.Write(fields); err != nil {
		t.Fatal(err)
	}
	out.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// sameValues compares numbers as such, and times without the zeros at their ends.
func sameValues(t *testing.T, what string, got, want [][]string) {
	t.Helper()
	plain := func(s string) string {
		if r, ok := new(big.Rat).SetString(s); ok && len(s) < 400 && !(len(s) > 1 && s[0] == '0' && s[1] != '.') {
			return r.RatString()
		}
		if clock := strings.TrimSuffix(s, " UTC"); strings.Count(clock, ":") == 2 && strings.Contains(clock, ".") {
			return strings.TrimSuffix(strings.TrimRight(clock, "0"), ".")
		}
		return s
	}
	if len(got) != len(want) {
		t.Errorf("%s: %q, want %q", what, got, want)
		return
	}
	for i, row := range want {
		for k, v := range row {
			if g := got[i][k]; plain(g) != plain(v) {
				t.Errorf("%s, row %d, value %d: %q, want %q", what, i+1, k+1, g, v)
			}
		}
	}
}

// refused reads a file that none of the ways reads.
func (w *fileWays) refused(t *testing.T, path, why string) {
	t.Helper()
	at, table := w.place(t, path)
	for _, args := range [][]string{{"sql", "SELECT * FROM '" + at + "'"}, {"sql", "SELECT * FROM " + table},
		{"sql", at}, {"table", "import", "refused", at, "--create"}, {"query", "diff", at, at},
		{"query", "execute", "--sql", "SELECT ?", "--each-row", at}} {
		code, out, errs := runDig(t, w.env, args...)
		if code == 0 || !strings.Contains(unescaped(errs), why) {
			t.Errorf("%q: exit %d, want %q: %s%s", args, code, why, out, errs)
		}
	}
}

// wireDocument is a result of a gateway in one of its formats.
func wireDocument(row string) string {
	return `{"columns":[{"columnName":"id","dataType":"bigint"},{"columnName":"d","dataType":"double"},` +
		`{"columnName":"s","dataType":"varchar"}],"data":[` + row + `]}`
}

// sheet is a workbook whose only sheet has these rows of cells.
func sheet(t *testing.T, rows ...string) string {
	t.Helper()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"xl/workbook.xml", `<workbook xmlns:r="` + office +
			`"><sheets><sheet name="S" r:id="r"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r" Type="` + office +
			`/worksheet" Target="s.xml"/></Relationships>`},
		{"xl/s.xml", `<worksheet><sheetData><row>` + strings.Join(rows, "</row><row>") +
			`</row></sheetData></worksheet>`},
	} {
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
	if err != nil {
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
		"simple.json":    {wireDocument(`{"id":"1","d":"1.0","s":"007"}`), wire},
		"compact.json":   {wireDocument(`["1","1.0","007"]`), wire},
		"odd.xlsx":       {odd, oddSheet},
		"zero.csv":       {"a\x00b,b\n1,x\x00y\n", zero},
		"zero.tsv":       {"a\x00b\tb\n1\tx\x00y\n", zero},
		"zero.json":      {`[{"a\u0000b":1,"b":"x\u0000y"}]`, zero},
		"zero.xlsx":      {sheet(t, text("a_x0000_b")+text("b"), number("1")+text("x_x0000_y")), zero},
		"zero.parquet":   {zeros.String(), zero},
		"packed.xlsx.gz": {gzipped(t, odd), oddSheet},
		"misnamed.csv":   {odd, oddSheet},
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
		"old.xlsx":     {"\xd0\xcf\x11\xe0", "save it as .xlsx"},
		"text.parquet": {"a,b\n1,2\n", "not a Parquet file"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.refused(t, path, c.why)
	}
}
