//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// changing gives each look-up of far.s.t another of several meanings.
type changing struct {
	enginetest.Names
	means []sql.Source
	asked *atomic.Int64
}

func (c changing) Lookup(ctx context.Context, n engine.TableName) (sql.Source, error) {
	if n == (engine.TableName{Catalog: "far", Schema: "s", Table: "t"}) {
		return c.means[int(c.asked.Add(1))%len(c.means)], nil
	}
	return c.Names.Lookup(ctx, n)
}

// TestNamesChangeWhileStatementsRun: each statement keeps the meaning that its names had when it began.
func TestNamesChangeWhileStatementsRun(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	mustExec(t, p, `CREATE SCHEMA "~data".cache`, `CREATE TABLE "~data".cache.a AS SELECT 7::BIGINT AS n FROM range(3)`,
		`CREATE TABLE "~data".cache.b AS SELECT 7::BIGINT AS n, 'more' AS more FROM range(3)`)
	cols := []engine.ColumnInfo{{Name: "n", Type: "bigint"}}
	rows := &enginetest.Rows{Cols: cols, Data: [][]any{{int64(7)}, {int64(7)}, {int64(7)}}}
	names := changing{asked: new(atomic.Int64), means: []sql.Source{
		{Scan: rows}, {Base: &engine.TableName{Schema: "cache", Table: "a"}},
		{Base: &engine.TableName{Schema: "cache", Table: "b"}},
		{SQL: "SELECT CAST(7 AS bigint) AS n FROM UNNEST(sequence(1, 3)) u(i)"},
	}, Names: enginetest.Names{
		{Catalog: "peaka", Schema: "query", Table: "q"}: {SQL: "SELECT n FROM far.s.t"},
	}}
	statements := []string{
		`SELECT count(*), sum(n) FROM far.s.t`,
		`SELECT count(*), sum(far.s.t.n) FROM far.s.t WHERE far.s.t.n = 7`,
		`SELECT count(*), sum(n) FROM peaka.query.q`,
		`SELECT count(*), sum(n) FROM (SELECT n FROM far.s.t WHERE n IN (SELECT n FROM peaka.query.q)) x`,
	}
	const tries = 300 // of each of eight
	var wg sync.WaitGroup
	var failed atomic.Int64
	for i := range 8 {
		wg.Go(func() {
			for k := range tries {
				q := sql.Query{SQL: statements[(i+k)%len(statements)], Catalogs: names}
				if err := threeSevens(t.Context(), p, q); err != nil && failed.Add(1) < 4 {
					t.Errorf("%s: %v", q.SQL, err)
				}
			}
		})
	}
	wg.Wait()
	if n := failed.Load(); n > 0 {
		t.Errorf("%d of %d statements failed", n, 8*tries)
	}
}

func threeSevens(ctx context.Context, p *project, q sql.Query) error {
	r, err := sql.Run(ctx, p, q)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = r.Rows(ctx, func(row [][]byte) error {
		if got := string(row[0]) + " " + string(row[1]); got != "3 21" {
			return errors.New("got " + got)
		}
		return nil
	})
	return err
}

// TestNamesStayThoseOfUsers: where a name has another meaning at the moment, what is told of a statement still has the
// name as written.
func TestNamesStayThoseOfUsers(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	rows := &enginetest.Rows{Cols: []engine.ColumnInfo{{Name: "n", Type: "bigint"}}}
	n := engine.TableName{Catalog: "far", Schema: "s", Table: "t"}
	held, err := sql.Run(t.Context(), p, sql.Query{SQL: `SELECT * FROM far.s.t`,
		Catalogs: enginetest.Names{n: {Scan: rows}}})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	now := sql.Query{SQL: `SELECT far.s.t.n AS m FROM far.s.t`, Catalogs: enginetest.Names{n: {SQL: "SELECT 1 AS n"}}}
	text, err := sql.Transpile(t.Context(), p, now, "postgresql")
	if want := `SELECT t.n AS m FROM s.t`; err != nil || text != want {
		t.Errorf("transpiled: %s, %v; want %s", text, err, want)
	}
	reads, err := sql.Lineage(t.Context(), p, now)
	if got := fmt.Sprint(reads); err != nil || got != "[{far.s.t.n [{far.s.t n}]}]" {
		t.Errorf("lineage: %s, %v", got, err)
	}
	r, err := sql.Run(t.Context(), p, now)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if c := r.Columns()[0]; c.CatalogName != "" && c.CatalogName != "far" {
		t.Errorf("a column of %+v", c)
	}
}
