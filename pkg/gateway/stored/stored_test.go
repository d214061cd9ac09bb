package stored_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/stored"
)

// TestWhatStays: rows that are current, and the record of rows that a run may still store, stay.
func TestWhatStays(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	s := &stored.Service{Store: m.G.Store, Engine: m.G.Engine, Now: m.G.Now, Log: slog.New(slog.DiscardHandler),
		Jobs: m.G.Jobs}
	id := m.Create("m", "SELECT 'one' AS v", nil)
	m.Settled(id)
	m.G.Jobs.Running.Wait()
	q, err := m.G.Store.Query(ctx, store.DefaultProject, id)
	if err != nil {
		t.Fatal(err)
	}
	current := store.Result{ID: *q.Materialized.Stored, ProjectID: store.DefaultProject, Kind: store.ResultOfQuery}
	if !s.Drop(ctx, current) {
		t.Error("the current rows are to be removed later")
	}
	m.Stored("one")

	runner, err := m.G.Jobs.Runner()
	if err != nil {
		t.Fatal(err)
	}
	run, err := m.G.Store.StartRun(ctx, id, runner)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.G.Store.DeleteQuery(ctx, store.DefaultProject, id); err != nil {
		t.Fatal(err)
	}
	s.DropOf(ctx, id)
	left := func() []store.Result {
		all, err := m.G.Store.FreeResults(ctx, store.DefaultProject, time.Now().Add(1000*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := left(); len(all) != 1 || all[0].ID != run {
		t.Errorf("while a run goes on, the records are %+v", all)
	}
	if _, err := m.G.Store.EndRun(ctx, id, run, store.RunCompleted, "", 1); err == nil {
		t.Error("the run of a deleted query was recorded")
	}
	s.DropOf(ctx, id)
	if all := left(); len(all) != 0 {
		t.Errorf("after the run, the records are %+v", all)
	}
}
