//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// filteringRows is a source that returns exactly the rows that pass the filters, or all of them.
type filteringRows struct {
	heldRows
	applies bool
}

func (f *filteringRows) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	h := heldRows{cols: f.cols}
	for _, row := range f.rows {
		pass := true
		for _, c := range req.Filters {
			i := slices.IndexFunc(f.cols, func(col engine.ColumnInfo) bool { return col.Name == c.Column })
			pass = pass && (!f.applies || passes(c.Op, row[i], c.Values))
		}
		if pass {
			h.rows = append(h.rows, row)
		}
	}
	b, err := h.Scan(ctx, req)
	f.note(req)
	return b, err
}

func passes(op string, v any, values []any) bool {
	if v == nil {
		return false
	}
	a, b := fmt.Sprint(v), fmt.Sprint(values[0]) // one digit each, so that texts are in the order of numbers
	switch op {
	case "=":
		return a == b
	case "<>":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "in":
		return slices.ContainsFunc(values, func(x any) bool { return fmt.Sprint(x) == a })
	}
	return true
}

// namedSources are sources and saved queries by table name.
type namedSources struct {
	sql.Own
	src   map[string]engine.Scanner
	saved map[string]string
}

func (n namedSources) Lookup(_ context.Context, name engine.TableName) (sql.Source, error) {
	if text := n.saved[name.Table]; text != "" {
		return sql.Source{SQL: text}, nil
	}
	return sql.Source{Scan: n.src[name.Table]}, nil
}

// A source that applies what it is asked must give every statement the rows that one which ignores it gives.
func TestFiltersChangeNothing(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	sources := func(applies bool) (namedSources, []*filteringRows) {
		var all []*filteringRows
		n := namedSources{src: map[string]engine.Scanner{}, saved: map[string]string{
			"ones": `SELECT * FROM c.s.t WHERE k = 1`, "twos": `SELECT * FROM c.s.t WHERE k = 2`,
			"named": `SELECT x.* FROM c.s.t x WHERE x.a = 'a1' AND k < 3`}}
		for _, name := range []string{"t", "u"} {
			f := &filteringRows{applies: applies}
			f.cols = []engine.ColumnInfo{{Name: "k", Type: "bigint"}, {Name: "a", Type: "varchar"},
				{Name: "b", Type: "varchar"}, {Name: name + "only", Type: "varchar"}}
			for i := range 8 {
				row := []any{fmt.Sprint(i % 4), fmt.Sprintf("a%d", i%3), fmt.Sprintf("b%d", i), name}
				if i == 5 {
					row[1] = nil
				}
				f.rows = append(f.rows, row)
			}
			n.src[name] = f
			all = append(all, f)
		}
		return n, all
	}
	for _, c := range []struct {
		text string
		args []string
		asks string // the filters of the first reading of t, "-" where it does not matter
	}{
		{`SELECT * FROM c.s.t WHERE k = 1 AND a <> 'a2'`, nil, "[{k = [1]} {a <> [a2]}]"},
		{`SELECT * FROM c.s.t WHERE a = ?`, []string{"a2"}, "[{a = [a2]}]"},
		{`SELECT * FROM c.s.t WHERE k IN (?, 3) AND ? = a`, []string{"1", "a1"}, "[{k in [1 3]} {a = [a1]}]"},
		{`SELECT * FROM c.s.t WHERE k = 1 OR a = 'a1'`, nil, "[]"},
		{`SELECT * FROM c.s.t w JOIN c.s.u ON w.k = u.k WHERE w.a = 'a1'`, nil, "[{a = [a1]}]"},
		{`SELECT * FROM c.s.t LEFT JOIN c.s.u ON t.k = u.k AND u.a = 'a1' WHERE t.a = 'a2' AND tonly = 't'`, nil,
			"[{a = [a2]} {tonly = [t]}]"},
		{`SELECT * FROM c.s.u LEFT JOIN c.s.t ON t.k = u.k WHERE t.a = 'a2'`, nil, "[{a = [a2]}]"},
		{`SELECT * FROM c.s.u FULL JOIN c.s.t ON t.b = u.a WHERE t.a <> 'a2'`, nil, "[{a <> [a2]}]"},
		{`SELECT * FROM c.s.u FULL JOIN c.s.t USING (b) WHERE b = 'b1'`, nil, "[]"},
		{`SELECT * FROM c.s.t, c.s.u WHERE t.k = u.k AND u.a = 'a1' AND t.k = 1`, nil, "[{k = [1]}]"},
		{`SELECT * FROM c.s.t x JOIN c.s.t y ON x.k = y.k WHERE x.a = 'a0' AND y.a = 'a1'`, nil, "[{a in [a0 a1]}]"},
		{`SELECT * FROM c.s.t x JOIN c.s.t y ON x.k = y.k WHERE x.a = 'a1'`, nil, "[]"},
		{`SELECT * FROM c.s.t WHERE a = 'a1' UNION ALL SELECT * FROM c.s.t WHERE a IN ('a2', 'a1') AND k = 2`, nil,
			"[{a in [a1 a2]}]"},
		{`SELECT count(*) FROM c.s.ones o, c.s.twos w`, nil, "[{k in [1 2]}]"},
		{`SELECT * FROM c.s.ones o JOIN c.s.t USING (a)`, nil, "[]"},
		{`SELECT * FROM c.s.named n WHERE n.k = 1`, nil, "[{a = [a1]} {k < [3]}]"},
		{`SELECT * FROM c.s.u WHERE EXISTS (SELECT 1 FROM c.s.t WHERE u.a = 'a1' AND t.b = u.b)`, nil, "[]"},
		{`SELECT * FROM c.s.u WHERE k = (SELECT max(k) FROM c.s.t WHERE a = 'a1')`, nil, "[{a = [a1]}]"},
		{`SELECT * FROM c.s.t AS w(a, k, x, y) WHERE k = 'a1'`, nil, "[]"},
		{`SELECT a, count(*) FROM c.s.t WHERE k > 0 GROUP BY a HAVING count(*) > 1 ORDER BY 1 LIMIT 3`, nil,
			"[{k > [0]}]"},
	} {
		var got [2]string
		for i, applies := range []bool{false, true} {
			cat, all := sources(applies)
			var err error
			if got[i], err = rows(t, p, sql.Query{SQL: c.text, Bindings: c.args, Catalogs: cat}); err != nil {
				t.Errorf("%s: %v", c.text, err)
				break
			}
			if len(all[0].requests()) == 0 {
				t.Errorf("%s: t was not read", c.text)
			} else if asks := fmt.Sprint(append([]engine.Filter{}, all[0].requests()[0].Filters...)); asks != c.asks {
				t.Errorf("%s: asks for %s, want %s", c.text, asks, c.asks)
			}
		}
		if got[0] != got[1] {
			t.Errorf("%s: with filters\n%s\nwithout\n%s", c.text, got[1], got[0])
		}
		if got[0] == "" {
			t.Errorf("%s: no rows, so nothing was tested", c.text)
		}
	}
}
