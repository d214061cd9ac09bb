package store

import "context"

// SemanticCatalog is a catalog of tables that are bound to saved queries of its project.
type SemanticCatalog struct{ ID, ProjectID, Name, DisplayName, CreatedAt string }

const semanticColumns = "id, project_id, name, display_name, created_at"

func scanSemantic(scan func(...any) error) (c SemanticCatalog, err error) {
	err = scan(&c.ID, &c.ProjectID, &c.Name, &c.DisplayName, &c.CreatedAt)
	return
}

// visible selects the catalogs of a project and those shared with it.
const visible = "(project_id = ?1 OR id IN (SELECT catalog_id FROM semantic_shares WHERE project_id = ?1))"

// SemanticCatalogs lists the catalogs that a project can read, its own and those shared with it.
func (s *Store) SemanticCatalogs(ctx context.Context, project string) ([]SemanticCatalog, error) {
	return queryAll(ctx, s.db, scanSemantic, "SELECT "+semanticColumns+" FROM semantic_catalogs WHERE "+visible+
		" ORDER BY created_at, id", project)
}

// SemanticCatalogNamed finds a catalog that a project can read by its SQL name.
func (s *Store) SemanticCatalogNamed(ctx context.Context, project, name string) (SemanticCatalog, error) {
	type key struct{ project, name string }
	return remembered(ctx, s, key{project, name}, func() (SemanticCatalog, error) {
		return queryOne(ctx, s.db, scanSemantic, "SELECT "+semanticColumns+" FROM semantic_catalogs WHERE "+visible+
			" AND name = ?2", project, name)
	})
}

// SemanticCatalogVisible finds a catalog that a project can read, its own or one shared with it.
func (s *Store) SemanticCatalogVisible(ctx context.Context, project, id string) (SemanticCatalog, error) {
	return queryOne(ctx, s.db, scanSemantic, "SELECT "+semanticColumns+" FROM semantic_catalogs WHERE "+visible+
		" AND id = ?2", project, id)
}

// SemanticCatalog finds a catalog owned by a project.
func (s *Store) SemanticCatalog(ctx context.Context, project, id string) (SemanticCatalog, error) {
	return queryOne(ctx, s.db, scanSemantic, "SELECT "+semanticColumns+
		" FROM semantic_catalogs WHERE project_id = ? AND id = ?", project, id)
}

// CreateSemanticCatalog adds a catalog; a name in use is ErrConflict.
func (s *Store) CreateSemanticCatalog(ctx context.Context, project, name, displayName string) (SemanticCatalog, error) {
	c := SemanticCatalog{s.NewID(), project, name, displayName, s.stamp()}
	_, err := s.db.ExecContext(ctx, "INSERT INTO semantic_catalogs("+semanticColumns+") VALUES (?, ?, ?, ?, ?)", c.ID,
		c.ProjectID, c.Name, c.DisplayName, c.CreatedAt)
	return c, err
}

// DeleteSemanticCatalog removes a catalog with its tables and shares.
func (s *Store) DeleteSemanticCatalog(ctx context.Context, project, id string) error {
	return exec(ctx, s.db, "DELETE FROM semantic_catalogs WHERE project_id = ? AND id = ?", project, id)
}

// ShareSemanticCatalog gives another project read access; it is idempotent.
func (s *Store) ShareSemanticCatalog(ctx context.Context, id, target string) error {
	_, err := s.db.ExecContext(ctx,
		"INSERT INTO semantic_shares(catalog_id, project_id) VALUES (?, ?) ON CONFLICT DO NOTHING", id, target)
	return err
}

// SemanticTable is a name bound to a saved query.
type SemanticTable struct{ ID, CatalogID, Schema, Table, QueryID, CreatedAt string }

const semanticTableColumns = "id, catalog_id, schema_name, table_name, query_id, created_at"

func scanSemanticTable(scan func(...any) error) (t SemanticTable, err error) {
	err = scan(&t.ID, &t.CatalogID, &t.Schema, &t.Table, &t.QueryID, &t.CreatedAt)
	return
}

// SemanticTables lists the tables of a semantic catalog.
func (s *Store) SemanticTables(ctx context.Context, catalog string) ([]SemanticTable, error) {
	type key struct{ catalog string }
	return remembered(ctx, s, key{catalog}, func() ([]SemanticTable, error) {
		return queryAll(ctx, s.db, scanSemanticTable, "SELECT "+semanticTableColumns+
			" FROM semantic_tables WHERE catalog_id = ? ORDER BY schema_name, table_name", catalog)
	})
}

// CreateSemanticTable adds a table; a name in use is ErrConflict.
func (s *Store) CreateSemanticTable(ctx context.Context, t SemanticTable) (SemanticTable, error) {
	t.ID, t.CreatedAt = s.NewID(), s.stamp()
	_, err := s.db.ExecContext(ctx, "INSERT INTO semantic_tables("+semanticTableColumns+") VALUES (?, ?, ?, ?, ?, ?)",
		t.ID, t.CatalogID, t.Schema, t.Table, t.QueryID, t.CreatedAt)
	return t, err
}

// DeleteSemanticTable removes a table; its query is kept.
func (s *Store) DeleteSemanticTable(ctx context.Context, catalog, id string) error {
	return exec(ctx, s.db, "DELETE FROM semantic_tables WHERE catalog_id = ? AND id = ?", catalog, id)
}
