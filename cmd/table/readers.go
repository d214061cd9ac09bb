package table

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// readers says which saved queries name a table, as the end of a question; "" when none does.
func readers(ctx context.Context, cl *api.Client, project, schema, table string) string {
	all, err := cl.Queries.List(ctx, project)
	if err != nil {
		return "; saved queries that name it could not be listed, and break"
	}
	if names := cli.Naming(all, schema, table, ""); len(names) > 0 {
		return "; saved queries that name it break: " + strings.Join(names, ", ")
	}
	return ""
}
