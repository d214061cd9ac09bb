package query

import (
	"context"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newFolderPruneCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "prune", Short: "Delete the folders that contain no query", Args: cobra.NoArgs,
		Long: "Delete the folders that contain no query, directly or in subfolders. Folders created by moving a " +
			"query remain when it leaves;\nthis command removes them.",
		Example: "  " + e.Name + " query folder prune --yes"}
	cli.Annotate(c, spec.DeleteQueryFolder)
	return cli.Leaf[[]string](e, spec.GetQueryFolderTree, c, e.WithProject(func(ctx context.Context, cl *api.Client,
		p string,
		_ []string) (cli.View, error) {
		t, err := cl.Folders.Tree(ctx, p, url.Values{"includeQueries": {"true"}})
		if err != nil {
			return cli.View{}, err
		}
		empty := []api.QueryFolderTreeNode{}
		bare(t.Tree, &empty)
		paths := make([]string, len(empty))
		for i, f := range empty {
			paths[i] = f.Path
		}
		if len(empty) == 0 {
			return cli.List(paths).PrintValue().WithNote("every folder contains a query"), nil
		}
		if err := e.Ask().Confirm("delete %s: %s?", phrase.Plural(len(empty), "1 empty folder",
			"%d empty folders"), strings.Join(paths, ", ")); err != nil {
			return cli.View{}, err
		}
		for _, f := range empty { // without force, so that a query created in the meantime is kept
			if err := cl.Folders.Delete(ctx, p, f.ID, nil); err != nil && !e.Planned(err) {
				return cli.View{}, err
			}
		}
		v := cli.Note("deleted %s", strings.Join(paths, ", "))
		if e.JSONErrors() {
			v = cli.List(paths).PrintValue()
		}
		return v, nil
	}))
}

// bare collects the folders without a query in or below them, innermost first, and reports whether all given folders
// are empty in that sense.
func bare(nodes []api.QueryFolderTreeNode, into *[]api.QueryFolderTreeNode) bool {
	all := true
	for _, n := range nodes {
		if bare(n.Children, into) && len(n.Queries) == 0 {
			*into = append(*into, n)
		} else {
			all = false
		}
	}
	return all
}
