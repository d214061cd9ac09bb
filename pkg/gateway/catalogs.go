package gateway

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// catalogsService lists what a project can read: catalogs, their schemas and tables, parametric tables and semantic catalogs.
type catalogsService struct {
	store   *store.Store
	engine  engine.Engine
	now     func() time.Time
	log     *slog.Logger
	names   *namesService
	queries *queriesService
	sources *sourcesService
	caches  cacheKeeper
}

// cacheKeeper is what catalogs ask of the caches over their tables.
type cacheKeeper interface {
	dropCaches(ctx context.Context) error
	markCached(ctx context.Context, p store.Project, tables []api.Table) error
}

// Routes registers the handlers.
func (g *catalogsService) Routes(m *webService) {
	handle(m, spec.ListCatalogs, g.listCatalogs)
	handle(m, spec.GetCatalog, g.getCatalog)
	handle(m, spec.ListSchemas, g.listSchemas)
	handle(m, spec.ListTables, g.listTables)
	handle(m, spec.ListColumns, g.listColumns)
	g.storedRoutes(m)
	g.parametricRoutes(m)
	g.searchRoutes(m)
	g.semanticRoutes(m)
}

// Identifiers of the catalogs every project has. The first two are the service's [O][L]; the third is the built-in sample.
const (
	queryCatalogID  = "2"
	sampleCatalogID = "3"
)

// catalogSource lists what is in a catalog. Each kind of catalog has one.
type catalogSource interface {
	Schemas(ctx context.Context) ([]string, error)
	Tables(ctx context.Context, schema string) ([]api.Table, error)
	Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error)
}

// catalog is an entry of a project's list of catalogs and what stands behind it.
type catalog struct {
	api.Catalog
	source catalogSource
}

// builtinCatalogs are those that every project has.
func (g *catalogsService) builtinCatalogs(p store.Project) []catalog {
	return []catalog{
		{api.Catalog{ID: internalCatalogID, Name: engine.InternalCatalog, DisplayName: engine.InternalCatalog, CatalogType: "internal"},
			internalCatalog{g, p}},
		{api.Catalog{ID: queryCatalogID, Name: engine.InternalCatalog, DisplayName: engine.InternalCatalog, CatalogType: "query"},
			queryCatalog{g, p}},
		{api.Catalog{ID: sampleCatalogID, Name: engine.SampleCatalog, DisplayName: engine.SampleCatalog, CatalogType: "sample"},
			schemaCatalog{g, p, sampleCatalogID, engine.SampleCatalog}},
	}
}

// catalogs lists a project's catalogs in the order of the service: built-in ones first.
func (g *catalogsService) catalogs(ctx context.Context, p store.Project) ([]catalog, error) {
	stored, err := g.storedCatalogs(ctx, p)
	if err != nil {
		return nil, err
	}
	semantic, err := g.semanticCatalogs(ctx, p)
	return slices.Concat(g.builtinCatalogs(p), stored, semantic), err
}

// catalog finds one, reading no other.
func (g *catalogsService) catalog(ctx context.Context, p store.Project, id string) (catalog, error) {
	for _, c := range g.builtinCatalogs(p) {
		if c.ID == id {
			return c, nil
		}
	}
	stored, err := g.store.Catalog(ctx, p.ID, id)
	if !errors.Is(err, store.ErrNotFound) {
		return catalog{catalogOut(stored), externalCatalog{g: g.names, c: stored}}, err
	}
	semantic, err := g.store.SemanticCatalogVisible(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return catalog{}, dataFault(404, "there is no catalog with id: %s", id)
	}
	return catalog{semanticOut(semantic), semanticSource{g, p, semantic}}, err
}

func (g *catalogsService) listCatalogs(ctx context.Context, r *Request[None]) ([]api.Catalog, error) {
	all, err := g.catalogs(ctx, r.Project)
	return mapAll(all, func(c catalog) api.Catalog { return c.Catalog }), err
}

func (g *catalogsService) getCatalog(ctx context.Context, r *Request[None]) (api.Catalog, error) {
	c, err := g.catalog(ctx, r.Project, r.Param("catalogId"))
	return c.Catalog, err
}

func (g *catalogsService) listSchemas(ctx context.Context, r *Request[None]) ([]api.Schema, error) {
	c, err := g.catalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return nil, err
	}
	names, err := c.source.Schemas(ctx)
	return mapAll(names, func(n string) api.Schema {
		return api.Schema{CatalogID: c.ID, CatalogName: c.Name, SchemaName: n}
	}), err
}

// schema finds the catalog of a request and checks that the schema it names is there.
func (g *catalogsService) schema(ctx context.Context, p store.Project, id, schema string) (catalog, error) {
	c, err := g.catalog(ctx, p, id)
	if err != nil {
		return c, err
	}
	names, err := c.source.Schemas(ctx)
	if err != nil {
		return c, err
	}
	for _, n := range names {
		if n == schema {
			return c, nil
		}
	}
	return c, dataFault(404, "there is no schema %s in catalog %s", schema, c.Name)
}

func (g *catalogsService) listTables(ctx context.Context, r *Request[None]) ([]api.Table, error) {
	c, err := g.schema(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"))
	if err != nil {
		return nil, err
	}
	tables, err := c.source.Tables(ctx, r.Param("schemaName"))
	if tables == nil {
		tables = []api.Table{}
	}
	if err != nil {
		return nil, err
	}
	return tables, g.caches.markCached(ctx, r.Project, tables)
}

func (g *catalogsService) listColumns(ctx context.Context, r *Request[None]) ([]api.ColumnDetail, error) {
	c, err := g.schema(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"))
	if err != nil {
		return nil, err
	}
	return c.source.Columns(ctx, r.Param("schemaName"), r.Param("tableName"))
}

// table finds one table of a catalog.
func (g *catalogsService) table(ctx context.Context, p store.Project, catalogID, schema, name string) (catalog, api.Table, error) {
	c, err := g.schema(ctx, p, catalogID, schema)
	if err != nil {
		return c, api.Table{}, err
	}
	tables, err := c.source.Tables(ctx, schema)
	if err != nil {
		return c, api.Table{}, err
	}
	for _, t := range tables {
		if t.TableName == name {
			one := []api.Table{t}
			err := g.caches.markCached(ctx, p, one)
			return c, one[0], err
		}
	}
	return c, api.Table{}, dataFault(404, "Table '%s.%s.%s' does not exist", c.Name, schema, name)
}

// internalCatalog is catalog "1": the internal tables.
type internalCatalog struct {
	g *catalogsService
	p store.Project
}

func (c internalCatalog) Schemas(context.Context) ([]string, error) {
	return []string{engine.SchemaTable, engine.SchemaBI}, nil
}

func (c internalCatalog) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	p, err := c.g.engine.Project(ctx, c.p.ID)
	if err != nil {
		return nil, err
	}
	names, err := p.ListTables(ctx, schema)
	return mapAll(names, func(n string) api.Table { return tableOut(schema, n) }), err
}

func (c internalCatalog) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	p, err := c.g.engine.Project(ctx, c.p.ID)
	if err != nil {
		return nil, err
	}
	cols, err := p.Columns(ctx, schema, table)
	return mapAll(cols, columnOut), err
}

// queryCatalog is catalog "2": saved queries and stored results of materialized ones.
type queryCatalog struct {
	g *catalogsService
	p store.Project
}

func (c queryCatalog) Schemas(context.Context) ([]string, error) {
	return []string{engine.SchemaQuery, engine.SchemaMtQuery}, nil
}

func (c queryCatalog) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	all, err := c.g.names.resolver(c.p).listQueries(ctx)
	var out []api.Table
	for _, n := range all {
		if n.Catalog == engine.InternalCatalog && n.Schema == schema {
			out = append(out, api.Table{CatalogID: queryCatalogID, CatalogName: n.Catalog, SchemaName: schema, TableName: n.Table, SupportedCacheTypes: []string{}})
		}
	}
	return out, err
}

func (c queryCatalog) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	return c.g.names.describe(ctx, c.p, engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
}

// schemaCatalog is a catalog whose tables the engine itself knows; it is listed through information_schema.
type schemaCatalog struct {
	g        *catalogsService
	p        store.Project
	id, name string
}

func (c schemaCatalog) rows(ctx context.Context, sql string, bindings ...string) ([][]string, error) {
	return c.g.names.queryText(ctx, c.p, sql, bindings...)
}

func (c schemaCatalog) Schemas(ctx context.Context) ([]string, error) {
	rows, err := c.rows(ctx, `SELECT DISTINCT table_schema FROM `+sqltext.Quote(c.name)+`.information_schema.tables WHERE table_schema <> 'information_schema' ORDER BY 1`)
	return mapAll(rows, func(r []string) string { return r[0] }), err
}

func (c schemaCatalog) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	rows, err := c.rows(ctx, `SELECT table_name FROM `+sqltext.Quote(c.name)+`.information_schema.tables WHERE table_schema = ? ORDER BY 1`, schema)
	return mapAll(rows, func(r []string) api.Table {
		return api.Table{CatalogID: c.id, CatalogName: c.name, SchemaName: schema, TableName: r[0], IsCacheable: true, SupportedCacheTypes: []string{store.CacheFull, store.CacheIncremental}}
	}), err
}

func (c schemaCatalog) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	return c.g.names.describe(ctx, c.p, engine.TableName{Catalog: c.name, Schema: schema, Table: table})
}
