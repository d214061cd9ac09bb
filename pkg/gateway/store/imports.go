package store

import (
	"context"
	"database/sql"

	"github.com/google/uuid"
)

// States of an import.
const (
	ImportRunning = "RUNNING"
	ImportStored  = "STORED"
	ImportFailed  = "FAILED"
)

// importsKept is the number of imports of a project that are known.
const importsKept = 1000

// Import is a request that appends the rows of a document to a table.
type Import struct {
	ID, ProjectID string
	GivenID       string // chosen by the client, "" for none
	Kind, Table   string
	Status        string
	Runner        string // the process that has it
	Rows          int64
	Error         string
	StartedAt     string
	EndedAt       *string
}

const importColumns = "id, project_id, given_id, kind, table_name, status, runner, row_count, error, started_at, " +
	"ended_at"

func scanImport(scan func(...any) error) (m Import, err error) {
	err = scan(&m.ID, &m.ProjectID, &m.GivenID, &m.Kind, &m.Table, &m.Status, &m.Runner, &m.Rows,
		&m.Error, &m.StartedAt,
		&m.EndedAt)
	return
}

// BeginImport records an import before its rows are stored, and returns it with its id.
func (s *Store) BeginImport(ctx context.Context, m Import) (Import, error) {
	m.ID, m.Status, m.StartedAt = uuid.NewString(), ImportRunning, s.stamp()
	err := s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx,
			"DELETE FROM imports WHERE project_id = ?1 AND started_at < (SELECT started_at "+
				"FROM imports WHERE project_id = ?1 ORDER BY started_at DESC LIMIT 1 OFFSET ?2)",
			m.ProjectID, importsKept-2); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO imports("+importColumns+
			") VALUES (?, ?, ?, ?, ?, ?, ?, 0, '', ?, NULL)",
			m.ID, m.ProjectID, m.GivenID, m.Kind, m.Table, m.Status, m.Runner, m.StartedAt)
		return constraint(err)
	})
	return m, err
}

// EndImport records how an import ended: Status, Rows and Error are taken from m.
func (s *Store) EndImport(ctx context.Context, m Import) error {
	return exec(ctx, s.db, "UPDATE imports SET status = ?, row_count = ?, error = ?, ended_at = ? WHERE id = ?",
		m.Status,
		m.Rows, m.Error, s.stamp(), m.ID)
}

// FindImport finds the latest import with an id that a client has chosen, the stored one if there is one.
func (s *Store) FindImport(ctx context.Context, project, given string) (Import, error) {
	if given == "" {
		return Import{}, ErrNotFound
	}
	return queryOne(ctx, s.db, scanImport, "SELECT "+importColumns+
		" FROM imports WHERE project_id = ? AND given_id = ? "+
		"ORDER BY status = ? DESC, started_at DESC LIMIT 1", project, given, ImportStored)
}
