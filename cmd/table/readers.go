package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// readers lists the saved queries and parametric tables that read a table, or may read one of its columns if that is not empty, as the end of
// a prompt; "" if there are none. verb describes the change of the table.
func readers(ctx context.Context, cl *api.Client, project, schema, table, column, verb string) string {
	text := ""
	all, err := cl.Queries.List(ctx, project)
	queries := cli.QueriesReading(all, "peaka", table, schema)
	if column != "" {
		queries = cli.QueriesWithColumn(all, "peaka", schema, table, column)
	}
	if err != nil {
		text = "; saved queries that refer to it could not be listed, and " + verb
	} else if len(queries) > 0 {
		text = "; saved queries that refer to it " + verb + ": " + strings.Join(queries, ", ")
	}
	switch tables, err := cli.ParametricOver(ctx, cl, project, api.InternalCatalogID, schema, table); {
	case err != nil && !cli.Answered(err): // a gateway that has no such tables over its own answers that in some way
		text += "; parametric tables over it could not be listed, and " + verb
	case len(tables) > 0:
		text += "; parametric tables over it " + verb + ": " + strings.Join(tables, ", ")
	}
	return text
}

// question is what is asked before a table, or one of its columns, is deleted; its Mark is what it contains.
func (k tableKind) question(ctx context.Context, e *cli.Env, cl *api.Client, project, table, column string) (q cli.Holds, used string, err error) {
	if !e.Tells() {
		used = readers(ctx, cl, project, k.noun, k.stored(table), k.stored(column), "break") // the kinds have the names of their schemas
	}
	count := ""
	if e.Asking() {
		c, err := cli.ContentsOf(ctx, cl, project, k.noun, k.stored(table), k.stored(column))
		if err != nil {
			return q, used, err
		}
		count, q.Mark = c.Count(), c.Mark()
	}
	if column == "" {
		q.Text = fmt.Sprintf("delete %s %s and all its rows%s%s?", k.noun, table, count, used)
	} else {
		q.Text = fmt.Sprintf("delete column %s of %s %s with all its values%s%s?", column, k.noun, table, count, used)
	}
	return q, used, nil
}

// agreed asks before a table, or one of its columns, is deleted, and refuses if it has changed when the question is answered.
func (k tableKind) agreed(ctx context.Context, e *cli.Env, cl *api.Client, project string, named cli.Naming, names []string, table, column string) (used string, err error) {
	q, used, err := k.question(ctx, e, cl, project, table, column)
	if err != nil {
		return "", err
	}
	if err := e.ConfirmNamed(named, names, used, "%s", q.Text); err != nil {
		return "", err
	}
	return used, e.Recheck(k.noun+" "+table, q, func() (cli.Holds, error) {
		now, _, err := k.question(ctx, e, cl, project, table, column)
		return now, err
	})
}
