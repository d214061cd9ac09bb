//go:build cgo

package duckdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

func TestManyAtOnce(t *testing.T) {
	e := testEngine(t, t.TempDir())
	var wg sync.WaitGroup
	for i := range 4 {
		id := fmt.Sprintf("prj%d", i%2)
		p := testProject(t, e, id)
		if i < 2 {
			mustExec(t, p, fmt.Sprintf(`CREATE TABLE "~data"."table"."x" AS SELECT %d AS a FROM range(10000)`, i))
		}
	}
	for i := range 8 {
		wg.Go(func() {
			id := i % 2
			p := testProject(t, e, fmt.Sprintf("prj%d", id))
			for k := range 5 {
				got, err := rows(t, p, sql.Query{SQL: `SELECT DISTINCT a FROM x`})
				if err != nil || got != strconv.Itoa(id) {
					t.Errorf("project %d sees %q, %v", id, got, err)
				}
				n, err := sql.Store(t.Context(), p, "mtquery", fmt.Sprintf("m%d-%d", i, k),
					sql.Query{SQL: `SELECT * FROM x`})
				if err != nil || n != 10000 {
					t.Errorf("Materialize: %d, %v", n, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestMaterialize(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	count := func() string {
		n, err := p.RowCount(t.Context(), "mtquery", "m")
		if err != nil {
			return string(kindOf(err))
		}
		return strconv.FormatInt(n, 10)
	}
	run := func(text string) error {
		_, err := sql.Store(t.Context(), p, "mtquery", "failed", sql.Query{SQL: text})
		return err
	}
	if got := count(); got != string(engine.KindUnknownTable) {
		t.Errorf("before: %s", got)
	}
	if n, err := sql.Store(t.Context(), p, "mtquery", "m",
		sql.Query{SQL: `SELECT a FROM UNNEST(sequence(0, 9)) t(a) WHERE a < ?`, Bindings: []string{"5"}}); n != 5 ||
		err != nil || count() != "5" {
		t.Errorf("%v, %s rows", err, count())
	}
	if err := run(`SELECT CAST('x' || CAST(a AS varchar) AS BIGINT) FROM UNNEST(sequence(0, 9)) t(a)`); kindOf(
		err) != engine.KindValue || count() != "5" {
		t.Errorf("%v, %s rows", err, count())
	}
	err := run("SELECT a\nFROM nosuch")
	var e *engine.Error
	if !errors.As(err, &e) || e.Kind != engine.KindUnknownTable || e.Line != 2 || count() != "5" {
		t.Errorf("%+v, %s rows", err, count())
	}
	if err := run("SELECT a\n, nosuch FROM (VALUES 1) t(a)"); !errors.As(err, &e) ||
		e.Kind != engine.KindUnknownColumn || e.Line != 2 || e.Col != 3 {
		t.Errorf("%+v", err)
	}
	if err := run(`DROP TABLE x`); kindOf(err) != engine.KindNotAllowed {
		t.Error(err)
	}
	const endless = `SELECT a.n, b.n AS m FROM UNNEST(sequence(1, 10000)) a(n), UNNEST(sequence(1, 10000)) b(n),
		UNNEST(sequence(1, 10000)) c(n)`
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := sql.Store(ctx, p, "mtquery", "failed", sql.Query{SQL: endless}); kindOf(err) != engine.KindTimeout ||
		count() != "5" {
		t.Errorf("%v, %s rows", err, count())
	}
	for range 2 {
		if err := p.DropStored(t.Context(), "mtquery", "m"); err != nil {
			t.Error(err)
		}
	}
	if got := count(); got != string(engine.KindUnknownTable) {
		t.Errorf("after: %s", got)
	}
	if got, err := rows(t, p, sql.Query{SQL: `SELECT 1`}); got != "1" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func BenchmarkEncode(b *testing.B) {
	e, err := Open(engine.Options{Dir: b.TempDir(), Threads: 2})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	pr, err := e.Project(b.Context(), "bench")
	if err != nil {
		b.Fatal(err)
	}
	p := pr.(*project)
	c, err := p.files.Conn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.Exec(b.Context(),
		`CREATE TABLE "~data"."table"."x" AS SELECT a AS id, a % 100 AS n, 'customer ' || a AS name, (a % 10000)::DECIMAL(10,2) / 100 AS amount,
		a::DOUBLE / 7 AS ratio, DATE '2020-01-01' + (a % 1000)::INTEGER AS d, TIMESTAMP '2020-01-01' + INTERVAL (a) SECOND AS ts, a % 2 = 0 AS flag,
		CASE WHEN a % 3 = 0 THEN NULL ELSE 'note "' || a || '"' END AS note, uuid() AS u FROM range(1000000) t(a)`); err != nil {
		b.Fatal(err)
	}
	b.Run("CopyCSV", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.Exec(b.Context(), `COPY "~data"."table"."x" TO '`+p.files.Dir+`/out.csv'`); err != nil {
				b.Fatal(err)
			}
		}
	})
	_ = os.Remove(p.files.Dir + "/out.csv")
	c.Close()
	for _, f := range []api.Format{api.CellTyped, api.Simple, api.Compact} {
		b.Run(string(f), func(b *testing.B) {
			for b.Loop() {
				r, err := sql.Run(b.Context(), p, sql.Query{SQL: `SELECT * FROM x`})
				if err != nil {
					b.Fatal(err)
				}
				var w bytes.Buffer
				if _, err := r.Encode(b.Context(), &w, f, func() {}); err != nil {
					b.Fatal(err)
				}
				_ = r.Close()
				b.SetBytes(int64(w.Len()))
			}
		})
	}
	b.Run("SelectOne", func(b *testing.B) {
		for b.Loop() {
			r, err := sql.Run(b.Context(), p, sql.Query{SQL: `SELECT 1`})
			if err != nil {
				b.Fatal(err)
			}
			var w bytes.Buffer
			if _, err := r.Encode(b.Context(), &w, api.Compact, func() {}); err != nil {
				b.Fatal(err)
			}
			_ = r.Close()
		}
	})
}
