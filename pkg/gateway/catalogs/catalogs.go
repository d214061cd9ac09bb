// Package catalogs lists what a project can read: catalogs, schemas, tables, parametric tables and semantic catalogs;
// and searches them.
package catalogs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/queries"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/tables"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service lists what a project can read: catalogs, their schemas and tables, parametric tables and semantic catalogs.
type Service struct {
	Store   *store.Store
	Engine  engine.Engine
	Now     func() time.Time
	Log     *slog.Logger
	Names   *names.Service
	Queries *queries.Service
	Sources *sources.Service
	Caches  CacheKeeper
}

// CacheKeeper is the interface to the caches of tables.
type CacheKeeper interface {
	DropCaches(ctx context.Context) error
	MarkCached(ctx context.Context, p store.Project, tables []api.Table) error
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.ListCatalogs, s.listCatalogs)
	web.Handle(m, spec.GetCatalog, s.getCatalog)
	web.Handle(m, spec.ListSchemas, s.listSchemas)
	web.Handle(m, spec.ListTables, s.listTables)
	web.Handle(m, spec.ListColumns, s.listColumns)
	s.storedRoutes(m)
	s.parametricRoutes(m)
	s.searchRoutes(m)
	s.semanticRoutes(m)
}

// CatalogSource lists the contents of a catalog. Each kind of catalog has one.
type CatalogSource interface {
	Schemas(ctx context.Context) ([]string, error)
	Tables(ctx context.Context, schema string) ([]api.Table, error)
	Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error)
}

// Catalog is an entry of a project's list of catalogs with its source.
type Catalog struct {
	api.Catalog
	Source CatalogSource
}

// builtinCatalogs returns the catalogs that every project has.
func (s *Service) builtinCatalogs(p store.Project) []Catalog {
	return []Catalog{
		{api.Catalog{ID: api.InternalCatalogID, Name: engine.InternalCatalog, DisplayName: engine.InternalCatalog,
			CatalogType: "internal"},
			internalCatalog{s, p}},
		{api.Catalog{ID: api.QueryCatalogID, Name: engine.InternalCatalog, DisplayName: engine.InternalCatalog,
			CatalogType: "query"},
			QueryCatalog{s, p}},
		{api.Catalog{ID: names.SampleCatalogID, Name: engine.SampleCatalog, DisplayName: engine.SampleCatalog,
			CatalogType: "sample"},
			schemaCatalog{s, p, names.SampleCatalogID, engine.SampleCatalog}},
	}
}

// Catalogs lists a project's catalogs in the order of the service: built-in ones first.
func (s *Service) Catalogs(ctx context.Context, p store.Project) ([]Catalog, error) {
	stored, err := s.storedCatalogs(ctx, p)
	if err != nil {
		return nil, err
	}
	semantic, err := s.semanticCatalogs(ctx, p)
	return slices.Concat(s.builtinCatalogs(p), stored, semantic), err
}

// Catalog finds one catalog without reading the others.
func (s *Service) Catalog(ctx context.Context, p store.Project, id string) (Catalog, error) {
	for _, c := range s.builtinCatalogs(p) {
		if c.ID == id {
			return c, nil
		}
	}
	stored, err := s.Store.Catalog(ctx, p.ID, id)
	if !errors.Is(err, store.ErrNotFound) {
		return Catalog{names.CatalogOut(stored), names.ExternalCatalog{G: s.Names, C: stored}}, err
	}
	semantic, err := s.Store.SemanticCatalogVisible(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return Catalog{}, fault.Data(404, "there is no catalog with id: %s", id)
	}
	return Catalog{semanticOut(semantic), SemanticSource{s, p, semantic}}, err
}

func (s *Service) listCatalogs(ctx context.Context, r *web.Request[web.None]) ([]api.Catalog, error) {
	all, err := s.Catalogs(ctx, r.Project)
	return each.Map(all, func(c Catalog) api.Catalog { return c.Catalog }), err
}

func (s *Service) getCatalog(ctx context.Context, r *web.Request[web.None]) (api.Catalog, error) {
	c, err := s.Catalog(ctx, r.Project, r.Param("catalogId"))
	return c.Catalog, err
}

func (s *Service) listSchemas(ctx context.Context, r *web.Request[web.None]) ([]api.Schema, error) {
	c, err := s.Catalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return nil, err
	}
	names, err := c.Source.Schemas(ctx)
	return each.Map(names, func(n string) api.Schema {
		return api.Schema{CatalogID: c.ID, CatalogName: c.Name, SchemaName: n}
	}), err
}

// Schema finds the catalog of a request and checks that the schema it names exists.
func (s *Service) Schema(ctx context.Context, p store.Project, id, schema string) (Catalog, error) {
	c, err := s.Catalog(ctx, p, id)
	if err != nil {
		return c, err
	}
	names, err := c.Source.Schemas(ctx)
	if err != nil {
		return c, err
	}
	for _, n := range names {
		if n == schema {
			return c, nil
		}
	}
	return c, fault.Data(404, "there is no schema %s in catalog %s", schema, c.Name)
}

func (s *Service) listTables(ctx context.Context, r *web.Request[web.None]) ([]api.Table, error) {
	c, err := s.Schema(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"))
	if err != nil {
		return nil, err
	}
	tables, err := c.Source.Tables(ctx, r.Param("schemaName"))
	if tables == nil {
		tables = []api.Table{}
	}
	if err != nil {
		return nil, err
	}
	return tables, s.Caches.MarkCached(ctx, r.Project, tables)
}

func (s *Service) listColumns(ctx context.Context, r *web.Request[web.None]) ([]api.ColumnDetail, error) {
	c, err := s.Schema(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"))
	if err != nil {
		return nil, err
	}
	return c.Source.Columns(ctx, r.Param("schemaName"), r.Param("tableName"))
}

// Table finds one table of a catalog.
func (s *Service) Table(ctx context.Context, p store.Project, catalogID, schema,
	name string) (Catalog, api.Table, error) {
	c, err := s.Schema(ctx, p, catalogID, schema)
	if err != nil {
		return c, api.Table{}, err
	}
	tables, err := c.Source.Tables(ctx, schema)
	if err != nil {
		return c, api.Table{}, err
	}
	for _, t := range tables {
		if t.TableName == name {
			one := []api.Table{t}
			err := s.Caches.MarkCached(ctx, p, one)
			return c, one[0], err
		}
	}
	return c, api.Table{}, fault.Data(404, "%s", engine.MissingTable(engine.TableName{Catalog: c.Name,
		Schema: schema, Table: name}))
}

// internalCatalog is catalog "1": the internal tables.
type internalCatalog struct {
	g *Service
	p store.Project
}

func (c internalCatalog) Schemas(context.Context) ([]string, error) {
	return []string{engine.SchemaTable, engine.SchemaBI}, nil
}

func (c internalCatalog) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	p, err := c.g.Engine.Project(ctx, c.p.ID)
	if err != nil {
		return nil, err
	}
	names, err := p.ListTables(ctx, schema)
	return each.Map(names, func(n string) api.Table { return tables.TableOut(schema, n) }), err
}

func (c internalCatalog) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	p, err := c.g.Engine.Project(ctx, c.p.ID)
	if err != nil {
		return nil, err
	}
	cols, err := p.Columns(ctx, schema, table)
	return each.Map(cols, tables.ColumnOut), err
}

// QueryCatalog is catalog "2": saved queries and stored results of materialized ones.
type QueryCatalog struct {
	g *Service
	p store.Project
}

func (c QueryCatalog) Schemas(context.Context) ([]string, error) {
	return []string{engine.SchemaQuery, engine.SchemaMtQuery}, nil
}

func (c QueryCatalog) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	all, err := c.g.Names.Resolver(c.p).ListQueries(ctx)
	var out []api.Table
	for _, n := range all {
		if n.Catalog == engine.InternalCatalog && n.Schema == schema {
			out = append(out, api.Table{CatalogID: api.QueryCatalogID, CatalogName: n.Catalog, SchemaName: schema,
				TableName: n.Table, SupportedCacheTypes: []string{}})
		}
	}
	return out, err
}

func (c QueryCatalog) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	return c.g.Names.Describe(ctx, c.p, engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
}

// schemaCatalog is a catalog with tables that the engine itself knows.
type schemaCatalog struct {
	g        *Service
	p        store.Project
	id, name string
}

func (c schemaCatalog) Schemas(ctx context.Context) ([]string, error) {
	rows, err := c.g.Names.Answer(ctx, c.p, sql.Listing{Catalog: c.name})
	return each.Map(rows, func(r []string) string { return r[0] }), err
}

func (c schemaCatalog) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	rows, err := c.g.Names.Answer(ctx, c.p, sql.Listing{Catalog: c.name, Schema: schema})
	return each.Map(rows, func(r []string) api.Table {
		return api.Table{CatalogID: c.id, CatalogName: c.name, SchemaName: schema, TableName: r[0], IsCacheable: true,
			SupportedCacheTypes: []string{states.Full, states.Incremental}}
	}), err
}

func (c schemaCatalog) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	return c.g.Names.Describe(ctx, c.p, engine.TableName{Catalog: c.name, Schema: schema, Table: table})
}
