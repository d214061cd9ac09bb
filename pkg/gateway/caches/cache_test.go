package caches_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

func counts(r api.CacheExecutionInfo) string {
	p := r.Progress
	return fmt.Sprintf("%s %d +%d ~%d -%d", r.Status, p.NumberOfCachedRecords, p.NumberOfInsertedRecords,
		p.NumberOfUpdatedRecords, p.NumberOfDeletedRecords)
}

// fill puts other rows into the table that queries read for a cache, so that what a query reads and what a refresh
// finds changed can be told.
func fill(t *testing.T, g *gateway.Gateway, cache, text string) {
	t.Helper()
	ctx := context.Background()
	c, err := g.Store.Cache(ctx, gatewaytest.Local, cache)
	if err != nil {
		t.Fatal(err)
	}
	data, err := g.Engine.Project(ctx, gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	if err := data.DropStored(ctx, store.ResultOfCache, *c.Stored); err != nil {
		t.Fatal(err)
	}
	if _, err := sql.Store(ctx, data, store.ResultOfCache, *c.Stored, sql.Query{SQL: text}); err != nil {
		t.Fatal(err)
	}
}

func TestCacheIsRead(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	c := gatewaytest.MakeCache(t, g, cl, "orders")
	if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID, nil)); got != "COMPLETED 10000 +10000 ~0 -0" {
		t.Error(got)
	}
	// 10 rows gone, 5 changed, 3 that the source does not have
	fill(t, g, c.ID,
		`SELECT id, customer_id, ordered_at, CASE WHEN id BETWEEN 11 AND 15 THEN 'changed' ELSE status END AS status, shipped_on, delivery_slot, note
		FROM sample.shop.orders WHERE id > 10
		UNION ALL SELECT id + 100000, customer_id, ordered_at, status, shipped_on, delivery_slot, note FROM sample.shop.orders WHERE id <= 3`)
	if got := gatewaytest.OneValue(t, g, "SELECT count(*) FROM sample.shop.orders"); got != "9993" {
		t.Errorf("a query reads %s rows: not the cache", got)
	}
	if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)); got != "COMPLETED 15 +10 ~5 -3" {
		t.Error(got)
	}
	if got := gatewaytest.OneValue(t, g,
		"SELECT count(*) FROM sample.shop.orders WHERE status = 'changed' OR id > 100000"); got != "0" {
		t.Errorf("%s stale rows after a refresh", got)
	}
	if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)); got != "COMPLETED 0 +0 ~0 -0" {
		t.Error(got)
	}
	if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID,
		cl.Cache.FullRefresh)); got != "COMPLETED 10000 +10000 ~0 -10000" {
		t.Error(got)
	}
	fill(t, g, c.ID, "SELECT 1 AS id")
	if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID,
		cl.Cache.IncrementalUpdate)); got != "COMPLETED 10000 +10000 ~0 -1" {
		t.Errorf("after other columns: %s", got)
	}
	fill(t, g, c.ID, "SELECT 1 AS id")
	if err := cl.Cache.Delete(ctx, gatewaytest.Local, c.ID); err != nil {
		t.Fatal(err)
	}
	if got := gatewaytest.OneValue(t, g, "SELECT count(*) FROM sample.shop.orders"); got != "10000" {
		t.Errorf("after the cache was deleted a query reads %s rows", got)
	}
}

func cachedTables(t *testing.T, g *gateway.Gateway) int {
	t.Helper()
	all, err := g.Store.FreeResults(context.Background(), gatewaytest.Local, time.Now().Add(1000*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// A refresh that is cancelled or fails keeps the rows, and what it had stored goes.
func TestCacheKeepsOldRows(t *testing.T) {
	g, cl, ahead := gatewaytest.OpenClient(t)
	ctx := context.Background()
	c := gatewaytest.MakeCache(t, g, cl, "order_items")
	fill(t, g, c.ID, "SELECT 7 AS id")
	for i, trigger := range []func(context.Context, string, string) error{cl.Cache.FullRefresh,
		cl.Cache.IncrementalUpdate} {
		cancel := []func(context.Context, string, string) error{cl.Cache.CancelFullRefresh,
			cl.Cache.CancelIncrementalUpdate}
		if err := cancel[i](ctx, gatewaytest.Local, c.ID); gatewaytest.APIStatus(err) != 404 {
			t.Errorf("cancel of an idle cache: %v", err)
		}
		if err := trigger(ctx, gatewaytest.Local, c.ID); err != nil {
			t.Fatal(err)
		}
		if err := cancel[1-i](ctx, gatewaytest.Local, c.ID); gatewaytest.APIStatus(err) != 404 {
			t.Errorf("cancel of the other mode: %v", err)
		}
		err := cancel[i](ctx, gatewaytest.Local, c.ID)
		g.Jobs.Running.Wait()
		if gatewaytest.APIStatus(err) == 404 {
			t.Skip("the refresh was faster than its cancellation")
		}
		if run := gatewaytest.RunEnd(t, g, cl, c.ID, nil); run.Status != "CANCELLED" || run.FinishedAt == nil {
			t.Errorf("%+v", run)
		}
		if got := gatewaytest.OneValue(t, g, "SELECT id FROM sample.shop.order_items"); got != "7" {
			t.Errorf("after the cancellation a query reads %q", got)
		}
	}
	// A process that died in the middle.
	run, err := g.Store.StartCacheRun(ctx, c.ID, states.Full, "a-process-that-died", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Store.StartCacheRun(ctx, c.ID, states.Full, "another", false); !errors.Is(err, store.ErrConflict) {
		t.Errorf("two runs at once: %v", err)
	}
	fillRun(t, g, run.ID)
	if got := gatewaytest.RunEnd(t, g, cl, c.ID, nil); got.Status != "FAILED" ||
		!strings.Contains(string(got.Error["message"]), jobs.CutOff) {
		t.Errorf("%+v", got)
	}
	if got := gatewaytest.OneValue(t, g, "SELECT id FROM sample.shop.order_items"); got != "7" {
		t.Errorf("after the crash a query reads %q", got)
	}
	ahead.Store(int64(2 * time.Minute))
	g.Jobs.RunDuties(ctx)
	g.Jobs.Running.Wait()
	if n := cachedTables(t, g); n != 0 {
		t.Errorf("%d tables wait to be dropped", n)
	}
	data, err := g.Engine.Project(ctx, gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := data.RowCount(ctx, store.ResultOfCache, run.ID); err == nil {
		t.Error("the table of the run that was cut off is still there")
	}
}

func fillRun(t *testing.T, g *gateway.Gateway, table string) {
	t.Helper()
	data, err := g.Engine.Project(context.Background(), gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sql.Store(context.Background(), data, store.ResultOfCache, table,
		sql.Query{SQL: "SELECT 8 AS id"}); err != nil {
		t.Fatal(err)
	}
}

func TestCacheSchedules(t *testing.T) {
	g, cl, ahead := gatewaytest.OpenClient(t)
	ctx := context.Background()
	text := func(s string) *string { return &s }
	for _, bad := range []api.CacheSchedule{{Type: "BASIC"}, {Type: "BASIC", Expression: text("15m")},
		{Type: "BASIC", Expression: text("PT0S")}, {Type: "NONE", Expression: text("PT1H")},
		{Type: "CRON", Expression: text("PT1H")}} {
		_, err := cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: "3", SchemaName: "shop",
			TableName: "orders", FullRefreshCacheSchedule: &bad})
		if gatewaytest.APIStatus(err) != 400 || !strings.Contains(err.Error(), "fullRefreshCacheSchedule.") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	c := gatewaytest.MakeCache(t, g, cl, "orders")
	if _, err := cl.Cache.UpdateSettings(ctx, gatewaytest.Local, c.ID,
		api.CacheScheduleUpdate{IncrementalCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: text("PT1H")}}); err != nil {
		t.Fatal(err)
	}
	got, err := cl.Cache.UpdateSettings(ctx, gatewaytest.Local, c.ID,
		api.CacheScheduleUpdate{FullRefreshCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: text("P1D")}})
	if err != nil || got.IncrementalCacheSchedule.Expression == nil ||
		*got.IncrementalCacheSchedule.Expression != "PT1H" {
		t.Errorf("the schedule that was not given: %+v, %v", got.IncrementalCacheSchedule, err)
	}
	runs := func() string {
		t.Helper()
		g.Jobs.RunDuties(ctx)
		g.Jobs.Running.Wait()
		all, err := cl.Cache.Executions(ctx, gatewaytest.Local, c.ID, url.Values{"limit": {"100"}})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, r := range all {
			out = append([]string{r.ExecutionMode[:1]}, out...)
		}
		return strings.Join(out, "")
	}
	for _, step := range []struct {
		after time.Duration
		want  string
	}{{0, "F"}, {61 * time.Minute, "FI"}, {61 * time.Minute, "FI"}, {5 * time.Hour, "FII"}, {25 * time.Hour, "FIIF"},
		{25 * time.Hour, "FIIF"}} {
		ahead.Store(int64(step.after))
		if got := runs(); got != step.want {
			t.Errorf("after %v: runs %s, want %s", step.after, got, step.want)
		}
	}
	st, err := cl.Cache.Status(ctx, gatewaytest.Local, c.ID, nil)
	if err != nil || len(st.CacheActionLogs) == 0 || !st.CacheActionLogs[0].IsScheduled {
		t.Errorf("log: %+v, %v", st.CacheActionLogs, err)
	}
	if page, err := cl.Cache.Executions(ctx, gatewaytest.Local, c.ID, url.Values{"limit": {"1"},
		"offset": {"3"}}); err != nil || len(page) != 1 || page[0].ExecutionMode != "FULL_REFRESH" {
		t.Errorf("page: %+v, %v", page, err)
	}
}

// Months are counted from when the schedule was set: one that ends early does not shift those after it.
func TestCacheMonths(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	c, err := g.Store.Cache(ctx, gatewaytest.Local, gatewaytest.MakeCache(t, g, cl, "orders").ID)
	if err != nil {
		t.Fatal(err)
	}
	every, anchor, due := "P1M", "2024-01-31T08:00:00.000Z", "2024-02-29T08:00:00.000Z"
	c.Full = store.CacheSchedule{Type: "BASIC", Expr: &every, Anchor: &anchor, Due: &due}
	if err := g.Store.SetCacheSettings(ctx, c, store.CacheChange{Full: true}); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][2]string{{"2024-02-29T08:00:01Z", "2024-03-31T08:00:00.000Z"}, {"2024-04-29T08:00:00Z",
		"2024-04-30T08:00:00.000Z"}, {"2024-04-30T08:00:00Z", "2024-05-31T08:00:00.000Z"}} {
		if err := g.Caches.RefreshCachesDue(ctx, gatewaytest.Moment(t, step[0])); err != nil {
			t.Fatal(err)
		}
		g.Jobs.Running.Wait()
		if c, err = g.Store.Cache(ctx, gatewaytest.Local, c.ID); err != nil || *c.Full.Due != step[1] {
			t.Errorf("at %s the next is %s, want %s (%v)", step[0], *c.Full.Due, step[1], err)
		}
	}
}

// Caches survive the process, and a refresh begun in it is over when it has ended.
func TestCacheSurvives(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	c := gatewaytest.MakeCache(t, g, cl, "products")
	fill(t, g, c.ID, "SELECT 7 AS id")
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := gateway.Open(g.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := gatewaytest.OneValue(t, again, "SELECT id FROM sample.shop.products"); got != "7" {
		t.Errorf("a later process reads %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(g.Options.Dir, "runners", "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(g.Options.Dir); err != nil {
		t.Fatal(err)
	}
}

// TestFullRefreshDuringIncremental: a full refresh that is asked for while an incremental one runs takes its place; the
// other way round, and a second of the same kind, are refused.
func TestFullRefreshDuringIncremental(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	c := gatewaytest.MakeCache(t, g, cl, "orders")
	runner, err := g.Jobs.Runner()
	if err != nil {
		t.Fatal(err)
	}
	slow, err := g.Store.StartCacheRun(ctx, c.ID, states.Incremental, runner, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := cl.Cache.IncrementalUpdate(ctx, gatewaytest.Local, c.ID); gatewaytest.APIStatus(err) != 409 {
		t.Errorf("a second incremental refresh: %v", err)
	}
	if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID,
		cl.Cache.FullRefresh)); got != "COMPLETED 10000 +10000 ~0 -10000" {
		t.Error(got)
	}
	if run, err := g.Store.CacheRunByID(ctx, slow.ID); err != nil || run.Status != states.Cancelled ||
		run.FinishedAt == nil {
		t.Errorf("the incremental refresh: %+v, %v", run, err)
	}
	slow.Status = states.Completed
	if err := g.Store.EndCacheRun(ctx, slow, ""); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the incremental refresh could still end: %v", err)
	}
	full, err := g.Store.StartCacheRun(ctx, c.ID, states.Full, runner, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, trigger := range []func(context.Context, string, string) error{cl.Cache.FullRefresh,
		cl.Cache.IncrementalUpdate} {
		if err := trigger(ctx, gatewaytest.Local, c.ID); gatewaytest.APIStatus(err) != 409 {
			t.Errorf("a refresh during a full one: %v", err)
		}
	}
	full.Status = states.Cancelled
	if err := g.Store.EndCacheRun(ctx, full, ""); err != nil {
		t.Error(err)
	}
}

// TestCacheOfNothing: a body that names a table, schema or catalog that is not there is a bad body.
func TestCacheOfNothing(t *testing.T) {
	_, cl, _ := gatewaytest.OpenClient(t)
	for _, name := range [][3]string{{names.SampleCatalogID, "shop", "nothing"}, {names.SampleCatalogID, "nothing",
		"orders"}, {"99", "shop", "orders"}} {
		_, err := cl.Cache.Create(context.Background(), gatewaytest.Local, api.CacheRequest{ID: "made-up",
			CatalogID: name[0], SchemaName: name[1], TableName: name[2]})
		if gatewaytest.APIStatus(err) != 400 {
			t.Errorf("%v: %v, want 400", name, err)
		}
	}
}
