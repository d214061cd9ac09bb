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

func (s *Service) storedRoutes(m *web.Mux) {
	web.Handle(m, spec.CreateCatalog, s.createCatalog)
	web.Handle(m, spec.CreateCatalogAlt, s.createCatalog)
	web.Handle(m, spec.DeleteCatalog, s.deleteCatalog)
	web.Handle(m, spec.ShareCatalog, s.shareCatalog)
	web.Handle(m, spec.GetTableStatistics, s.getTableStatistics)
}

// reservedCatalogs are names reserved in SQL; DuckDB rejects some of them, too.
var reservedCatalogs = map[string]bool{"system": true, "temp": true, "main": true, "memory": true,
	"information_schema": true}

// catalogSQLName derives the SQL name of a catalog: lower case [O], with underscores for other characters than letters,
// digits and underscores. Underscores are kept [L].
func catalogSQLName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, strings.TrimSpace(name))
}

// catalogNameFree checks that a name is available for a new catalog; all kinds of catalogs share the names of a
// project.
func (s *Service) catalogNameFree(ctx context.Context, p store.Project, name string) error {
	if strings.Trim(name, "_") == "" {
		return fault.Data(400, "the catalog name must contain a letter or a digit")
	}
	if reservedCatalogs[name] {
		return fault.Data(400, "the catalog name %s is reserved", name)
	}
	all, err := s.Names.Catalogs(ctx, p)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Name == name {
			return catalogTaken(name)
		}
	}
	return nil
}

func catalogTaken(name string) error {
	return fault.Data(400, "Catalog '%s' already exists in the project", name)
}

func (s *Service) createCatalog(ctx context.Context, r *web.Request[api.CatalogRequest]) (api.Catalog, error) {
	switch {
	case r.Body.Name == "":
		return api.Catalog{}, fault.Missing("name")
	case r.Body.ConnectionID == "":
		return api.Catalog{}, fault.Missing("connectionId")
	}
	anything, err := cacheAnything(r.Body.ExtraParameters)
	if err != nil {
		return api.Catalog{}, err
	}
	conn, err := s.Sources.Connection(ctx, r.Project, r.Body.ConnectionID)
	if err != nil {
		return api.Catalog{}, err
	}
	t, ok := s.Sources.Types.Find(conn.Type)
	if !ok {
		return api.Catalog{}, fault.Data(400, "connection %s has type %s, which this version of dig does not know",
			conn.Name, conn.Type)
	}
	return s.addCatalog(ctx, r.Project, store.Catalog{DisplayName: r.Body.Name, Type: t.CatalogType,
		ConnectionID: conn.ID, CacheAnything: anything})
}

// cacheAnything reads the only extra parameter that this gateway supports.
func cacheAnything(extra map[string]any) (bool, error) {
	for name, v := range extra {
		on, ok := v.(bool)
		switch {
		case name != api.CacheAnything:
			return false, fault.Data(400, "extraParameters: %q is unknown; this gateway supports only cacheAnything",
				name)
		case !ok:
			return false, fault.Data(400, "extraParameters.cacheAnything: must be true or false")
		}
		return on, nil
	}
	return false, nil
}

func (s *Service) addCatalog(ctx context.Context, p store.Project, c store.Catalog) (api.Catalog, error) {
	c.ProjectID, c.Name = p.ID, catalogSQLName(c.DisplayName)
	if err := s.catalogNameFree(ctx, p, c.Name); err != nil {
		return api.Catalog{}, err
	}
	c, err := s.Store.CreateCatalog(ctx, c)
	if errors.Is(err, store.ErrConflict) { // another request was faster
		err = catalogTaken(c.Name)
	}
	return names.Listed(c), err
}

// deleteCatalog removes a catalog with a connection, its parametric tables and its shares.
func (s *Service) deleteCatalog(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	id := r.Param("catalogId")
	err := s.Store.DeleteCatalog(ctx, r.Project.ID, id)
	if err == nil {
		return web.None{}, s.Caches.DropCaches(ctx)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return web.None{}, err
	}
	if found, err := s.deleteSemanticCatalog(ctx, r.Project, id); found || err != nil {
		return web.None{}, err
	}
	c, err := s.Names.Catalog(ctx, r.Project, id)
	if err == nil {
		err = fault.Data(400, "catalog %s with id %s is built in and cannot be deleted", c.Name, id)
	}
	return web.None{}, err
}

// shareCatalog gives another project read access: a catalog of the same name appears there and is deleted with the
// original.
func (s *Service) shareCatalog(ctx context.Context,
	r *web.Request[api.CatalogShareRequest]) (api.SharedCatalogResponse, error) {
	var none api.SharedCatalogResponse
	if r.Body.TargetProjectID == "" {
		return none, fault.Missing("targetProjectId")
	}
	if err := r.MayShareInto(r.Body.TargetProjectID); err != nil {
		return none, err
	}
	c, err := s.Store.Catalog(ctx, r.Project.ID, r.Param("catalogId"))
	if errors.Is(err, store.ErrNotFound) {
		if built, err := s.Names.Catalog(ctx, r.Project, r.Param("catalogId")); err != nil {
			return none, err
		} else {
			return none, fault.Data(400, "catalog %s has no connection and cannot be shared", built.Name)
		}
	}
	switch {
	case err != nil:
		return none, err
	case c.SharedFrom != nil:
		return none, fault.Data(400, "catalog %s was itself shared from another project", c.Name)
	case r.Body.TargetProjectID == r.Project.ID:
		return none, fault.Data(400, "catalog %s belongs to that project", c.Name)
	}
	target, err := s.Store.Project(ctx, "", r.Body.TargetProjectID)
	if errors.Is(err, store.ErrNotFound) {
		return none, fault.Data(400, "there is no project with id: %s", r.Body.TargetProjectID)
	}
	if err != nil {
		return none, err
	}
	shared, err := s.addCatalog(ctx, target, store.Catalog{DisplayName: c.DisplayName, Type: c.Type,
		ConnectionID: c.ConnectionID, SharedFrom: &c.ID, CacheAnything: c.CacheAnything})
	return api.SharedCatalogResponse{SharedCatalogID: shared.ID}, err
}
