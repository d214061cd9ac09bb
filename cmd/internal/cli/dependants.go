package cli

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// QueriesReading returns the names of the saved queries that read a table of a catalog, by the tables in their statements;
// materialized ones are marked. An empty schema or table stands for any.
func QueriesReading(ctx context.Context, cl *api.Client, project, catalog, schema, table string) ([]string, error) {
	all, err := cl.Queries.List(ctx, project)
	var names []string
	for _, q := range all {
		if sqlstmt.Reads(q.InputQuery, catalog, schema, table) {
			name := q.Name
			if q.QueryType == "MATERIALIZED" {
				name += " (materialized)"
			}
			names = append(names, name)
		}
	}
	return names, err
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
