package table

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// readers lists the saved queries that refer to a table, as the end of a prompt; "" if there are none.
func readers(ctx context.Context, cl *api.Client, project, schema, table string) string {
	all, err := cl.Queries.List(ctx, project)
	if err != nil {
		return "; saved queries that refer to it could not be listed, and break"
	}
	if names := cli.Naming(all, schema, table, ""); len(names) > 0 {
		return "; saved queries that refer to it break: " + strings.Join(names, ", ")
	}
	return ""
}
