package table

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/pkg/api"
)

// broken is the end of a sentence about the deletion of a table or, if column is not empty, about a change of that
// column: what it breaks.
func (k tableKind) broken(ctx context.Context, cl *api.Client, project, table, column string) (string, error) {
	g, err := uses.Read(ctx, cl, project)
	if err != nil {
		return "", err
	}
	of := g.Table(api.InternalCatalogName, k.noun, table) // the names of the kinds are also the names of their schemas
	return g.Users(func(o uses.Object) bool { return column == "" || o.Mentions(column) }, of).Breaks(), nil
}

// question returns the prompt for deleting a table or one of its columns; its Mark identifies the contents.
func (k tableKind) question(ctx context.Context, e *cli.Env, cl *api.Client, project, table,
	column string) (q prompt.Holds, used string, err error) {
	if used, err = k.broken(ctx, cl, project, k.stored(table), k.stored(column)); err != nil {
		return q, "", err
	}
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
