package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/google/uuid"
)

// cacheHistory is how long runs and log entries are kept [O].
const cacheHistory = 14 * 24 * time.Hour

const isRunning = "status = '" + states.Running + "'"

// CacheRun is one refresh. Counts are of rows; cached is the number of rows in the cache after it.
type CacheRun struct {
	ID, CacheID, Mode, Status, Runner  string
	Scheduled                          bool
	Error                              string
	Cached, Inserted, Updated, Deleted int64
	CreatedAt, UpdatedAt               string
	FinishedAt                         *string
}

const runColumns = "id, cache_id, mode, status, runner, scheduled, error, cached, inserted, updated, deleted, " +
	"created_at, updated_at, finished_at"

func scanCacheRun(scan func(...any) error) (r CacheRun, err error) {
	err = scan(&r.ID, &r.CacheID, &r.Mode, &r.Status, &r.Runner, &r.Scheduled, &r.Error, &r.Cached, &r.Inserted,
		&r.Updated, &r.Deleted, &r.CreatedAt, &r.UpdatedAt, &r.FinishedAt)
	return
}

// StartCacheRun records a running refresh and the table it will store. ErrConflict means that one is running,
// ErrNotFound that the cache was deleted.
func (s *Store) StartCacheRun(ctx context.Context, cache, mode, runner string, scheduled bool) (r CacheRun, err error) {
	r = CacheRun{ID: uuid.NewString(), CacheID: cache, Mode: mode, Status: states.Running, Runner: runner,
		Scheduled: scheduled}
	err = s.tx(ctx, func(tx dbtx) error {
		var project string
		var last sql.NullString
		err := tx.QueryRowContext(ctx, "SELECT project_id, (SELECT max(created_at) FROM cache_runs WHERE cache_id = "+
			"caches.id) FROM caches WHERE id = ?", cache).Scan(&project, &last)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		r.CreatedAt = s.stampAfter(last.String)
		r.UpdatedAt = r.CreatedAt
		if err := s.replaceRunning(ctx, tx, cache, mode, r.CreatedAt); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO cache_runs("+runColumns+
			") VALUES (?, ?, ?, ?, ?, ?, '', 0, 0, 0, 0, ?, ?, NULL)",
			r.ID, cache, mode, r.Status, runner, scheduled, r.CreatedAt, r.UpdatedAt); err != nil {
			return err
		}
		if err := addResult(ctx, tx, Result{ID: r.ID, ProjectID: project, Kind: ResultOfCache,
			Runner: runner}, cache); err != nil {
			return err
		}
		return s.cacheLog(ctx, tx, cache, "START", "a refresh started", mode, scheduled)
	})
	return r, err
}

// replaceRunning cancels a running refresh that the one about to start replaces.
func (s *Store) replaceRunning(ctx context.Context, tx dbtx, cache, mode, now string) error {
	runs, err := queryAll(ctx, tx, scanCacheRun, "SELECT "+runColumns+" FROM cache_runs WHERE cache_id = ? AND "+
		isRunning, cache)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if !states.Replaces(mode, r.Mode) {
			continue
		}
		if err := exec(ctx, tx, "UPDATE cache_runs SET status = ?, updated_at = ?, finished_at = ? WHERE id = ?",
			states.Cancelled, now, now, r.ID); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE stored_results SET free_at = ? WHERE id = ?", now, r.ID); err != nil {
			return err // it may be stored until its runner notices
		}
		if err := s.cacheLog(ctx, tx, cache, states.Cancelled, "replaced by a full refresh", r.Mode,
			r.Scheduled); err != nil {
			return err
		}
	}
	return nil
}

// CacheRunWanted reports whether a run is to continue, and records that it is alive.
func (s *Store) CacheRunWanted(ctx context.Context, id string, beat bool) (bool, error) {
	if beat {
		err := exec(ctx, s.db, "UPDATE cache_runs SET updated_at = ? WHERE id = ? AND "+isRunning, s.stamp(), id)
		if errors.Is(err, ErrNotFound) {
			return false, nil
		}
		return true, err
	}
	return queryOne(ctx, s.db, one[bool], "SELECT EXISTS (SELECT 1 FROM cache_runs WHERE id = ? AND "+isRunning+")", id)
}

// EndCacheRun ends a running refresh. With COMPLETED its table becomes the current one, in the same transaction; with
// any other state the cache keeps its table. ErrNotFound means that the run had ended or its cache was deleted; its
// table is free then.
func (s *Store) EndCacheRun(ctx context.Context, r CacheRun, message string) error {
	current, err := states.End(r.Status)
	if err != nil {
		return err
	}
	now := s.stamp()
	gone := false
	err = s.tx(ctx, func(tx dbtx) error {
		err := exec(ctx, tx, "UPDATE cache_runs SET status = ?, error = ?, cached = ?, inserted = ?, updated = ?, "+
			"deleted = ?, updated_at = ?, finished_at = ? WHERE id = ? AND runner = ? AND "+isRunning,
			r.Status, r.Error, r.Cached, r.Inserted, r.Updated, r.Deleted, now, now, r.ID, r.Runner)
		if gone = errors.Is(err, ErrNotFound); gone {
			return s.settleResult(ctx, tx, r.ID)
		}
		if err != nil {
			return err
		}
		var replaced sql.NullString
		if err := tx.QueryRowContext(ctx, "SELECT stored FROM caches WHERE id = ?",
			r.CacheID).Scan(&replaced); err != nil {
			return err
		}
		if current {
			if _, err := tx.ExecContext(ctx, "UPDATE caches SET stored = ? WHERE id = ?", r.ID, r.CacheID); err != nil {
				return err
			}
		}
		for _, id := range []string{r.ID, replaced.String} {
			if err := s.settleResult(ctx, tx, id); err != nil {
				return err
			}
		}
		old := Time(s.now().Add(-cacheHistory))
		for _, q := range []string{"DELETE FROM cache_runs WHERE cache_id = ? AND created_at < ? AND NOT (" +
			isRunning + ") AND id NOT IN (SELECT stored FROM caches WHERE stored IS NOT NULL)",
			"DELETE FROM cache_logs WHERE cache_id = ? AND at < ?"} {
			if _, err := tx.ExecContext(ctx, q, r.CacheID, old); err != nil {
				return err
			}
		}
		return s.cacheLog(ctx, tx, r.CacheID, r.Status, message, r.Mode, r.Scheduled)
	})
	if err == nil && gone {
		return ErrNotFound
	}
	return err
}

// CacheRuns lists the runs of a cache, newest first.
func (s *Store) CacheRuns(ctx context.Context, cache string, limit, offset int) ([]CacheRun, error) {
	return queryAll(ctx, s.db, scanCacheRun, "SELECT "+runColumns+
		" FROM cache_runs WHERE cache_id = ? ORDER BY created_at DESC LIMIT ? OFFSET ?", cache, limit, offset)
}

// LastCacheRun returns the newest run of a mode, or of any mode if that is empty.
func (s *Store) LastCacheRun(ctx context.Context, cache, mode string) (CacheRun, error) {
	return queryOne(ctx, s.db, scanCacheRun, "SELECT "+runColumns+
		" FROM cache_runs WHERE cache_id = ? AND ? IN ('', mode) ORDER BY created_at DESC LIMIT 1", cache, mode)
}

// CacheRunByID finds a run.
func (s *Store) CacheRunByID(ctx context.Context, id string) (CacheRun, error) {
	return queryOne(ctx, s.db, scanCacheRun, "SELECT "+runColumns+" FROM cache_runs WHERE id = ?", id)
}

// OpenCacheRuns lists the running refreshes of a project, or of all projects if that is empty.
func (s *Store) OpenCacheRuns(ctx context.Context, project string) ([]CacheRun, error) {
	return queryAll(ctx, s.db, scanCacheRun, "SELECT "+runColumns+" FROM cache_runs WHERE "+isRunning+
		" AND (?1 = '' OR cache_id IN (SELECT id FROM caches WHERE project_id = ?1))", project)
}
