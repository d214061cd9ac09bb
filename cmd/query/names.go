package query

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// dependants lists the saved queries whose statements contain the name of another one. It searches the raw text, so a
// name inside a comment matches too; the result is shown to the user but never acted on.
func dependants(ctx context.Context, cl *api.Client, project string, q api.Query) (string, error) {
	all, err := cl.Queries.List(ctx, project)
	if err != nil {
		return "", err
	}
	return strings.Join(cli.Naming(all, "(mt)?query", q.Name, q.ID), ", "), nil
}

// folderID finds a folder of queries by id, by path (/reports/daily) or by name.
func folderID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if cli.UUIDLike().MatchString(set) {
		return set, nil
	}
	fs, err := cl.Folders.List(ctx, project)
	if err != nil {
		return "", err
	}
	path := "/" + strings.Trim(set, "/")
	var all []cli.Named
	for _, f := range fs {
		if f.Path == path {
			return f.ID, nil
		}
		all = append(all, cli.Named{ID: f.ID, Name: f.Name, Where: " at " + f.Path})
	}
	return cli.Pick("folder", "", strings.Trim(set, "/"), all)
}
