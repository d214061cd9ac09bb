package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/jackc/pgx/v5"
)

// sharing opens two gateways over one store in PostgreSQL, and a function that changes the store behind their backs.
func sharing(t *testing.T) (a, b gatewaytest.Materialized, exec func(string)) {
	u := testdb.Postgres(t)
	open := func() gatewaytest.Materialized {
		g := gatewaytest.OpenWith(t, gateway.Options{Postgres: &store.Postgres{Address: u.String(), Shared: true}})
		cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		return gatewaytest.Materialized{T: t, G: g, Cl: cl}
	}
	return open(), open(), func(q string) {
		t.Helper()
		c, err := pgx.Connect(t.Context(), u.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background())
		if _, err := c.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLostLease stops a gateway in the middle of its runs for longer than its lease: another one ends the runs as
// interrupted, and what the first does when it continues is not recorded.
func TestLostLease(t *testing.T) {
	t.Parallel() // it waits
	a, b, exec := sharing(t)
	stopped, goOn := make(chan string, 3), make(chan struct{})
	a.G.Jobs.Stall = func(_ context.Context, kind string) bool {
		stopped <- kind
		<-goOn
		return false
	}
	ctx := t.Context()
	query := a.Create("m", "SELECT 1 AS x", nil)
	if err := a.Cl.Materialized.Refresh(ctx, store.DefaultProject, query); err != nil {
		t.Fatal(err)
	}
	const sample = names.SampleCatalogID
	export, err := gatewaytest.StartExport(t, a.Cl, "SELECT 1 AS x", api.ExportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Cl.Metadata.Refresh(ctx, store.DefaultProject,
		api.MetadataRefreshRequest{CatalogID: sample}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-stopped
	}
	states := func(g gatewaytest.Materialized) string {
		t.Helper()
		x, err := g.Cl.Exports.Get(ctx, store.DefaultProject, export)
		if err != nil {
			t.Fatal(err)
		}
		m, err := g.Cl.Metadata.RefreshStatus(ctx, store.DefaultProject, sample)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(g.Status(query).Status, " ", x.Status, " ", m.Status)
	}
	before, err := a.G.Jobs.Runner()
	if err != nil {
		t.Fatal(err)
	}
	if s := states(b); s != "RUNNING PENDING active" {
		t.Fatalf("while the lease lasts: %s", s)
	}
	exec("UPDATE runners SET until = clock_timestamp() - interval '1 second'")
	const ended = "FAILED FAILED failed"
	if s := states(b); s != ended || *b.Status(query).Error != jobs.Crashed {
		t.Fatalf("after the end of the lease: %s", s)
	}
	close(goOn)
	a.G.Jobs.Running.Wait()
	if s := states(a); s != ended {
		t.Errorf("after the gateway continued: %s", s)
	}
	deadline := time.Now().Add(time.Minute)
	for now := before; now == before; now, err = a.G.Jobs.Runner() {
		if time.Sleep(50 * time.Millisecond); err != nil || time.Now().After(deadline) {
			t.Fatalf("the gateway has no other lease: %v", err)
		}
	}
	// With it the gateway works as before.
	if err := a.Cl.Materialized.Refresh(ctx, store.DefaultProject, query); err != nil {
		t.Fatal(err)
	}
	a.Wait(query, func(s api.MaterializedQueryStatus) bool { return s.Status == store.RunCompleted })
}

// TestSchedulesOfSharing: what is due runs once, on one of two gateways.
func TestSchedulesOfSharing(t *testing.T) {
	t.Parallel() // it waits
	a, b, exec := sharing(t)
	const queries = 6
	every := "PT1H"
	for n := range queries {
		id := a.Create(fmt.Sprint("m", n), "SELECT 1 AS x", &api.MaterializedQuerySchedule{Type: "interval",
			RepeatDuration: &every})
		a.Wait(id, func(s api.MaterializedQueryStatus) bool { // its first run
			return s.Status == store.RunCompleted && s.LastExecutionStartTime != nil
		})
	}
	exec("UPDATE materialized SET next_at = '2020-01-01T00:00:00.000Z'")
	var mu sync.Mutex
	runs, all := map[string]int{}, 0
	for _, g := range []gatewaytest.Materialized{a, b} {
		g.G.Jobs.OnEnd = append(g.G.Jobs.OnEnd, func(e jobs.End) {
			mu.Lock()
			defer mu.Unlock()
			if e.Scheduled { // the first run of a query is not
				runs[e.Object]++
				all++
			}
		})
	}
	for _, g := range []gatewaytest.Materialized{a, b} {
		t.Cleanup(g.G.Jobs.StartSchedules())
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		mu.Lock()
		done := all >= queries
		mu.Unlock()
		if done {
			break
		}
	}
	time.Sleep(1500 * time.Millisecond) // each looks once a second
	mu.Lock()
	defer mu.Unlock()
	if len(runs) != queries || all != queries {
		t.Errorf("%d runs of %d queries: %v", all, queries, runs)
	}
}

// TestLocksOfSharing: one of two gateways has a lock at a time. Who takes over that of a dead one ends its statement
// before, and the dead one learns of it when it continues.
func TestLocksOfSharing(t *testing.T) {
	t.Parallel() // it waits
	a, b, exec := sharing(t)
	ctx := t.Context()
	fail := errors.New("the cluster is away")
	var left []string
	b.G.Jobs.EndLeft(func(_ context.Context, s string) error {
		left = append(left, s)
		if len(left) == 1 {
			return fail
		}
		return nil
	})
	first, err := a.G.Jobs.Lock(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Note("s1"); err != nil {
		t.Fatal(err)
	}
	if l, err := b.G.Jobs.TryLock(ctx, "x"); l != nil || err != nil {
		t.Fatalf("a lock that is held: %v, %v", l, err)
	}
	if other, err := b.G.Jobs.Lock(ctx, "y"); err != nil {
		t.Fatal(err)
	} else {
		other.Unlock()
	}
	got := make(chan *engine.Lock)
	go func() {
		l, err := b.G.Jobs.Lock(ctx, "x")
		if err != nil {
			t.Error(err)
		}
		got <- l
	}()
	select {
	case <-got:
		t.Fatal("two have the lock")
	case <-time.After(300 * time.Millisecond):
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && first.Context.Err() == nil; {
		exec("UPDATE runners SET until = clock_timestamp() - interval '1 hour' WHERE number = " +
			"(SELECT holder FROM locks WHERE statement = 's1')") // a may renew it before b looks
		time.Sleep(20 * time.Millisecond)
	}
	second := <-got
	if err := first.Note("s2"); err == nil || first.Context.Err() == nil {
		t.Errorf("after the lock was lost: %v, %v", err, first.Context.Err())
	}
	if err := second.Note("s3"); err != nil || !slices.Equal(left, []string{"s1", "s1"}) {
		t.Errorf("%v; statements ended: %q", err, left)
	}
	first.Unlock()
	if l, err := a.G.Jobs.TryLock(ctx, "x"); l != nil || err != nil {
		t.Errorf("after the former holder has given back what it does not have: %v, %v", l, err)
	}
	second.Unlock()
	third, err := a.G.Jobs.Lock(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	third.Unlock()
}

// TestTurnsOfSharing: a gateway that waits for a lock gets it before the next one of the gateway that has it, unless it
// waits no more.
func TestTurnsOfSharing(t *testing.T) {
	t.Parallel() // it waits
	a, b, exec := sharing(t)
	first, err := a.G.Jobs.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	wait := func(ctx context.Context, m gatewaytest.Materialized, name string) (ended chan error) {
		ended = make(chan error, 1)
		go func() {
			l, err := m.G.Jobs.Lock(ctx, "x")
			if err == nil {
				got <- name
				l.Unlock()
			}
			ended <- err
		}()
		return ended
	}
	const flagged = "DO $$ BEGIN FOR i IN 1..6000 LOOP IF EXISTS (SELECT 1 FROM locks WHERE name = 'next: x') " +
		"THEN RETURN; END IF; PERFORM pg_sleep(0.01); END LOOP; RAISE 'nobody waits'; END $$"
	gone, cancel := context.WithCancel(t.Context())
	ended := wait(gone, b, "gone")
	exec(flagged)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	wait(t.Context(), b, "b")
	exec(flagged)
	wait(t.Context(), a, "a")
	first.Unlock()
	if one, two := <-got, <-got; one != "b" || two != "a" {
		t.Errorf("%s before %s", one, two)
	}
}
