package gateway

import (
	"context"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestHalfASurrogatePair: the decoder of JSON would put another character in its place, and what is stored would not be what was sent.
func TestHalfASurrogatePair(t *testing.T) {
	g := openTest(t)
	path := "/data/projects/" + store.DefaultProject + "/queries/execute"
	for text, ok := range map[string]bool{
		`\ud83d\ude00`: true, `\\ud800`: true, `\\\\ud800 \\`: true, `é \u00e9 \uFFFD`: true, `\n\ud83D\uDE00\t`: true,
		`\ud800`: false, `\udc00`: false, `\udc00\ud800`: false, `\ud800\ud800\udc00`: false, `x\uD800\n`: false, `\\\ud800`: false, `\ud83d\ude00\ud83d`: false,
	} {
		status, reply := exchange(g, "POST", path, "application/json", `{"statement":"SELECT '`+text+`' AS x"}`)
		if ok != (status == 200) || !ok && !strings.Contains(reply, "an unpaired surrogate at byte") {
			t.Errorf("%s: %d %s", text, status, reply)
		}
	}
}

// TestALockIsNoTimeLimit: a run that waited in vain for a project that another process holds says that, and not that it took too long.
func TestALockIsNoTimeLimit(t *testing.T) {
	g, cl, _ := exportGateway(t)
	ctx := context.Background()
	c := makeTestCache(t, g, cl, "products")
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	o := g.Options
	holder, err := duckdb.Open(o.Engine)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if _, err := holder.Project(ctx, local); err != nil {
		t.Fatal(err)
	}
	o.Engine.LockWait = 50e6
	again, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	p := store.Project{ID: local}
	have, err := again.Store.Cache(ctx, local, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Caches.StartCacheRun(ctx, p, have, store.CacheFull, false); err != nil {
		t.Fatal(err)
	}
	again.Jobs.Running.Wait()
	run, err := again.Store.LastCacheRun(ctx, c.ID, "")
	if err != nil || run.Status != store.CacheFailed || !strings.Contains(run.Error, "in use by process pid") || strings.Contains(run.Error, "longer than") {
		t.Errorf("%+v, %v", run, err)
	}
	_, err = again.Names.Query(ctx, p, engine.Query{SQL: "SELECT 1"})
	if f := fault.Of(err); f.Status != 409 || !strings.Contains(f.Message, "nothing was done") {
		t.Errorf("%d %v", f.Status, err)
	}
	// What is on record is told without the rows.
	if status, text := exchange(again, "GET", "/data/projects/"+local+"/cache/status", "", ""); status != 200 || !strings.Contains(text, "FAILED") {
		t.Errorf("%d %s", status, text)
	}
}
