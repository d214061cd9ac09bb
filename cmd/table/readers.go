package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// readers lists, as the end of a prompt, the saved queries and parametric tables that read a table or, if column is not
// empty, may read that column; "" if there are none. verb describes how the change affects them.
func readers(ctx context.Context, cl *api.Client, project, schema, table, column, verb string) string {
	text := ""
	all, err := cl.Queries.List(ctx, project)
	queries, _ := resolve.ReadersOf(all, func(q api.Query, r sqlstmt.Reading) bool {
		return r.Of(api.InternalCatalogName, table, schema) && (column == "" || sqlstmt.Mentions(q.InputQuery, column))
	})
	if err != nil {
		text = "; saved queries that refer to it could not be listed, and " + verb
	} else if len(queries) > 0 {
		text = "; saved queries that refer to it " + verb + ": " + strings.Join(queries, ", ")
	}
	switch tables, err := resolve.ParametricOver(ctx, cl, project, api.InternalCatalogID, schema, table); {
	// gateways without parametric tables over internal tables answer with various errors
	case err != nil && !api.Answered(err):
		text += "; parametric tables over it could not be listed, and " + verb
	case len(tables) > 0:
		text += "; parametric tables over it " + verb + ": " + strings.Join(tables, ", ")
	}
	return text
}

// question returns the prompt for deleting a table or one of its columns; its Mark identifies the contents.
func (k tableKind) question(ctx context.Context, e *cli.Env, cl *api.Client, project, table,
	column string) (q prompt.Holds, used string, err error) {
	// the names of the kinds are also the names of their schemas
	used = readers(ctx, cl, project, k.noun, k.stored(table), k.stored(column), "break")
	count := ""
	if e.Ask().Prompts() {
		c, err := contents.Of(ctx, cl, project, k.noun, k.stored(table), k.stored(column))
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

// agreed asks for confirmation before a table or one of its columns is deleted. It returns an error if the contents
// change before the question is answered.
func (k tableKind) agreed(ctx context.Context, e *cli.Env, cl *api.Client, project string, named prompt.Naming,
	names []string, table, column string) (used string, err error) {
	q, used, err := k.question(ctx, e, cl, project, table, column)
	if err != nil {
		return "", err
	}
	if err := e.Ask().ConfirmNamed(named, names, used, "%s", q.Text); err != nil {
		return "", err
	}
	return used, e.Ask().Recheck(k.noun+" "+table, q, func() (prompt.Holds, error) {
		now, _, err := k.question(ctx, e, cl, project, table, column)
		return now, err
	})
}
