package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileCases are small files that were read as other values or refused, with the rows that two or more independent
// readers find in them. A case with an error is refused by FROM with exit code 1, and by an import before anything is
// sent.
var fileCases = []struct {
	file string
	rows string // JSON of the rows, by name; FROM and an import agree
	note string // on stderr, both ways
	err  string // on stderr, both ways
	also [2]string
}{
	{file: "no_addresses_empty_cell.xlsx",
		rows: `[{"city":"Oslo","note":null,"n":3},{"city":"Bern","note":"x","n":4}]`},
	{file: "excel_doubles.xlsx", rows: `[{"city":"Oslo","price":18.1},{"city":"Bern","price":21},{"city":"Rome","price":146.7}]`, also: [2]string{"SELECT city FROM %s WHERE price = 18.1", `[{"city":"Oslo"}]`}},
	{file: "numbers_above_1e17.xlsx", rows: `[{"n":12345678901234502000},{"n":3}]`,
		also: [2]string{"SELECT CAST(sum(n) AS double) = 1.2345678901234501E19 + 3 AS same FROM %s",
			`[{"same":true}]`}},
	{file: "part_at_root.xlsx", rows: `[{"city":"Oslo","n":3}]`},
	{file: "empty_string_above_header.xlsx", rows: `[{"city":"Oslo","n":3}]`},
	{file: "unknown_physical_type.parquet",
		err: `unknown_physical_type.parquet: column "a" has the unknown physical type 9`},
	{file: "kv_without_value_column.parquet", rows: `[{"a":1},{"a":2},{"a":3}]`},
	{file: "v2_snappy_all_null.parquet", rows: `[{"a":null},{"a":null}]`},
	{file: "decimal_beyond_precision.parquet", err: `column "a": DECIMAL(3,1) does not hold 1234.5`},
	{file: "negative_children.parquet", err: "negative_children.parquet: malformed schema"},
	{file: "int96_nanoseconds.parquet", rows: `[{"id":1,"t":"2023-11-14 22:13:20.123456789"},{"id":2,"t":null},` +
		`{"id":3,"t":"1969-12-31 23:59:59.999999999"}]`},
	{file: "lz4.parquet", rows: `[{"id":1},{"id":2}]`},
	{file: "empty_key.json", rows: `[{"column_1":1,"b":2}]`, note: `column 1 has no name: it is called "column_1"`},
	{file: "keys_that_differ_in_case.json", rows: `[{"x":1,"X_2":2}]`,
		note: `column 2 has the name of another one, "X": it is called "X_2"`},
	{file: "own_wire.json",
		rows: `[{"id":1,"v":null},{"id":2,"v":""},{"id":3,"v":"NULL"},{"id":4,"v":"\"\""},{"id":5,"v":" "}]`},
	{file: "line_break_in_header.csv", rows: `[{"a b":1,"c":2}]`,
		note: `the name of column 1, "a\nb", has a control character: it is called "a b"`},
}

// TestFileCases reads each of these files in all ways.
func TestFileCases(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join("testdata", "files"))
	if err != nil {
		t.Fatal(err)
	}
	w := newFileWays(t)
	env := w.env
	for i, c := range fileCases {
		t.Run(c.file, func(t *testing.T) {
			path, table := filepath.Join(dir, c.file), fmt.Sprintf(`peaka."table".case%d`, i)
			from := "'" + path + "'"
			query := func(sql string, code int) (out, errs string) {
				t.Helper()
				got, out, errs := runDig(t, env, "sql", sql, "-o", "json", "--typed")
				if got != code {
					t.Fatalf("%s: exit %d, want %d: %s%s", sql, got, code, out, errs)
				}
				return out, errs
			}
			if c.err != "" {
				_, why, _ := strings.Cut(": "+c.err, ": ")
				w.refused(t, path, why)
				return
			}
			w.same(t, path)
			out, errs := query("SELECT * FROM "+from, 0)
			if !sameRows(t, out, c.rows) || !strings.Contains(unescaped(errs), c.note) {
				t.Errorf("FROM: %s%s", out, errs)
			}
			code, _, errs := runDig(t, env, "table", "import", fmt.Sprintf("case%d", i), path, "--create")
			if code != 0 || !strings.Contains(errs, c.note) {
				t.Fatalf("import: exit %d: %s", code, errs)
			}
			var names []string
			for name := range order(t, c.rows) {
				names = append(names, `"`+name+`"`)
			}
			if out, _ := query("SELECT "+strings.Join(names, ", ")+" FROM "+table+" ORDER BY _id", 0); !sameRows(t, out,
				c.rows) {
				t.Errorf("import: %s", out)
			}
			for _, of := range []string{from, table} {
				if c.also[0] == "" {
					continue
				}
				if out, _ := query(fmt.Sprintf(c.also[0], of), 0); !sameRows(t, out, c.also[1]) {
					t.Errorf("%s: %s", of, out)
				}
			}
		})
	}
	// what has no columns goes into a table that exists, and nowhere else
	list := filepath.Join(dir, "empty_list.json")
	for _, c := range []struct {
		code int
		args []string
	}{{0, []string{"table", "create", "some", "--column", "a:bigint"}}, {0, []string{"table", "import", "some", list}},
		{3, []string{"table", "import", "none", list}},
		{1, []string{"table", "import", "none", list, "--create"}},
		{1, []string{"sql", "SELECT * FROM '" + list + "'"}}} {
		if code, _, errs := runDig(t, env, c.args...); code != c.code {
			t.Errorf("%q: exit %d, want %d: %s", c.args, code, c.code, errs)
		}
	}
}

// unescaped is an error as people see it, whether it is printed as JSON or not.
func unescaped(s string) string { return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s) }

func order(t *testing.T, rows string) map[string]any {
	t.Helper()
	var all []map[string]any
	if err := json.Unmarshal([]byte(rows), &all); err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// sameRows compares numbers as doubles, and timestamps with a T or without.
func sameRows(t *testing.T, got, want string) bool {
	t.Helper()
	var a, b []map[string]any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	for _, row := range a {
		for name, v := range row {
			if s, ok := v.(string); ok && name == "t" {
				row[name] = strings.Replace(s, "T", " ", 1)
			}
		}
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// TestManyEqualNames: 4,000 equal names are one of a linear number of steps each; the last is known.
func TestManyEqualNames(t *testing.T) {
	needLocal(t)
	raw, err := os.ReadFile(filepath.Join("testdata", "files", "many_same_names.csv"))
	if err != nil || strings.Count(string(raw), "a") != 4000 {
		t.Fatal(err, len(raw))
	}
	home := t.TempDir()
	env := map[string]string{"HOME": home, "DIG_CONFIG_DIR": home, "DIG_STATE_DIR": home,
		"DIG_DATA_DIR": filepath.Join(home, "data")}
	path, err := filepath.Abs(filepath.Join("testdata", "files", "many_same_names.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if code, out, errs := runDig(t, env, "sql", "SELECT a, a_2, a_4000 FROM '"+path+"'", "-o", "csv"); code != 0 ||
		out != "a,a_2,a_4000\n1,1,1\n" || !strings.Contains(errs, "3989 more columns are renamed") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
