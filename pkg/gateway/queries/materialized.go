package queries

import (
	"context"
	"errors"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (s *Service) materializedRoutes(m *web.Mux) {
	web.Handle(m, spec.ListMaterializedStatuses, s.listMaterializedStatuses)
	web.Handle(m, spec.GetMaterializedStatus, s.getMaterializedStatus)
	web.Handle(m, spec.RefreshMaterializedQuery, s.refreshMaterialized)
	web.Handle(m, spec.CancelMaterializedRefresh, s.cancelMaterialized)
	s.Jobs.OnTick(jobs.FollowClock(s.materializedFollow), jobs.Duty{Name: "materialized queries", Ends: true,
		Run: s.RefreshDue}, jobs.Duty{Name: "interrupted runs", Every: jobs.EndEvery,
		Run: func(ctx context.Context, _ time.Time) error { return s.EndCutOff(ctx) }})
}

// runLimit is the maximum duration of a run, as in the service [C].
const runLimit = 7200 * time.Second

var errRunCanceled = errors.New("canceled")

// materialized finds a materialized query; a run of a terminated process is ended first.
func (s *Service) materialized(ctx context.Context, p store.Project, id string) (store.Query, error) {
	q, err := s.SavedQuery(ctx, p, id)
	if err != nil {
		return q, err
	}
	if q.Materialized == nil {
		return q, fault.Data(400, "query %s (%s) is not materialized", q.Name, q.ID)
	}
	return s.settled(ctx, q)
}

// settled ends a run whose process has terminated, or records the end of a run that could not be recorded before.
func (s *Service) settled(ctx context.Context, q store.Query) (store.Query, error) {
	m := q.Materialized
	if m == nil || m.Status != store.RunRunning {
		return q, nil
	}
	if s.Jobs.Alive(m.Runner) {
		if err := s.Jobs.Recorded(ctx, "query "+q.ID); err != nil {
			return q, err
		}
		return s.Store.Query(ctx, q.ProjectID, q.ID)
	}
	for run := m.RunID; run != ""; {
		next, err := s.Store.EndRun(ctx, q.ID, run, store.RunFailed, jobs.Crashed, -1)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return q, err
		}
		if err == nil {
			s.Jobs.Ended(jobs.End{Kind: jobs.JobMaterialized, Project: q.ProjectID, Object: q.ID, Name: q.Name,
				Status: store.RunFailed, Reason: jobs.Crashed, Rows: -1})
		}
		run = next
	}
	return s.Store.Query(ctx, q.ProjectID, q.ID)
}

func statusOut(q store.Query) api.MaterializedQueryStatus {
	m := q.Materialized
	return api.MaterializedQueryStatus{QueryID: q.ID, QueryName: q.Name, ScheduleSettings: scheduleOut(m.Schedule),
		NextExecutionStartTime: m.Schedule.Next,
		Status:                 m.Status, LastExecutionStartTime: m.StartedAt, LastUpdateTime: m.UpdatedAt,
		Error:       m.Error,
		RefreshedAt: m.StoredAt, RowCount: m.RowCount}
}

func (s *Service) listMaterializedStatuses(ctx context.Context,
	r *web.Request[web.None]) ([]api.MaterializedQueryStatus, error) {
	all, err := s.Store.Queries(ctx, r.Project.ID)
	out := []api.MaterializedQueryStatus{}
	for _, q := range all {
		if q.Materialized == nil {
			continue
		}
		if q, err = s.settled(ctx, q); err != nil {
			return nil, err
		}
		if q.Materialized != nil {
			out = append(out, statusOut(q))
		}
	}
	return out, err
}

func (s *Service) getMaterializedStatus(ctx context.Context,
	r *web.Request[web.None]) (api.MaterializedQueryStatus, error) {
	q, err := s.materialized(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return api.MaterializedQueryStatus{}, err
	}
	return statusOut(q), nil
}

func (s *Service) refreshMaterialized(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	q, err := s.materialized(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return web.None{}, err
	}
	return web.None{}, s.startRun(ctx, r.Project, q.ID, false, func() {})
}

// cancelMaterialized also answers 200 if nothing is running [L].
func (s *Service) cancelMaterialized(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	q, err := s.materialized(ctx, r.Project, r.Param("queryId"))
	if err != nil {
		return web.None{}, err
	}
	_, err = s.Store.AskCancel(ctx, q.ID)
	return web.None{}, err
}

// startRun starts a run in the background. If a run is active, the next one starts when it ends. A run whose process
// has terminated is ended first, because no run would start after it. ended is called at the end, or when no run
// starts.
func (s *Service) startRun(ctx context.Context, p store.Project, id string, scheduled bool,
	ended func()) (err error) {
	started := false
	defer func() {
		if !started {
			ended()
		}
	}()
	q, err := s.Store.Query(ctx, p.ID, id)
	if err == nil {
		_, err = s.settled(ctx, q)
	}
	if err != nil {
		return err
	}
	runner, err := s.Jobs.Runner()
	if err != nil {
		return err
	}
	run, err := s.Store.StartRun(ctx, id, runner)
	if err != nil || run == "" {
		return err
	}
	started = true
	s.Jobs.Background(jobs.JobMaterialized, func(ctx context.Context) {
		defer ended()
		for run != "" {
			run = s.run(ctx, p, q, run, scheduled)
			scheduled = false // somebody has asked for the next
		}
	})
	return nil
}

// run executes one run and returns the id of the run that follows it, if any.
func (s *Service) run(ctx context.Context, p store.Project, q store.Query, run string, scheduled bool) (next string) {
	id := q.ID
	began := s.Now()
	status, reason, rows := store.RunFailed, "the run was aborted", int64(-1)
	defer func() { // also if the engine panics: no run stays RUNNING
		err := s.Jobs.Record("query "+id, func(ctx context.Context) (err error) {
			next, err = s.Store.EndRun(ctx, id, run, status, reason, rows)
			return err
		})
		told := jobs.End{Kind: jobs.JobMaterialized, Project: p.ID, Object: id, Name: q.Name, Status: status,
			Reason: reason, Took: s.Now().Sub(began), Rows: rows, Scheduled: scheduled}
		if errors.Is(err, store.ErrNotFound) {
			told.Status, told.Reason, told.Rows = store.RunCanceled, "", -1
		}
		s.Jobs.Ended(told)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			s.Log.Error("cannot record the end of a run", "query", id, "error", err)
			return
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), jobs.RecordTime)
		defer cancel()
		// failed, cancelled, or its query was deleted or is PLAIN by now
		if err != nil || status != store.RunCompleted {
			s.Results.Drop(end, store.Result{ID: run, ProjectID: p.ID, Kind: store.ResultOfQuery})
		}
		s.Results.DropFree(end, p.ID)
	}()
	rows, err := s.materialize(ctx, p, id, run)
	switch {
	case err == nil:
		status, reason = store.RunCompleted, ""
	case errors.Is(err, errRunCanceled):
		status, reason, rows = store.RunCanceled, "", -1
	default:
		reason, rows = s.Jobs.Reason(err), -1
	}
	return
}

// materialize stores the rows of a query under the id of the run. It stops if any process cancels the run or deletes
// its query.
func (s *Service) materialize(ctx context.Context, p store.Project, id, run string) (int64, error) {
	q, err := s.Store.Query(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return -1, errRunCanceled
	}
	if err != nil {
		return -1, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.Jobs.Watch(ctx, func() { cancel(errRunCanceled) }, func() bool {
		wanted, err := s.Store.RunWanted(ctx, id, run)
		return err == nil && !wanted
	})()
	stopped := func(err error) (int64, error) {
		if errors.Is(context.Cause(ctx), errRunCanceled) {
			return -1, errRunCanceled
		}
		return -1, err
	}
	data, err := s.Engine.Project(ctx, p.ID)
	if err != nil {
		return stopped(err)
	}
	owner := web.Scope{UserID: store.LocalUser, Email: store.LocalEmail}
	n, err := sql.Store(ctx, data, store.ResultOfQuery, run, sql.Query{SQL: q.SQL, Catalogs: s.Names.Resolver(p),
		Props: names.Props(owner, p), Timeout: runLimit})
	if err != nil {
		return stopped(err)
	}
	return n, nil
}

// RefreshDue starts the refreshes that are due. Times missed while no gateway was serving are run once.
func (s *Service) RefreshDue(ctx context.Context, now time.Time) error {
	due, err := s.Store.Due(ctx, now)
	if err != nil {
		return err
	}
	for _, q := range jobs.InTurn(s.Jobs, due, func(q store.Query) string { return q.ProjectID }) {
		if q, err = s.settled(ctx, q); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		m := q.Materialized
		// It may have been read again, after another gateway has started it.
		if err != nil || m == nil || m.Schedule.Next == nil || *m.Schedule.Next > store.Time(now) ||
			m.Error != nil && m.StartedAt != nil && jobs.Resting(*m.StartedAt, *m.Error, now) {
			continue
		}
		ended, ok := s.Jobs.Turn(jobs.JobMaterialized, q.ProjectID)
		if !ok {
			continue
		}
		schedule := m.Schedule
		if err := s.Store.Reschedule(ctx, q.ID, *schedule.Next, nextTime(schedule, now)); err != nil {
			ended()
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			return err
		}
		p, err := s.Store.Project(ctx, "", q.ProjectID)
		if err == nil {
			err = s.startRun(ctx, p, q.ID, true, ended)
		} else {
			ended()
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// EndCutOff ends the runs of terminated processes, in all projects.
func (s *Service) EndCutOff(ctx context.Context) error {
	all, err := s.Store.Running(ctx)
	for _, q := range all {
		if _, err := s.settled(ctx, q); err != nil {
			return err
		}
	}
	return err
}
