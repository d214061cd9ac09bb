package query

import (
	"context"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newQueryFolderCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "folder", Aliases: []string{"folders"}, Short: "Folders of saved queries"}
	ex := "  " + e.Name + " query folder "
	// in runs f with the ids of the project and of the folder named by the first argument.
	in := func(f cli.QueryRun) func(context.Context, *api.Client, []string) (cli.View, error) {
		return e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
			id, err := resolve.FolderID(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			return f(ctx, cl, p, id, args[1:])
		})
	}
	c.AddCommand(
		cli.Leaf[[]api.QueryFolderItem](e, spec.ListQueryFolders, &cobra.Command{Use: "list", Aliases: []string{"ls"},
			Short: "List all folders with their paths", Example: ex + "list", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.Folders.List(ctx, p)
				return cli.List(v, "path", "id", "createdAt"), err
			})),
		newFolderTreeCmd(e), newFolderCreateCmd(e), newFolderEnsureCmd(e), newFolderUpdateCmd(e, in),
		newFolderDeleteCmd(e, in),
		cli.Leaf[api.QueryFolderWithContentsResponse](e, spec.GetQueryFolder,
			&cobra.Command{Use: "get FOLDER", Aliases: []string{"show"},
				Short: "Show a folder and its direct contents", Example: ex + "get /reports", Args: cobra.ExactArgs(1)},
			in(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
				v, err := cl.Folders.Get(ctx, p, id)
				if err != nil || !e.ForReaders() || e.Run.Flags.Columns != nil {
					return cli.Object(v), err
				}
				lines := []contentLine{}
				for _, f := range v.Folders {
					lines = append(lines, contentLine{"folder", f.Name + "/", f.ID})
				}
				for _, q := range v.Queries {
					lines = append(lines, contentLine{strings.ToLower(q.QueryType), q.Name, q.ID})
				}
				return cli.List(lines, "kind", "name", "id").PrintValue().WithNote("%s (%s)", v.Path, v.ID), nil
			})),
		newFolderRenameCmd(e, in), newFolderMoveCmd(e, in), newFolderPruneCmd(e),
	)
	return c
}

// contentLine is an item of a folder, for the table.
type contentLine struct {
	Kind string `json:"kind"` // folder, plain or materialized
	Name string `json:"name"`
	ID   string `json:"id"`
}

func newFolderRenameCmd(e *cli.Env, in func(cli.QueryRun) func(context.Context, *api.Client, []string) (cli.View,
	error)) *cobra.Command {
	var body string
	c := &cobra.Command{Use: "rename FOLDER [NAME]", Short: "Rename a folder", Example: "  " + e.Name +
		" query folder rename /reports/daily hourly", Args: cobra.RangeArgs(1, 2)}
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.QueryFolderItem](e, spec.RenameQueryFolder, c, in(func(ctx context.Context, cl *api.Client, p,
		id string,
		rest []string) (cli.View, error) {
		var req api.QueryFolderRenameRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if len(rest) > 0 {
			req.Name = rest[0]
		}
		if req.Name == "" {
			return cli.View{}, exitcode.Usagef("a name is required")
		}
		v, err := cl.Folders.Rename(ctx, p, id, req)
		return cli.Object(v), err
	}))
}

func newFolderMoveCmd(e *cli.Env, in func(cli.QueryRun) func(context.Context, *api.Client, []string) (cli.View,
	error)) *cobra.Command {
	var body string
	c := &cobra.Command{Use: "move FOLDER [PATH]", Aliases: []string{"mv"},
		Short: "Move a folder into another one, / for none", Example: "  " + e.Name +
			" query folder move /drafts/daily /reports", Args: cobra.RangeArgs(1, 2)}
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.QueryFolderItem](e, spec.MoveQueryFolder, c, in(func(ctx context.Context, cl *api.Client, p,
		id string,
		rest []string) (cli.View, error) {
		path, err := pathOf(e, body, rest)
		if err != nil {
			return cli.View{}, err
		}
		v, err := cl.Folders.Move(ctx, p, id, api.QueryPathUpdateRequest{Path: path})
		return cli.Object(v), err
	}))
}

func newFolderTreeCmd(e *cli.Env) *cobra.Command {
	var queries bool
	var root string
	c := &cobra.Command{Use: "tree", Short: "Show the tree of folders", Args: cobra.NoArgs,
		Long: "Show the tree of folders.\n\nWith -o json it is a list of the top folders, whose children have the " +
			"same form.",
		Example: "  " + e.Name + " query folder tree --queries --root /reports -o yaml\n  " + e.Name +
			" query folder tree --jq '.[] | recurse(.children[]) | .path'"}
	c.Flags().BoolVar(&queries, "queries", false, "include the queries in each folder")
	c.Flags().StringVar(&root, "root", "", "only this folder and its contents")
	complete.Names(c, "root", "folder")
	return cli.Leaf[cli.Shown[[]api.QueryFolderTreeNode, branch]](e, spec.GetQueryFolderTree, c,
		e.WithProject(func(ctx context.Context, cl *api.Client, p string,
			_ []string) (cli.View, error) {
			params := url.Values{}
			if queries {
				params.Set("includeQueries", "true")
			}
			if root != "" {
				id, err := resolve.FolderID(ctx, cl, p, root)
				if err != nil {
					return cli.View{}, err
				}
				params.Set("rootFolderId", id)
			}
			v, err := cl.Folders.Tree(ctx, p, params)
			if err != nil || !e.HumanOutput() {
				return cli.List(v.Tree).PrintValue(), err
			}
			columns := []string{"folder", "id"}
			if queries {
				columns = []string{"folder", "queries", "id"}
			}
			return cli.List(branches(nil, v.Tree, "", queries), columns...).PrintValue(), nil
		}))
}

// branch is a line of a drawn tree.
type branch struct {
	Folder  string `json:"folder"`
	Queries *int   `json:"queries,omitempty"`
	ID      string `json:"id"`
}

func branches(out []branch, nodes []api.QueryFolderTreeNode, indent string, queries bool) []branch {
	for _, n := range nodes {
		b := branch{Folder: indent + n.Name + "/", ID: n.ID}
		if queries {
			k := len(n.Queries)
			b.Queries = &k
		}
		out = append(out, b)
		if queries {
			for _, q := range n.Queries {
				out = append(out, branch{Folder: indent + "  " + q.Name, ID: q.ID})
			}
		}
		out = branches(out, n.Children, indent+"  ", queries)
	}
	return out
}

func newFolderCreateCmd(e *cli.Env) *cobra.Command {
	var in, body string
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a folder; a/b creates both", Example: "  " + e.Name +
		" query folder create reports/daily", Args: cobra.MaximumNArgs(1)}
	c.Flags().StringVar(&in, "in", "", "create it in this folder, by path, name or id")
	complete.Names(c, "in", "folder")
	cli.BodyFlag(c, &body)
	cli.Annotate(c, spec.CreateChildQueryFolder)
	return cli.Leaf[api.QueryFolderItem](e, spec.CreateQueryFolder, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			var req api.QueryFolderCreateRequest
			if err := e.Body(body, &req); err != nil {
				return nil, err
			}
			if len(args) == 1 {
				req.FolderName = args[0]
			}
			if req.FolderName == "" {
				return nil, exitcode.Usagef("a name is required")
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				if in == "" {
					v, err := cl.Folders.Create(ctx, p, req)
					return cli.Object(v), err
				}
				parent, err := resolve.FolderID(ctx, cl, p, in)
				if err != nil {
					return cli.View{}, err
				}
				kept := api.Capture{Op: spec.CreateChildQueryFolder}
				v, err := cl.Folders.CreateChild(api.WithCapture(ctx, &kept), p, parent, req)
				if kept.Raw != nil {
					return cli.Object(kept.Raw), err
				}
				return cli.Object(v), err
			}, nil
		}))
}

func newFolderUpdateCmd(e *cli.Env, in func(cli.QueryRun) func(context.Context, *api.Client, []string) (cli.View,
	error)) *cobra.Command {
	var add, remove []string
	var body string
	c := &cobra.Command{Use: "update FOLDER", Aliases: []string{"contents"},
		Short: "Move queries into a folder, or out of it to /", Args: cobra.ExactArgs(1),
		Example: "  " + e.Name + " query folder update /reports --add daily_sales --remove old_sales"}
	c.Flags().StringArrayVar(&add, "add", nil, "query to move into the folder, by id or name; repeat for more")
	c.Flags().StringArrayVar(&remove, "remove", nil, "query to move from the folder to /; repeat for more")
	complete.Names(c, "add", "query")
	complete.Names(c, "remove", "query")
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.QueryFolderWithContentsResponse](e, spec.UpdateQueryFolderContents, c,
		in(func(ctx context.Context, cl *api.Client, p, id string,
			_ []string) (cli.View, error) {
			var req api.QueryFolderUpdateRequest
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if len(add)+len(remove) > 0 {
				qs, err := cl.Queries.List(ctx, p)
				if err != nil {
					return cli.View{}, err
				}
				for _, l := range []struct {
					names []string
					to    *[]string
				}{{add, &req.QueryIdsAdded}, {remove, &req.QueryIdsRemoved}} {
					for _, name := range l.names {
						q, err := resolve.QueryAmong(qs, name)
						if err != nil {
							return cli.View{}, err
						}
						*l.to = append(*l.to, q)
					}
				}
			}
			if len(req.QueryIdsAdded)+len(req.QueryIdsRemoved) == 0 {
				return cli.View{}, exitcode.Usagef("nothing to change").WithHint("give --add or --remove")
			}
			v, err := cl.Folders.UpdateContents(ctx, p, id, req)
			return cli.Object(v), err
		}))
}
