//go:build cgo

package running

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/wire"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// TestRowsBetweenPlanAndExecution: a statement that was planned before rows were added sees none of them, and does not
// read them by the measure of the rows it was planned for.
func TestRowsBetweenPlanAndExecution(t *testing.T) {
	p := testProject(t)
	ctx := t.Context()
	const short, numbers = "mark,n\na,1\n", "mark,n\na,1\nb,2\nc,3\n"
	for _, c := range []struct{ rows, text, want string }{
		{"", `SELECT mark, count(*) FROM e GROUP BY mark`, ""},
		{short, `SELECT mark FROM e ORDER BY mark`, "a"},
		{short, `SELECT DISTINCT mark FROM e`, "a"},
		{short, `SELECT mark FROM e WHERE n <= 5`, "a"},
		{short, `SELECT mark FROM e WHERE n > 5`, ""},
		{short, `SELECT mark FROM e WHERE mark IS NULL`, ""},
		{short, `SELECT min(n), max(n), count(*) FROM e`, "1|1|1"},
		{numbers, `SELECT n, count(*) FROM e GROUP BY n ORDER BY n`, "1|1\n2|1\n3|1"},
		{numbers, `SELECT a.n, b.mark FROM e a JOIN e b ON a.n = b.n ORDER BY 1`, "1|a\n2|b\n3|c"},
	} {
		t.Run(c.text, func(t *testing.T) {
			makeTable(t, p, engine.SchemaTable, "e", engine.ColumnDef{Name: "mark", Type: "varchar"},
				engine.ColumnDef{Name: "n", Type: "bigint"})
			if c.rows != "" {
				mustImport(t, p, "e", c.rows)
			}
			x, err := sql.Read(ctx, p, sql.Query{SQL: c.text})
			if err != nil {
				t.Fatal(err)
			}
			s, err := p.statement(ctx, x, false)
			if err != nil {
				t.Fatal(err)
			}
			r := &result{s: s, ctx: ctx, cancel: func() {}, stop: func() {}}
			defer r.Close()
			if s.t, err = s.write(ctx, x); err != nil {
				t.Fatal(err)
			}
			if _, err := s.connect(ctx); err != nil {
				t.Fatal(err)
			}
			if err := s.prepareInTx(ctx, s.t.text, &r.ps); err != nil {
				t.Fatal(err)
			}
			mustImport(t, p, "e", "mark,n\nproject-2,7\n,900000\nsome text of a greater length,-5\n")
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
			var got []string
			if _, err := wire.NewResult(r, x.Origins).Rows(ctx, func(row [][]byte) error {
				var v []string
				for _, x := range row {
					v = append(v, string(x))
				}
				got = append(got, strings.Join(v, "|"))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(got, "\n"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			r.Close()
			if err := p.DropTable(ctx, engine.SchemaTable, "e"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// BenchmarkTranslate is what a statement in Trino's SQL costs before it is planned, beside what DuckDB then takes to
// plan it.
func BenchmarkTranslate(b *testing.B) {
	p := testProject(b)
	ctes := "WITH q0 AS (SELECT id, total FROM (VALUES (1, 2.5)) t (id, total))"
	for i := range 79 {
		ctes += fmt.Sprintf(", q%d AS (SELECT id, total + %d AS total FROM q%d WHERE id > 0)", i+1, i, i)
	}
	for name, text := range map[string]string{
		"least": `SELECT 1`,
		"report": `SELECT date_trunc('month', o.day) AS month, count(*) AS n, sum(o.price * o.amount) / count(DISTINCT o.id) AS mean
			FROM (VALUES (1, DATE '2024-02-29', DECIMAL '1.50', 3)) AS o(id, day, price, amount)
			WHERE o.day BETWEEN DATE '2024-01-01' AND DATE '2024-12-31' AND regexp_like(CAST(o.id AS varchar), '^[0-9]+$') GROUP BY 1 ORDER BY 2 DESC LIMIT 10`,
		"ctes2": `WITH o AS (SELECT id, customer_id, ordered_at FROM sample.shop.orders WHERE status <> 'cancelled'),
			i AS (SELECT order_id, sum(quantity * unit_price) AS total FROM sample.shop.order_items GROUP BY order_id)
			SELECT year(o.ordered_at) AS y, count(*) AS n, sum(i.total) AS total FROM o JOIN i ON i.order_id = o.id GROUP BY 1 ORDER BY 1`,
		"terms900": "SELECT x" + strings.Repeat(" + x", 899) + " FROM (VALUES BIGINT '1') t (x)",
		"ctes80":   ctes + " SELECT sum(total) FROM q79",
		"in5000":   "SELECT x IN (0" + strings.Repeat(", 17", 4999) + ") FROM (VALUES 1) t (x)",
	} {
		translated := func() (*statement, *translation, error) {
			x, err := sql.Read(b.Context(), p, sql.Query{SQL: text})
			if err != nil {
				return nil, nil, err
			}
			s, err := p.statement(b.Context(), x, false)
			if err != nil {
				return nil, nil, err
			}
			t, err := s.write(b.Context(), x)
			return s, t, err
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, _, err := translated()
				if err != nil {
					b.Fatal(err)
				}
				s.close()
			}
		})
		b.Run(name+"/plan", func(b *testing.B) {
			s, x, err := translated()
			if err == nil {
				_, err = s.connect(b.Context())
			}
			for b.Loop() && err == nil {
				var ps bindings.PreparedStatement
				if bindings.Prepare(s.c.Raw, x.text, &ps) == bindings.StateError {
					err = faults.Parse(bindings.PrepareError(ps), false)
				}
				bindings.DestroyPrepare(&ps)
			}
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(x.text)), "bytes")
			s.close()
		})
	}
}
