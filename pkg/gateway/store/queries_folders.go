package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// Folder contains queries and other folders. Path is derived from the names of its parents.
type Folder struct {
	ID, ProjectID, Name, Path, CreatedAt string
	ParentID                             *string // nil: at the root
}

// folderTree derives the paths of a project's folders.
const folderTree = `WITH RECURSIVE f(id, project_id, parent_id, name, created_at, path) AS (
  SELECT id, project_id, parent_id, name, created_at, '/' || name FROM query_folders WHERE project_id = ?1 AND parent_id IS NULL
  UNION ALL
  SELECT c.id, c.project_id, c.parent_id, c.name, c.created_at, f.path || '/' || c.name FROM query_folders c JOIN f ON c.parent_id = f.id)
SELECT id, project_id, parent_id, name, created_at, path FROM f `

func scanFolder(scan func(...any) error) (f Folder, err error) {
	err = scan(&f.ID, &f.ProjectID, &f.ParentID, &f.Name, &f.CreatedAt, &f.Path)
	return
}

// Folders lists all folders of a project, ordered by path.
func (s *Store) Folders(ctx context.Context, project string) ([]Folder, error) {
	return queryAll(ctx, s.db, scanFolder, folderTree+"ORDER BY path", project)
}

// Folder finds a folder by id.
func (s *Store) Folder(ctx context.Context, project, id string) (Folder, error) {
	return folder(ctx, s.db, project, id)
}

func folder(ctx context.Context, db dbtx, project, id string) (Folder, error) {
	return queryOne(ctx, db, scanFolder, folderTree+"WHERE id = ?2", project, id)
}

// child finds a folder by name; ErrNotFound if there is none.
func child(ctx context.Context, db dbtx, project string, parent *string, name string) (string, error) {
	return queryOne(ctx, db, one[string],
		"SELECT id FROM query_folders WHERE project_id = ? AND parent_id IS NOT DISTINCT FROM ? AND "+
			"name = ?", project, parent, name)
}

func (s *Store) addFolder(ctx context.Context, db dbtx, project string, parent *string, name string) (string, error) {
	id := uuid.NewString()
	_, err := db.ExecContext(ctx,
		"INSERT INTO query_folders(id, project_id, parent_id, name, created_at) VALUES (?, ?, ?, ?, ?)", id, project,
		parent, name, s.stamp())
	return id, err
}

// makeFolders walks down from parent, creating missing folders, and returns the last one; nil is the root.
func (s *Store) makeFolders(ctx context.Context, db dbtx, project string, parent *string,
	path []string) (*string, error) {
	for _, name := range path {
		id, err := child(ctx, db, project, parent, name)
		if errors.Is(err, ErrNotFound) {
			id, err = s.addFolder(ctx, db, project, parent, name)
		}
		if err != nil {
			return nil, err
		}
		parent = &id
	}
	return parent, nil
}

// CreateFolder adds the folder at path below parent (nil: the root), creating missing ones above it. ErrConflict if it
// exists.
func (s *Store) CreateFolder(ctx context.Context, project string, parent *string, path []string) (Folder, error) {
	var id string
	err := s.tx(ctx, func(tx dbtx) error {
		last := len(path) - 1
		up, err := s.makeFolders(ctx, tx, project, parent, path[:last])
		if err == nil {
			id, err = s.addFolder(ctx, tx, project, up, path[last])
		}
		return err
	})
	if err != nil {
		return Folder{}, err
	}
	return s.Folder(ctx, project, id)
}

// RenameFolder changes the name of a folder; ErrConflict if its parent already has a folder of that name.
func (s *Store) RenameFolder(ctx context.Context, project, id, name string) (Folder, error) {
	if err := exec(ctx, s.db, "UPDATE query_folders SET name = ? WHERE project_id = ? AND id = ?", name, project,
		id); err != nil {
		return Folder{}, err
	}
	return s.Folder(ctx, project, id)
}

// ErrCircular is returned for a folder that would contain itself.
var ErrCircular = errors.New("a folder cannot contain itself")

// MoveFolder moves a folder into the one at path, creating missing ones. ErrConflict if the name is in use there,
// ErrCircular if path is inside the folder itself.
func (s *Store) MoveFolder(ctx context.Context, project, id string, path []string) (Folder, error) {
	err := s.tx(ctx, func(tx dbtx) error {
		up, err := s.makeFolders(ctx, tx, project, nil, path)
		if err != nil {
			return err
		}
		for at := up; at != nil; {
			if *at == id {
				return ErrCircular
			}
			f, err := folder(ctx, tx, project, *at)
			if err != nil {
				return err
			}
			at = f.ParentID
		}
		return exec(ctx, tx, "UPDATE query_folders SET parent_id = ? WHERE project_id = ? AND id = ?", up, project, id)
	})
	if err != nil {
		return Folder{}, err
	}
	return s.Folder(ctx, project, id)
}

const folderBelow = `WITH RECURSIVE b(id) AS (SELECT id FROM query_folders WHERE id = ?2 AND project_id = ?1 UNION ` +
	`SELECT c.id FROM query_folders c JOIN b ON c.parent_id = b.id WHERE c.project_id = ?1) `

// DeleteFolder removes a folder. If it is not empty the result is ErrInUse, unless all is set: then its contents are
// removed too, and the stored rows of the queries, whose ids it returns, are free.
func (s *Store) DeleteFolder(ctx context.Context, project, id string, all bool) (held []string, err error) {
	err = s.tx(ctx, func(tx dbtx) error {
		if !all {
			var n int
			if err := tx.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM query_folders WHERE parent_id = ?1) + "+
				"(SELECT count(*) FROM queries WHERE folder_id = ?1)", id).Scan(&n); err != nil {
				return err
			}
			if n > 0 {
				return ErrInUse
			}
			return exec(ctx, tx, "DELETE FROM query_folders WHERE project_id = ? AND id = ?", project, id)
		}
		held, err = queryAll(ctx, tx, one[string],
			folderBelow+"SELECT id FROM queries WHERE project_id = ?1 AND folder_id IN (SELECT id FROM b)", project, id)
		if err != nil {
			return err
		}
		for _, q := range held {
			if err := s.freeResults(ctx, tx, q); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, folderBelow+
			"DELETE FROM queries WHERE project_id = ?1 AND folder_id IN (SELECT id FROM b)", project, id); err != nil {
			return err
		}
		return exec(ctx, tx, folderBelow+"DELETE FROM query_folders WHERE project_id = ?1 AND id IN (SELECT id FROM b)",
			project, id)
	})
	if err != nil {
		return nil, err
	}
	return held, nil
}
