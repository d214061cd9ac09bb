package store

import (
	"context"

	"github.com/google/uuid"
)

// Connection is the stored access to an external source. Credential is sealed; the store cannot read it.
type Connection struct {
	ID, ProjectID, Name, Type string
	Credential                []byte
	CreatedAt, UpdatedAt      string
}

const connectionColumns = "id, project_id, name, type, credential, created_at, updated_at"

func scanConnection(scan func(...any) error) (c Connection, err error) {
	err = scan(&c.ID, &c.ProjectID, &c.Name, &c.Type, &c.Credential, &c.CreatedAt, &c.UpdatedAt)
	return
}

// NewConnectionID returns the id for a connection, to which its credential is sealed before it is stored.
func NewConnectionID() string { return uuid.NewString() }

// Connections lists the connections of a project.
func (s *Store) Connections(ctx context.Context, project string) ([]Connection, error) {
	return queryAll(ctx, s.db, scanConnection, "SELECT "+connectionColumns+
		" FROM connections WHERE project_id = ? ORDER BY created_at, id", project)
}

// Connection finds a connection of a project.
func (s *Store) Connection(ctx context.Context, project, id string) (Connection, error) {
	return queryOne(ctx, s.db, scanConnection, "SELECT "+connectionColumns+
		" FROM connections WHERE project_id = ? AND id = ?", project, id)
}

// CreateConnection adds a connection. Times are set.
func (s *Store) CreateConnection(ctx context.Context, c Connection, again bool) (Connection, error) {
	c.CreatedAt = s.stamp()
	c.UpdatedAt = c.CreatedAt
	return c, s.tx(ctx, func(tx dbtx) error {
		if err := connectionNames.free(ctx, tx, c.ProjectID, &c.Name, c.ID, again); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO connections("+connectionColumns+") VALUES (?, ?, ?, ?, ?, ?, ?)",
			c.ID, c.ProjectID, c.Name, c.Type, c.Credential, c.CreatedAt, c.UpdatedAt)
		return err
	})
}

// UpdateConnection replaces name and credential.
func (s *Store) UpdateConnection(ctx context.Context, c Connection, again bool) error {
	return s.tx(ctx, func(tx dbtx) error {
		if err := connectionNames.free(ctx, tx, c.ProjectID, &c.Name, c.ID, again); err != nil {
			return err
		}
		return exec(ctx, tx,
			"UPDATE connections SET name = ?, credential = ?, updated_at = ? WHERE project_id = ? AND id = ?",
			c.Name, c.Credential, s.stamp(), c.ProjectID, c.ID)
	})
}

// DeleteConnection removes a connection. Its catalogs remain and no longer resolve.
func (s *Store) DeleteConnection(ctx context.Context, project, id string) error {
	return exec(ctx, s.db, "DELETE FROM connections WHERE project_id = ? AND id = ?", project, id)
}
