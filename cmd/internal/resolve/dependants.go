package resolve

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// QueriesReading returns the names of the saved queries whose statements read a table of a catalog; materialized ones
// are marked. Queries that read it through another saved query come last, with the name of that query. Without schemas
// the table may be in any schema; an empty table is any table.
func QueriesReading(all []api.Query, catalog, table string, schemas ...string) []string {
	names, _ := ReadersOf(all, func(_ api.Query, r sqlstmt.Reading) bool { return r.Of(catalog, table, schemas...) })
	return names
}

// ReadersOf returns the names and ids of the saved queries that read something directly or through other saved queries,
// each once.
func ReadersOf(all []api.Query, reads func(api.Query, sqlstmt.Reading) bool) (names, ids []string) {
	readings := make([]sqlstmt.Reading, len(all))
	for i, q := range all {
		readings[i] = sqlstmt.ReadingOf(q.InputQuery)
	}
	var found []int // in the order of names
	seen := make([]bool, len(all))
	add := func(i int, through string) {
		seen[i] = true
		found = append(found, i)
		name := all[i].Name
		if all[i].QueryType == "MATERIALIZED" {
			name += " (materialized)"
		}
		if through != "" {
			name += " through " + through
		}
		names, ids = append(names, name), append(ids, all[i].ID)
	}
	for i, q := range all {
		if reads(q, readings[i]) {
			add(i, "")
		}
	}
	for n := 0; n < len(found); n++ {
		of := all[found[n]]
		for i := range all {
			if !seen[i] && readings[i].Of(api.InternalCatalogName, of.Name, api.SchemaQuery, api.SchemaMtQuery) {
				add(i, of.Name)
			}
		}
	}
	return names, ids
}

// CatalogDependants lists the objects that are deleted or break when a catalog is deleted: caches, parametric tables
// and saved queries. all are the saved queries of the project, listed the error of listing them. Kinds that cannot be
// listed are named as such.
func CatalogDependants(ctx context.Context, cl *api.Client, project string, of api.Catalog, all []api.Query,
	listed error) []string {
	var parts []string
	add := func(names []string, err error, what, one, many string) {
		if err != nil {
			parts = append(parts, what+" that could not be listed")
		} else if len(names) > 0 {
			parts = append(parts, phrase.Counted(names, one, many))
		}
	}
	caches, err := cachesOf(ctx, cl, project, of.ID)
	add(caches, err, "caches", "1 cache", "%d caches")
	if !IsSemantic(of) { // semantic catalogs cannot have parametric tables, and the gateway answers with an error
		tables, err := ParametricOver(ctx, cl, project, of.ID, "", "")
		add(tables, err, "parametric tables", "1 parametric table", "%d parametric tables")
	}
	add(QueriesReading(all, of.Name, ""), listed, "saved queries", "1 saved query", "%d saved queries")
	return parts
}

// ParametricOver returns the names of the parametric tables of a catalog; if table is not empty, only those that read
// it.
func ParametricOver(ctx context.Context, cl *api.Client, project, catalog, schema, table string) ([]string, error) {
	all, err := cl.ParametricTables.List(ctx, project, catalog)
	if api.NoRoute(err) {
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
