package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *queriesService) materializedRoutes(m *webService) {
	handle(m, spec.ListMaterializedStatuses, g.listMaterializedStatuses)
	handle(m, spec.GetMaterializedStatus, g.getMaterializedStatus)
	handle(m, spec.RefreshMaterializedQuery, g.refreshMaterialized)
	handle(m, spec.CancelMaterializedRefresh, g.cancelMaterialized)
	g.jobs.onTick(followClock(g.materializedFollow), duty{"materialized queries", g.refreshDue})
}

// runLimit ends a run that takes longer, as the service does [C].
const runLimit = 7200 * time.Second

// stopPoll is how often a run looks whether it is still wanted: it may be cancelled from another process.
const stopPoll = 200 * time.Millisecond

var errRunCanceled = errors.New("canceled")

// materialized finds a materialized query; a run of a process that is gone is ended first.
func (g *queriesService) materialized(ctx context.Context, p store.Project, id string) (store.Query, error) {
	q, err := g.savedQuery(ctx, p, id)
	if err != nil {
		return q, err
	}
	if q.Materialized == nil {
		return q, dataFault(400, "query %s (%s) is not materialized", q.Name, q.ID)
	}
	return g.settled(ctx, q)
}

// settled ends a run that was cut off, and records the end of one that could not be recorded before.
func (g *queriesService) settled(ctx context.Context, q store.Query) (store.Query, error) {
	m := q.Materialized
	if m == nil || m.Status != store.RunRunning {
		return q, nil
	}
	if g.jobs.alive(m.Runner) {
		if err := g.jobs.recorded(ctx, "query "+q.ID); err != nil {
			return q, err
		}
		return g.store.Query(ctx, q.ProjectID, q.ID)
	}
	for run := m.RunID; run != ""; {
		next, err := g.store.EndRun(ctx, q.ID, run, store.RunFailed, crashed, -1)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return q, err
		}
		run = next
	}
	return g.store.Query(ctx, q.ProjectID, q.ID)
}

func statusOut(q store.Query) api.MaterializedQueryStatus {
	m := q.Materialized
	return api.MaterializedQueryStatus{QueryID: q.ID, QueryName: q.Name, ScheduleSettings: scheduleOut(m.Schedule), NextExecutionStartTime: m.Schedule.Next,
		Status: m.Status, LastExecutionStartTime: m.StartedAt, LastUpdateTime: m.UpdatedAt, Error: m.Error, RefreshedAt: m.StoredAt}
}

func (g *queriesService) listMaterializedStatuses(ctx context.Context, r *Request[None]) ([]api.MaterializedQueryStatus, error) {
	all, err := g.store.Queries(ctx, r.Project.ID)
	out := []api.MaterializedQueryStatus{}
	for _, q := range all {
		if q.Materialized == nil {
			continue
		}
		if q, err = g.settled(ctx, q); err != nil {
			return nil, err
		}
		if q.Materialized != nil {
			out = append(out, statusOut(q))
		}
	}
	return out, err
}

func (g *queriesService) getMaterializedStatus(ctx context.Context, r *Request[None]) (api.MaterializedQueryStatus, error) {
	q, err := g.materialized(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return api.MaterializedQueryStatus{}, err
	}
	return statusOut(q), nil
}

func (g *queriesService) refreshMaterialized(ctx context.Context, r *Request[None]) (None, error) {
	q, err := g.materialized(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return None{}, err
	}
	return None{}, g.startRun(ctx, r.Project, q.ID)
}

// cancelMaterialized answers 200 also when nothing runs [L].
func (g *queriesService) cancelMaterialized(ctx context.Context, r *Request[None]) (None, error) {
	q, err := g.materialized(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return None{}, err
	}
	_, err = g.store.AskCancel(ctx, q.ID)
	return None{}, err
}

// startRun starts a run in the background. While one goes on, another follows it; one that was cut off has nobody to follow it, and is
// ended first.
func (g *queriesService) startRun(ctx context.Context, p store.Project, id string) error {
	q, err := g.store.Query(ctx, p.ID, id)
	if err == nil {
		_, err = g.settled(ctx, q)
	}
	if err != nil {
		return err
	}
	runner, err := g.jobs.runner()
	if err != nil {
		return err
	}
	run, err := g.store.StartRun(ctx, id, runner)
	if err != nil || run == "" {
		return err
	}
	g.jobs.background(jobMaterialized, func(ctx context.Context) {
		for run != "" {
			run = g.run(ctx, p, id, run)
		}
	})
	return nil
}

// run does one run to its end and returns the id of the run that follows it, if any.
func (g *queriesService) run(ctx context.Context, p store.Project, id, run string) (next string) {
	status, reason, rows := store.RunFailed, "the run broke off", int64(-1)
	defer func() { // also when the engine panics: no run stays RUNNING
		err := g.jobs.record("query "+id, func(ctx context.Context) (err error) {
			next, err = g.store.EndRun(ctx, id, run, status, reason, rows)
			return err
		})
		if err == nil {
			return
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
		defer cancel()
		if !errors.Is(err, store.ErrNotFound) {
			g.log.Error("a run could not be ended", "query", id, "error", err)
			return
		}
		// The query is gone or plain by now: what this run stored must not stay.
		if q, err := g.store.Query(end, p.ID, id); errors.Is(err, store.ErrNotFound) || err == nil && q.Materialized == nil {
			g.dropLate(end, p, id)
		}
	}()
	rows, err := g.materialize(ctx, p, id, run)
	switch {
	case err == nil:
		status, reason = store.RunCompleted, ""
	case errors.Is(err, errRunCanceled):
		status, reason, rows = store.RunCanceled, "", -1
	default:
		reason, rows = g.jobs.reason(err), -1
	}
	return
}

// dropLate drops the rows of a query that is gone, unless its project went with them.
func (g *queriesService) dropLate(ctx context.Context, p store.Project, id string) {
	if _, err := g.store.Project(ctx, "", p.ID); err != nil {
		return
	}
	if err := g.dropStored(ctx, p, id); err != nil {
		g.log.Error("rows of a deleted query could not be dropped", "query", id, "error", err)
	}
}

// materialize stores the rows of a query. It stops when the run is cancelled, or its query deleted, from any process.
func (g *queriesService) materialize(ctx context.Context, p store.Project, id, run string) (int64, error) {
	q, err := g.store.Query(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return -1, errRunCanceled
	}
	if err != nil {
		return -1, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	safely.Go(func() {
		tick := time.NewTicker(stopPoll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if wanted, err := g.store.RunWanted(ctx, id, run); err == nil && !wanted {
					cancel(errRunCanceled)
				}
			}
		}
	})
	stopped := func(err error) (int64, error) {
		if errors.Is(context.Cause(ctx), errRunCanceled) {
			return -1, errRunCanceled
		}
		return -1, err
	}
	unlock, err := g.storing.lock(ctx, id)
	if err != nil {
		return stopped(err)
	}
	defer unlock()
	data, err := g.engine.Project(ctx, p.ID)
	if err != nil {
		return stopped(err)
	}
	owner := Scope{UserID: store.LocalUser, Email: store.LocalEmail}
	n, err := data.Materialize(ctx, engine.SchemaMtQuery, id, engine.Query{SQL: q.SQL, Catalogs: g.names.resolver(p), Props: props(owner, p), Timeout: runLimit})
	if err != nil {
		return stopped(err)
	}
	return n, nil
}

// refreshDue starts what the schedules ask for. A time that passed while no gateway served is made up for once.
func (g *queriesService) refreshDue(ctx context.Context, now time.Time) error {
	due, err := g.store.Due(ctx, now)
	if err != nil {
		return err
	}
	for _, q := range due {
		if q, err = g.settled(ctx, q); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		m := q.Materialized
		if err != nil || m == nil || m.Schedule.Next == nil || m.Error != nil && m.StartedAt != nil && resting(*m.StartedAt, *m.Error, now) {
			continue
		}
		s := m.Schedule
		if err := g.store.Reschedule(ctx, q.ID, *s.Next, nextTime(s, now)); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			return err
		}
		p, err := g.store.Project(ctx, "", q.ProjectID)
		if err == nil {
			err = g.startRun(ctx, p, q.ID)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// endCutOff ends the runs of processes that are gone, in all projects.
func (g *queriesService) endCutOff(ctx context.Context) error {
	all, err := g.store.Running(ctx)
	for _, q := range all {
		if _, err := g.settled(ctx, q); err != nil {
			return err
		}
	}
	return err
}
