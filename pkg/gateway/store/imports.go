package store

import (
	"context"
)

// importsKept is the number of imports of a project that are known.
const importsKept = 1000

// NoteImport records that the rows of an import are stored, under the id that the client has given it.
func (s *Store) NoteImport(ctx context.Context, project, given string, rows int64) error {
	return s.tx(ctx, func(tx dbtx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO imports(project_id, given_id, row_count, stored_at) "+
			"VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", project, given, rows, s.stamp()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx,
			"DELETE FROM imports WHERE project_id = ?1 AND stored_at < (SELECT stored_at FROM "+
				"imports WHERE project_id = ?1 ORDER BY stored_at DESC LIMIT 1 OFFSET ?2)", project, importsKept-1)
		return err
	})
}

// FindImport returns the number of rows of an import that was noted.
func (s *Store) FindImport(ctx context.Context, project, given string) (int64, error) {
	return queryOne(ctx, s.db, one[int64],
		"SELECT row_count FROM imports WHERE project_id = ? AND given_id = ?", project, given)
}
