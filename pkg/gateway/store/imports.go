package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// importsKept is the number of imports of a project that are known.
const importsKept = 1000

// ImportRun is the end of an import.
type ImportRun struct {
	ID, ProjectID, SchemaName, TableName, Mode, Status string
	RowCount, DurationMs                               int64
	Error, CreatedAt                                   string
}

const importRunColumns = "id, project_id, schema_name, table_name, mode, status, row_count, duration_ms, error, " +
	"created_at"

// EndImport records the end of an import, and that its rows are stored if given is the id that the client has given
// it. One that was sent again, whose rows were stored the first time, is not recorded again.
func (s *Store) EndImport(ctx context.Context, x ImportRun, given string) error {
	return s.tx(ctx, func(tx dbtx) error {
		if given != "" {
			if isNew, err := s.noteImport(ctx, tx, x.ProjectID, given, x.RowCount); err != nil || !isNew {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO import_runs("+importRunColumns+
			") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", x.ID, x.ProjectID, x.SchemaName, x.TableName, x.Mode, x.Status,
			x.RowCount, x.DurationMs, x.Error, x.CreatedAt); err != nil {
			return err
		}
		return trimImports(ctx, tx, "import_runs", "created_at", x.ProjectID)
	})
}

// ImportRuns lists the latest imports of a project, newest first.
func (s *Store) ImportRuns(ctx context.Context, project string, limit int) ([]ImportRun, error) {
	return queryAll(ctx, s.db, func(scan func(...any) error) (x ImportRun, err error) {
		err = scan(&x.ID, &x.ProjectID, &x.SchemaName, &x.TableName, &x.Mode, &x.Status, &x.RowCount, &x.DurationMs,
			&x.Error, &x.CreatedAt)
		return
	}, "SELECT "+importRunColumns+" FROM import_runs WHERE project_id = ? ORDER BY created_at DESC, id LIMIT ?",
		project, limit)
}

// NoteImport records that the rows of an import are stored, under the id that the client has given it.
func (s *Store) NoteImport(ctx context.Context, project, given string, rows int64) error {
	return s.tx(ctx, func(tx dbtx) error {
		_, err := s.noteImport(ctx, tx, project, given, rows)
		return err
	})
}

// noteImport reports whether the import was not noted before. One that was is stamped again: the stamp is not before
// the end that a client reads, which ImportsKnownFrom relies on.
func (s *Store) noteImport(ctx context.Context, tx dbtx, project, given string, rows int64) (isNew bool, err error) {
	err = exec(ctx, tx, "INSERT INTO imports(project_id, given_id, row_count, stored_at) "+
		"VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", project, given, rows, s.stamp())
	if errors.Is(err, ErrNotFound) {
		return false, exec(ctx, tx, "UPDATE imports SET stored_at = ? WHERE project_id = ? AND given_id = ?", s.stamp(),
			project, given)
	}
	if err != nil {
		return false, err
	}
	return true, trimImports(ctx, tx, "imports", "stored_at", project)
}

// trimImports removes the oldest records of a table of imports.
func trimImports(ctx context.Context, tx dbtx, table, at, project string) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("DELETE FROM %[1]s WHERE project_id = ?1 AND %[2]s < (SELECT %[2]s FROM "+
		"%[1]s WHERE project_id = ?1 ORDER BY %[2]s DESC LIMIT 1 OFFSET ?2)", table, at), project, importsKept-1)
	return err
}

// FindImport returns the number of rows of an import that was noted.
func (s *Store) FindImport(ctx context.Context, project, given string) (int64, error) {
	return queryOne(ctx, s.db, one[int64],
		"SELECT row_count FROM imports WHERE project_id = ? AND given_id = ?", project, given)
}

// ImportsKnownFrom returns the time in milliseconds after which no import of a project that ended was removed, 0 if
// none was removed at all.
func (s *Store) ImportsKnownFrom(ctx context.Context, project string) (*int64, error) {
	oldest, err := queryOne(ctx, s.db, one[string], "SELECT stored_at FROM imports WHERE project_id = ? "+
		"ORDER BY stored_at DESC LIMIT 1 OFFSET ?", project, importsKept-1)
	if errors.Is(err, ErrNotFound) {
		return new(int64), nil
	}
	if err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339, oldest)
	if err != nil {
		return nil, fmt.Errorf("the time of an import is damaged: %w", err)
	}
	ms := at.UnixMilli()
	return &ms, nil
}
