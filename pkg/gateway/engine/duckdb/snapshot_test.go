//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/wire"
)

// TestRowsBetweenPlanAndExecution: a statement that was planned before rows were added sees none of them, and does not
// read them by the measure of the rows it was planned for.
func TestRowsBetweenPlanAndExecution(t *testing.T) {
	p := tableProject(t, t.TempDir())
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

// TestResultsBesideImports asks and stores results while a document is imported into an empty table: each holds none of
// its rows, or all of them as they are.
func TestResultsBesideImports(t *testing.T) {
	p := tableProject(t, t.TempDir())
	ctx := t.Context()
	const text = `SELECT mark, batch, count(*) AS n FROM e GROUP BY mark, batch`
	const row = "project-2|c02-00000|36"
	doc := "mark,batch\n" + strings.Repeat("project-2,c02-00000\n", 36)
	for range 40 {
		makeTable(t, p, engine.SchemaTable, "e", engine.ColumnDef{Name: "mark", Type: "varchar"},
			engine.ColumnDef{Name: "batch", Type: "varchar"})
		imported, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for imported.Err() == nil {
					got, err := rows(t, p, sql.Query{SQL: text})
					if i%2 == 0 {
						got, err = stored(ctx, p, fmt.Sprintf("m%d", i), text)
					}
					if err != nil || got != "" && got != row {
						t.Errorf("%q, %v", got, err)
						return
					}
				}
			})
		}
		mustImport(t, p, "e", doc)
		stop()
		wg.Wait()
		if t.Failed() {
			return
		}
		if err := p.DropTable(ctx, engine.SchemaTable, "e"); err != nil {
			t.Fatal(err)
		}
	}
}

// stored keeps the result of a statement and reads it back.
func stored(ctx context.Context, p *project, name, text string) (got string, err error) {
	if _, err := sql.Store(ctx, p, engine.SchemaMtQuery, name, sql.Query{SQL: text}); err != nil {
		return "", err
	}
	c, err := p.conn(ctx)
	if err != nil {
		return "", err
	}
	defer c.close()
	err = c.query(ctx, `SELECT concat_ws('|', mark, batch, n) FROM `+naming.StoredTable(engine.SchemaMtQuery, name),
		nil, func(v []*string) error {
			got += *v[0]
			return nil
		})
	return got, err
}
