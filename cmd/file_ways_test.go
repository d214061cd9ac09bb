package cmd

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

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
		cast := "CAST(? AS " + typ + ")"
		if typ != "date" { // whose casts have no sign before a year of five digits
			cast = "CAST(" + cast + " AS varchar)"
		}
		casts = append(casts, cast)
	}
	// an import
	stored := fmt.Sprintf("t%d", w.n)
	w.run(t, append([]string{"table", "import", stored, at, "--create"}, readFlagsOf(t, rowfile.ByFlag, options)...)...)
	w.run(t, append([]string{"table", "import", stored, at, "--check"}, readFlagsOf(t, rowfile.ByFlag, options)...)...)
	r := w.result(t, "sql", "SELECT "+strings.Join(quoted, ", ")+` FROM peaka."table".`+stored+" ORDER BY _id")
	for i, typ := range r.types {
		base, _, _ := strings.Cut(typ, "(")
		of, _, _ := strings.Cut(want.types[i], "(")
		far := of == "date" && base == "varchar" && slices.ContainsFunc(want.rows, func(row []string) bool {
			return strings.Trim(row[i][:1], "+-") == "" || row[i][:4] == "0000" // tables have the years 1 to 9999
		})
		if !slices.Contains(storedAs[of], base) && !far || of == "decimal" && typ != want.types[i] {
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
		if clock := strings.TrimSuffix(strings.TrimSuffix(s, " UTC"), "Z"); strings.Count(clock, ":") == 2 {
			if strings.Contains(clock, ".") {
				clock = strings.TrimSuffix(strings.TrimRight(clock, "0"), ".")
			}
			return clock
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
