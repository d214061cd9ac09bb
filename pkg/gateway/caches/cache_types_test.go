package caches_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// typedColumn is a column of a table at a source, its value in the first row and in the row that is changed.
type typedColumn struct{ declared, first, changed string }

var (
	postgresColumns = []typedColumn{
		{"char(5)", "'a1'", "'b2'"}, {"varchar(10)", "'a1'", "'b2'"}, {"text", "'a1'", "'b2'"},
		{"timestamp(0)", "'2026-01-01 10:00:00'", "'2026-01-02 10:00:00'"},
		{"timestamp(3)", "'2026-01-01 10:00:00.125'", "'2026-01-02 10:00:00.5'"},
		{"timestamp", "'2026-01-01 10:00:00.123456'", "'infinity'"},
		{"timestamptz(0)", "'2026-01-01 10:00:00+02'", "'2026-01-02 10:00:00+02'"},
		{"timestamptz", "'2026-01-01 10:00:00.5+02'", "NULL"},
		{"time(0)", "'10:00:00'", "'11:00:00'"}, {"time", "'10:00:00.5'", "'11:00:00'"}, {"numeric(10,2)", "1.5",
			"2.5"}, {"numeric(38,10)", "1.5", "2.5"}, {"numeric", "1.5", "2.5"},
		{"boolean", "true", "false"}, {"smallint", "1", "2"}, {"bigint", "1", "2"}, {"real", "1.5", "'NaN'"},
		{"double precision", "'NaN'", "'-0'"}, {"date", "'2026-01-01'", "'-infinity'"},
		{"uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "NULL"}, {"bytea", "'x'", "'y'"},
		{"json", "'{\"b\": 1, \"a\": 2}'", "'[]'"}, {"jsonb", "'{}'", "'[1]'"}, {"integer[]", "'{1,2}'", "'{}'"},
		{"interval", "'1 day'", "'2 days'"},
	}
	mariaColumns = []typedColumn{
		{"char(5)", "'a1'", "'b2'"}, {"varchar(10)", "'a1'", "'b2'"}, {"text", "'a1'", "'b2'"},
		{"datetime", "'2026-01-01 10:00:00'", "'2026-01-02 10:00:00'"}, {"datetime(3)", "'2026-01-01 10:00:00.125'",
			"NULL"},
		{"timestamp(1) NULL", "'2026-01-01 10:00:00.5'", "'2026-01-02 10:00:00'"}, {"time(3)", "'10:00:00.5'",
			"'-11:00:00'"}, {"year", "2025", "2026"}, {"decimal(10,2)", "1.5", "2.5"}, {"decimal(65,30)", "1.5", "2.5"},
		{"bigint unsigned", "18446744073709551615", "2"}, {"tinyint", "1", "2"}, {"float", "1.5", "2.5"},
		{"double", "1.5", "2.5"}, {"date", "'2026-01-01'", "'2026-01-02'"}, {"enum('a','b')", "'a'", "'b'"},
		{"bit(1)", "b'1'", "b'0'"}, {"bit(9)", "b'1'", "b'10'"}, {"varbinary(10)", "'x'", "'y'"},
		{"json", "'{\"b\": 1, \"a\": 2}'", "'[]'"},
	}
)

// A refresh that merges the new rows into those of before keeps the types of the columns: a statement reads the same of
// a cache as of its source, by whatever type of key the rows are told apart.
func TestCacheKeepsTypes(t *testing.T) {
	for name, c := range map[string]struct {
		open    func(*testing.T, ...string) gatewaytest.Origin
		columns []typedColumn
		keys    map[string][3]string // by type, of the row that changes, of that which stays and of that which is added
	}{
		"postgres": {gatewaytest.Postgres, postgresColumns, map[string][3]string{"char(5)": {"'a'", "'b'", "'c'"},
			"varchar(4)": {"'a'", "'b '", "'b'"}, "integer": {"1", "2", "3"}, "timestamp(0)": {"'2026-01-01'",
				"'2026-01-02'", "'2026-01-03'"},
			"double precision": {"'NaN'", "'-Infinity'", "'-0'"}, "numeric(8,2)": {"1", "2.5", "-3"},
			"uuid": {"'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'",
				"'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a13'"}}},
		"mariadb": {gatewaytest.MariaDB, mariaColumns, map[string][3]string{"char(5)": {"'a'", "'b'", "'c'"},
			"integer": {"1", "2", "3"}}},
	} {
		for key, rows := range c.keys {
			for _, at := range []string{"timestamp(0)", "timestamp(3)"} {
				t.Run(name+" by "+key+" and "+at, func(t *testing.T) {
					keepTypes(t, c.open(t), c.columns,
						key, rows, at)
				})
			}
		}
	}
}

func keepTypes(t *testing.T, o gatewaytest.Origin, columns []typedColumn, key string, rows [3]string, at string) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	var declared, first, changed, typeofs []string
	for i, c := range columns {
		declared, first, changed = append(declared, fmt.Sprintf("c%d %s", i, c.declared)), append(first, c.first),
			append(changed, fmt.Sprintf("c%d = %s", i, c.changed))
		typeofs = append(typeofs, fmt.Sprintf("typeof(c%d), c%d", i, i))
	}
	o.Run("CREATE TABLE cached.typed(k " + key + " PRIMARY KEY, changed " + at + " NULL, " +
		strings.Join(declared, ", ") + ")")
	put := func(k, time string) {
		o.Run("INSERT INTO cached.typed VALUES (" + k + ", '" + time + "', " + strings.Join(first, ", ") + ")")
	}
	put(rows[0], "2026-03-01 10:00:00")
	put(rows[1], "2026-03-01 11:00:00")
	cat := gatewaytest.Connect(t, cl, o, map[string]any{"cacheAnything": true})
	c, err := cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: cat.ID, SchemaName: o.Schema,
		TableName: "typed", ChangeTracking: &api.CacheTracking{KeyColumns: []string{"k"}, UpdatedAtColumn: "changed"}})
	if err != nil {
		t.Fatal(err)
	}
	g.Jobs.Running.Wait()
	same := func(want string) {
		t.Helper()
		if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID, nil)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		for _, text := range []string{"SELECT * FROM far.cached.typed ORDER BY changed",
			"SELECT typeof(k), k, typeof(changed), " + strings.Join(typeofs, ", ") +
				" FROM far.cached.typed ORDER BY changed",
			"SELECT c0 || '|', count_if(c0 = 'a1'), count_if(c0 = 'b2') FROM far.cached.typed GROUP BY 1 ORDER BY 1"} {
			if cached, live := allOf(t, g, text, false), allOf(t, g, text, true); cached != live {
				t.Errorf("%s: the cache has\n%s\nthe source\n%s", text, cached, live)
			}
		}
	}
	same("COMPLETED 2 +2 ~0 -0")
	put(rows[2], "2026-03-01 12:00:00")
	o.Run("UPDATE cached.typed SET changed = '2026-03-01 13:00:00', " + strings.Join(changed, ", ") +
		" WHERE changed = '2026-03-01 10:00:00'")
	gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)
	same("COMPLETED 2 +1 ~1 -0")
	o.Run("DELETE FROM cached.typed WHERE changed = '2026-03-01 13:00:00'")
	gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)
	same("COMPLETED 0 +0 ~0 -1")
	if err := gatewaytest.CheckScratch(g); err != nil {
		t.Error(err)
	}
}

// allOf is the result of a statement as text, with the names and types of its columns, from caches or past them.
func allOf(t *testing.T, g *gateway.Gateway, text string, live bool) string {
	t.Helper()
	p, err := g.Store.Project(context.Background(), "", gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	reading := "stored"
	if live {
		reading = "live"
	}
	res, err := g.Names.QueryReading(context.Background(), p, sql.Query{SQL: text}, reading)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer res.Close()
	var b strings.Builder
	for _, c := range res.Columns() {
		fmt.Fprintf(&b, "%s %s, ", c.Name, c.DataType)
	}
	if _, err = res.Rows(context.Background(), func(row [][]byte) error {
		fmt.Fprintf(&b, "\n%q", row)
		return nil
	}); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return b.String()
}
