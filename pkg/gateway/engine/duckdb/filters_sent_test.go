//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// named is a catalog of sources and saved queries by name.
type named struct {
	sql.Own
	sources map[string]sql.Source
}

func (n named) Lookup(_ context.Context, t engine.TableName) (sql.Source, error) {
	if s, ok := n.sources[t.Table]; ok {
		return s, nil
	}
	return sql.Source{}, engine.UnknownTable(t)
}

// request writes what was asked of a source: conditions, and the limit.
func request(r engine.ScanRequest) string {
	var all []string
	for _, f := range r.Filters {
		s := f.Column + " " + f.Op
		for _, v := range f.Values {
			if t, ok := v.(time.Time); ok {
				v = t.Format("2006-01-02T15:04:05.999999")
			}
			s += fmt.Sprintf(" %v", v)
		}
		all = append(all, s)
	}
	if r.Limit >= 0 {
		all = append(all, fmt.Sprintf("limit %d", r.Limit))
	}
	return strings.Join(all, "; ")
}

func TestWhatTravelsToASource(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	src := func() *heldRows {
		return &heldRows{cols: []engine.ColumnInfo{{Name: "id", Type: "integer"}, {Name: "Name", Type: "varchar"},
			{Name: "amount", Type: "decimal(10,2)"}, {Name: "d", Type: "date"},
			{Name: "ts", Type: "timestamp"}, {Name: "tz", Type: "timestamp with time zone"},
			{Name: "f", Type: "double"}, {Name: "ok", Type: "boolean"}, {Name: "u", Type: "uuid"},
			{Name: "j", Type: "json"}, {Name: "r", Type: "real"}},
			rows: [][]any{{"5", "x", "1.50", "2024-01-01", "2024-01-01 00:00:00", "2024-01-01T00:00:00Z", "1.5", "true",
				"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{}", "1.5"}}}
	}
	for _, c := range []struct{ text, want string }{
		{`SELECT * FROM c.s.t`, ""},
		{`SELECT id FROM c.s.t WHERE id = 5 AND 7 > id AND name <> 'y'`, "id = 5; id < 7; Name <> y"},
		{`SELECT id FROM c.s.t WHERE id IN (5, 6) AND id NOT IN (7) AND id BETWEEN 1 AND 9`,
			"id in 5 6; id not in 7; id >= 1; id <= 9"},
		{`SELECT id FROM c.s.t WHERE id = 5 OR id = 6 OR id IN (7, 8)`, "id in 5 6 7 8"},
		{`SELECT id FROM c.s.t WHERE id = 5 OR name = 'x'`, ""},
		{`SELECT id FROM c.s.t WHERE NOT (id = 5)`, "id <> 5"},
		{`SELECT id FROM c.s.t WHERE name IS NOT NULL AND d IS NULL`, "Name is not null; d is null"},
		{`SELECT id FROM c.s.t WHERE name LIKE 'x%' AND name NOT LIKE 'y'`, "Name like x%"},
		{`SELECT id FROM c.s.t WHERE ok AND amount > 1.25 AND amount < 5`, "ok = true; amount > 1.25; amount < 5"},
		{`SELECT id FROM c.s.t WHERE NOT ok AND ok = false`, "ok = false; ok = false"},
		{`SELECT id FROM c.s.t WHERE amount = 12345678901234567890123456789.1`, ""},
		{`SELECT id FROM c.s.t WHERE f > 1.5 AND f < 2 AND f <> 1e300 AND r > 1`, "f > 1.5; f < 2; f <> 1e+300"},
		{`SELECT id FROM c.s.t WHERE d >= DATE '2024-01-01' AND ts < TIMESTAMP '2024-02-01 10:00:00.5' AND tz = DATE ` +
			`'2024-01-01'`, "d >= 2024-01-01T00:00:00; ts < 2024-02-01T10:00:00.5; tz = 2024-01-01T00:00:00"},
		{`SELECT id FROM c.s.t WHERE d >= TIMESTAMP '2024-01-01 10:00:00'`, ""},
		{`SELECT id FROM c.s.t WHERE u = UUID 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'`,
			"u = a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{`SELECT id FROM c.s.t WHERE id = 3000000000`, ""}, // no integer: the source would refuse it
		{`SELECT id FROM c.s.t WHERE id = 5.5`, ""},
		{`SELECT id FROM c.s.t WHERE id + 1 = 5`, ""},
		{`SELECT x.id FROM c.s.t x WHERE x.id = 5 AND id > 1`, "id = 5; id > 1"},
		{`SELECT t.id FROM c.s.t WHERE t.id = 5 AND s.t.id = 5 AND c.s.t.id = 5`, "id = 5; id = 5; id = 5"},
		// The limit
		{`SELECT id, name, CAST(id AS bigint), 1 FROM c.s.t LIMIT 10`, "limit 10"},
		{`SELECT * FROM c.s.t WHERE id = 5 OFFSET 3 LIMIT 10`, "id = 5; limit 13"},
		{`SELECT * FROM c.s.t WHERE id + 1 = 6 LIMIT 10`, ""},
		{`SELECT * FROM c.s.t WHERE r = 1.5 LIMIT 10`, ""},
		{`SELECT * FROM c.s.t ORDER BY id LIMIT 10`, ""},
		{`SELECT DISTINCT id FROM c.s.t LIMIT 10`, ""},
		{`SELECT count(*) FROM c.s.t LIMIT 10`, ""},
		{`SELECT id, count(*) FROM c.s.t GROUP BY id LIMIT 10`, ""},
		{`SELECT id, row_number() OVER () FROM c.s.t LIMIT 10`, ""},
		{`SELECT upper(name) FROM c.s.t CROSS JOIN UNNEST(ARRAY[1, 2]) LIMIT 10`, ""},
		{`SELECT id FROM c.s.t UNION ALL SELECT 1 LIMIT 10`, ""},
		{`SELECT * FROM (SELECT id FROM c.s.t WHERE id = 5 LIMIT 10) LIMIT 1`, "id = 5; limit 10"},
		{`WITH q AS (SELECT * FROM c.s.t LIMIT 10) SELECT count(*) FROM q`, "limit 10"},
		// Joins
		{`SELECT count(*) FROM c.s.t x JOIN c.s.o ON x.id = o.id WHERE x.id = 5 AND o.id > 1`, "id = 5"},
		{`SELECT count(*) FROM c.s.t x JOIN c.s.o ON x.id = o.id AND x.id > 1 WHERE name = 'x' LIMIT 10`,
			"id > 1; Name = x"},
		{`SELECT count(*) FROM c.s.o LEFT JOIN c.s.t x ON x.id = o.id AND x.amount > 1 WHERE x.id IS NULL AND ` +
			`x.name = 'x'`, "amount > 1; Name = x"},
		{`SELECT count(*) FROM c.s.t x LEFT JOIN c.s.o ON x.id = o.id AND x.amount > 1 WHERE x.id > 0`, "id > 0"},
		{`SELECT count(*) FROM c.s.t x FULL JOIN c.s.o ON x.id = o.id AND x.amount > 1 WHERE x.id > 0`, "id > 0"},
		{`SELECT count(*) FROM c.s.t x JOIN c.s.o USING (id) WHERE id = 5 AND x.amount > 1`, "amount > 1"},
		{`SELECT count(*) FROM c.s.o, c.s.t WHERE t.id = 5 AND o.id = t.id`, "id = 5"},
		// A column of an outer SELECT, of renamed columns, of a sample, of two readings
		{`SELECT * FROM c.s.o x WHERE EXISTS (SELECT 1 FROM c.s.t WHERE x.id = 5 AND t.id = 5)`, "id = 5"},
		{`SELECT * FROM c.s.t AS x(name, id, a, b, c, d, e, f, g, h, i) WHERE id = 'x'`, ""},
		{`SELECT count(*) FROM c.s.t a JOIN c.s.t b ON a.id = b.id WHERE a.id = 5 AND b.id = 5`, "id = 5"},
		{`SELECT count(*) FROM c.s.t a JOIN c.s.t b ON a.id = b.id WHERE a.id = 5`, ""},
		{`SELECT * FROM c.s.t WHERE id = 5 AND id IN (SELECT id FROM c.s.saved)`, "id = 5"},
		{`SELECT * FROM c.s.saved WHERE id > 1`, "id = 5"},
		{`SELECT * FROM c.s.saved JOIN c.s.t USING (id)`, ""},
		{`SELECT upper(name) AS name FROM c.s.t WHERE name = 'x'`, "Name = x"},
	} {
		h := src()
		o := &heldRows{cols: []engine.ColumnInfo{{Name: "id", Type: "integer"}, {Name: "other", Type: "varchar"}},
			rows: [][]any{{"5", "y"}}}
		cat := named{sources: map[string]sql.Source{"t": {Scan: h}, "o": {Scan: o},
			"saved": {SQL: `SELECT id FROM c.s.t WHERE id = 5`}}}
		if _, err := rows(t, p, sql.Query{SQL: c.text, Catalogs: cat}); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if len(h.requests()) == 0 {
			t.Errorf("%s: nothing was asked", c.text)
			continue
		}
		if got := request(h.requests()[0]); got != c.want {
			t.Errorf("%s\n asks %q\n want %q", c.text, got, c.want)
		}
	}
}

func TestBindingsTravel(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	h := &heldRows{cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}, {Name: "name", Type: "varchar"},
		{Name: "amount", Type: "decimal(10,2)"}, {Name: "d", Type: "date"}, {Name: "ok", Type: "boolean"}},
		rows: [][]any{{"5", "007", "1.49", "2024-01-01", "true"}}}
	got, err := rows(t, p, sql.Query{
		SQL:      `SELECT id FROM c.s.t WHERE id = ? AND name = ? AND amount < ? AND d = ? AND ok = ? LIMIT 5`,
		Bindings: []string{"5", "007", "1.499", "2024-01-01", "true"}, Catalogs: oneSource{src: h}})
	if err != nil || got != "5" {
		t.Fatal(got, err)
	}
	if got, want := request(h.requests()[0]),
		"id = 5; name = 007; amount < 1.499; d = 2024-01-01T00:00:00; ok = true; limit 5"; got != want {
		t.Errorf("asks %q, want %q", got, want)
	}
}
