package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// forever returns rows for hours.
const forever = `SELECT a.id FROM sample.shop.orders a, sample.shop.orders b, sample.shop.orders c`

func limits(t *testing.T, open Open) {
	p := project(t, open)
	run := func(ctx context.Context, q sql.Query) error {
		r, err := sql.Run(ctx, p, q)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = r.Encode(ctx, io.Discard, api.Compact, func() {})
		return err
	}
	if err := run(t.Context(), sql.Query{SQL: forever, Timeout: 100 * time.Millisecond}); Kind(
		err) != engine.KindTimeout {
		t.Errorf("time limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := run(ctx, sql.Query{SQL: forever}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
	var b bytes.Buffer
	r, err := sql.Run(t.Context(), p,
		sql.Query{SQL: `SELECT CAST(CASE WHEN a.id * b.id = 799 * 9999 THEN 'oops' ELSE '1' END AS bigint) AS v
		FROM sample.shop.orders a, sample.shop.orders b WHERE a.id < 800`})
	if err == nil {
		_, err = r.Encode(t.Context(), &b, api.Compact, func() {})
		_ = r.Close()
	}
	if Kind(err) != engine.KindValue || json.Valid(b.Bytes()) {
		t.Errorf("a fault in the middle: %v, %d bytes", err, b.Len())
	}
}

func isolation(t *testing.T, open Open) {
	e := open(t, t.TempDir())
	defer e.Close()
	a, err := e.Project(t.Context(), "prjA")
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.Project(t.Context(), "prjB")
	if err != nil {
		t.Fatal(err)
	}
	n := Names{lookup("peaka", "mtquery", "m"): {Base: &engine.TableName{Schema: "mtquery", Table: "m"}}}
	if _, err := sql.Store(t.Context(), a, "mtquery", "m", sql.Query{SQL: `SELECT 'of A' AS s`}); err != nil {
		t.Fatal(err)
	}
	wantKind(t, b, sql.Query{SQL: `SELECT * FROM peaka.mtquery.m`, Catalogs: n}, engine.KindUnknownTable, "")
	if _, err := sql.Store(t.Context(), b, "mtquery", "m", sql.Query{SQL: `SELECT 'of B' AS s`}); err != nil {
		t.Fatal(err)
	}
	want(t, a, sql.Query{SQL: `SELECT * FROM peaka.mtquery.m`, Catalogs: n}, "of A")
	want(t, b, sql.Query{SQL: `SELECT * FROM peaka.mtquery.m`, Catalogs: n}, "of B")
	if err := e.DropProject(t.Context(), "prjA"); err != nil {
		t.Error(err)
	}
	want(t, b, sql.Query{SQL: `SELECT * FROM peaka.mtquery.m`, Catalogs: n}, "of B")
	if again, err := e.Project(t.Context(), "prjB"); err != nil || again != b {
		t.Errorf("opening twice gave another project, %v", err)
	}
}

func many(t *testing.T, open Open) {
	p := project(t, open)
	n := Names{lookup("peaka", "query", "q"): {SQL: `SELECT count(*) AS n FROM sample.shop.products`}}
	src := &Rows{Cols: []engine.ColumnInfo{{Name: "id", Type: "bigint"}}, Data: [][]any{{int64(1)}, {int64(2)}}}
	n[lookup("pg", "public", "t")] = sql.Source{Scan: src}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 5 {
				switch (i + k) % 3 {
				case 0:
					want(t, p, sql.Query{SQL: `SELECT n FROM peaka.query.q`, Catalogs: n}, "200")
				case 1:
					want(t, p, sql.Query{SQL: `SELECT sum(id) FROM pg.public.t`, Catalogs: n}, "3")
				default:
					name := fmt.Sprintf("m%d", i)
					if c, err := Replace(t.Context(), p, "mtquery", name,
						sql.Query{SQL: `SELECT id FROM sample.shop.customers`}); c != 2000 || err != nil {
						t.Errorf("Store: %d, %v", c, err)
					}
				}
			}
		})
	}
	wg.Wait()
}
