package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/google/uuid"
)

// States of an export [O].
const (
	ExportPending   = "PENDING"
	ExportRunning   = "RUNNING"
	ExportSucceeded = "SUCCEEDED"
	ExportFailed    = "FAILED"
	ExportCancelled = "CANCELLED"
	ExportExpired   = "EXPIRED"
)

// Sources of an export [O].
const (
	ExportOfQuery = "QUERY"
	ExportOfTable = "TABLE"
)

// Export is a job that writes a file. The fields of the other source are empty.
type Export struct {
	ID, ProjectID, Status, Runner, Format, Compression string
	Source, QueryID, CatalogID, SchemaName, TableName  string
	UserID, UserName, KeyID, KeyPrefix, ClientSource   string
	FileName                                           string
	RowCount, Bytes, DurationMs                        int64
	Error, ExpiresAt, CreatedAt                        string
}

// Open reports whether the job has not ended.
func (x Export) Open() bool { return x.Status == ExportPending || x.Status == ExportRunning }

const exportColumns = "id, project_id, status, runner, format, compression, source, query_id, catalog_id, " +
	"schema_name, table_name, user_id, user_name, key_id, api_key_prefix, client_source, file_name, row_count, " +
	"bytes, duration_ms, error, expires_at, created_at"

func scanExport(scan func(...any) error) (x Export, err error) {
	err = scan(&x.ID, &x.ProjectID, &x.Status, &x.Runner, &x.Format, &x.Compression, &x.Source, &x.QueryID,
		&x.CatalogID, &x.SchemaName, &x.TableName,
		&x.UserID, &x.UserName, &x.KeyID, &x.KeyPrefix, &x.ClientSource, &x.FileName, &x.RowCount, &x.Bytes,
		&x.DurationMs, &x.Error, &x.ExpiresAt, &x.CreatedAt)
	return
}

// CreateExport records a pending job. Id, status and time are set.
func (s *Store) CreateExport(ctx context.Context, x Export) (Export, error) {
	x.ID, x.Status = uuid.NewString(), ExportPending
	err := s.tx(ctx, func(tx dbtx) error {
		var last sql.NullString
		if err := tx.QueryRowContext(ctx, "SELECT max(created_at) FROM exports WHERE project_id = ?",
			x.ProjectID).Scan(&last); err != nil {
			return err
		}
		x.CreatedAt = s.stampAfter(last.String)
		_, err := tx.ExecContext(ctx, "INSERT INTO exports("+exportColumns+
			") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, '', '', ?)",
			x.ID, x.ProjectID, x.Status, x.Runner, x.Format, x.Compression, x.Source, x.QueryID, x.CatalogID,
			x.SchemaName, x.TableName,
			x.UserID, x.UserName, x.KeyID, x.KeyPrefix, x.ClientSource, x.FileName, x.CreatedAt)
		return err
	})
	return x, err
}

// stampAfter returns the current time, or the millisecond after last if the clock is not later than that.
func (s *Store) stampAfter(last string) string {
	now := s.stamp()
	if now > last {
		return now
	}
	t, err := time.Parse(time.RFC3339, last)
	if err != nil {
		return now
	}
	return Time(t.Add(time.Millisecond))
}

// Export finds a job by id, within a project unless that is empty.
func (s *Store) Export(ctx context.Context, project, id string) (Export, error) {
	return queryOne(ctx, s.db, scanExport, "SELECT "+exportColumns+
		" FROM exports WHERE id = ? AND ? IN ('', project_id)", id, project)
}

// Exports lists jobs of a project, newest first: those in one of the states (all if there are none) created before a
// time (any time if that is empty), at most limit.
func (s *Store) Exports(ctx context.Context, project string, states []string, before string,
	limit int) ([]Export, error) {
	q := "SELECT " + exportColumns + " FROM exports WHERE project_id = ?"
	args := []any{project}
	if len(states) > 0 {
		q += " AND status IN (?" + strings.Repeat(", ?", len(states)-1) + ")"
		for _, st := range states {
			args = append(args, st)
		}
	}
	if before != "" {
		q += " AND created_at < ?"
		args = append(args, before)
	}
	return queryAll(ctx, s.db, scanExport, q+" ORDER BY created_at DESC LIMIT ?", append(args, limit)...)
}

// OpenExports lists the unfinished jobs of all projects.
func (s *Store) OpenExports(ctx context.Context) ([]Export, error) {
	return queryAll(ctx, s.db, scanExport, "SELECT "+exportColumns+
		" FROM exports WHERE status IN ('PENDING', 'RUNNING')")
}

// StartExport moves a pending job to running; ErrNotFound means that it was cancelled.
func (s *Store) StartExport(ctx context.Context, id string) error {
	return exec(ctx, s.db, "UPDATE exports SET status = 'RUNNING' WHERE id = ? AND status = 'PENDING'", id)
}

// EndExport moves an open job to its final state; ErrNotFound means that it had ended already. Status, RowCount, Bytes,
// DurationMs, Error and ExpiresAt are taken from x.
func (s *Store) EndExport(ctx context.Context, x Export) error {
	return exec(ctx, s.db, "UPDATE exports SET status = ?, row_count = ?, bytes = ?, duration_ms = ?, error = ?, "+
		"expires_at = ? WHERE id = ? AND runner = ? AND status IN ('PENDING', 'RUNNING')",
		x.Status, x.RowCount, x.Bytes, x.DurationMs, x.Error, x.ExpiresAt, x.ID, x.Runner)
}

// ExpireExports moves finished jobs past their expiry to EXPIRED and returns them.
func (s *Store) ExpireExports(ctx context.Context) ([]Export, error) {
	now := s.stamp()
	var out []Export
	due, err := queryAll(ctx, s.db, scanExport, "SELECT "+exportColumns+
		" FROM exports WHERE status = 'SUCCEEDED' AND expires_at <= ?", now)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	err = s.tx(ctx, func(tx dbtx) error {
		out, err = queryAll(ctx, tx, scanExport,
			"UPDATE exports SET status = 'EXPIRED' WHERE status = 'SUCCEEDED' AND expires_at <= ? RETURNING "+
				exportColumns, now)
		return err
	})
	return out, err
}

// LiveExports reports for every job that may have a file whether it has ended: the file of a running job is being
// written.
func (s *Store) LiveExports(ctx context.Context) (map[string]bool, error) {
	type live struct {
		id    string
		ended bool
	}
	all, err := queryAll(ctx, s.db, func(scan func(...any) error) (l live, err error) {
		err = scan(&l.id, &l.ended)
		return
	}, "SELECT id, status = 'SUCCEEDED' FROM exports WHERE status IN ('PENDING', 'RUNNING', 'SUCCEEDED')")
	out := make(map[string]bool, len(all))
	for _, l := range all {
		out[l.id] = l.ended
	}
	return out, err
}

// ShrinkExports moves the oldest finished jobs to EXPIRED until the files of the others have at most the given total
// size, and returns those moved.
func (s *Store) ShrinkExports(ctx context.Context, most int64) ([]Export, error) {
	const over = `SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY created_at DESC, id) AS total FROM exports ` +
		`WHERE status = 'SUCCEEDED') AS f WHERE total > ?`
	if due, err := queryAll(ctx, s.db, one[string], over, most); err != nil || len(due) == 0 {
		return nil, err
	}
	var out []Export
	err := s.tx(ctx, func(tx dbtx) (err error) {
		out, err = queryAll(ctx, tx, scanExport, "UPDATE exports SET status = 'EXPIRED', expires_at = ? WHERE id IN ("+
			over+") RETURNING "+exportColumns, s.stamp(), most)
		return err
	})
	return out, err
}

// ForgetExports removes jobs without a file that were created before a time.
func (s *Store) ForgetExports(ctx context.Context, before time.Time) error {
	const old = "FROM exports WHERE status IN ('EXPIRED', 'FAILED', 'CANCELLED') AND created_at < ?"
	n, err := queryOne(ctx, s.db, one[int], "SELECT count(*) "+old, Time(before))
	if err != nil || n == 0 {
		return err
	}
	_, err = s.db.ExecContext(ctx, "DELETE "+old, Time(before))
	return err
}
