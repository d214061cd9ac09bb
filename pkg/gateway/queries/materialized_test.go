package queries_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// slowSQL runs for minutes and can be interrupted.
const slowSQL = `SELECT count(*) AS n FROM (SELECT a.x * 17 + b.y - c.z AS v
FROM UNNEST(sequence(1, 10000)) a(x), UNNEST(sequence(1, 10000)) b(y), UNNEST(sequence(1, 1000)) c(z)) t WHERE v % 3 = 1`

func TestMaterializedKeepsRowsOfTheLastCompleteRun(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	id := m.Create("m", "SELECT 'one' AS v", nil)
	first := m.Settled(id)
	if first.Status != store.RunCompleted || first.LastExecutionStartTime == nil {
		t.Fatalf("%+v", first)
	}
	m.Stored("one")

	m.Text(id, "SELECT CAST('two' AS integer) AS v")
	failed := m.Settled(id)
	if failed.Status != store.RunFailed || failed.Error == nil ||
		*failed.LastExecutionStartTime <= *first.LastExecutionStartTime {
		t.Fatalf("%+v", failed)
	}
	m.Stored("one")
	if got := m.Values("SELECT count(*) FROM peaka.mtquery.m"); got[0] != "1" {
		t.Fatalf("%v", got)
	}

	m.Text(id, slowSQL)
	m.Wait(id, func(s api.MaterializedQueryStatus) bool { return s.Status == store.RunRunning })
	if err := m.Cl.Materialized.Cancel(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	if s := m.Settled(id); s.Status != store.RunCanceled || s.Error != nil {
		t.Fatalf("%+v", s)
	}
	m.Stored("one")
	if err := m.Cl.Materialized.Cancel(ctx, store.DefaultProject, id); err != nil {
		t.Fatalf("cancel with nothing running: %v", err)
	}

	m.Text(id, "SELECT 'three' AS v")
	if s := m.Settled(id); s.Status != store.RunCompleted {
		t.Fatalf("%+v", s)
	}
	m.Stored("three")
}

// TestRefreshWhileRunning holds that a refresh asked for during a run is followed by a run that starts after it.
func TestRefreshWhileRunning(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	id := m.Create("m", slowSQL, nil)
	before := m.Wait(id, func(s api.MaterializedQueryStatus) bool { return s.Status == store.RunRunning })
	run := func() string {
		q, err := m.G.Store.Query(ctx, store.DefaultProject, id)
		if err != nil {
			t.Fatal(err)
		}
		return q.Materialized.RunID
	}
	first := run()
	if err := m.Cl.Materialized.Refresh(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	if got := run(); got != first {
		t.Fatal("two runs at once")
	}
	// End the first as its process would; the next begins in the same transaction, later than the first.
	next, err := m.G.Store.EndRun(ctx, id, first, store.RunFailed, "ended by the test", -1)
	if err != nil || next == "" || next == first {
		t.Fatalf("next run %q, %v", next, err)
	}
	after := m.Status(id)
	if after.Status != store.RunRunning || *after.LastExecutionStartTime <= *before.LastExecutionStartTime {
		t.Fatalf("%+v after %+v", after, before)
	}
	// Nobody runs the next one: the process that would was told by EndRun. A second end is refused.
	if _, err := m.G.Store.EndRun(ctx, id, first, store.RunCompleted, "", 1); err == nil {
		t.Fatal("a run ended twice")
	}
	if _, err := m.G.Store.EndRun(ctx, id, next, store.RunFailed, "ended by the test", -1); err != nil {
		t.Fatal(err)
	}
}

// TestRefreshAfterCancel holds that a refresh asked for while a cancelled run still winds down is not lost.
func TestRefreshAfterCancel(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	id := m.Create("m", "SELECT 'one' AS v", nil)
	m.Settled(id)
	run, err := m.G.Store.StartRun(ctx, id, "runner")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		steps string
		again bool
	}{{"cancel", false}, {"cancel refresh", true}, {"refresh cancel", false}, {"refresh cancel refresh", true}} {
		for _, step := range strings.Fields(c.steps) {
			if step == "refresh" {
				_, err = m.G.Store.StartRun(ctx, id, "other")
			} else {
				_, err = m.G.Store.AskCancel(ctx, id)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		next, err := m.G.Store.EndRun(ctx, id, run, store.RunCanceled, "", -1)
		if err != nil || (next != "") != c.again {
			t.Fatalf("%s: next run %q, %v", c.steps, next, err)
		}
		if run = next; run == "" {
			if run, err = m.G.Store.StartRun(ctx, id, "runner"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := m.G.Store.EndRun(ctx, id, run, store.RunFailed, "ended by the test", -1); err != nil {
		t.Fatal(err)
	}
}

// TestOneNameOneQuery saves under one name and path from many callers at once.
func TestOneNameOneQuery(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	var made atomic.Int64
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			_, err := m.Cl.Queries.Create(ctx, store.DefaultProject,
				api.QueryRequest{DisplayName: gatewaytest.Ptr("Same Name"),
					InputQuery: gatewaytest.Ptr("SELECT 1 AS v"), Path: gatewaytest.Ptr("/one/path")}, nil)
			var ae *api.Error
			switch {
			case err == nil:
				made.Add(1)
			case !errors.As(err, &ae) || ae.Status != 409:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("%d queries of one name", n)
	}
	if all, err := m.Cl.Folders.List(ctx, store.DefaultProject); err != nil || len(all) != 2 {
		t.Errorf("folders %v, %v", all, err)
	}
}

func TestRunOfDeadProcess(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	id := m.Create("m", "SELECT 'one' AS v", nil)
	m.Settled(id)
	if _, err := m.G.Store.StartRun(ctx, id, "0f8fad5b-d9cb-469f-a165-70867728950e"); err != nil {
		t.Fatal(err)
	}
	if err := m.Cl.Materialized.Refresh(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	if s := m.Settled(id); s.Status != store.RunCompleted {
		t.Fatalf("%+v", s)
	}
	if _, err := m.G.Store.StartRun(ctx, id, "0f8fad5b-d9cb-469f-a165-70867728950e"); err != nil {
		t.Fatal(err)
	}
	if err := m.G.Queries.EndCutOff(ctx); err != nil {
		t.Fatal(err)
	}
	q, err := m.G.Store.Query(ctx, store.DefaultProject, id)
	if err != nil || q.Materialized.Status != store.RunFailed || q.Materialized.Error == nil ||
		*q.Materialized.Error != jobs.Crashed {
		t.Fatalf("%+v, %v", q.Materialized, err)
	}
	m.Stored("one")
	// A new text is stored also when the run before it was cut off.
	if _, err := m.G.Store.StartRun(ctx, id, "0f8fad5b-d9cb-469f-a165-70867728950e"); err != nil {
		t.Fatal(err)
	}
	m.Text(id, "SELECT 'two' AS v")
	if s := m.Settled(id); s.Status != store.RunCompleted {
		t.Fatalf("%+v", s)
	}
	m.Stored("two")
}

// TestInterruptedBeforeItBegan: a run that the gateway's end catches before it has read its query was cut off, not
// cancelled.
func TestInterruptedBeforeItBegan(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	id := m.Create("m", "SELECT 'one' AS v", nil)
	m.Settled(id)
	m.G.Jobs.Interrupt()
	if err := m.Cl.Materialized.Refresh(context.Background(), store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	if s := m.Settled(id); s.Status != store.RunFailed || s.Error == nil || *s.Error != jobs.CutOff {
		t.Fatalf("%+v", s)
	}
	m.Stored("one")
}

func TestSchedulesFireOnceForMissedRuns(t *testing.T) {
	m, forward := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	id := m.Create("m", "SELECT 'one' AS v", &api.MaterializedQuerySchedule{Type: "interval",
		RepeatDuration: gatewaytest.Ptr("PT1H")})
	first := m.Settled(id)
	set := gatewaytest.Moment(t, *first.NextExecutionStartTime).Add(-time.Hour)

	m.G.Jobs.RunDuties(ctx)
	if s := m.Settled(id); *s.LastExecutionStartTime != *first.LastExecutionStartTime {
		t.Fatalf("ran before its time: %+v", s)
	}
	forward(3*time.Hour + 30*time.Minute)
	m.G.Jobs.RunDuties(ctx)
	second := m.Wait(id, func(s api.MaterializedQueryStatus) bool {
		return s.Status == store.RunCompleted && *s.LastExecutionStartTime != *first.LastExecutionStartTime
	})
	if want := set.Add(4 * time.Hour); !gatewaytest.Moment(t, *second.NextExecutionStartTime).Equal(want) {
		t.Fatalf("next is %s, want %s", *second.NextExecutionStartTime, want)
	}
	m.G.Jobs.RunDuties(ctx)
	if s := m.Settled(id); *s.LastExecutionStartTime != *second.LastExecutionStartTime {
		t.Fatalf("missed runs were made up for more than once: %+v", s)
	}
	if _, err := m.Cl.Queries.Update(ctx, store.DefaultProject, id,
		api.QueryRequest{Schedule: &api.MaterializedQuerySchedule{Type: "none"}}, nil); err != nil {
		t.Fatal(err)
	}
	forward(48 * time.Hour)
	m.G.Jobs.RunDuties(ctx)
	if s := m.Settled(id); s.NextExecutionStartTime != nil ||
		*s.LastExecutionStartTime != *second.LastExecutionStartTime {
		t.Fatalf("ran without a schedule: %+v", s)
	}
}

func TestDeleteDuringRunLeavesNothing(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	id := m.Create("m", "SELECT 'one' AS v", nil)
	m.Settled(id)
	m.Text(id, slowSQL)
	m.Wait(id, func(s api.MaterializedQueryStatus) bool { return s.Status == store.RunRunning })
	q, err := m.G.Store.Query(ctx, store.DefaultProject, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Cl.Queries.Delete(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	m.G.Jobs.Running.Wait()
	if rows := stored(m, *q.Materialized.Stored, q.Materialized.RunID); rows[0] != -1 || rows[1] != -1 {
		t.Fatalf("%d rows of a deleted query are stored", rows)
	}
	if left, err := m.G.Store.FreeResults(ctx, store.DefaultProject, time.Now().Add(1000*time.Hour)); len(left) > 0 ||
		err != nil {
		t.Fatalf("%v, %v", left, err)
	}
	if _, err := m.Cl.Materialized.Status(ctx, store.DefaultProject, id); err == nil {
		t.Fatal("a deleted query has a status")
	}
}

// stored counts the rows of runs, -1 for none.
func stored(m gatewaytest.Materialized, runs ...string) []int64 {
	m.Helper()
	data, err := m.G.Engine.Project(context.Background(), store.DefaultProject)
	if err != nil {
		m.Fatal(err)
	}
	out := make([]int64, len(runs))
	for i, run := range runs {
		if out[i], err = data.RowCount(context.Background(), store.ResultOfQuery, run); err != nil {
			out[i] = -1
		}
	}
	return out
}

// TestReplacedRowsAreKeptForAWhile: each run stores rows of its own, and those of the former one are removed by a later
// run.
func TestReplacedRowsAreKeptForAWhile(t *testing.T) {
	m, ahead := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	id := m.Create("m", "SELECT 'one' AS v", nil)
	var runs []string
	for _, pass := range []time.Duration{0, time.Second, time.Hour} {
		ahead(pass)
		m.Settled(id)
		if len(runs) > 0 {
			if err := m.Cl.Materialized.Refresh(ctx, store.DefaultProject, id); err != nil {
				t.Fatal(err)
			}
			m.Settled(id)
		}
		m.G.Jobs.Running.Wait()
		q, err := m.G.Store.Query(ctx, store.DefaultProject, id)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, *q.Materialized.Stored)
	}
	if got := stored(m, runs...); !slices.Equal(got, []int64{-1, 1, 1}) {
		t.Errorf("%d rows of the runs are stored", got)
	}
	m.Stored("one")
}

// TestReadersDuringRefreshes reads a stored result all the while it is replaced: each read sees the rows of one run.
func TestReadersDuringRefreshes(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	// The ids of runs are not in reach of SQL, so each run stores rows that all carry one random number.
	id := m.Create("m", "SELECT r.v AS v, s.i FROM (SELECT random() AS v) r, UNNEST(sequence(1, 2000)) s(i)", nil)
	if s := m.Settled(id); s.Status != store.RunCompleted {
		t.Fatalf("%+v", s)
	}
	seen := map[string]bool{}
	for i := range 30 {
		if err := m.Cl.Materialized.Refresh(ctx, store.DefaultProject, id); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			got := m.Values("SELECT concat(CAST(count(*) AS varchar), '/', CAST(count(DISTINCT v) AS varchar), '/', " +
				"CAST(max(v) AS varchar)) FROM peaka.mtquery.m")
			if len(got) != 1 || got[0][:7] != "2000/1/" {
				t.Fatalf("round %d: read %v", i, got)
			}
			seen[got[0]] = true
		}
	}
	m.Settled(id)
	if len(seen) < 2 {
		t.Fatalf("the result never changed: %v", seen)
	}
}

func TestQueryNames(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	for i, name := range []string{"Daily Sales", "DAILY-SALES", "!!!", "", "  "} {
		_, err := m.Cl.Queries.Create(context.Background(), store.DefaultProject, api.QueryRequest{DisplayName: &name,
			InputQuery: gatewaytest.Ptr("SELECT " + strconv.Itoa(i))}, nil)
		if (err == nil) != (i == 0) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestUpdatesAtOnce: each of several updates at one time keeps what the others have set.
func TestUpdatesAtOnce(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	id := m.Create("m", "SELECT 0 AS v", nil)
	cache := gatewaytest.MakeCache(t, m.G, m.Cl, "orders").ID
	for i := range 30 {
		n := strconv.Itoa(i)
		var wg sync.WaitGroup
		for _, update := range []func() error{
			func() error {
				_, err := m.Cl.Queries.Update(ctx, store.DefaultProject, id,
					api.QueryRequest{DisplayName: gatewaytest.Ptr("m" + n)}, nil)
				return err
			},
			func() error {
				_, err := m.Cl.Queries.Update(ctx, store.DefaultProject, id,
					api.QueryRequest{InputQuery: gatewaytest.Ptr("SELECT " + n + " AS v")}, nil)
				return err
			},
			func() error {
				return m.Cl.Queries.Move(ctx, store.DefaultProject, id, api.QueryPathUpdateRequest{Path: "/f" + n})
			},
			func() error {
				_, err := m.Cl.Cache.UpdateSettings(ctx, store.DefaultProject, cache,
					api.CacheScheduleUpdate{FullRefreshCacheSchedule: &api.CacheSchedule{Type: "BASIC",
						Expression: gatewaytest.Ptr("P" + strconv.Itoa(i+1) + "D")}})
				return err
			},
			func() error {
				_, err := m.Cl.Cache.UpdateSettings(ctx, store.DefaultProject, cache,
					api.CacheScheduleUpdate{IncrementalCacheSchedule: &api.CacheSchedule{Type: "BASIC",
						Expression: gatewaytest.Ptr("P" + strconv.Itoa(i+2) + "D")}})
				return err
			},
		} {
			wg.Go(func() {
				if err := update(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		q, err := m.Cl.Queries.Get(ctx, store.DefaultProject, id)
		if err != nil || q.DisplayName != "m"+n || q.InputQuery != "SELECT "+n+" AS v" || q.Path == nil ||
			*q.Path != "/f"+n {
			t.Fatalf("round %d: %+v, %v", i, q, err)
		}
		c, err := m.Cl.Cache.Settings(ctx, store.DefaultProject, cache)
		if err != nil || *c.FullRefreshCacheSchedule.Expression != "P"+strconv.Itoa(i+1)+"D" ||
			*c.IncrementalCacheSchedule.Expression != "P"+strconv.Itoa(i+2)+"D" {
			t.Fatalf("round %d: %+v, %v", i, c, err)
		}
	}
}
