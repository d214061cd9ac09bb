// Package catalogs lists what a project can read: catalogs, schemas, tables, parametric tables and semantic catalogs;
// and searches them.
package catalogs

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/queries"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/store"
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

func (s *Service) listCatalogs(ctx context.Context, r *web.Request[web.None]) ([]api.Catalog, error) {
	all, err := s.Names.Catalogs(ctx, r.Project)
	return each.Map(all, func(c names.Catalog) api.Catalog { return c.Catalog }), err
}

func (s *Service) getCatalog(ctx context.Context, r *web.Request[web.None]) (api.Catalog, error) {
	c, err := s.Names.Catalog(ctx, r.Project, r.Param("catalogId"))
	return c.Catalog, err
}

func (s *Service) listSchemas(ctx context.Context, r *web.Request[web.None]) ([]api.Schema, error) {
	c, err := s.Names.Catalog(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return nil, err
	}
	schemas, err := c.Schemas(ctx)
	return each.Map(schemas, func(n string) api.Schema {
		return api.Schema{CatalogID: c.ID, CatalogName: c.Name, SchemaName: n}
	}), err
}

// Schema finds the catalog of a request and checks that the schema it names exists.
func (s *Service) Schema(ctx context.Context, p store.Project, id, schema string) (names.Catalog, error) {
	c, err := s.Names.Catalog(ctx, p, id)
	if err != nil {
		return c, err
	}
	schemas, err := c.Schemas(ctx)
	if err != nil {
		return c, err
	}
	if slices.Contains(schemas, schema) {
		return c, nil
	}
	return c, fault.Data(404, "there is no schema %s in catalog %s", schema, c.Name)
}

func (s *Service) listTables(ctx context.Context, r *web.Request[web.None]) ([]api.Table, error) {
	c, err := s.Schema(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"))
	if err != nil {
		return nil, err
	}
	tables, err := c.Tables(ctx, r.Param("schemaName"))
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
	cols, err := c.Columns(ctx, r.Param("schemaName"), r.Param("tableName"))
	return each.Map(cols, func(c names.Column) api.ColumnDetail { return c.ColumnDetail }), err
}

// Table finds one table of a catalog.
func (s *Service) Table(ctx context.Context, p store.Project, catalogID, schema,
	name string) (names.Catalog, api.Table, error) {
	c, err := s.Schema(ctx, p, catalogID, schema)
	if err != nil {
		return c, api.Table{}, err
	}
	tables, err := c.Tables(ctx, schema)
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
