package gateway_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
)

// TestLateRuns: a scheduled run that has not started ten minutes after its time is late, until it starts; who asks for
// the status of a cache learns when it is due.
func TestLateRuns(t *testing.T) {
	m, move := gatewaytest.NewMaterialized(t)
	ctx, g := context.Background(), m.G
	query := m.Create("q", "SELECT 1 AS n", &api.MaterializedQuerySchedule{Type: "interval",
		RepeatDuration: gatewaytest.Ptr("PT1H")})
	m.Create("unscheduled", "SELECT 1 AS n", nil)
	cache, err := m.Cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: names.SampleCatalogID,
		SchemaName: "shop", TableName: "products",
		IncrementalCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: gatewaytest.Ptr("PT2H")},
		FullRefreshCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: gatewaytest.Ptr("PT1H")}})
	if err != nil {
		t.Fatal(err)
	}
	g.Jobs.Running.Wait()
	late := func() (ids []string) {
		t.Helper()
		all, err := g.LateRuns(ctx, g.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			ids = append(ids, r.Object)
		}
		return ids
	}
	st, err := m.Cl.Cache.Status(ctx, gatewaytest.Local, cache.ID, nil)
	if err != nil || st.NextRefreshTime == nil {
		t.Fatalf("%+v, %v", st, err)
	}
	due, err := time.Parse(time.RFC3339, *st.NextRefreshTime)
	if in := due.Sub(g.Now()); err != nil || in <= 0 || in > time.Hour {
		t.Errorf("due in %v, %v", in, err)
	}
	move(65 * time.Minute)
	if got := late(); len(got) > 0 {
		t.Errorf("five minutes after its time: %v", got)
	}
	move(10 * time.Minute)
	if got := late(); !slices.Equal(got, []string{query, cache.ID}) {
		t.Errorf("a quarter of an hour after its time: %v", got)
	}
	g.Jobs.RunDuties(ctx)
	g.Jobs.Running.Wait()
	if got := late(); len(got) > 0 {
		t.Errorf("after they have run: %v", got)
	}
}

// TestFailing: what has failed and has not run since is found, by the latest run alone.
func TestFailing(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	m.Create("good", "SELECT 1 AS n", nil)
	bad := m.Create("bad", "SELECT CAST(v AS integer) AS n FROM (VALUES 'x') t(v)", nil)
	gatewaytest.MakeCache(t, m.G, m.Cl, "products")
	m.G.Jobs.Running.Wait()
	var found []jobs.End
	if err := m.G.Failing(context.Background(), func(e jobs.End, since time.Time) {
		if since.IsZero() || e.Reason == "" {
			t.Errorf("%+v since %v", e, since)
		}
		found = append(found, e)
	}); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Object != bad || found[0].Name != "bad" || found[0].Kind != jobs.JobMaterialized ||
		found[0].State() != "failed" {
		t.Errorf("%+v", found)
	}
}
