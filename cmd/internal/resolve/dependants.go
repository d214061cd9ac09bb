package resolve

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

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
