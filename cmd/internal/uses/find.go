package uses

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
)

// Table returns the number of the object that a full name stands for in a statement, which need not be listed.
func (g *Graph) Table(catalog, schema, table string) int {
	if strings.EqualFold(catalog, api.InternalCatalogName) {
		if s := strings.ToLower(schema); s == api.SchemaQuery || s == api.SchemaMtQuery {
			if at, ok := g.named[keyOf(Query, table)]; ok {
				return at
			}
		}
	}
	for _, kind := range []Kind{Semantic, Parametric} {
		if at, ok := g.named[keyOf(kind, catalog, schema, table)]; ok {
			return at
		}
	}
	at := g.add(Object{Kind: Table}, catalog, schema, table)
	if k, ok := g.named[keyOf(Catalog, catalog)]; ok {
		g.link(at, k)
	}
	return at
}

// Catalog returns the number of a catalog, which need not be listed.
func (g *Graph) Catalog(name string) int { return g.add(Object{Kind: Catalog}, name) }

// Connection returns the number of a connection, which need not be listed.
func (g *Graph) Connection(id string) int { return g.add(Object{Kind: Connection, ID: id}, id) }

// Query returns the numbers of what a saved query is named in statements, which need not be listed.
func (g *Graph) Query(name string) []int {
	return []int{g.Table(api.InternalCatalogName, api.SchemaQuery, name),
		g.Table(api.InternalCatalogName, api.SchemaMtQuery, name)}
}

// Find returns the number of the object that a user names: a table by catalog.schema.table, an internal one also by its
// name, anything else by one of its names or its id. kind may be "".
func (g *Graph) Find(ctx context.Context, cl *api.Client, project string, kind Kind, name string) (int, error) {
	if full, err := resolve.TableArgs([]string{name}); err == nil && (kind == "" || kind == Table) {
		return g.findTable(ctx, cl, project, full)
	}
	var hits []int
	for at, o := range g.objects {
		if (kind == "" || o.Kind == kind) && o.Kind != Table && (o.ID == name || strings.EqualFold(o.Name, name) ||
			strings.EqualFold(o.display, name)) {
			hits = append(hits, at)
		}
	}
	if kind == "" || kind == Table {
		for _, of := range []struct {
			schema string
			list   func(context.Context, string) ([]api.Table, error)
		}{{api.SchemaTable, cl.Tables.List}, {api.SchemaBI, cl.BITables.List}} {
			tables, err := of.list(ctx, project)
			if err != nil && !api.NoRoute(err) {
				return 0, err
			}
			for _, t := range tables {
				if strings.EqualFold(t.TableName, name) {
					hits = append(hits, g.Table(api.InternalCatalogName, of.schema, t.TableName))
				}
			}
		}
	}
	switch len(hits) {
	case 0:
		what := string(kind)
		if kind == "" {
			what = "table, query, catalog or connection"
		}
		return 0, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
			Msg:  fmt.Sprintf("there is no %s called %q", what, name),
			Hint: "a table of a source is CATALOG.SCHEMA.TABLE"}
	case 1:
		return hits[0], nil
	}
	var found []string
	for _, at := range hits {
		o := g.objects[at]
		found = append(found, string(o.Kind)+" "+phrase.NameAndID(o.Name, o.ID))
	}
	return 0, exitcode.Usagef("%q is ambiguous: %s", name, strings.Join(found, ", ")).
		WithHint("give the id, or the full name of a table")
}

// findTable returns the number of a table that something uses, or that its schema lists. Its catalog may be named by
// its id or by the name that it is shown with.
func (g *Graph) findTable(ctx context.Context, cl *api.Client, project string, name [3]string) (int, error) {
	catalog, schema, table := name[0], name[1], name[2]
	id, unknown := api.OwnCatalogID(schema), error(nil)
	if !strings.EqualFold(catalog, api.InternalCatalogName) {
		id, unknown = resolve.PickCatalog(g.catalogs, catalog)
		if i := slices.IndexFunc(g.catalogs, func(c api.Catalog) bool { return c.ID == id }); i >= 0 {
			catalog = g.catalogs[i].Name
		}
	}
	at := g.Table(catalog, schema, table)
	if len(g.users[at]) > 0 || g.objects[at].Kind != Table { // also of a catalog that does not exist any more
		return at, nil
	}
	if unknown != nil {
		return 0, unknown
	}
	tables, err := cl.Catalogs.Tables(ctx, project, id, schema)
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(tables, func(t api.Table) bool { return strings.EqualFold(t.TableName, table) }) {
		return 0, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
			Msg:  "there is no table " + strings.Join(name[:], "."),
			Hint: "`dig catalog tables` lists those of a schema"}
	}
	return at, nil
}
