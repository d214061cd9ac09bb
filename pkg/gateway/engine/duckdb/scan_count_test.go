//go:build cgo

package duckdb

import (
	"fmt"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// Rows that are only counted are asked for without a column, and in no other case.
func TestCountsAskForNoColumns(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	var held [][]any
	for i := range 5000 {
		name := any(fmt.Sprintf("a name that does not fit into twelve bytes %d", i))
		if i%2 == 0 {
			name = nil
		}
		held = append(held, []any{name, fmt.Sprint(i)})
	}
	for _, c := range []struct {
		text, asked, want string
	}{
		{`SELECT count(*) FROM c.s.t`, "[[]]", "5000"},
		{`SELECT count(*) AS n, 7, 'x' FROM c.s.t AS u`, "[[]]", "5000|7|x"},
		{`SELECT n FROM (SELECT count(*) AS n FROM c.s.t) x WHERE n > 1`, "[[]]", "5000"},
		{`SELECT count(*) FROM c.s.t UNION ALL SELECT count(*) FROM c.s.t AS u`, "[[]]", "5000\n5000"},
		{`SELECT count(*) FROM c.s.counted`, "[[]]", "1"},
		{`SELECT count(name) FROM c.s.t`, "[[Name]]", "2500"},
		{`SELECT count(*) FILTER (WHERE name IS NULL) FROM c.s.t`, "[[Name]]", "2500"},
		{`SELECT count(*) FROM c.s.t WHERE id < 10`, "[[id]]", "10"},
		{`SELECT count(*) FROM c.s.t GROUP BY id % 2 ORDER BY 1`, "[[id]]", "2500\n2500"},
		{`SELECT count(*), max(id) FROM c.s.t`, "[[id]]", "5000|4999"},
		{`SELECT DISTINCT count(*) FROM c.s.t`, "[[Name]]", "5000"},
	} {
		for _, fills := range []bool{false, true} {
			h := &heldRows{cols: []engine.ColumnInfo{{Name: "Name", Type: "varchar"}, {Name: "id", Type: "integer"}},
				rows: held, fills: fills}
			got, err := rows(t, p, sql.Query{SQL: c.text, Catalogs: named{sources: map[string]sql.Source{"t": {Scan: h},
				"counted": {SQL: "SELECT count(*) AS n FROM c.s.t"}}}})
			var asked [][]string
			for _, r := range h.requests() {
				asked = append(asked, r.Columns)
			}
			if err != nil || fmt.Sprint(got) != c.want || fmt.Sprint(asked) != c.asked {
				t.Errorf("%s: %v, %v, asked for %v; want %s, asked for %s", c.text, got, err, asked, c.want, c.asked)
			}
		}
	}
	// The count and the rows of one statement share a request.
	h := &heldRows{cols: []engine.ColumnInfo{{Name: "Name", Type: "varchar"}, {Name: "id", Type: "integer"}},
		rows: held}
	got, err := rows(t, p, sql.Query{
		SQL:      `SELECT max(id), (SELECT count(*) FROM c.s.t) FROM c.s.t WHERE name IS NOT NULL`,
		Catalogs: named{sources: map[string]sql.Source{"t": {Scan: h}}}})
	if err != nil || fmt.Sprint(got) != "4999|5000" {
		t.Errorf("%v, %v", got, err)
	}
}
