package jobs_test

import (
	"context"
	"database/sql"
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
	"github.com/dig-cli/dig/pkg/gateway/metadata"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// refuseEnds has the state file refuse the end of every run with an error of its own, until mend is called.
func refuseEnds(t *testing.T, g *gateway.Gateway) (mend func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.Join(g.Options.Dir, "state.db")}).EscapedPath()+
		"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	exec := func(q string) {
		t.Helper()
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	open := map[string]string{"cache_runs": "RUNNING", "materialized": "RUNNING", "metadata_refreshes": "active",
		"exports": "RUNNING"}
	for table, goesOn := range open {
		exec("CREATE TRIGGER refuse_" + table + " BEFORE UPDATE ON " + table + " WHEN NEW.status <> '" + goesOn +
			"' AND OLD.status = '" + goesOn +
			"' BEGIN SELECT RAISE(ABORT, 'no place to write it'); END")
	}
	return func() {
		t.Helper()
		for table := range open {
			exec("DROP TRIGGER IF EXISTS refuse_" + table)
		}
	}
}

// unrecorded waits until as many ends as that could not be recorded.
func unrecorded(t *testing.T, g *gateway.Gateway, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		g.Jobs.Ends.Mu.Lock()
		have := len(g.Jobs.Ends.Open)
		g.Jobs.Ends.Mu.Unlock()
		if have == n {
			return
		}
	}
	t.Fatalf("there are not %d ends that could not be recorded", n)
}

// TestEndsAreRecordedUntilTheyAreStored: while the end of a run cannot be recorded, whoever asks is told so, and once
// it can, it is.
func TestEndsAreRecordedUntilTheyAreStored(t *testing.T) {
	for _, asked := range []bool{true, false} { // whether somebody asks at that moment
		m, _ := gatewaytest.NewMaterialized(t)
		ctx, g, cl := context.Background(), m.G, m.Cl
		query := m.Create("m", "SELECT 'one' AS v", nil)
		cache := gatewaytest.MakeCache(t, g, cl, "products")
		export, err := gatewaytest.StartExport(t, cl, "SELECT 1 AS n", api.ExportRequest{})
		if err != nil {
			t.Fatal(err)
		}
		g.Jobs.Running.Wait()
		first := m.Settled(query)
		if job := gatewaytest.Ended(t, cl, export); job.Status != store.ExportSucceeded {
			t.Fatalf("%+v", job)
		}
		mend := refuseEnds(t, g)
		if err := cl.Materialized.Refresh(ctx, gatewaytest.Local, query); err != nil {
			t.Fatal(err)
		}
		if err := cl.Cache.FullRefresh(ctx, gatewaytest.Local, cache.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := cl.Metadata.Refresh(ctx, gatewaytest.Local,
			api.MetadataRefreshRequest{CatalogID: names.SampleCatalogID}); err != nil {
			t.Fatal(err)
		}
		if export, err = gatewaytest.StartExport(t, cl, "SELECT 1 AS n", api.ExportRequest{}); err != nil {
			t.Fatal(err)
		}
		unrecorded(t, g, 4)
		if asked {
			for what, call := range map[string]func() error{
				"status of a query": func() error {
					_, err := cl.Materialized.Status(ctx, gatewaytest.Local, query)
					return err
				},
				"cancel of a query": func() error { return cl.Materialized.Cancel(ctx, gatewaytest.Local, query) },
				"next run":          func() error { return cl.Materialized.Refresh(ctx, gatewaytest.Local, query) },
				"status of a cache": func() error {
					_, err := cl.Cache.Status(ctx, gatewaytest.Local, cache.ID, nil)
					return err
				},
				"cancel of a cache": func() error {
					return cl.Cache.CancelFullRefresh(ctx,
						gatewaytest.Local, cache.ID)
				},
				"next refresh": func() error { return cl.Cache.FullRefresh(ctx, gatewaytest.Local, cache.ID) },
				"metadata": func() error {
					_, err := cl.Metadata.RefreshStatus(ctx, gatewaytest.Local, names.SampleCatalogID)
					return err
				},
				"export": func() error { _, err := cl.Exports.Get(ctx, gatewaytest.Local, export); return err },
			} {
				if err := call(); err == nil || !strings.Contains(err.Error(), "no place to write it") {
					t.Errorf("%s does not say what is wrong: %v", what, err)
				}
			}
		}
		mend()
		if !asked {
			unrecorded(t, g, 0)
			g.Jobs.Running.Wait()
		}
		if s := m.Status(query); s.Status != store.RunCompleted ||
			*s.LastExecutionStartTime <= *first.LastExecutionStartTime {
			t.Errorf("query: %+v", s)
		}
		if run := gatewaytest.RunEnd(t, g, cl, cache.ID, nil); run.Status != states.Completed {
			t.Errorf("cache: %+v", run)
		}
		if s, err := cl.Metadata.RefreshStatus(ctx, gatewaytest.Local, names.SampleCatalogID); err != nil ||
			s.Status != metadata.RefreshDone {
			t.Errorf("metadata: %+v, %v", s, err)
		}
		if job, err := cl.Exports.Get(ctx, gatewaytest.Local, export); err != nil ||
			job.Status != store.ExportSucceeded {
			t.Errorf("export: %+v, %v", job, err)
		}
		if asked { // the next ones can begin at once
			if err := cl.Materialized.Refresh(ctx, gatewaytest.Local, query); err != nil {
				t.Error(err)
			}
			if err := cl.Cache.FullRefresh(ctx, gatewaytest.Local, cache.ID); err != nil {
				t.Error(err)
			}
		}
		g.Jobs.Running.Wait()
		if err := gatewaytest.CheckScratch(g); err != nil {
			t.Error(err)
		}
	}
}

// TestCloseWithAnEndThatCannotBeRecorded: the process ends all the same, and the next one ends the run as cut off.
func TestCloseWithAnEndThatCannotBeRecorded(t *testing.T) {
	dir := t.TempDir()
	o := gatewaytest.Open(t).Options
	o.Dir = dir
	g, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	m := gatewaytest.Materialized{T: t, G: g, Cl: cl}
	id := m.Create("m", "SELECT 'one' AS v", nil)
	g.Jobs.Running.Wait()
	mend := refuseEnds(t, g)
	if err := cl.Materialized.Refresh(context.Background(), gatewaytest.Local, id); err != nil {
		t.Fatal(err)
	}
	unrecorded(t, g, 1)
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	mend()
	if left, _ := os.ReadDir(filepath.Join(dir, "runners")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	again, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	cl, err = api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: again.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := cl.Materialized.Status(context.Background(), gatewaytest.Local, id)
	if err != nil || s.Status != store.RunFailed || s.Error == nil || !strings.Contains(*s.Error, jobs.CutOff) {
		t.Errorf("%+v, %v", s, err)
	}
}
