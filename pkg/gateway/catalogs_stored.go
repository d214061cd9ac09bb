package gateway

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *catalogsService) storedRoutes(m *webService) {
	handle(m, spec.CreateCatalog, g.createCatalog)
	handle(m, spec.CreateCatalogAlt, g.createCatalog)
	handle(m, spec.DeleteCatalog, g.deleteCatalog)
	handle(m, spec.ShareCatalog, g.shareCatalog)
	handle(m, spec.GetTableStatistics, g.getTableStatistics)
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// storedCatalogs lists the catalogs over connections, for the list of all catalogs.
func (g *catalogsService) storedCatalogs(ctx context.Context, p store.Project) ([]catalog, error) {
	all, err := g.store.Catalogs(ctx, p.ID)
	return mapAll(all, func(c store.Catalog) catalog { return catalog{catalogOut(c), externalCatalog{g: g.names, c: c}} }), err
}

// reservedCatalogs are names that SQL keeps for itself; DuckDB refuses some of them, too.
var reservedCatalogs = map[string]bool{"system": true, "temp": true, "main": true, "memory": true, "information_schema": true}

// catalogSQLName makes the SQL name of a catalog: lower case [O], and an underscore for what is no letter, digit or underscore.
// Underscores survive [L].
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

// catalogNameFree checks that a name can be given to a new catalog; all kinds of catalogs share the names of a project.
func (g *catalogsService) catalogNameFree(ctx context.Context, p store.Project, name string) error {
	if strings.Trim(name, "_") == "" {
		return dataFault(400, "the catalog name needs a letter or a digit")
	}
	if reservedCatalogs[name] {
		return dataFault(400, "the catalog name %s is reserved", name)
	}
	all, err := g.catalogs(ctx, p)
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
	return dataFault(400, "Catalog '%s' already exists in the project", name)
}

func (g *catalogsService) createCatalog(ctx context.Context, r *Request[api.CatalogRequest]) (api.Catalog, error) {
	switch {
	case r.Body.Name == "":
		return api.Catalog{}, missing("name")
	case r.Body.ConnectionID == "":
		return api.Catalog{}, missing("connectionId")
	}
	anything, err := cacheAnything(r.Body.ExtraParameters)
	if err != nil {
		return api.Catalog{}, err
	}
	conn, err := g.sources.connection(ctx, r.Project, r.Body.ConnectionID)
	if err != nil {
		return api.Catalog{}, err
	}
	t, ok := g.sources.types.Find(conn.Type)
	if !ok {
		return api.Catalog{}, dataFault(400, "connection %s has type %s, which this version of dig does not know", conn.Name, conn.Type)
	}
	return g.addCatalog(ctx, r.Project, store.Catalog{DisplayName: r.Body.Name, Type: t.CatalogType, ConnectionID: conn.ID, CacheAnything: anything})
}

// cacheAnything reads the one extra parameter that this gateway knows.
func cacheAnything(extra map[string]any) (bool, error) {
	for name, v := range extra {
		on, ok := v.(bool)
		switch {
		case name != "cacheAnything":
			return false, dataFault(400, "extraParameters: %q is unknown; this gateway takes cacheAnything alone", name)
		case !ok:
			return false, dataFault(400, "extraParameters.cacheAnything: must be true or false")
		}
		return on, nil
	}
	return false, nil
}

func (g *catalogsService) addCatalog(ctx context.Context, p store.Project, c store.Catalog) (api.Catalog, error) {
	c.ProjectID, c.Name = p.ID, catalogSQLName(c.DisplayName)
	if err := g.catalogNameFree(ctx, p, c.Name); err != nil {
		return api.Catalog{}, err
	}
	c, err := g.store.CreateCatalog(ctx, c)
	if errors.Is(err, store.ErrConflict) { // another request was faster
		err = catalogTaken(c.Name)
	}
	return catalogOut(c), err
}

// deleteCatalog removes a catalog over a connection, its parametric tables and what was shared from it.
func (g *catalogsService) deleteCatalog(ctx context.Context, r *Request[None]) (None, error) {
	id := r.Param("catalogId")
	err := g.store.DeleteCatalog(ctx, r.Project.ID, id)
	if err == nil {
		return None{}, g.caches.dropCaches(ctx)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return None{}, err
	}
	if found, err := g.deleteSemanticCatalog(ctx, r.Project, id); found || err != nil {
		return None{}, err
	}
	c, err := g.catalog(ctx, r.Project, id)
	if err == nil {
		err = dataFault(400, "catalog %s with id %s is built in and cannot be deleted", c.Name, id)
	}
	return None{}, err
}

// shareCatalog gives another project read access: a catalog of the same name appears there and goes with the original.
func (g *catalogsService) shareCatalog(ctx context.Context, r *Request[api.CatalogShareRequest]) (api.SharedCatalogResponse, error) {
	var none api.SharedCatalogResponse
	if r.Body.TargetProjectID == "" {
		return none, missing("targetProjectId")
	}
	if err := r.mayShareInto(r.Body.TargetProjectID); err != nil {
		return none, err
	}
	c, err := g.store.Catalog(ctx, r.Project.ID, r.Param("catalogId"))
	if errors.Is(err, store.ErrNotFound) {
		if built, err := g.catalog(ctx, r.Project, r.Param("catalogId")); err != nil {
			return none, err
		} else {
			return none, dataFault(400, "catalog %s stands over no connection and cannot be shared", built.Name)
		}
	}
	switch {
	case err != nil:
		return none, err
	case c.SharedFrom != nil:
		return none, dataFault(400, "catalog %s was itself shared from another project", c.Name)
	case r.Body.TargetProjectID == r.Project.ID:
		return none, dataFault(400, "catalog %s is in that project", c.Name)
	}
	target, err := g.store.Project(ctx, "", r.Body.TargetProjectID)
	if errors.Is(err, store.ErrNotFound) {
		return none, dataFault(400, "there is no project with id: %s", r.Body.TargetProjectID)
	}
	if err != nil {
		return none, err
	}
	shared, err := g.addCatalog(ctx, target, store.Catalog{DisplayName: c.DisplayName, Type: c.Type, ConnectionID: c.ConnectionID, SharedFrom: &c.ID, CacheAnything: c.CacheAnything})
	return api.SharedCatalogResponse{SharedCatalogID: shared.ID}, err
}

// mayShareInto refuses a project key for another project: such a key opens one project, so it cannot put anything into another,
// nor learn whether that exists.
func (r *Request[B]) mayShareInto(target string) error {
	if !r.Scope.Partner && target != r.Scope.ProjectID {
		return frameworkFault(403, "a project key cannot share into another project: use a partner key")
	}
	return nil
}

// getTableStatistics estimates the different values of each column, where the source keeps statistics [L].
func (g *catalogsService) getTableStatistics(ctx context.Context, r *Request[None]) (api.TableStatistics, error) {
	c, t, err := g.table(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"), r.Param("tableName"))
	if err != nil {
		return api.TableStatistics{}, err
	}
	unsupported := dataFault(400, "Catalog type: %s is not being supported yet", c.CatalogType)
	if c.ID == internalCatalogID || c.ID == sampleCatalogID {
		stats, err := g.countStatistics(ctx, r.Project, c, t)
		return api.TableStatistics{CatalogID: c.ID, SchemaName: t.SchemaName, TableName: t.TableName, ColumnStatistics: stats}, err
	}
	e, ok := c.source.(externalCatalog)
	if !ok {
		return api.TableStatistics{}, unsupported
	}
	src, err := e.source(ctx)
	if err != nil {
		return api.TableStatistics{}, err
	}
	stats, err := src.Statistics(ctx, t.SchemaName, t.TableName)
	if errors.Is(err, connector.ErrNoStatistics) {
		return api.TableStatistics{}, unsupported
	}
	if errors.Is(err, connector.ErrNoTable) || errors.Is(err, connector.ErrNoSchema) { // a parametric table
		return api.TableStatistics{}, dataFault(400, "table %s is a parametric table; ask for the statistics of the table it reads", t.TableName)
	}
	if stats == nil {
		stats = []api.ColumnStatistics{}
	}
	return api.TableStatistics{CatalogID: c.ID, SchemaName: t.SchemaName, TableName: t.TableName, ColumnStatistics: stats}, src.fault(ctx, err)
}

// exactStatistics is up to how many rows different values are counted; of more they are estimated, within a fifth or so.
const exactStatistics = 1_000_000

// countStatistics estimates the different values of a table whose rows the gateway holds, in the form of Postgres' n_distinct as
// the service has it [L]: a number, or as a negative fraction of the rows where it grows with them, above a tenth.
func (g *catalogsService) countStatistics(ctx context.Context, p store.Project, c catalog, t api.Table) ([]api.ColumnStatistics, error) {
	cols, err := c.source.Columns(ctx, t.SchemaName, t.TableName)
	if err != nil {
		return nil, err
	}
	name := engine.TableName{Catalog: c.Name, Schema: t.SchemaName, Table: t.TableName}
	size, err := g.names.queryText(ctx, p, "SELECT count(*) FROM "+name.Quoted())
	if err != nil {
		return nil, err
	}
	count := "count(DISTINCT "
	if n, err := strconv.ParseInt(size[0][0], 10, 64); err != nil || n > exactStatistics {
		count = "approx_count_distinct("
	}
	list := "count(*)"
	for _, col := range cols {
		list += ", " + count + sqltext.Quote(col.Name) + ")"
	}
	res, err := g.names.query(ctx, p, engine.Query{SQL: "SELECT " + list + " FROM " + name.Quoted(), Dialect: "duckdb"})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	out := make([]api.ColumnStatistics, len(cols))
	_, err = res.Rows(ctx, func(row [][]byte) error {
		rows, err := strconv.ParseFloat(string(row[0]), 64)
		for i, col := range cols {
			n, perr := strconv.ParseFloat(string(row[i+1]), 64)
			err = errors.Join(err, perr)
			if n = min(n, rows); n > rows/10 {
				n = -n / rows
			}
			out[i] = api.ColumnStatistics{ColumnName: col.Name, DistinctFraction: n}
		}
		return err
	})
	return out, err
}
