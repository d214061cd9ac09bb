package gateway

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// slowSQL runs for minutes and can be interrupted.
const slowSQL = `SELECT count(*) AS n FROM (SELECT a.x * 17 + b.y - c.z AS v
FROM UNNEST(sequence(1, 10000)) a(x), UNNEST(sequence(1, 10000)) b(y), UNNEST(sequence(1, 1000)) c(z)) t WHERE v % 3 = 1`

func ptr[T any](v T) *T { return &v }

type mtTest struct {
	*testing.T
	g  *Gateway
	cl *api.Client
}

func (t mtTest) create(name, sql string, s *api.MaterializedQuerySchedule) string {
	t.Helper()
	q, err := t.cl.Queries.Create(context.Background(), store.DefaultProject,
		api.QueryRequest{DisplayName: &name, InputQuery: &sql, QueryType: "MATERIALIZED", Schedule: s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q.ID
}

func (t mtTest) text(id, sql string) {
	t.Helper()
	if _, err := t.cl.Queries.Update(context.Background(), store.DefaultProject, id, api.QueryRequest{InputQuery: &sql}, url.Values{"checkSchemaExists": {"false"}}); err != nil {
		t.Fatal(err)
	}
}

func (t mtTest) status(id string) api.MaterializedQueryStatus {
	t.Helper()
	s, err := t.cl.Materialized.Status(context.Background(), store.DefaultProject, id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wait polls until the state is as wanted.
func (t mtTest) wait(id string, wanted func(api.MaterializedQueryStatus) bool) api.MaterializedQueryStatus {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if s := t.status(id); wanted(s) {
			return s
		}
	}
	t.Fatalf("still %+v", t.status(id))
	panic("unreachable")
}

func (t mtTest) settled(id string) api.MaterializedQueryStatus {
	t.Helper()
	return t.wait(id, func(s api.MaterializedQueryStatus) bool { return s.Status != store.RunRunning })
}

// values are the first column of a statement.
func (t mtTest) values(sql string) []string {
	t.Helper()
	p, err := t.g.Store.Project(context.Background(), "", store.DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := textsOf(context.Background(), t.g, p, sql)
	if err != nil {
		t.Fatal(err)
	}
	return each.Map(rows, func(r []string) string { return r[0] })
}

func (t mtTest) stored(want string) {
	t.Helper()
	if got := t.values("SELECT v FROM peaka.mtquery.m"); len(got) != 1 || got[0] != want {
		t.Fatalf("stored is %v, want %s", got, want)
	}
}

func newMtTest(t *testing.T) (mtTest, func(time.Duration)) {
	g, cl, ahead := exportGateway(t)
	return mtTest{t, g, cl}, func(d time.Duration) { ahead.Add(int64(d)) }
}

func TestMaterializedKeepsRowsOfTheLastCompleteRun(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	id := m.create("m", "SELECT 'one' AS v", nil)
	first := m.settled(id)
	if first.Status != store.RunCompleted || first.LastExecutionStartTime == nil {
		t.Fatalf("%+v", first)
	}
	m.stored("one")

	m.text(id, "SELECT CAST('two' AS integer) AS v")
	failed := m.settled(id)
	if failed.Status != store.RunFailed || failed.Error == nil || *failed.LastExecutionStartTime <= *first.LastExecutionStartTime {
		t.Fatalf("%+v", failed)
	}
	m.stored("one")
	if got := m.values("SELECT count(*) FROM peaka.mtquery.m"); got[0] != "1" {
		t.Fatalf("%v", got)
	}

	m.text(id, slowSQL)
	m.wait(id, func(s api.MaterializedQueryStatus) bool { return s.Status == store.RunRunning })
	if err := m.cl.Materialized.Cancel(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	if s := m.settled(id); s.Status != store.RunCanceled || s.Error != nil {
		t.Fatalf("%+v", s)
	}
	m.stored("one")
	if err := m.cl.Materialized.Cancel(ctx, store.DefaultProject, id); err != nil {
		t.Fatalf("cancel with nothing running: %v", err)
	}

	m.text(id, "SELECT 'three' AS v")
	if s := m.settled(id); s.Status != store.RunCompleted {
		t.Fatalf("%+v", s)
	}
	m.stored("three")
}

// TestRefreshWhileRunning holds that a refresh asked for during a run is followed by a run that starts after it.
func TestRefreshWhileRunning(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	id := m.create("m", slowSQL, nil)
	before := m.wait(id, func(s api.MaterializedQueryStatus) bool { return s.Status == store.RunRunning })
	run := func() string {
		q, err := m.g.Store.Query(ctx, store.DefaultProject, id)
		if err != nil {
			t.Fatal(err)
		}
		return q.Materialized.RunID
	}
	first := run()
	if err := m.cl.Materialized.Refresh(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	if got := run(); got != first {
		t.Fatal("two runs at once")
	}
	// End the first as its process would; the next begins in the same transaction, later than the first.
	next, err := m.g.Store.EndRun(ctx, id, first, store.RunFailed, "ended by the test", -1)
	if err != nil || next == "" || next == first {
		t.Fatalf("next run %q, %v", next, err)
	}
	after := m.status(id)
	if after.Status != store.RunRunning || *after.LastExecutionStartTime <= *before.LastExecutionStartTime {
		t.Fatalf("%+v after %+v", after, before)
	}
	// Nobody runs the next one: the process that would was told by EndRun. A second end is refused.
	if _, err := m.g.Store.EndRun(ctx, id, first, store.RunCompleted, "", 1); err == nil {
		t.Fatal("a run ended twice")
	}
	if _, err := m.g.Store.EndRun(ctx, id, next, store.RunFailed, "ended by the test", -1); err != nil {
		t.Fatal(err)
	}
}

// TestRefreshAfterCancel holds that a refresh asked for while a cancelled run still winds down is not lost.
func TestRefreshAfterCancel(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	id := m.create("m", "SELECT 'one' AS v", nil)
	m.settled(id)
	run, err := m.g.Store.StartRun(ctx, id, "runner")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		steps string
		again bool
	}{{"cancel", false}, {"cancel refresh", true}, {"refresh cancel", false}, {"refresh cancel refresh", true}} {
		for _, step := range strings.Fields(c.steps) {
			if step == "refresh" {
				_, err = m.g.Store.StartRun(ctx, id, "other")
			} else {
				_, err = m.g.Store.AskCancel(ctx, id)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		next, err := m.g.Store.EndRun(ctx, id, run, store.RunCanceled, "", -1)
		if err != nil || (next != "") != c.again {
			t.Fatalf("%s: next run %q, %v", c.steps, next, err)
		}
		if run = next; run == "" {
			if run, err = m.g.Store.StartRun(ctx, id, "runner"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := m.g.Store.EndRun(ctx, id, run, store.RunFailed, "ended by the test", -1); err != nil {
		t.Fatal(err)
	}
}

// TestSavedQueriesGoWithTheirProject deletes a project that holds all kinds of things of this group.
func TestSavedQueriesGoWithTheirProject(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	p, err := m.cl.Projects.Create(ctx, store.DefaultOrganization, store.DefaultWorkspace, api.ProjectRequest{Name: ptr("other")})
	if err != nil {
		t.Fatal(err)
	}
	q, err := m.cl.Queries.Create(ctx, p.ID, api.QueryRequest{DisplayName: ptr("m"), InputQuery: ptr("SELECT 1 AS v"), QueryType: "MATERIALIZED", Path: ptr("/a/b/c")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Nothing of it is in reach of another project, by id or by name.
	if _, err := m.cl.Queries.Get(ctx, store.DefaultProject, q.ID); err == nil {
		t.Error("a query of another project is read")
	}
	if err := m.cl.Materialized.Refresh(ctx, store.DefaultProject, q.ID); err == nil {
		t.Error("a query of another project is refreshed")
	}
	if _, err := m.cl.Folders.Get(ctx, store.DefaultProject, *q.FolderID); err == nil {
		t.Error("a folder of another project is read")
	}
	f, err := m.cl.Folders.Create(ctx, store.DefaultProject, api.QueryFolderCreateRequest{FolderName: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.cl.Folders.UpdateContents(ctx, store.DefaultProject, f.ID, api.QueryFolderUpdateRequest{QueryIdsAdded: []string{q.ID}}); err == nil {
		t.Error("a query of another project is moved")
	}
	m.g.Jobs.Running.Wait()
	if err := m.cl.Projects.Delete(ctx, store.DefaultOrganization, store.DefaultWorkspace, p.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := m.g.Store.Query(ctx, p.ID, q.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the query is still there: %v", err)
	}
	if all, err := m.g.Store.Folders(ctx, p.ID); err != nil || len(all) != 0 {
		t.Errorf("folders are still there: %v, %v", all, err)
	}
}

// TestOneNameOneQuery saves under one name and path from many callers at once.
func TestOneNameOneQuery(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	var made atomic.Int64
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			_, err := m.cl.Queries.Create(ctx, store.DefaultProject, api.QueryRequest{DisplayName: ptr("Same Name"), InputQuery: ptr("SELECT 1 AS v"), Path: ptr("/one/path")}, nil)
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
	if all, err := m.cl.Folders.List(ctx, store.DefaultProject); err != nil || len(all) != 2 {
		t.Errorf("folders %v, %v", all, err)
	}
}

func TestRunOfDeadProcess(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	id := m.create("m", "SELECT 'one' AS v", nil)
	m.settled(id)
	if _, err := m.g.Store.StartRun(ctx, id, "0f8fad5b-d9cb-469f-a165-70867728950e"); err != nil {
		t.Fatal(err)
	}
	if err := m.cl.Materialized.Refresh(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	if s := m.settled(id); s.Status != store.RunCompleted {
		t.Fatalf("%+v", s)
	}
	if _, err := m.g.Store.StartRun(ctx, id, "0f8fad5b-d9cb-469f-a165-70867728950e"); err != nil {
		t.Fatal(err)
	}
	if err := m.g.Queries.EndCutOff(ctx); err != nil {
		t.Fatal(err)
	}
	q, err := m.g.Store.Query(ctx, store.DefaultProject, id)
	if err != nil || q.Materialized.Status != store.RunFailed || q.Materialized.Error == nil || *q.Materialized.Error != jobs.Crashed {
		t.Fatalf("%+v, %v", q.Materialized, err)
	}
	m.stored("one")
	// A new text is stored also when the run before it was cut off.
	if _, err := m.g.Store.StartRun(ctx, id, "0f8fad5b-d9cb-469f-a165-70867728950e"); err != nil {
		t.Fatal(err)
	}
	m.text(id, "SELECT 'two' AS v")
	if s := m.settled(id); s.Status != store.RunCompleted {
		t.Fatalf("%+v", s)
	}
	m.stored("two")
}

// TestInterruptedBeforeItBegan: a run that the gateway's end catches before it has read its query was cut off, not cancelled.
func TestInterruptedBeforeItBegan(t *testing.T) {
	m, _ := newMtTest(t)
	id := m.create("m", "SELECT 'one' AS v", nil)
	m.settled(id)
	m.g.Jobs.Interrupt()
	if err := m.cl.Materialized.Refresh(context.Background(), store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	if s := m.settled(id); s.Status != store.RunFailed || s.Error == nil || *s.Error != jobs.CutOff {
		t.Fatalf("%+v", s)
	}
	m.stored("one")
}

func TestSchedulesFireOnceForMissedRuns(t *testing.T) {
	m, forward := newMtTest(t)
	ctx := context.Background()
	id := m.create("m", "SELECT 'one' AS v", &api.MaterializedQuerySchedule{Type: "interval", RepeatDuration: ptr("PT1H")})
	first := m.settled(id)
	set := moment(t, *first.NextExecutionStartTime).Add(-time.Hour)

	m.g.Jobs.RunDuties(ctx)
	if s := m.settled(id); *s.LastExecutionStartTime != *first.LastExecutionStartTime {
		t.Fatalf("ran before its time: %+v", s)
	}
	forward(3*time.Hour + 30*time.Minute)
	m.g.Jobs.RunDuties(ctx)
	second := m.wait(id, func(s api.MaterializedQueryStatus) bool {
		return s.Status == store.RunCompleted && *s.LastExecutionStartTime != *first.LastExecutionStartTime
	})
	if want := set.Add(4 * time.Hour); !moment(t, *second.NextExecutionStartTime).Equal(want) {
		t.Fatalf("next is %s, want %s", *second.NextExecutionStartTime, want)
	}
	m.g.Jobs.RunDuties(ctx)
	if s := m.settled(id); *s.LastExecutionStartTime != *second.LastExecutionStartTime {
		t.Fatalf("missed runs were made up for more than once: %+v", s)
	}
	if _, err := m.cl.Queries.Update(ctx, store.DefaultProject, id, api.QueryRequest{Schedule: &api.MaterializedQuerySchedule{Type: "none"}}, nil); err != nil {
		t.Fatal(err)
	}
	forward(48 * time.Hour)
	m.g.Jobs.RunDuties(ctx)
	if s := m.settled(id); s.NextExecutionStartTime != nil || *s.LastExecutionStartTime != *second.LastExecutionStartTime {
		t.Fatalf("ran without a schedule: %+v", s)
	}
}

func TestDeleteDuringRunLeavesNothing(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	id := m.create("m", "SELECT 'one' AS v", nil)
	m.settled(id)
	m.text(id, slowSQL)
	m.wait(id, func(s api.MaterializedQueryStatus) bool { return s.Status == store.RunRunning })
	if err := m.cl.Queries.Delete(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	m.g.Jobs.Running.Wait()
	data, err := m.g.Engine.Project(ctx, store.DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := data.RowCount(ctx, engine.SchemaMtQuery, id); err == nil {
		t.Fatalf("%d rows of a deleted query are stored", n)
	}
	if _, err := m.cl.Materialized.Status(ctx, store.DefaultProject, id); err == nil {
		t.Fatal("a deleted query has a status")
	}
}

// TestReadersDuringRefreshes reads a stored result all the while it is replaced: each read sees the rows of one run.
func TestReadersDuringRefreshes(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	// The ids of runs are not in reach of SQL, so each run stores rows that all carry one random number.
	id := m.create("m", "SELECT r.v AS v, s.i FROM (SELECT random() AS v) r, UNNEST(sequence(1, 2000)) s(i)", nil)
	if s := m.settled(id); s.Status != store.RunCompleted {
		t.Fatalf("%+v", s)
	}
	seen := map[string]bool{}
	for i := range 30 {
		if err := m.cl.Materialized.Refresh(ctx, store.DefaultProject, id); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			got := m.values("SELECT concat(CAST(count(*) AS varchar), '/', CAST(count(DISTINCT v) AS varchar), '/', CAST(max(v) AS varchar)) FROM peaka.mtquery.m")
			if len(got) != 1 || got[0][:7] != "2000/1/" {
				t.Fatalf("round %d: read %v", i, got)
			}
			seen[got[0]] = true
		}
	}
	m.settled(id)
	if len(seen) < 2 {
		t.Fatalf("the result never changed: %v", seen)
	}
}

func TestQueryNames(t *testing.T) {
	m, _ := newMtTest(t)
	for i, name := range []string{"Daily Sales", "DAILY-SALES", "!!!", "", "  "} {
		_, err := m.cl.Queries.Create(context.Background(), store.DefaultProject, api.QueryRequest{DisplayName: &name, InputQuery: ptr("SELECT " + strconv.Itoa(i))}, nil)
		if (err == nil) != (i == 0) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestUpdatesAtOnce: each of several updates at one time keeps what the others have set.
func TestUpdatesAtOnce(t *testing.T) {
	m, _ := newMtTest(t)
	ctx := context.Background()
	id := m.create("m", "SELECT 0 AS v", nil)
	cache := makeTestCache(t, m.g, m.cl, "orders").ID
	for i := range 30 {
		n := strconv.Itoa(i)
		var wg sync.WaitGroup
		for _, update := range []func() error{
			func() error {
				_, err := m.cl.Queries.Update(ctx, store.DefaultProject, id, api.QueryRequest{DisplayName: ptr("m" + n)}, nil)
				return err
			},
			func() error {
				_, err := m.cl.Queries.Update(ctx, store.DefaultProject, id, api.QueryRequest{InputQuery: ptr("SELECT " + n + " AS v")}, nil)
				return err
			},
			func() error {
				return m.cl.Queries.Move(ctx, store.DefaultProject, id, api.QueryPathUpdateRequest{Path: "/f" + n})
			},
			func() error {
				_, err := m.cl.Cache.UpdateSettings(ctx, store.DefaultProject, cache, api.CacheScheduleUpdate{FullRefreshCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: ptr("P" + strconv.Itoa(i+1) + "D")}})
				return err
			},
			func() error {
				_, err := m.cl.Cache.UpdateSettings(ctx, store.DefaultProject, cache, api.CacheScheduleUpdate{IncrementalCacheSchedule: &api.CacheSchedule{Type: "BASIC", Expression: ptr("P" + strconv.Itoa(i+2) + "D")}})
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
		q, err := m.cl.Queries.Get(ctx, store.DefaultProject, id)
		if err != nil || q.DisplayName != "m"+n || q.InputQuery != "SELECT "+n+" AS v" || q.Path == nil || *q.Path != "/f"+n {
			t.Fatalf("round %d: %+v, %v", i, q, err)
		}
		c, err := m.cl.Cache.Settings(ctx, store.DefaultProject, cache)
		if err != nil || *c.FullRefreshCacheSchedule.Expression != "P"+strconv.Itoa(i+1)+"D" || *c.IncrementalCacheSchedule.Expression != "P"+strconv.Itoa(i+2)+"D" {
			t.Fatalf("round %d: %+v, %v", i, c, err)
		}
	}
}

// moment reads a time of a reply.
func moment(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
