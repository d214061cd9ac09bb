package store

import (
	"context"
)

// Query is a saved query. Materialized is set for a materialized one.
type Query struct {
	ID, ProjectID, DisplayName, Name, SQL, CreatedAt string
	FolderID                                         *string // nil: at the root
	Materialized                                     *Materialized
}

const queryColumns = `q.id, q.project_id, q.display_name, q.name, q.sql, q.created_at, q.folder_id, ` +
	materializedColumns

const queryTables = ` FROM queries q LEFT JOIN materialized m ON m.query_id = q.id `

func scanQuery(scan func(...any) error) (q Query, err error) {
	var m nullMaterialized
	err = scan(append([]any{&q.ID, &q.ProjectID, &q.DisplayName, &q.Name, &q.SQL, &q.CreatedAt, &q.FolderID},
		m.fields()...)...)
	q.Materialized = m.value()
	return
}

// Queries lists the queries of a project in order of creation, and remembers each by its name.
func (s *Store) Queries(ctx context.Context, project string) ([]Query, error) {
	version, ok := s.since(ctx)
	all, err := queryAll(ctx, s.db, scanQuery, "SELECT "+queryColumns+queryTables+
		"WHERE q.project_id = ? ORDER BY q.created_at, q.id", project)
	// each is asked for next
	if n := s.recent.asked.Load(); s.held == nil && n <= askedBefore && len(all) > askedBefore {
		s.recent.asked.Add(askedBefore + 1 - n)
		return s.Queries(ctx, project)
	}
	for _, q := range all {
		if ok && err == nil {
			s.recent.add(version, queryKey{project, q.Name}, found[Query]{q, nil})
		}
	}
	return all, err
}

// QueriesIn lists the queries directly in a folder, or at the root if folder is nil.
func (s *Store) QueriesIn(ctx context.Context, project string, folder *string) ([]Query, error) {
	return queryAll(ctx, s.db, scanQuery, "SELECT "+queryColumns+queryTables+
		"WHERE q.project_id = ? AND q.folder_id IS NOT DISTINCT FROM ? ORDER BY q.created_at, q.id", project, folder)
}

// Query finds a query by id.
func (s *Store) Query(ctx context.Context, project, id string) (Query, error) {
	return queryOne(ctx, s.db, scanQuery, "SELECT "+queryColumns+queryTables+"WHERE q.project_id = ? AND q.id = ?",
		project, id)
}

type queryKey struct{ project, name string }

// QueryNamed finds a query by its SQL name.
func (s *Store) QueryNamed(ctx context.Context, project, name string) (Query, error) {
	return remembered(ctx, s, queryKey{project, name}, func() (Query, error) {
		return queryOne(ctx, s.db, scanQuery, "SELECT "+queryColumns+queryTables+
			"WHERE q.project_id = ? AND q.name = ?", project, name)
	})
}

// SaveQuery adds a query, or changes the one with its id if it has one. A name in use by another query of the project
// is ErrConflict. path names its folder and creates missing ones; nil keeps the folder. A Materialized set on q is
// written if q had none before or if its schedule differs; nil removes status and schedule.
func (s *Store) SaveQuery(ctx context.Context, q Query, path []string, setPath bool) (Query, error) {
	created := q.ID == ""
	if created {
		q.ID, q.CreatedAt = s.NewID(), s.stamp()
	}
	err := s.tx(ctx, func(tx dbtx) error {
		if setPath {
			f, err := s.makeFolders(ctx, tx, q.ProjectID, nil, path)
			if err != nil {
				return err
			}
			q.FolderID = f
		}
		if created {
			if _, err := tx.ExecContext(ctx, "INSERT INTO queries(id, project_id, folder_id, display_name, name, "+
				"sql, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
				q.ID, q.ProjectID, q.FolderID, q.DisplayName, q.Name, q.SQL, q.CreatedAt); err != nil {
				return err
			}
		} else if err := exec(ctx, tx,
			"UPDATE queries SET folder_id = ?, display_name = ?, name = ?, sql = ? WHERE project_id = ? AND id = ?",
			q.FolderID, q.DisplayName, q.Name, q.SQL, q.ProjectID, q.ID); err != nil {
			return err
		}
		return s.saveMaterialized(ctx, tx, q.ID, q.Materialized)
	})
	if err != nil {
		return q, err
	}
	return s.Query(ctx, q.ProjectID, q.ID)
}

// MoveQuery moves a query into the folder with the given path, creating missing ones; an empty path is the root.
func (s *Store) MoveQuery(ctx context.Context, project, id string, path []string) error {
	return s.tx(ctx, func(tx dbtx) error {
		f, err := s.makeFolders(ctx, tx, project, nil, path)
		if err != nil {
			return err
		}
		return exec(ctx, tx, "UPDATE queries SET folder_id = ? WHERE project_id = ? AND id = ?", f, project, id)
	})
}

// MoveQueries moves queries into a folder, and others from it to the root, all or none. A missing query, or one of the
// second list that is not in the folder, is returned with ErrNotFound.
func (s *Store) MoveQueries(ctx context.Context, project, folder string, in, out []string) (string, error) {
	bad := ""
	err := s.tx(ctx, func(tx dbtx) error {
		bad = ""
		for _, id := range in {
			if err := exec(ctx, tx, "UPDATE queries SET folder_id = ? WHERE project_id = ? AND id = ?", folder, project,
				id); err != nil {
				bad = id
				return err
			}
		}
		for _, id := range out {
			if err := exec(ctx, tx,
				"UPDATE queries SET folder_id = NULL WHERE project_id = ? AND id = ? AND folder_id = ?", project, id,
				folder); err != nil {
				bad = id
				return err
			}
		}
		return nil
	})
	return bad, err
}

// DeleteQuery removes a query with its status and schedule. Its stored rows are free.
func (s *Store) DeleteQuery(ctx context.Context, project, id string) error {
	return s.tx(ctx, func(tx dbtx) error {
		if err := exec(ctx, tx, "DELETE FROM queries WHERE project_id = ? AND id = ?", project, id); err != nil {
			return err
		}
		return s.freeResults(ctx, tx, id)
	})
}
