package query

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newFolderDeleteCmd(e *cli.Env, in func(cli.QueryRun) func(context.Context, *api.Client, []string) (cli.View,
	error)) *cobra.Command {
	var force bool
	var named prompt.Naming
	c := &cobra.Command{Use: "delete FOLDER", Aliases: []string{"rm"}, Short: "Delete a folder",
		Args: cobra.ExactArgs(1),
		Long: `Delete a folder. It must be empty, unless --force is given: then all folders and queries in it are
deleted with it.

What uses these, also through others, is listed; if there is anything, the path of the folder is asked
for, or --yes needs --confirm PATH.`,
		Example: "  " + e.Name + " query folder delete /drafts --force --yes"}
	c.Flags().BoolVar(&force, "force", false, "delete it with all folders and queries in it")
	named.Register(c, "folder")
	cli.Annotate(c, append(uses.Operations(), spec.GetQueryFolderTree)...)
	return cli.Leaf[cli.Acknowledged](e, spec.DeleteQueryFolder, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View,
		error) {
		return in(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
			params, what, used, names := url.Values{}, prompt.Holds{}, "", prompt.NamesOf(id, args[0])
			if force {
				params.Set("force", "true")
				t, err := folderContents(ctx, e, cl, p, id)
				if err != nil {
					return cli.View{}, err
				}
				if what, used = t.holds, t.used; t.path != "" {
					names = prompt.NamesOf(id, t.path, path.Base(t.path), args[0])
				}
			}
			who := args[0]
			if who == id {
				who = e.Called(id, id, func() ([]resolve.Named, error) {
					all, err := cl.Folders.List(ctx, p)
					return each.Map(all, func(f api.QueryFolderItem) resolve.Named {
						return resolve.Named{ID: f.ID,
							Name: f.Path}
					}), err
				})
			}
			if err := e.Ask().ConfirmNamed(named, names, used, "delete folder %s%s?", who, what.Text); err != nil {
				return cli.View{}, err
			}
			if force {
				if err := e.Ask().Recheck("folder "+args[0], what, func() (prompt.Holds, error) {
					now, err := folderContents(ctx, e, cl, p, id)
					return now.holds, err
				}); err != nil {
					return cli.View{}, err
				}
			}
			return cli.Note("deleted folder %s%s", args[0], what.Text), cl.Folders.Delete(ctx, p, id, params)
		})(ctx, cl, args)
	})
}

// folderTree describes what is deleted with a folder.
type folderTree struct {
	path  string
	holds prompt.Holds
	used  string // what depends on its queries, "" for nothing
}

func folderContents(ctx context.Context, e *cli.Env, cl *api.Client, p, id string) (folderTree, error) {
	t, err := cl.Folders.Tree(ctx, p, url.Values{"includeQueries": {"true"}, "rootFolderId": {id}})
	folders, queries := 0, []api.Query(nil)
	collectBelow(t.Tree, &folders, &queries)
	tree, jerr := json.Marshal(t.Tree)
	text := phrase.Plural(len(queries), " with 1 query", " with %d queries") + phrase.Plural(max(folders-1, 0),
		" and 1 folder below it", " and %d folders below it")
	out := folderTree{holds: prompt.Holds{Text: text, Mark: string(tree)}}
	if len(t.Tree) > 0 {
		out.path = t.Tree[0].Path
	}
	if err = errors.Join(err, jerr); err != nil || len(queries) == 0 {
		return out, err
	}
	out.used, err = brokenBy(ctx, cl, p, nil, queries...)
	out.holds.Text += out.used
	return out, err
}

func collectBelow(nodes []api.QueryFolderTreeNode, folders *int, queries *[]api.Query) {
	for _, n := range nodes {
		*folders++
		*queries = append(*queries, n.Queries...)
		collectBelow(n.Children, folders, queries)
	}
}
