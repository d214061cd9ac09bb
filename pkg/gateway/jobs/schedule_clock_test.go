package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestSchedulesAfterTheClockWasPutBack: a clock that was three days ahead and came back stops no schedule for longer
// than its period, whether it ran, was set or was made in the meantime.
func TestSchedulesAfterTheClockWasPutBack(t *testing.T) {
	m, move := gatewaytest.NewMaterialized(t)
	ctx, g := context.Background(), m.G
	hourly := &api.MaterializedQuerySchedule{Type: "interval", RepeatDuration: gatewaytest.Ptr("PT1H")}
	before := m.Create("m", "SELECT 'one' AS v", hourly)
	cron := m.Create("n", "SELECT 1 AS v", &api.MaterializedQuerySchedule{Type: "cron",
		CronExpression: gatewaytest.Ptr("0 * * * *")})
	cache, err := m.Cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: names.SampleCatalogID,
		SchemaName: "shop", TableName: "products",
		IncrementalCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: gatewaytest.Ptr("PT1H")},
		FullRefreshCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: gatewaytest.Ptr("P1D")}})
	if err != nil {
		t.Fatal(err)
	}
	g.Jobs.Running.Wait()
	g.Jobs.RunDuties(ctx)
	g.Jobs.Running.Wait()

	const ahead = 72 * time.Hour
	move(ahead)
	g.Jobs.RunDuties(ctx)
	g.Jobs.Running.Wait()
	during := m.Create("o", "SELECT 1 AS v", hourly)
	g.Jobs.Running.Wait()
	move(-ahead)
	g.Jobs.RunDuties(ctx)
	g.Jobs.Running.Wait()

	within := func(what string, due *string, d time.Duration) {
		t.Helper()
		if due == nil || *due > store.Time(g.Now().Add(d)) {
			t.Errorf("%s falls due at %v, more than %v from now (%s)", what, *due, d, store.Time(g.Now()))
		}
	}
	for what, id := range map[string]string{"an interval": before, "a cron": cron,
		"an interval of those days": during} {
		within(what, m.Status(id).NextExecutionStartTime, time.Hour)
	}
	c, err := g.Store.Cache(ctx, gatewaytest.Local, cache.ID)
	if err != nil {
		t.Fatal(err)
	}
	within("a cache", c.Incremental.Due, time.Hour)
	within("a full refresh", c.Full.Due, 24*time.Hour)

	last := m.Status(before).LastExecutionStartTime
	move(time.Hour)
	g.Jobs.RunDuties(ctx)
	g.Jobs.Running.Wait()
	if s := m.Status(before); *s.LastExecutionStartTime <= *last {
		t.Errorf("no run within an hour: %+v", s)
	}
	// A clock that goes back by seconds runs nothing twice.
	last = m.Status(before).LastExecutionStartTime
	move(-5 * time.Second)
	g.Jobs.RunDuties(ctx)
	move(5 * time.Second)
	g.Jobs.RunDuties(ctx)
	g.Jobs.Running.Wait()
	if s := m.Status(before); *s.LastExecutionStartTime != *last {
		t.Errorf("ran twice: %+v", s)
	}
}

// TestSettingsKeepTheDueTime: a schedule that a change of settings leaves alone keeps the time to which it has moved
// since it was read.
func TestSettingsKeepTheDueTime(t *testing.T) {
	m, move := gatewaytest.NewMaterialized(t)
	ctx, g := context.Background(), m.G
	hourly := &api.CacheSchedule{Type: "BASIC", Expression: gatewaytest.Ptr("PT1H")}
	made, err := m.Cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: names.SampleCatalogID,
		SchemaName: "shop", TableName: "products", IncrementalCacheSchedule: hourly, FullRefreshCacheSchedule: hourly})
	if err != nil {
		t.Fatal(err)
	}
	id := m.Create("m", "SELECT 'one' AS v", &api.MaterializedQuerySchedule{Type: "interval",
		RepeatDuration: gatewaytest.Ptr("PT1H")})
	g.Jobs.Running.Wait()
	c, err := g.Store.Cache(ctx, gatewaytest.Local, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.Store.Query(ctx, gatewaytest.Local, id)
	if err != nil {
		t.Fatal(err)
	}
	move(90 * time.Minute)
	g.Jobs.RunDuties(ctx)
	g.Jobs.Running.Wait()
	// as read before the schedules moved
	if err := g.Store.SetCacheSettings(ctx, c, store.CacheChange{Full: true}); err != nil {
		t.Fatal(err)
	}
	q.DisplayName = "renamed"
	if _, err := g.Store.SaveQuery(ctx, q, nil, false); err != nil {
		t.Fatal(err)
	}
	now, err := g.Store.Cache(ctx, gatewaytest.Local, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if *now.Incremental.Due <= *c.Incremental.Due {
		t.Errorf("the schedule that was not changed fell back to %s", *now.Incremental.Due)
	}
	if *now.Full.Due != *c.Full.Due {
		t.Errorf("the schedule that was set is %s", *now.Full.Due)
	}
	if next := m.Status(id).NextExecutionStartTime; *next <= *q.Materialized.Schedule.Next {
		t.Errorf("the schedule of the query fell back to %s", *next)
	}
}
