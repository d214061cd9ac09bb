package queries_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestQueriesUnderLoad lets callers save, run, move, cancel and delete each other's queries and folders. Whatever the
// order, no call may fail but for what another has taken away, readers see the rows of one run, and no run stays
// RUNNING.
func TestQueriesUnderLoad(t *testing.T) {
	m, _ := gatewaytest.NewMaterialized(t)
	ctx := context.Background()
	const p = store.DefaultProject
	stop := m.G.Jobs.StartSchedules()
	step := func(w int) error {
		name, path := fmt.Sprintf("q%d", rand.IntN(6)), fmt.Sprintf("/f%d/g%d", rand.IntN(3), rand.IntN(3))
		qs, err := m.Cl.Queries.List(ctx, p)
		if err != nil {
			return err
		}
		id := "1"
		if len(qs) > 0 {
			id = qs[rand.IntN(len(qs))].ID
		}
		switch rand.IntN(9) {
		case 0, 1:
			_, err = m.Cl.Queries.Create(ctx, p, api.QueryRequest{DisplayName: &name,
				InputQuery: gatewaytest.Ptr(fmt.Sprintf("SELECT %d AS v, i FROM UNNEST(sequence(1, 1000)) t(i)", w)),
				QueryType:  "MATERIALIZED", Path: &path, Schedule: &api.MaterializedQuerySchedule{Type: "interval",
					RepeatDuration: gatewaytest.Ptr("PT1S")}}, nil)
			return err
		case 2:
			return m.Cl.Queries.Delete(ctx, p, id)
		case 3:
			return m.Cl.Queries.Move(ctx, p, id, api.QueryPathUpdateRequest{Path: path})
		case 4:
			return m.Cl.Materialized.Cancel(ctx, p, id)
		case 5:
			fs, err := m.Cl.Folders.List(ctx, p)
			if err != nil || len(fs) == 0 {
				return err
			}
			return m.Cl.Folders.Delete(ctx, p, fs[rand.IntN(len(fs))].ID, url.Values{"force": {"true"}})
		case 6, 7:
			proj, err := m.G.Store.Project(ctx, "", p)
			if err != nil {
				return err
			}
			rows, err := gatewaytest.TextsOf(ctx, m.G, proj, "SELECT count(*), count(DISTINCT v) FROM peaka.mtquery."+
				name)
			if err != nil {
				f := fault.Of(err)
				return &api.Error{Status: f.Status, Message: f.Message}
			}
			if rows[0][0] != "1000" || rows[0][1] != "1" {
				return fmt.Errorf("read %v", rows)
			}
			return nil
		}
		return m.Cl.Materialized.Refresh(ctx, p, id)
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for range 20 {
				err := step(w)
				var ae *api.Error
				if errors.As(err, &ae) && (ae.Status == 404 || ae.Status == 409 ||
					ae.Status == 400 && (strings.HasPrefix(ae.Message, "There is no query") ||
						strings.Contains(ae.Message, "does not exist") || strings.Contains(ae.Message,
						"is still empty"))) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	stop()
	m.G.Jobs.Running.Wait()
	if left, err := m.G.Store.Running(ctx); err != nil || len(left) > 0 {
		t.Errorf("left running: %v, %v", left, err)
	}
	all, err := m.G.Store.Queries(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if q.Materialized.Error != nil {
			t.Errorf("%s: %s", q.Name, *q.Materialized.Error)
		}
	}
}
