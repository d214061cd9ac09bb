package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newQuerySavedCmds(e *cli.Env) []*cobra.Command {
	return []*cobra.Command{newQueryListCmd(e), newQueryGetCmd(e), newQueryCreateCmd(e), newQueryEnsureCmd(e),
		newQueryUpdateCmd(e), newQueryMaterializeCmd(e), newQueryFreshnessCmd(e),
		newQueryDeleteCmd(e), newQueryMoveCmd(e), newQueryFolderCmd(e)}
}

func newQueryListCmd(e *cli.Env) *cobra.Command {
	var folder, kind, used string
	c := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the saved queries of the project",
		Example: "  " + e.Name + " query list --folder /reports", Args: cobra.NoArgs}
	c.Flags().StringVar(&folder, "folder", "", "only those in this folder, by path, name or id; / for those in none")
	c.Flags().StringVar(&kind, "type", "", "only PLAIN or only MATERIALIZED ones")
	c.Flags().StringVar(&used, "uses", "", "only those that use this table, saved query, catalog or connection, "+
		"directly or through others")
	complete.Values(c, "type", "PLAIN", "MATERIALIZED")
	complete.Names(c, "folder", "folder")
	cli.Annotate(c, uses.Operations()...)
	return cli.Leaf[[]api.Query](e, spec.ListQueries, c, e.CheckThenProject(func(_ []string) (cli.ProjectRun, error) {
		typ, err := queryType(kind)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			in := ""
			if folder != "" && folder != "/" {
				if in, err = resolve.FolderID(ctx, cl, p, folder); err != nil {
					return cli.View{}, err
				}
			}
			qs, err := cl.Queries.List(ctx, p)
			columns := []string{"id", "name", "queryType", "path"}
			if err != nil || folder == "" && typ == "" && used == "" {
				return cli.List(qs, columns...), err
			}
			var users map[string]bool
			if used != "" {
				if users, err = usersOf(ctx, cl, p, used); err != nil {
					return cli.View{}, err
				}
			}
			out := []api.Query{}
			for _, q := range qs {
				at := ""
				if q.FolderID != nil {
					at = *q.FolderID
				}
				if (folder == "" || at == in) && (typ == "" || q.QueryType == typ) && (used == "" || users[q.ID]) {
					out = append(out, q)
				}
			}
			return cli.List(out, columns...).PrintValue(), nil
		}, nil
	}))
}

// usersOf are the ids of the saved queries that use an object.
func usersOf(ctx context.Context, cl *api.Client, p, name string) (map[string]bool, error) {
	g, err := uses.Read(ctx, cl, p)
	if err == nil {
		err = g.Err()
	}
	if err != nil {
		return nil, err
	}
	at, err := g.Find(ctx, cl, p, "", name)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, l := range g.Users(nil, at).Links {
		out[l.ID] = out[l.ID] || l.Kind == uses.Query
	}
	return out, nil
}

// queryType parses PLAIN or MATERIALIZED in any case.
func queryType(s string) (string, error) {
	switch u := strings.ToUpper(s); u {
	case "", "PLAIN", "MATERIALIZED":
		return u, nil
	}
	return "", exitcode.Usagef("--type: %q is neither PLAIN nor MATERIALIZED", s)
}

func newQueryGetCmd(e *cli.Env) *cobra.Command {
	return cli.Leaf[api.Query](e, spec.GetQuery, &cobra.Command{
		Use: "get QUERY", Aliases: []string{"show"}, Short: "Show one saved query, by id or name",
		Args:    cobra.ExactArgs(1),
		Example: fmt.Sprintf("  %[1]s query get daily_sales\n  %[1]s query get daily_sales --jq .inputQuery", e.Name),
	}, e.OnQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
		v, err := cl.Queries.Get(ctx, p, id)
		return cli.Object(v), err
	}))
}

func newQueryDeleteCmd(e *cli.Env) *cobra.Command {
	var named prompt.Naming
	c := &cobra.Command{Use: "delete QUERY", Aliases: []string{"rm"},
		Short: "Delete a saved query, with its stored result and schedule", Args: cobra.ExactArgs(1),
		Long: "Delete a saved query, with its stored result and schedule.\n\nWhat uses it, also through others, is " +
			"listed; if there is anything, the name of the query is asked for,\nor --yes needs --confirm QUERY.",
		Example: "  " + e.Name + " query delete daily_sales --yes"}
	named.Register(c, "query")
	cli.Annotate(c, append(uses.Operations(), spec.GetQuery)...)
	return cli.Leaf[cli.Acknowledged](e, spec.DeleteQuery, c, e.OnQuery(func(ctx context.Context, cl *api.Client, p,
		id string,
		_ []string) (cli.View, error) {
		q, err := cl.Queries.Get(ctx, p, id)
		if err != nil {
			return cli.View{}, err
		}
		used, what, err := queryHoldings(ctx, cl, p, q)
		if err != nil {
			return cli.View{}, err
		}
		if err := e.Ask().ConfirmNamed(named, prompt.NamesOf(id, q.Name, q.DisplayName), used,
			"delete query %s (%s)%s?", q.Name,
			id, what); err != nil {
			return cli.View{}, err
		}
		if err := e.Ask().Recheck("query "+q.Name, prompt.Holds{Text: what, Mark: q.InputQuery},
			func() (prompt.Holds, error) {
				now, err := cl.Queries.Get(ctx, p, id)
				if err != nil {
					return prompt.Holds{}, err
				}
				_, what, err := queryHoldings(ctx, cl, p, now)
				return prompt.Holds{Text: what, Mark: now.InputQuery}, err
			}); err != nil {
			return cli.View{}, err
		}
		if err := cl.Queries.Delete(ctx, p, id); err != nil {
			return cli.View{}, err
		}
		trust.ForgetColumns(e, p, id)
		return cli.Note("deleted query %s%s", q.Name, emptyFolder(ctx, e, cl, p, q.FolderID)), nil
	}))
}

// queryHoldings describes what is deleted with a saved query, and what that breaks.
func queryHoldings(ctx context.Context, cl *api.Client, p string, q api.Query) (broken, what string, err error) {
	if broken, err = brokenBy(ctx, cl, p, nil, q); q.QueryType == "MATERIALIZED" {
		what = " and its stored result"
	}
	return broken, what + broken, err
}

// brokenBy is the end of a sentence about a change of saved queries: what it breaks. direct is that of uses.Users.
func brokenBy(ctx context.Context, cl *api.Client, p string, direct func(uses.Object) bool,
	queries ...api.Query) (string, error) {
	g, err := uses.Read(ctx, cl, p)
	if err != nil {
		return "", err
	}
	var of []int
	for _, q := range queries {
		of = append(of, g.Query(q.Name)...)
	}
	return g.Users(direct, of...).Breaks(), nil
}

func newQueryMoveCmd(e *cli.Env) *cobra.Command {
	var body string
	c := &cobra.Command{Use: "move QUERY [PATH]", Aliases: []string{"mv"}, Short: "Move a saved query into a folder",
		Args: cobra.RangeArgs(1, 2),
		Long: "Move a saved query into the folder with the given path; / means no folder.\n\nMissing folders are " +
			"created, and remain when the query is moved elsewhere.",
		Example: "  " + e.Name + " query move daily_sales /reports/daily"}
	cli.BodyFlag(c, &body)
	cli.Annotate(c, spec.GetQuery)
	return cli.Leaf[cli.Acknowledged](e, spec.MoveQuery, c, e.OnQuery(func(ctx context.Context, cl *api.Client, p,
		id string,
		rest []string) (cli.View, error) {
		path, err := pathOf(e, body, rest)
		if err != nil {
			return cli.View{}, err
		}
		q, err := cl.Queries.Get(ctx, p, id)
		if err != nil {
			return cli.View{}, err
		}
		if err := cl.Queries.Move(ctx, p, id, api.QueryPathUpdateRequest{Path: path}); err != nil {
			return cli.View{}, err
		}
		return cli.Note("moved query %s to %s%s", q.Name, path, emptyFolder(ctx, e, cl, p, q.FolderID)), nil
	}))
}

// pathOf returns the target of a move: the argument, or the path of --body.
func pathOf(e *cli.Env, body string, args []string) (string, error) {
	var req api.QueryPathUpdateRequest
	if err := e.Body(body, &req); err != nil {
		return "", err
	}
	if len(args) > 0 {
		req.Path = args[0]
	}
	return absolute(req.Path)
}

// absolute adds the leading slash to a path of folders.
func absolute(path string) (string, error) {
	if strings.TrimSpace(path) == "" {
		return "", exitcode.Usagef("the path is empty; / means no folder")
	}
	return "/" + strings.Trim(path, "/"), nil
}

// emptyFolder returns a note if a folder is left empty: folders created by moving queries are not removed
// automatically. It is only a note, so an unreadable folder is ignored.
func emptyFolder(ctx context.Context, e *cli.Env, cl *api.Client, project string, folder *string) string {
	if folder == nil || *folder == "" {
		return ""
	}
	f, err := cl.Folders.Get(ctx, project, *folder)
	if err != nil || len(f.Folders)+len(f.Queries) > 0 {
		return ""
	}
	return fmt.Sprintf("; folder %s is empty now", f.Path)
}
