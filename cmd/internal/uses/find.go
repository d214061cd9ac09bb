package uses

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
)

// Table returns the number of a table, which need not be listed.
func (g *Graph) Table(catalog, schema, table string) int { return g.table(catalog, schema, table) }

// Catalog returns the number of a catalog, which need not be listed.
func (g *Graph) Catalog(name string) int { return g.add(Object{Kind: Catalog, Name: name}) }

// Connection returns the number of a connection, which need not be listed.
func (g *Graph) Connection(id string) int { return g.add(Object{Kind: Connection, ID: id}) }

// Query returns the numbers of what a saved query is named in statements, which need not be listed.
func (g *Graph) Query(name string) []int {
	return []int{g.table(api.InternalCatalogName, api.SchemaQuery, name),
		g.table(api.InternalCatalogName, api.SchemaMtQuery, name)}
}

// Find returns the number of the object that a user names: a table by catalog.schema.table, an internal one also by its
// name, anything else by its name or id. kind may be "".
func (g *Graph) Find(ctx context.Context, cl *api.Client, project string, kind Kind, name string) (int, error) {
	if parts := strings.SplitN(name, ".", 3); len(parts) == 3 && (kind == "" || kind == Table) {
		at := g.table(parts[0], parts[1], parts[2])
		if len(g.users[at]) > 0 || g.objects[at].Kind != Table {
			return at, nil
		}
		return at, exists(ctx, cl, project, parts)
	}
	var hits []int
	for at, o := range g.objects {
		if (kind == "" || o.Kind == kind) && o.Kind != Table && (strings.EqualFold(o.Name, name) || o.ID == name) {
			hits = append(hits, at)
		}
	}
	if kind == "" || kind == Table {
		for schema, list := range map[string]func(context.Context, string) ([]api.Table, error){
			api.SchemaTable: cl.Tables.List, api.SchemaBI: cl.BITables.List} {
			tables, err := list(ctx, project)
			if err != nil && !api.NoRoute(err) {
				return 0, err
			}
			for _, t := range tables {
				if strings.EqualFold(t.TableName, name) {
					hits = append(hits, g.table(api.InternalCatalogName, schema, t.TableName))
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
		found = append(found, g.objects[at].String())
	}
	return 0, exitcode.Usagef("%q is ambiguous: %s", name, strings.Join(found, ", ")).
		WithHint("give its kind with --kind, or the full name of a table")
}

// exists returns an error if a table is not in its schema.
func exists(ctx context.Context, cl *api.Client, project string, name []string) error {
	id, err := resolve.TableCatalogID(ctx, cl, project, name[0], name[1])
	if err != nil {
		return err
	}
	tables, err := cl.Catalogs.Tables(ctx, project, id, name[1])
	if err != nil {
		return err
	}
	for _, t := range tables {
		if strings.EqualFold(t.TableName, name[2]) {
			return nil
		}
	}
	return &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
		Msg: "there is no table " + strings.Join(name, "."), Hint: "`dig catalog tables` lists those of a schema"}
}
