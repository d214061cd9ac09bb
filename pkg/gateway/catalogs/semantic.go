package catalogs

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (s *Service) semanticRoutes(m *web.Mux) {
	web.Handle(m, spec.CreateSemanticCatalog, s.createSemanticCatalog)
	web.Handle(m, spec.CreateSemanticTable, s.createSemanticTable)
	web.Handle(m, spec.ShareSemanticCatalog, s.shareSemanticCatalog)
	web.Handle(m, spec.DeleteSemanticTable, s.deleteSemanticTable)
}

func (s *Service) createSemanticCatalog(ctx context.Context,
	r *web.Request[api.SemanticCatalogRequest]) (api.Catalog, error) {
	if r.Body.Name == "" {
		return api.Catalog{}, fault.Missing("name")
	}
	name := catalogSQLName(r.Body.Name)
	if err := s.catalogNameFree(ctx, r.Project, name); err != nil {
		return api.Catalog{}, err
	}
	c, err := s.Store.CreateSemanticCatalog(ctx, r.Project.ID, name, r.Body.Name)
	if errors.Is(err, store.ErrConflict) {
		err = catalogTaken(name)
	}
	return names.ListedSemantic(c), err
}

// ownSemantic finds a semantic catalog that belongs to the project; a catalog shared with it is read-only.
func (s *Service) ownSemantic(ctx context.Context, p store.Project, id string) (store.SemanticCatalog, error) {
	c, err := s.Store.SemanticCatalog(ctx, p.ID, id)
	if !errors.Is(err, store.ErrNotFound) {
		return c, err
	}
	other, err := s.Names.Catalog(ctx, p, id)
	switch {
	case err != nil:
		return c, err
	case other.CatalogType == names.SemanticType:
		return c, fault.Data(403, "catalog %s belongs to another project and can only be read here", other.Name)
	}
	return c, fault.Data(400, "catalog %s is not a semantic catalog", other.Name)
}

func (s *Service) createSemanticTable(ctx context.Context,
	r *web.Request[api.SemanticTableRequest]) (api.SemanticTable, error) {
	var out api.SemanticTable
	for _, f := range []struct{ name, value string }{{"schemaName", r.Body.SchemaName}, {"tableName", r.Body.TableName},
		{"queryId", r.Body.QueryID}} {
		if strings.TrimSpace(f.value) == "" {
			return out, fault.Missing(f.name)
		}
	}
	c, err := s.ownSemantic(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return out, err
	}
	// SQL names are lower case [O]
	schema, table := strings.ToLower(r.Body.SchemaName), strings.ToLower(r.Body.TableName)
	if schema == "information_schema" {
		return out, fault.Data(400, "schema %s is reserved", schema)
	}
	if _, err := s.Queries.SavedQuery(ctx, r.Project, r.Body.QueryID); err != nil {
		return out, err
	}
	t, err := s.Store.CreateSemanticTable(ctx, store.SemanticTable{CatalogID: c.ID, Schema: schema, Table: table,
		QueryID: r.Body.QueryID})
	if errors.Is(err, store.ErrConflict) {
		return out, fault.Data(400, "table %s.%s.%s already exists", c.Name, schema, table)
	}
	return api.SemanticTable{CatalogID: &c.ID, CatalogName: c.Name, SchemaName: t.Schema, TableName: t.Table,
		TableID: t.ID}, err
}

func (s *Service) deleteSemanticTable(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	c, err := s.ownSemantic(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return web.None{}, err
	}
	err = s.Store.DeleteSemanticTable(ctx, c.ID, r.Param("tableId"))
	if errors.Is(err, store.ErrNotFound) {
		return web.None{}, fault.Data(404, "there is no table with id %s in semantic catalog %s",
			r.Param("tableId"), c.Name)
	}
	return web.None{}, err
}

// shareSemanticCatalog gives another project read access.
func (s *Service) shareSemanticCatalog(ctx context.Context,
	r *web.Request[api.SemanticCatalogShareRequest]) (web.None, error) {
	if r.Body.Target == "" {
		return web.None{}, fault.Missing("target")
	}
	if err := r.MayShareInto(r.Body.Target); err != nil {
		return web.None{}, err
	}
	c, err := s.ownSemantic(ctx, r.Project, r.Param("catalogId"))
	if err != nil {
		return web.None{}, err
	}
	if r.Body.Target == r.Project.ID {
		return web.None{}, fault.Data(400, "catalog %s belongs to that project", c.Name)
	}
	target, err := s.Store.Project(ctx, "", r.Body.Target)
	if errors.Is(err, store.ErrNotFound) {
		return web.None{}, fault.Data(400, "there is no project with id: %s", r.Body.Target)
	}
	if err != nil {
		return web.None{}, err
	}
	have, err := s.Names.Catalogs(ctx, target)
	if err != nil {
		return web.None{}, err
	}
	for _, h := range have {
		if h.ID == c.ID {
			return web.None{}, nil // shared before
		}
		if h.Name == c.Name {
			return web.None{}, catalogTaken(c.Name)
		}
	}
	return web.None{}, s.Store.ShareSemanticCatalog(ctx, c.ID, target.ID)
}

// deleteSemanticCatalog removes a semantic catalog if the id is one; the service has no separate operation for it.
func (s *Service) deleteSemanticCatalog(ctx context.Context, p store.Project, id string) (found bool, err error) {
	err = s.Store.DeleteSemanticCatalog(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return true, err
}
