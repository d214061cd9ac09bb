//go:build cgo

package sourcetest

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/parquet-go/parquet-go"
)

// doubles are rows with every kind of double, and the numbers of those that only some sources can store.
var doubles = []struct{ pg, trino string }{
	{"'NaN'", "nan()"}, {"'-Infinity'", "-infinity()"}, {"'Infinity'", "infinity()"}, {"NULL", "NULL"}, {"0", "0e0"},
	{"'-0'", "-0e0"}, {"5", "5e0"}, {"6", "6e0"}, {"-1.5", "-15e-1"}, {"1e300", "1e300"}, {"5e-324", "5e-324"},
	{"0.1", "1e-1"},
}

// doubleConditions are conditions on a double x.
func doubleConditions() []string {
	var out []string
	for _, v := range []string{"5", "0", "-0e0", "5.5", "1e300", "0.1", "-1"} {
		for _, op := range []string{"=", "<>", "<", "<=", ">", ">="} {
			out = append(out, "x "+op+" "+v, "NOT (x "+op+" "+v+")", v+" "+op+" x", "NOT NOT x "+op+" "+v)
		}
	}
	for _, c := range []string{"x IN (5, 6)", "x BETWEEN 0 AND 5", "x = 5 OR x = 0", "x > 5 AND x < 1e301",
		"x > 5 OR x < 0", "x IS NULL", "x = 5 AND id > 0"} {
		out = append(out, c, "NOT ("+c+")")
	}
	return append(out, "x NOT IN (5, 0)", "x NOT BETWEEN 0 AND 5", "x IS NOT NULL", "x > 5 AND NOT (x < 6)",
		"NOT (NOT (x > 5) AND x < 7)")
}

// Conditions on doubles keep the rows that they keep without a source, with NaN, negative zero and infinities; so do
// they with a limit.
func TestDoublesOfEverySource(t *testing.T) {
	// without and with the values that are no numbers, and those by which a file's column is double
	var sets [3][]string
	for i, d := range doubles {
		if i > 2 {
			sets[0] = append(sets[0], fmt.Sprintf("(%d, %s)", i, d.trino))
		}
		if fileDouble(d.trino) {
			sets[2] = append(sets[2], fmt.Sprintf("(%d, %s)", i, d.trino))
		}
		sets[1] = append(sets[1], fmt.Sprintf("(%d, %s)", i, d.trino))
	}
	from := func(first int, text func(i int) string) string {
		var rows []string
		for i := first; i < len(doubles); i++ {
			rows = append(rows, text(i))
		}
		return strings.Join(rows, ", ")
	}
	for name, open1 := range map[string]func(t *testing.T) (z zone, table string, all int){
		"postgres": func(t *testing.T) (zone, string, int) {
			s := postgres(t)
			s.run(t, "DROP SCHEMA IF EXISTS doubled CASCADE; CREATE SCHEMA doubled; CREATE TABLE doubled.t(id "+
				"bigint, x float8, r float4); INSERT INTO doubled.t VALUES "+
				from(0, func(i int) string { return fmt.Sprintf("(%d, %s, NULL)", i, doubles[i].pg) })+";")
			return open(t, s), "pg.doubled.t", 1
		},
		"mariadb": func(t *testing.T) (zone, string, int) {
			s := mariadb(t)
			s.run(t, "DROP DATABASE IF EXISTS doubled; CREATE DATABASE doubled; CREATE TABLE doubled.t(id bigint, x "+
				"double); INSERT INTO doubled.t VALUES "+
				from(3, func(i int) string { return fmt.Sprintf("(%d, %s)", i, strings.Trim(doubles[i].pg, "'")) })+";")
			return open(t, s), "maria.doubled.t", 0
		},
		"sqlite": func(t *testing.T) (zone, string, int) {
			path := filepath.Join(t.TempDir(), "t.db")
			runOn(t, "sqlite", path, "CREATE TABLE t(id INTEGER, x REAL); INSERT INTO t VALUES "+
				from(3, func(i int) string {
					return fmt.Sprintf("(%d, %s)", i, strings.Replace(strings.Trim(doubles[i].pg, "'"),
						"-0", "-0.0", 1))
				}))
			return open(t, server{catalog: "far", kind: "sqlite", credential: map[string]any{"path": path}}),
				"far.main.t", 0
		},
		"duckdb": func(t *testing.T) (zone, string, int) {
			path := filepath.Join(t.TempDir(), "t.duckdb")
			runOn(t, "duckdb", path, "CREATE TABLE t(id BIGINT, x DOUBLE); INSERT INTO t VALUES "+
				from(0, func(i int) string {
					return fmt.Sprintf("(%d, %s)", i, doubles[i].pg)
				}))
			return open(t, server{catalog: "far", kind: "duckdb", credential: map[string]any{"path": path}}),
				"far.main.t", 1
		},
		"parquet": func(t *testing.T) (zone, string, int) {
			dir := t.TempDir()
			parquetDoubles(t, filepath.Join(dir, "t.parquet"), 2)
			return folder(t, dir), "far.files.t", 1
		},
		"parquet of DuckDB": func(t *testing.T) (zone, string, int) {
			dir := t.TempDir()
			runOn(t, "duckdb", "", "COPY (SELECT CAST(id AS BIGINT) AS id, x FROM (VALUES "+from(0, func(i int) string {
				return fmt.Sprintf("(%d, CAST(%s AS DOUBLE))", i, doubles[i].pg)
			})+") v(id, x)) TO '"+filepath.Join(dir, "t.parquet")+"' (FORMAT parquet)")
			return folder(t, dir), "far.files.t", 1
		},
		"csv": func(t *testing.T) (zone, string, int) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "t.csv"), "id,x\n"+strings.NewReplacer("(", "", "), ", "\n", ")", "\n", ", ",
				",", "NULL", "", "5e0", "5", "6e0", "6").Replace(strings.Join(sets[2], ", ")))
			return folder(t, dir), "far.files.t", 2
		},
		"json": func(t *testing.T) (zone, string, int) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "t.json"), jsonDoubles(fileDouble))
			return folder(t, dir), "far.files.t", 2
		},
		"rest": func(t *testing.T) (zone, string, int) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, jsonDoubles(func(string) bool { return true }))
			}))
			t.Cleanup(srv.Close)
			return open(t, server{catalog: "far", kind: "rest", credential: map[string]any{"baseUrl": srv.URL,
				"tables": `{"tables":[{"name":"t","path":"/"}]}`}}), "far.rest.t", 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			z, table, all := open1(t)
			own := "(SELECT CAST(id AS bigint) AS id, CAST(x AS double) AS x FROM (VALUES " + strings.Join(sets[all],
				", ") + ") v(id, x))"
			ids := func(text string) []string {
				var out []string
				for _, r := range z.query(t, text, api.Compact).rows {
					out = append(out, *r[0])
				}
				slices.Sort(out)
				return out
			}
			if got := z.query(t, "SELECT DISTINCT typeof(x) FROM "+table, api.Compact).rows; len(got) != 1 ||
				*got[0][0] != "double" {
				t.Fatalf("the type of the column: %s", *got[0][0])
			}
			for i, c := range doubleConditions() {
				if name == "duckdb" && i%17 != 0 { // each statement opens the file
					continue
				}
				want := ids("SELECT id FROM " + own + " WHERE " + c)
				if got := ids("SELECT id FROM " + table + " WHERE " + c); !slices.Equal(got, want) {
					t.Errorf("%s: rows %v, want %v", c, got, want)
				}
				if got, most := ids("SELECT id FROM "+table+" WHERE "+c+" LIMIT 3"),
					min(3, len(want)); len(got) != most || slices.ContainsFunc(got,
					func(id string) bool { return !slices.Contains(want, id) }) {
					t.Errorf("%s LIMIT 3: rows %v of %v", c, got, want)
				}
			}
			for _, order := range []string{"x, id", "x DESC, id", "x NULLS FIRST, id"} {
				text := "SELECT array_join(array_agg(id), ' ') FROM (SELECT id FROM % ORDER BY " + order + " LIMIT 5) y"
				if got, want := ids(strings.Replace(text, "%", table, 1)),
					ids(strings.Replace(text, "%", own, 1)); !slices.Equal(got, want) {
					t.Errorf("ORDER BY %s: %v, want %v", order, got, want)
				}
			}
		})
	}
}

// runOn runs statements in a database file.
func runOn(t *testing.T, driver, path, text string) {
	t.Helper()
	db, err := sql.Open(driver, path)
	if err == nil {
		_, err = db.Exec(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func folder(t *testing.T, dir string) zone {
	return open(t, server{catalog: "far", kind: "files", credential: map[string]any{"path": dir}})
}

// parquetDoubles writes the doubles with statistics of each few rows.
func parquetDoubles(t *testing.T, path string, group int64) {
	t.Helper()
	type row struct {
		ID int64    `parquet:"id"`
		X  *float64 `parquet:"x,optional"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.MaxRowsPerRowGroup(group))
	for i, d := range doubles {
		r := row{ID: int64(i)}
		if x, err := strconv.ParseFloat(strings.Trim(d.pg, "'"), 64); err == nil {
			r.X = &x
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, file.String())
}

// fileDouble reports whether the type of a column of a file with a number is double.
func fileDouble(number string) bool {
	return slices.Contains([]string{"NULL", "5e0", "6e0", "-15e-1", "1e-1"}, number)
}

func jsonDoubles(in func(number string) bool) string {
	var rows []string
	for i, d := range doubles {
		if i > 2 && in(d.trino) {
			rows = append(rows, fmt.Sprintf(`{"id":%d,"x":%s}`, i, strings.NewReplacer("NULL", "null", "5e0", "5",
				"6e0", "6").Replace(d.trino)))
		}
	}
	return "[" + strings.Join(rows, ",") + "]"
}
