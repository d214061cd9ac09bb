package gateway

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *catalogsService) semanticRoutes(m *webService) {
	handle(m, spec.CreateSemanticCatalog, g.createSemanticCatalog)
	handle(m, spec.CreateSemanticTable, g.createSemanticTable)
	handle(m, spec.ShareSemanticCatalog, g.shareSemanticCatalog)
	handle(m, spec.DeleteSemanticTable, g.deleteSemanticTable)
}

// semanticType is how the service calls these catalogs, under the key type [O].
const semanticType = "SEMANTIC"

func semanticOut(c store.SemanticCatalog) api.Catalog {
	kind := semanticType
	return api.Catalog{ID: c.ID, Name: c.Name, DisplayName: c.DisplayName, CatalogType: semanticType, Type: &kind}
}

// semanticCatalogs lists a project's semantic catalogs and those shared with it, for the list of all catalogs.
func (g *catalogsService) semanticCatalogs(ctx context.Context, p store.Project) ([]catalog, error) {
	all, err := g.store.SemanticCatalogs(ctx, p.ID)
	return mapAll(all, func(c store.SemanticCatalog) catalog { return catalog{semanticOut(c), semanticSource{g, p, c}} }), err
}

func (g *catalogsService) createSemanticCatalog(ctx context.Context, r *Request[api.SemanticCatalogRequest]) (api.Catalog, error) {
	if r.Body.Name == "" {
		return api.Catalog{}, missing("name")
	}
	name := catalogSQLName(r.Body.Name)
	if err := g.catalogNameFree(ctx, r.Project, name); err != nil {
		return api.Catalog{}, err
	}
	c, err := g.store.CreateSemanticCatalog(ctx, r.Project.ID, name, r.Body.Name)
	if errors.Is(err, store.ErrConflict) {
		err = catalogTaken(name)
	}
	return semanticOut(c), err
}

// ownSemantic finds a semantic catalog that belongs to the project; one that was shared with it is read only.
func (g *catalogsService) ownSemantic(ctx context.Context, p store.Project, id string) (store.SemanticCatalog, error) {
	c, err := g.store.SemanticCatalog(ctx, p.ID, id)
	if !errors.Is(err, store.ErrNotFound) {
		return c, err
	}
	other, err := g.catalog(ctx, p, id)
	switch {
	case err != nil:
		return c, err
	case other.CatalogType == semanticType:
		return c, dataFault(403, "catalog %s belongs to another project and can only be read here", other.Name)
	}
	return c, dataFault(400, "catalog %s is not a semantic catalog", other.Name)
}

func (g *catalogsService) createSemanticTable(ctx context.Context, r *Request[api.SemanticTableRequest]) (api.SemanticTable, error) {
	var out api.SemanticTable
	for _, f := range []struct{ name, value string }{{"schemaName", r.Body.SchemaName}, {"tableName", r.Body.TableName}, {"queryId", r.Body.QueryID}} {
		if strings.TrimSpace(f.value) == "" {
			return out, missing(f.name)
		}
	}
	c, err := g.ownSemantic(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return out, err
	}
	schema, table := strings.ToLower(r.Body.SchemaName), strings.ToLower(r.Body.TableName) // SQL names are lower case [O]
	if schema == "information_schema" {
		return out, dataFault(400, "schema %s is the catalog's own", schema)
	}
	if _, err := g.queries.savedQuery(ctx, r.Project, r.Body.QueryID); err != nil {
		return out, err
	}
	t, err := g.store.CreateSemanticTable(ctx, store.SemanticTable{CatalogID: c.ID, Schema: schema, Table: table, QueryID: r.Body.QueryID})
	if errors.Is(err, store.ErrConflict) {
		return out, dataFault(400, "table %s.%s.%s already exists", c.Name, schema, table)
	}
	return api.SemanticTable{CatalogID: &c.ID, CatalogName: c.Name, SchemaName: t.Schema, TableName: t.Table, TableID: t.ID}, err
}

func (g *catalogsService) deleteSemanticTable(ctx context.Context, r *Request[None]) (None, error) {
	c, err := g.ownSemantic(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return None{}, err
	}
	err = g.store.DeleteSemanticTable(ctx, c.ID, r.Param("tableId"))
	if errors.Is(err, store.ErrNotFound) {
		return None{}, dataFault(404, "there is no table with id %s in semantic catalog %s", r.Param("tableId"), c.Name)
	}
	return None{}, err
}

// shareSemanticCatalog gives another project read access.
func (g *catalogsService) shareSemanticCatalog(ctx context.Context, r *Request[api.SemanticCatalogShareRequest]) (None, error) {
	if r.Body.Target == "" {
		return None{}, missing("target")
	}
	if err := r.mayShareInto(r.Body.Target); err != nil {
		return None{}, err
	}
	c, err := g.ownSemantic(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return None{}, err
	}
	if r.Body.Target == r.Project.ID {
		return None{}, dataFault(400, "catalog %s is in that project", c.Name)
	}
	target, err := g.store.Project(ctx, "", r.Body.Target)
	if errors.Is(err, store.ErrNotFound) {
		return None{}, dataFault(400, "there is no project with id: %s", r.Body.Target)
	}
	if err != nil {
		return None{}, err
	}
	have, err := g.catalogs(ctx, target)
	if err != nil {
		return None{}, err
	}
	for _, h := range have {
		if h.ID == c.ID {
			return None{}, nil // shared before
		}
		if h.Name == c.Name {
			return None{}, catalogTaken(c.Name)
		}
	}
	return None{}, g.store.ShareSemanticCatalog(ctx, c.ID, target.ID)
}

// deleteSemanticCatalog removes a semantic catalog if the id is one; the service has no operation of its own for it.
func (g *catalogsService) deleteSemanticCatalog(ctx context.Context, p store.Project, id string) (found bool, err error) {
	err = g.store.DeleteSemanticCatalog(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return true, err
}

// semanticSource lists a semantic catalog as seen from project p.
type semanticSource struct {
	g *catalogsService
	p store.Project
	c store.SemanticCatalog
}

func (s semanticSource) Schemas(ctx context.Context) ([]string, error) {
	all, err := s.g.store.SemanticTables(ctx, s.c.ID)
	names := mapAll(all, func(t store.SemanticTable) string { return t.Schema })
	return slices.Compact(names), err // the store sorts them
}

func (s semanticSource) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	all, err := s.g.store.SemanticTables(ctx, s.c.ID)
	out := []api.Table{}
	for _, t := range all {
		if t.Schema == schema {
			out = append(out, api.Table{CatalogID: s.c.ID, CatalogName: s.c.Name, SchemaName: schema, TableName: t.Table, SupportedCacheTypes: []string{}, TableID: t.ID})
		}
	}
	return out, err
}

func (s semanticSource) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	return s.g.names.describe(ctx, s.p, engine.TableName{Catalog: s.c.Name, Schema: schema, Table: table})
}

// lookupSemantic finds a semantic table; ok is false when the name's catalog is no semantic one.
func (r resolver) lookupSemantic(ctx context.Context, n engine.TableName) (src engine.Source, ok bool, err error) {
	r.seen.mu.Lock()
	plain := r.seen.plain[n.Catalog]
	r.seen.mu.Unlock()
	if plain {
		return src, false, nil
	}
	c, err := r.g.store.SemanticCatalogNamed(ctx, r.p.ID, n.Catalog)
	if errors.Is(err, store.ErrNotFound) {
		r.seen.mu.Lock()
		r.seen.plain[n.Catalog] = true
		r.seen.mu.Unlock()
		return src, false, nil
	}
	if err != nil {
		return src, false, err
	}
	tables, err := r.g.store.SemanticTables(ctx, c.ID)
	if err != nil {
		return src, true, err
	}
	schema := false
	for _, t := range tables {
		schema = schema || t.Schema == n.Schema
		if t.Schema != n.Schema || t.Table != n.Table {
			continue
		}
		if c.ProjectID != r.p.ID { // its names mean the other project's tables: it runs there
			owner, err := r.g.store.Project(ctx, "", c.ProjectID)
			return engine.Source{Scan: sharedScan{r.g, owner, n}}, true, err
		}
		q, err := r.g.store.Query(ctx, r.p.ID, t.QueryID)
		if errors.Is(err, store.ErrNotFound) {
			err = unknown(engine.KindUnknownTable, "the saved query %s behind table '%s' was deleted", t.QueryID, n)
		}
		return engine.Source{SQL: q.SQL}, true, err // always live, also over a materialized query [O]
	}
	if !schema {
		return src, true, unknown(engine.KindUnknownSchema, "Schema '%s' does not exist in catalog '%s'", n.Schema, n.Catalog)
	}
	return src, true, unknown(engine.KindUnknownTable, "Table '%s' does not exist", n)
}

// listSemantic names the tables of those semantic catalogs that are wanted.
func (r resolver) listSemantic(ctx context.Context, wanted func(name string) bool) ([]engine.TableName, error) {
	cats, err := r.g.store.SemanticCatalogs(ctx, r.p.ID)
	if err != nil {
		return nil, err
	}
	var out []engine.TableName
	for _, c := range cats {
		if !wanted(c.Name) {
			continue
		}
		tables, err := r.g.store.SemanticTables(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			out = append(out, engine.TableName{Catalog: c.Name, Schema: t.Schema, Table: t.Table})
		}
	}
	return out, nil
}
