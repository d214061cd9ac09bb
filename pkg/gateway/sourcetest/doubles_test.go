package sourcetest

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// doubles are rows with every kind of double, and the numbers of those that only some sources can store.
var doubles = []struct{ pg, trino string }{
	{"'NaN'", "nan()"}, {"'-Infinity'", "-infinity()"}, {"'Infinity'", "infinity()"}, {"NULL", "NULL"}, {"0", "0e0"}, {"'-0'", "-0e0"}, {"5", "5e0"}, {"6", "6e0"}, {"-1.5", "-15e-1"}, {"1e300", "1e300"}, {"5e-324", "5e-324"}, {"0.1", "1e-1"},
}

// doubleConditions are conditions on a double x.
func doubleConditions() []string {
	var out []string
	for _, v := range []string{"5", "0", "-0e0", "5.5", "1e300", "0.1", "-1"} {
		for _, op := range []string{"=", "<>", "<", "<=", ">", ">="} {
			out = append(out, "x "+op+" "+v, "NOT (x "+op+" "+v+")", v+" "+op+" x", "NOT NOT x "+op+" "+v)
		}
	}
	for _, c := range []string{"x IN (5, 6)", "x BETWEEN 0 AND 5", "x = 5 OR x = 0", "x > 5 AND x < 1e301", "x > 5 OR x < 0", "x IS NULL", "x = 5 AND id > 0"} {
		out = append(out, c, "NOT ("+c+")")
	}
	return append(out, "x NOT IN (5, 0)", "x NOT BETWEEN 0 AND 5", "x IS NOT NULL", "x > 5 AND NOT (x < 6)", "NOT (NOT (x > 5) AND x < 7)")
}

// Conditions on doubles keep the rows that they keep without a source, with NaN, negative zero and infinities; so do they with a limit.
func TestDoublesOfEverySource(t *testing.T) {
	var sets [2][]string // without and with the values that are no numbers
	for i, d := range doubles {
		if i > 2 {
			sets[0] = append(sets[0], fmt.Sprintf("(%d, %s)", i, d.trino))
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
			s.run(t, "DROP SCHEMA IF EXISTS doubled CASCADE; CREATE SCHEMA doubled; CREATE TABLE doubled.t(id bigint, x float8, r float4); INSERT INTO doubled.t VALUES "+
				from(0, func(i int) string { return fmt.Sprintf("(%d, %s, NULL)", i, doubles[i].pg) })+";")
			return open(t, s), "pg.doubled.t", 1
		},
		"mariadb": func(t *testing.T) (zone, string, int) {
			s := mariadb(t)
			s.run(t, "DROP DATABASE IF EXISTS doubled; CREATE DATABASE doubled; CREATE TABLE doubled.t(id bigint, x double); INSERT INTO doubled.t VALUES "+
				from(3, func(i int) string { return fmt.Sprintf("(%d, %s)", i, strings.Trim(doubles[i].pg, "'")) })+";")
			return open(t, s), "maria.doubled.t", 0
		},
		"sqlite": func(t *testing.T) (zone, string, int) {
			path := filepath.Join(t.TempDir(), "t.db")
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec("CREATE TABLE t(id INTEGER, x REAL); INSERT INTO t VALUES " + from(3, func(i int) string {
				return fmt.Sprintf("(%d, %s)", i, strings.Replace(strings.Trim(doubles[i].pg, "'"), "-0", "-0.0", 1))
			})); err != nil {
				t.Fatal(err)
			}
			return open(t, server{catalog: "far", kind: "sqlite", credential: map[string]any{"path": path}}), "far.main.t", 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			z, table, all := open1(t)
			own := "(SELECT CAST(id AS bigint) AS id, CAST(x AS double) AS x FROM (VALUES " + strings.Join(sets[all], ", ") + ") v(id, x))"
			ids := func(text string) []string {
				var out []string
				for _, r := range z.query(t, text, api.Compact).rows {
					out = append(out, *r[0])
				}
				slices.Sort(out)
				return out
			}
			for _, c := range doubleConditions() {
				want := ids("SELECT id FROM " + own + " WHERE " + c)
				if got := ids("SELECT id FROM " + table + " WHERE " + c); !slices.Equal(got, want) {
					t.Errorf("%s: rows %v, want %v", c, got, want)
				}
				if got, most := ids("SELECT id FROM "+table+" WHERE "+c+" LIMIT 3"), min(3, len(want)); len(got) != most || slices.ContainsFunc(got, func(id string) bool { return !slices.Contains(want, id) }) {
					t.Errorf("%s LIMIT 3: rows %v of %v", c, got, want)
				}
			}
			for _, order := range []string{"x, id", "x DESC, id", "x NULLS FIRST, id"} {
				text := "SELECT array_join(array_agg(id), ' ') FROM (SELECT id FROM % ORDER BY " + order + " LIMIT 5) y"
				if got, want := ids(strings.Replace(text, "%", table, 1)), ids(strings.Replace(text, "%", own, 1)); !slices.Equal(got, want) {
					t.Errorf("ORDER BY %s: %v, want %v", order, got, want)
				}
			}
		})
	}
}
