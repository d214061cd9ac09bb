package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
)

// The states of a materialized query [L]. COMPLETED is also the state of one that never ran.
const (
	RunCompleted = "COMPLETED"
	RunRunning   = "RUNNING"
	RunFailed    = "FAILED"
	RunCanceled  = "CANCELED"
)

// Schedule is the refresh schedule of a materialized query: Type is interval, cron or none.
type Schedule struct {
	Type                     string
	Cron, Duration, Timezone *string
	Anchor                   string  // when it was set
	Next                     *string // when it is due, nil for never
}

// Materialized is the additional state of a materialized query.
type Materialized struct {
	Schedule             Schedule
	Status               string
	RunID, Runner        string
	StartedAt, UpdatedAt *string // nil: it never ran
	Error                *string
	StoredAt             *string // start of the run that stored the current rows, nil: none are stored
	Stored               *string // the id of that run
	RowCount             *int64
	Cancel               bool
}

const materializedColumns = `m.schedule_type, m.cron_expression, m.repeat_duration, m.timezone, m.anchor, m.next_at,
  m.status, coalesce(m.run_id, ''), coalesce(m.runner, ''), m.started_at, m.updated_at, m.error, m.stored_at, m.stored, m.row_count, m.cancel`

// nullMaterialized reads the columns of a row that may be absent.
type nullMaterialized struct {
	m                   Materialized
	typ, anchor, status *string
	cancel              *bool
}

func (n *nullMaterialized) fields() []any {
	m := &n.m
	return []any{&n.typ, &m.Schedule.Cron, &m.Schedule.Duration, &m.Schedule.Timezone, &n.anchor, &m.Schedule.Next,
		&n.status, &m.RunID, &m.Runner, &m.StartedAt, &m.UpdatedAt, &m.Error, &m.StoredAt, &m.Stored,
		&m.RowCount, &n.cancel}
}

func (n *nullMaterialized) value() *Materialized {
	if n.typ == nil {
		return nil
	}
	n.m.Schedule.Type, n.m.Schedule.Anchor, n.m.Status, n.m.Cancel = *n.typ, *n.anchor, *n.status, *n.cancel
	return &n.m
}

// saveMaterialized makes a query materialized, changes its schedule, or makes it plain.
func (s *Store) saveMaterialized(ctx context.Context, tx dbtx, id string, m *Materialized) error {
	if m == nil {
		if _, err := tx.ExecContext(ctx, "DELETE FROM materialized WHERE query_id = ?", id); err != nil {
			return err
		}
		return s.freeResults(ctx, tx, id)
	}
	_, err := tx.ExecContext(ctx,
		`INSERT INTO materialized(query_id, schedule_type, cron_expression, repeat_duration, timezone, anchor, next_at, status)
VALUES (?, ?, ?, ?, ?, ?, ?, 'COMPLETED') ON CONFLICT (query_id) DO UPDATE SET schedule_type = excluded.schedule_type,
cron_expression = excluded.cron_expression, repeat_duration = excluded.repeat_duration, timezone = excluded.timezone, anchor = excluded.anchor,
next_at = CASE WHEN (materialized.schedule_type, materialized.cron_expression, materialized.repeat_duration, materialized.timezone, materialized.anchor)
  IS NOT DISTINCT FROM (excluded.schedule_type, excluded.cron_expression, excluded.repeat_duration, excluded.timezone, excluded.anchor) THEN materialized.next_at ELSE excluded.next_at END`, // it may have moved since it was read
		id, m.Schedule.Type, m.Schedule.Cron, m.Schedule.Duration, m.Schedule.Timezone, m.Schedule.Anchor,
		m.Schedule.Next)
	return err
}

// StartRun marks a query RUNNING under a new run id, which it returns. While another run is active it only records that
// one more is requested and returns "": the active run may have read its sources before the changes that the caller
// wants to see.
func (s *Store) StartRun(ctx context.Context, query, runner string) (run string, err error) {
	err = s.tx(ctx, func(tx dbtx) error {
		run = ""
		var status string
		var last sql.NullString
		err := tx.QueryRowContext(ctx, "SELECT status, started_at FROM materialized WHERE query_id = ?",
			query).Scan(&status, &last)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		if status == RunRunning {
			return exec(ctx, tx, "UPDATE materialized SET again = TRUE WHERE query_id = ?", query)
		}
		run = uuid.NewString()
		return s.beginRun(ctx, tx, query, run, runner, last.String)
	})
	return run, err
}

// beginRun sets the start time, and records that rows will be stored under the id of the run. The start is always later
// than the previous one: callers recognize a new run only by its start.
func (s *Store) beginRun(ctx context.Context, tx dbtx, query, run, runner, last string) error {
	start := s.stampAfter(last)
	var project string
	if err := tx.QueryRowContext(ctx, "SELECT project_id FROM queries WHERE id = ?", query).Scan(&project); err != nil {
		return err
	}
	if err := addResult(ctx, tx, Result{ID: run, ProjectID: project, Kind: ResultOfQuery,
		Runner: runner}, query); err != nil {
		return err
	}
	return exec(ctx, tx,
		`UPDATE materialized SET status = 'RUNNING', run_id = ?, runner = ?, started_at = ?, updated_at = ?, error = NULL,
cancel = FALSE, again = FALSE
WHERE query_id = ?`, run, runner, start, start, query)
}

// EndRun ends a run. stored is the number of rows it stored, negative if it stored none. If a refresh was requested in
// the meantime the next run starts immediately and its id is returned. With rows, those of the run become the current
// ones, in the same transaction. A run that is no longer the current one is ErrNotFound, and its rows are free.
func (s *Store) EndRun(ctx context.Context, query, run, status, reason string, stored int64) (next string, err error) {
	gone := false
	err = s.tx(ctx, func(tx dbtx) error {
		next = ""
		var again bool // cancelling clears it, so that a refresh requested after that still counts
		var runner, start string
		var old sql.NullString
		err := tx.QueryRowContext(ctx,
			"SELECT again, coalesce(runner, ''), started_at, stored FROM materialized WHERE "+
				"query_id = ? AND run_id = ? AND status = 'RUNNING'", query, run).
			Scan(&again, &runner, &start, &old)
		if gone = errors.Is(err, sql.ErrNoRows); gone {
			return s.settleResult(ctx, tx, run)
		}
		if err != nil {
			return err
		}
		if err := exec(ctx, tx,
			`UPDATE materialized SET status = ?1, error = nullif(?2, ''), updated_at = ?3, runner = NULL, cancel = FALSE, again = FALSE,
stored_at = CASE WHEN CAST(?4 AS BIGINT) >= 0 THEN started_at ELSE stored_at END,
stored = CASE WHEN ?4 >= 0 THEN run_id ELSE stored END, row_count = CASE WHEN ?4 >= 0 THEN ?4 ELSE row_count END WHERE query_id = ?5`,
			status, reason, max(s.stamp(), start), stored, query); err != nil {
			return err
		}
		for _, id := range []string{run, old.String} {
			if err := s.settleResult(ctx, tx, id); err != nil {
				return err
			}
		}
		if !again || runner == "" {
			return nil
		}
		next = uuid.NewString()
		return s.beginRun(ctx, tx, query, next, runner, start)
	})
	if err == nil && gone {
		err = ErrNotFound
	}
	return next, err
}

// AskCancel asks the process that runs a query to stop. It reports whether a run was active.
func (s *Store) AskCancel(ctx context.Context, query string) (bool, error) {
	err := exec(ctx, s.db, "UPDATE materialized SET cancel = TRUE, again = FALSE WHERE query_id = ? AND status = "+
		"'RUNNING'", query)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// RunWanted reports whether a run is still the current one and not asked to stop.
func (s *Store) RunWanted(ctx context.Context, query, run string) (bool, error) {
	return queryOne(ctx, s.db, one[bool],
		"SELECT EXISTS (SELECT 1 FROM materialized WHERE query_id = ? AND run_id = ? AND status = 'RUNNING' AND "+
			"NOT cancel)", query, run)
}

// Running lists the materialized queries of all projects that are marked RUNNING.
func (s *Store) Running(ctx context.Context) ([]Query, error) {
	return queryAll(ctx, s.db, scanQuery, "SELECT "+queryColumns+queryTables+"WHERE m.status = 'RUNNING' ORDER BY q.id")
}

// Due lists the materialized queries of all projects with a schedule that is due.
func (s *Store) Due(ctx context.Context, now time.Time) ([]Query, error) {
	return queryAll(ctx, s.db, scanQuery, "SELECT "+queryColumns+queryTables+
		"WHERE m.next_at <= ? ORDER BY m.next_at, q.id", Time(now))
}

// Scheduled lists the materialized queries of all projects that have a schedule.
func (s *Store) Scheduled(ctx context.Context) ([]Query, error) {
	return queryAll(ctx, s.db, scanQuery, "SELECT "+queryColumns+queryTables+
		"WHERE m.next_at IS NOT NULL ORDER BY q.id")
}

// Reschedule moves the due time of a schedule from one time to the next, once: ErrNotFound if it was already moved.
func (s *Store) Reschedule(ctx context.Context, query, from string, next *string) error {
	return exec(ctx, s.db, "UPDATE materialized SET next_at = ? WHERE query_id = ? AND next_at = ?", next, query, from)
}
