package cli

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// QueriesReading returns the names of the saved queries that read a table of a catalog, by the tables in their statements;
// materialized ones are marked. Without schemas, or with an empty table, any counts.
func QueriesReading(all []api.Query, catalog, table string, schemas ...string) []string {
	var names []string
	for _, q := range all {
		if sqlstmt.Reads(q.InputQuery, catalog, table, schemas...) {
			name := q.Name
			if q.QueryType == "MATERIALIZED" {
				name += " (materialized)"
			}
			names = append(names, name)
		}
	}
	return names
}

// CatalogDependants lists the objects that are deleted with a catalog or break: caches, parametric tables and saved queries. all are the saved
// queries of the project. What cannot be listed is named as such.
func CatalogDependants(ctx context.Context, cl *api.Client, project, id, name string, all []api.Query, listed error) []string {
	var parts []string
	add := func(names []string, err error, what, one, many string) {
		if err != nil {
			parts = append(parts, what+" that could not be listed")
		} else if len(names) > 0 {
			parts = append(parts, Counted(names, one, many))
		}
	}
	caches, err := CachesOf(ctx, cl, project, id)
	add(caches, err, "caches", "1 cache", "%d caches")
	tables, err := ParametricOver(ctx, cl, project, id, "", "")
	add(tables, err, "parametric tables", "1 parametric table", "%d parametric tables")
	add(QueriesReading(all, name, ""), listed, "saved queries", "1 saved query", "%d saved queries")
	return parts
}

// ParametricOver returns the parametric tables of a catalog, by its id; those over one table if that is not empty.
func ParametricOver(ctx context.Context, cl *api.Client, project, catalog, schema, table string) ([]string, error) {
	all, err := cl.ParametricTables.List(ctx, project, catalog)
	if NoRoute(err) {
		return nil, nil
	}
	var names []string
	for _, t := range all {
		if table == "" || strings.EqualFold(t.FromSchema, schema) && strings.EqualFold(t.FromTable, table) {
			names = append(names, t.ToSchema+"."+t.ToTable)
		}
	}
	return names, err
}
