package cmd

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fileKinds are the columns of files with typed values, whose first row has a value of each kind and, in Parquet, whose
// second row has NULL: the name, the type and the value by FROM, and the same by an import where they differ. The
// values are those that other programs wrote or read. An import has no other types than those of internal tables, and
// changes no value: what none of them represents is text.
var fileKinds = map[string]string{
	"kinds.parquet": `b|boolean|true
i16|integer|-32768|bigint|-32768
i32|integer|-2147483648|bigint|-2147483648
i64|bigint|-9223372036854775808
u16|bigint|65535
u32|bigint|4294967295
u64|decimal(20,0)|18446744073709551615
f16|real|1.5|decimal(38,10)|1.5000000000
f32|real|0.1|decimal(38,10)|0.1000000000
f64|double|0.1|decimal(38,10)|0.1000000000
f64w|double|0.30000000000000004|varchar|0.30000000000000004
d|date|2024-02-29
t32|time(6)|01:02:03.004000
t64|time(6)|01:02:03.000004
t64n0|time(6)|01:02:03.000004
t64n|varchar|01:02:03.000004005
tsms|timestamp(6)|2023-11-14 22:13:20.123000
tsus|timestamp(6)|2023-11-14 22:13:20.123456
tsn0|timestamp(9)|2023-11-14 22:13:20.123456000|timestamp(6)|2023-11-14 22:13:20.123456
tsn|timestamp(9)|2023-11-14 22:13:20.123456789|varchar|2023-11-14 22:13:20.123456789
tzus|timestamp(6) with time zone|2023-11-14 22:13:20.123456 UTC|timestamp(6)|2023-11-14 22:13:20.123456
tzn0|timestamp(6) with time zone|2023-11-14 22:13:20.123456 UTC|timestamp(6)|2023-11-14 22:13:20.123456
tzn|timestamp(9)|2023-11-14 22:13:20.123456789|varchar|2023-11-14 22:13:20.123456789
dec|decimal(5,2)|123.45
dec38|decimal(38,10)|1234567890123456789012345678.0123456789
dec38s|decimal(38,20)|1.50000000000000000000
dec50|varchar|123456789012345678901234567890123456789012345678.01
s|varchar|007
sd|varchar|2024-02-29
bin|varbinary|01 ff|varchar|01 ff
fix|varbinary|61 62 63|varchar|61 62 63
l|json|[1,null]|varchar|[1,null]
st|json|{"a":1,"t":"2023-11-14 22:13:20.123456789"}|varchar|{"a":1,"t":"2023-11-14 22:13:20.123456789"}
m|json|{"k":1.50}|varchar|{"k":1.50}
dur|bigint|5
ni|bigint|\N
nd|date|\N`,
	"kinds_int96.parquet": `i96|timestamp(9)|2023-11-14 22:13:20.123456789|varchar|2023-11-14 22:13:20.123456789
i960|timestamp(6)|2023-11-14 22:13:20.123456`,
}

// fileNumbers are the numbers of numbers.xlsx as openpyxl reads them, with their types by FROM and by an import.
var fileNumbers = []struct {
	name, from, stored string
	values             []float64
}{
	{"tenth", "double", "varchar", []float64{0.1, 0.30000000000000004, 1e-7, 18.1}},
	{"price", "decimal(5,2)", "decimal(5,2)", []float64{18.1, 21, 146.7, 0.07}},
	{"tiny", "decimal(8,7)", "decimal(8,7)", []float64{1e-7, 1, 2, 3}},
	{"third", "double", "varchar", []float64{0.3333333333333333, 0.6666666666666666, 1, 2}},
	{"large", "decimal(21,1)", "decimal(21,1)", []float64{1e17, 1.2345678901234502e19, 3, 0.5}},
	{"huge", "double", "varchar", []float64{1e300, 1, 2, 0.5}},
	{"whole", "bigint", "bigint", []float64{1e15, 1e17, 2, 3}},
	{"zero", "decimal(2,1)", "decimal(2,1)", []float64{0, 1.5, 2, 3}},
	{"odd", "decimal(2,1)", "decimal(2,1)", []float64{7, 5, 0.5, 3}},
	{"mixed", "varchar", "varchar", []float64{18.1, 1, 2}},
}

// TestFileKinds reads each of these columns in all ways.
func TestFileKinds(t *testing.T) {
	w := newFileWays(t)
	folder, run := w.folder, func(args ...string) string { t.Helper(); return w.run(t, args...) }
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "files"))); err != nil {
		t.Fatal(err)
	}
	// read returns the types of columns and their values, row by row
	read := func(of string, names []string) (typ []string, rows [][]string) {
		t.Helper()
		var list []string
		for _, n := range names {
			list = append(list, `typeof("`+n+`")`)
		}
		for _, n := range names {
			list = append(list, `"`+n+`"`)
		}
		out := run("sql", "SELECT "+strings.Join(list, ", ")+" FROM "+of, "-o", "csv", "--no-header", "--null", `\N`)
		all, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			rows = append(rows, r[len(names):])
		}
		return all[0][:len(names)], rows
	}
	sources := func(file string) []string {
		w.same(t, filepath.Join(folder, file))
		table, _, _ := strings.Cut(file, ".")
		run("table", "import", table, filepath.Join(folder, file), "--create")
		return []string{"'" + filepath.Join(folder, file) + "'", "inbox.files." + table, `peaka."table".` + table}
	}
	for file, lines := range fileKinds {
		var want [][]string
		var names []string
		for line := range strings.Lines(lines) {
			f := strings.Split(strings.TrimSpace(line), "|")
			want, names = append(want, f), append(names, f[0])
		}
		for i, of := range sources(file) {
			typ, rows := read(of, names)
			for c, f := range want {
				if i == 2 && len(f) > 3 {
					f = f[2:]
				}
				if len(rows) != 2 || typ[c] != f[1] || rows[0][c] != f[2] || rows[1][c] != `\N` {
					t.Errorf("%s of %s: %s, %q; want %q", names[c], of, typ[c], rows, f[1:3])
				}
			}
		}
	}
	var names []string
	for _, n := range fileNumbers {
		names = append(names, n.name)
	}
	for i, of := range sources("numbers.xlsx") {
		typ, rows := read(of, names)
		for c, n := range fileNumbers {
			want := n.from
			if i == 2 {
				want = n.stored
			}
			if typ[c] != want {
				t.Errorf("%s of %s is %s, want %s", n.name, of, typ[c], want)
			}
			for r, v := range n.values {
				if got, err := strconv.ParseFloat(rows[r][c], 64); err != nil || got != v {
					t.Errorf("%s of %s, row %d: %s, want %v", n.name, of, r+1, rows[r][c], v)
				}
			}
		}
	}
}
