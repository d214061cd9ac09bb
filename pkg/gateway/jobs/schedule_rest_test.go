package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestRestAfterCrash: a run that ended with its process is not started at once by the schedule of the next process.
func TestRestAfterCrash(t *testing.T) {
	g := gatewaytest.Open(t)
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	m := gatewaytest.Materialized{T: t, G: g, Cl: cl}
	every := "PT1S"
	id := m.Create("crashing", "SELECT 1 AS n", &api.MaterializedQuerySchedule{Type: "interval",
		RepeatDuration: &every})
	for range 600 { // the first run
		if m.Status(id).Status == store.RunCompleted {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	gone := "a-process-that-is-gone"
	run, err := g.Store.StartRun(ctx, id, gone)
	if err != nil || run == "" {
		t.Fatal(run, err)
	}
	started := func() string {
		t.Helper()
		q, err := g.Store.Query(ctx, gatewaytest.Local, id)
		if err != nil {
			t.Fatal(err)
		}
		return *q.Materialized.StartedAt + " " + q.Materialized.RunID
	}
	before, now := started(), time.Now().Add(5*time.Second)
	for range 3 {
		if err := g.Queries.RefreshDue(ctx, now); err != nil {
			t.Fatal(err)
		}
	}
	if s := m.Status(id); s.Status != store.RunFailed || s.Error == nil || *s.Error != jobs.Crashed ||
		started()[:20] != before[:20] {
		t.Errorf("the schedule did not wait: %+v", s)
	}
	if err := g.Queries.RefreshDue(ctx, now.Add(10*time.Minute)); err != nil {
		t.Fatal(err)
	}
	for range 600 {
		if m.Status(id).Status == store.RunCompleted {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("the schedule does not go on: %+v", m.Status(id))
}

// TestCacheRestAfterCrash is the same for the refreshes of a cache. A run that the gateway has ended because it was
// told to stop does not make its schedule wait.
func TestCacheRestAfterCrash(t *testing.T) {
	for _, x := range []struct {
		name   string
		end    func(*gateway.Gateway, store.CacheRun) error
		reason string
		rests  bool
	}{
		{"crash", func(*gateway.Gateway, store.CacheRun) error { return nil }, jobs.Crashed, true},
		{"stop", func(g *gateway.Gateway, run store.CacheRun) error {
			run.Status, run.Error = states.Failed, jobs.CutOff
			return g.Store.EndCacheRun(context.Background(), run, jobs.CutOff)
		}, jobs.CutOff, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			g, cl, _ := gatewaytest.OpenClient(t)
			ctx := context.Background()
			c := gatewaytest.MakeCache(t, g, cl, "order_items")
			every := "PT1S"
			if _, err := cl.Cache.UpdateSettings(ctx, gatewaytest.Local, c.ID,
				api.CacheScheduleUpdate{FullRefreshCacheSchedule: &api.CacheSchedule{Type: "BASIC",
					Expression: &every}}); err != nil {
				t.Fatal(err)
			}
			run, err := g.Store.StartCacheRun(ctx, c.ID, states.Full, "a-process-that-is-gone", true)
			if err != nil {
				t.Fatal(err)
			}
			if err := x.end(g, run); err != nil {
				t.Fatal(err)
			}
			last := func() store.CacheRun {
				t.Helper()
				g.Jobs.Running.Wait()
				r, err := g.Store.LastCacheRun(ctx, c.ID, "")
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			started, err := time.Parse(time.RFC3339, run.CreatedAt)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Caches.RefreshCachesDue(ctx, started.Add(5*time.Second)); err != nil {
				t.Fatal(err)
			}
			if r := last(); (r.ID == run.ID) != x.rests || x.rests && r.Error != x.reason {
				t.Errorf("soon after it: %+v", r)
			}
			if err := g.Caches.RefreshCachesDue(ctx, started.Add(10*time.Minute+time.Second)); err != nil {
				t.Fatal(err)
			}
			if r := last(); r.ID == run.ID || r.Status != states.Completed {
				t.Errorf("the schedule does not go on: %+v", r)
			}
		})
	}
}
