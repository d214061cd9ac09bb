package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// queryRun is a command on one saved query: it gets the project and the id of the query named by the first argument.
type queryRun func(ctx context.Context, cl *api.Client, project, id string, rest []string) (view, error)

func (e *Env) onQuery(f queryRun) func(context.Context, *api.Client, []string) (view, error) {
	return e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
		id, err := queryID(ctx, cl, p, args[0])
		if err != nil {
			return view{}, err
		}
		return f(ctx, cl, p, id, args[1:])
	})
}

func newQuerySavedCmds(e *Env) []*cobra.Command {
	return []*cobra.Command{newQueryListCmd(e), newQueryGetCmd(e), newQueryCreateCmd(e), newQueryUpdateCmd(e), newQueryMaterializeCmd(e), newQueryFreshnessCmd(e),
		newQueryDeleteCmd(e), newQueryMoveCmd(e), newQueryFolderCmd(e)}
}

func newQueryListCmd(e *Env) *cobra.Command {
	var folder, kind string
	c := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the saved queries of the project", Example: "  " + e.Name + " query list --folder /reports", Args: cobra.NoArgs}
	c.Flags().StringVar(&folder, "folder", "", "only those in this folder, by path, name or id; / for those in none")
	c.Flags().StringVar(&kind, "type", "", "only PLAIN or only MATERIALIZED ones")
	e.fixed(c, "type", "PLAIN", "MATERIALIZED")
	e.completeFlag(c, "folder", e.complete("folder"))
	return e.leaf(spec.ListQueries, c, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
		typ, err := queryType(kind)
		if err != nil {
			return view{}, err
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		in := ""
		if folder != "" && folder != "/" {
			if in, err = folderID(ctx, cl, p, folder); err != nil {
				return view{}, err
			}
		}
		qs, err := cl.Queries.List(ctx, p)
		columns := []string{"id", "name", "queryType", "path"}
		if err != nil || folder == "" && typ == "" {
			return list(qs, columns...), err
		}
		out := []api.Query{}
		for _, q := range qs {
			at := ""
			if q.FolderID != nil {
				at = *q.FolderID
			}
			if (folder == "" || at == in) && (typ == "" || q.QueryType == typ) {
				out = append(out, q)
			}
		}
		return list(out, columns...).mine(), nil
	})
}

// queryType reads PLAIN or MATERIALIZED in any case.
func queryType(s string) (string, error) {
	switch u := strings.ToUpper(s); u {
	case "", "PLAIN", "MATERIALIZED":
		return u, nil
	}
	return "", usagef("--type: %q is neither PLAIN nor MATERIALIZED", s)
}

func newQueryGetCmd(e *Env) *cobra.Command {
	return e.leaf(spec.GetQuery, &cobra.Command{
		Use: "get QUERY", Aliases: []string{"show"}, Short: "Show one saved query, by id or name", Args: cobra.ExactArgs(1),
		Example: fmt.Sprintf("  %[1]s query get daily_sales\n  %[1]s query get daily_sales --jq .inputQuery", e.Name),
	}, e.onQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
		v, err := cl.Queries.Get(ctx, p, id)
		return object(v), err
	}))
}

func newQueryDeleteCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "delete QUERY", Aliases: []string{"rm"}, Short: "Delete a saved query, with its stored result and schedule", Args: cobra.ExactArgs(1),
		Example: "  " + e.Name + " query delete daily_sales --yes"}
	annotate(c, spec.GetQuery, spec.ListQueries)
	return e.leaf(spec.DeleteQuery, c, e.onQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
		q, err := cl.Queries.Get(ctx, p, id)
		if err != nil {
			return view{}, err
		}
		used, err := dependants(ctx, cl, p, q)
		if err != nil {
			return view{}, err
		}
		what := ""
		if q.QueryType == "MATERIALIZED" {
			what = " and its stored result"
		}
		if used != "" {
			what += "; it is named by " + used + ". Delete it"
		}
		if err := e.confirm("delete query %s (%s)%s?", q.Name, id, what); err != nil {
			return view{}, err
		}
		if err := cl.Queries.Delete(ctx, p, id); err != nil {
			return view{}, err
		}
		e.forgetColumns(p, id)
		return note("deleted query %s%s", q.Name, e.emptyFolder(ctx, cl, p, q.FolderID)), nil
	}))
}

func newQueryMoveCmd(e *Env) *cobra.Command {
	var body string
	c := &cobra.Command{Use: "move QUERY [PATH]", Aliases: []string{"mv"}, Short: "Move a saved query into a folder", Args: cobra.RangeArgs(1, 2),
		Long:    "Move a saved query into the folder with the given path; / is outside of all folders.\n\nFolders that do not exist are made, and stay when the query leaves them again.",
		Example: "  " + e.Name + " query move daily_sales /reports/daily"}
	bodyFlag(c, &body)
	annotate(c, spec.GetQuery)
	return e.leaf(spec.MoveQuery, c, e.onQuery(func(ctx context.Context, cl *api.Client, p, id string, rest []string) (view, error) {
		path, err := e.pathOf(body, rest)
		if err != nil {
			return view{}, err
		}
		q, err := cl.Queries.Get(ctx, p, id)
		if err != nil {
			return view{}, err
		}
		if err := cl.Queries.Move(ctx, p, id, api.QueryPathUpdateRequest{Path: path}); err != nil {
			return view{}, err
		}
		return note("moved query %s to %s%s", q.Name, path, e.emptyFolder(ctx, cl, p, q.FolderID)), nil
	}))
}

// pathOf is where a move leads: the argument, else the path of --body.
func (e *Env) pathOf(body string, args []string) (string, error) {
	var req api.QueryPathUpdateRequest
	if err := e.body(body, &req); err != nil {
		return "", err
	}
	if len(args) > 0 {
		req.Path = args[0]
	}
	return absolute(req.Path)
}

// absolute makes a path of folders start with a slash.
func absolute(path string) (string, error) {
	if strings.TrimSpace(path) == "" {
		return "", usagef("the path is empty; / is outside of all folders")
	}
	return "/" + strings.Trim(path, "/"), nil
}

// emptyFolder says that a folder was left empty: folders made by moving queries outlive them. It is only a remark, so a folder
// that cannot be read goes unmentioned.
func (e *Env) emptyFolder(ctx context.Context, cl *api.Client, project string, folder *string) string {
	if folder == nil || *folder == "" {
		return ""
	}
	f, err := cl.Folders.Get(ctx, project, *folder)
	if err != nil || len(f.Folders)+len(f.Queries) > 0 {
		return ""
	}
	return fmt.Sprintf("; folder %s is empty now", f.Path)
}
