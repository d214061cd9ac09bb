package table

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// readers lists the saved queries and parametric tables that read a table, as the end of a prompt; "" if there are none.
// verb describes the change of the table.
func readers(ctx context.Context, cl *api.Client, project, schema, table, verb string) string {
	text := ""
	all, err := cl.Queries.List(ctx, project)
	if err != nil {
		text = "; saved queries that refer to it could not be listed, and " + verb
	} else if queries := cli.QueriesReading(all, "peaka", table, schema); len(queries) > 0 {
		text = "; saved queries that refer to it " + verb + ": " + strings.Join(queries, ", ")
	}
	switch tables, err := cli.ParametricOver(ctx, cl, project, "1", schema, table); {
	case err != nil && !cli.Answered(err): // a gateway that has no such tables over its own answers that in some way
		text += "; parametric tables over it could not be listed, and " + verb
	case len(tables) > 0:
		text += "; parametric tables over it " + verb + ": " + strings.Join(tables, ", ")
	}
	return text
}
