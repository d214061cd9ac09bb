package store

import (
	"context"
)

// Catalog is a name for a connection. A shared one belongs to the project it was shared to; its connection is that of
// the original catalog.
type Catalog struct {
	ID, ProjectID, Name, DisplayName, Type, ConnectionID, CreatedAt string
	SharedFrom                                                      *string
	// its tables may be cached for any connection type
	CacheAnything bool
}

const catalogColumns = "id, project_id, name, display_name, catalog_type, connection_id, shared_from, created_at, " +
	"cache_anything"

func scanCatalog(scan func(...any) error) (c Catalog, err error) {
	err = scan(&c.ID, &c.ProjectID, &c.Name, &c.DisplayName, &c.Type, &c.ConnectionID, &c.SharedFrom, &c.CreatedAt,
		&c.CacheAnything)
	return
}

// Catalogs lists the catalogs of a project.
func (s *Store) Catalogs(ctx context.Context, project string) ([]Catalog, error) {
	return queryAll(ctx, s.db, scanCatalog, "SELECT "+catalogColumns+
		" FROM catalogs WHERE project_id = ? ORDER BY created_at, id", project)
}

// Catalog finds a catalog of a project.
func (s *Store) Catalog(ctx context.Context, project, id string) (Catalog, error) {
	return queryOne(ctx, s.db, scanCatalog, "SELECT "+catalogColumns+" FROM catalogs WHERE project_id = ? AND id = ?",
		project, id)
}

// CatalogByName finds a catalog of a project by its SQL name.
func (s *Store) CatalogByName(ctx context.Context, project, name string) (Catalog, error) {
	type key struct{ project, name string }
	return remembered(ctx, s, key{project, name}, func() (Catalog, error) {
		return queryOne(ctx, s.db, scanCatalog, "SELECT "+catalogColumns+
			" FROM catalogs WHERE project_id = ? AND name = ?", project, name)
	})
}

// CreateCatalog adds a catalog; a name in use is ErrConflict. Id and time are set.
func (s *Store) CreateCatalog(ctx context.Context, c Catalog) (Catalog, error) {
	c.ID, c.CreatedAt = s.NewID(), s.stamp()
	_, err := s.db.ExecContext(ctx, "INSERT INTO catalogs("+catalogColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		c.ID, c.ProjectID, c.Name, c.DisplayName, c.Type, c.ConnectionID, c.SharedFrom, c.CreatedAt, c.CacheAnything)
	return c, err
}

// DeleteCatalog removes a catalog with its parametric tables and shares.
func (s *Store) DeleteCatalog(ctx context.Context, project, id string) error {
	return exec(ctx, s.db, "DELETE FROM catalogs WHERE project_id = ? AND id = ?", project, id)
}

// CatalogConnection finds the connection of a catalog; for a shared one it belongs to another project. ErrNotFound
// means that it was deleted.
func (s *Store) CatalogConnection(ctx context.Context, c Catalog) (Connection, error) {
	type key struct{ connection string }
	return remembered(ctx, s, key{c.ConnectionID}, func() (Connection, error) {
		return queryOne(ctx, s.db, scanConnection, "SELECT "+connectionColumns+" FROM connections WHERE id = ?",
			c.ConnectionID)
	})
}

// ParametricTable is a table of a catalog read with fixed values for some of its columns. Values is JSON as received.
type ParametricTable struct {
	CatalogID, FromSchema, FromTable, ToSchema, ToTable, Values string
}

const parametricColumns = "catalog_id, from_schema, from_table, to_schema, to_table, param_values"

func scanParametric(scan func(...any) error) (p ParametricTable, err error) {
	err = scan(&p.CatalogID, &p.FromSchema, &p.FromTable, &p.ToSchema, &p.ToTable, &p.Values)
	return
}

// ParametricTables lists the parametric tables of a catalog.
func (s *Store) ParametricTables(ctx context.Context, catalog string) ([]ParametricTable, error) {
	type key struct{ catalog string }
	return remembered(ctx, s, key{catalog}, func() ([]ParametricTable, error) {
		return queryAll(ctx, s.db, scanParametric, "SELECT "+parametricColumns+
			" FROM parametric_tables WHERE catalog_id = ? ORDER BY created_at, to_schema, to_table", catalog)
	})
}

// CreateParametricTable adds a parametric table; a target in use is ErrConflict.
func (s *Store) CreateParametricTable(ctx context.Context, p ParametricTable) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO parametric_tables("+parametricColumns+
		", created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		p.CatalogID, p.FromSchema, p.FromTable, p.ToSchema, p.ToTable, p.Values, s.stamp())
	return err
}

// DeleteParametricTable removes a parametric table with its caches: another table of that name must not read their
// rows.
func (s *Store) DeleteParametricTable(ctx context.Context, catalog, schema, table string) error {
	return s.tx(ctx, func(tx dbtx) error {
		if err := exec(ctx, tx, "DELETE FROM parametric_tables WHERE catalog_id = ? AND to_schema = ? AND to_table = ?",
			catalog, schema, table); err != nil {
			return err
		}
		return s.forgetParametric(ctx, tx, catalog, schema, table)
	})
}
