package caches_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestALockIsNoTimeLimit: a run that waited in vain for a project that another process holds says that, and not that it
// took too long.
func TestALockIsNoTimeLimit(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	c := gatewaytest.MakeCache(t, g, cl, "products")
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	o := g.Options
	o.Engine.Record = nil // of the store that was closed
	holder, err := duckdb.Open(o.Engine)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	rows, err := holder.Project(ctx, gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rows.ListTables(ctx, engine.SchemaTable); err != nil { // opens the data file
		t.Fatal(err)
	}
	o.Engine.LockWait = 50e6
	again, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	p := store.Project{ID: gatewaytest.Local}
	have, err := again.Store.Cache(ctx, gatewaytest.Local, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Caches.StartCacheRun(ctx, p, have, states.Full, false); err != nil {
		t.Fatal(err)
	}
	again.Jobs.Running.Wait()
	run, err := again.Store.LastCacheRun(ctx, c.ID, "")
	if err != nil || run.Status != states.Failed || !strings.Contains(run.Error, "in use by process pid") ||
		strings.Contains(run.Error, "longer than") {
		t.Errorf("%+v, %v", run, err)
	}
	res, err := again.Names.Query(ctx, p, sql.Query{SQL: "SELECT 1"}) // it needs no data
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
	_, err = again.Names.Query(ctx, p, sql.Query{SQL: `SELECT 1 FROM peaka."table".any`})
	if f := fault.Of(err); f.Status != 409 || !strings.Contains(f.Message, "nothing was done") {
		t.Errorf("%d %v", f.Status, err)
	}
	// What is on record is told without the rows.
	if status, text := gatewaytest.Exchange(again, "GET", "/data/projects/"+gatewaytest.Local+"/cache/status", "",
		""); status != 200 || !strings.Contains(text, "FAILED") {
		t.Errorf("%d %s", status, text)
	}
}
