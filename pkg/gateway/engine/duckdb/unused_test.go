//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestUnusedInstancesAreBounded: however many projects were used, only so many stay open; one that runs a statement is
// not closed, and the rows of those that were are there.
func TestUnusedInstancesAreBounded(t *testing.T) {
	e := testEngine(t, t.TempDir(), func(o *engine.Options) { o.IdleClose, o.LockWait = time.Hour, time.Minute })
	busy := testProject(t, e, "busy")
	c, err := busy.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const mostUnused = 64
	const many = mostUnused + 6
	for i := range many {
		mustExec(t, testProject(t, e, fmt.Sprintf("p%d", i)), `CREATE TABLE "~data"."table"."x" AS SELECT 7 AS a`)
	}
	for e.files.Memory.Instances.Load() > mostUnused+1 { // they are closed in the background
		if t.Context().Err() != nil {
			t.FailNow()
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := c.Exec(t.Context(), `SELECT 1`); err != nil {
		t.Errorf("a running statement was ended: %v", err)
	}
	for _, p := range []string{"p0", fmt.Sprintf("p%d", many-1)} {
		if got := one(t, testProject(t, e, p), `SELECT a FROM "~data"."table"."x"`); got != "7" {
			t.Errorf("%s: got %s", p, got)
		}
	}
}

// TestCheckOpensNoData: what is known of a statement without the stored tables needs no instance.
func TestCheckOpensNoData(t *testing.T) {
	e := testEngine(t, t.TempDir())
	testProject(t, e, "other") // which describes the tables of the built-in catalog, for all
	if err := check(t.Context(), e, "other", `SELECT * FROM sample.shop.orders`); err != nil {
		t.Fatal(err)
	}
	open := e.files.Memory.Instances.Load()
	for text, kind := range map[string]engine.Kind{
		`SELECT 1 AS a`: "",
		`SELECT count(*) FROM sample.shop.orders`: "",
		`SELECT nosuch(1)`:                        engine.KindUnsupported,
		`SELECT nosuch FROM sample.shop.orders`:   engine.KindUnknownColumn,
		`SELEC 1`:                                 engine.KindSyntax,
	} {
		if err := check(t.Context(), e, "prjA", text); kindOf(err) != kind {
			t.Errorf("%s: %v", text, err)
		}
	}
	if n := e.files.Memory.Instances.Load(); n != open {
		t.Errorf("%d instances were opened", n-open)
	}
	if _, err := os.Stat(filepath.Join(e.files.Opts.Dir, "prjA")); !os.IsNotExist(err) {
		t.Errorf("the project has a directory: %v", err)
	}
	if err := check(t.Context(), e, "prjA", `SELECT * FROM peaka."table".nosuch`); kindOf(
		err) != engine.KindUnknownTable {
		t.Errorf("a stored table: %v", err)
	}
	if n := e.files.Memory.Instances.Load(); n != open+1 {
		t.Errorf("%d instances were opened for a stored table", n-open)
	}
}

func check(ctx context.Context, e *duck, id, text string) error {
	p, err := e.Project(ctx, id)
	if err != nil {
		return err
	}
	return sql.Check(ctx, p, sql.Query{SQL: text})
}
