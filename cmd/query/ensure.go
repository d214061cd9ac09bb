package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newQueryEnsureCmd(e *cli.Env) *cobra.Command {
	var f queryFlags
	var named prompt.Naming
	c := &cobra.Command{Use: "ensure NAME", Short: "Save a query unless it is saved; change it where it differs",
		Args: cobra.ExactArgs(1),
		Long: `Save a query unless one of that name is saved; change the statement, type, folder and schedule of an
existing one where they differ from those given. What is not given stays as it is. Run again, it changes
nothing. --type PLAIN drops a stored result; if something reads it, the name of the query is asked for, or --yes needs
--confirm QUERY.`,
		Example: "  " + e.Name + ` query ensure "Daily sales" -f daily.sql --path /reports` + "\n  " + e.Name +
			" query ensure daily_totals -f totals.sql --type MATERIALIZED --every PT6H"}
	f.register(e, c)
	named.Register(c, "query")
	cli.Annotate(c, append(uses.Operations(), spec.ListQueries, spec.UpdateQuery, spec.GetQuery)...)
	return cli.Leaf[api.Query](e, spec.CreateQuery, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
		req, err := f.request(e, c)
		if err != nil {
			return nil, err
		}
		req.DisplayName = &args[0]
		switch {
		case strings.TrimSpace(args[0]) == "":
			return nil, exitcode.Usagef("a name is required")
		case req.InputQuery == nil && req.InputQueryRefID == nil && f.from == "":
			return nil, exitcode.Usagef("nothing to save").WithHint("give --sql, -f FILE or --from-query")
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			return ensureQuery(ctx, e, cl, p, req, &f, named)
		}, nil
	}))
}

func ensureQuery(ctx context.Context, e *cli.Env, cl *api.Client, p string, req api.QueryRequest,
	f *queryFlags, named prompt.Naming) (cli.View, error) {
	if err := f.reference(ctx, cl, p, &req); err != nil {
		return cli.View{}, err
	}
	if id := req.InputQueryRefID; id != nil { // its current statement is compared
		from, err := cl.Queries.Get(ctx, p, *id)
		if err != nil {
			return cli.View{}, err
		}
		req.InputQuery, req.InputQueryRefID = &from.InputQuery, nil
	}
	name := *req.DisplayName
	find := func() (api.Query, bool, error) {
		all, err := cl.Queries.List(ctx, p)
		for _, same := range []func(a string) bool{func(a string) bool { return a == name },
			func(a string) bool { return strings.EqualFold(a, name) }} {
			for _, q := range all {
				if same(q.DisplayName) || same(q.Name) {
					return q, true, err
				}
			}
		}
		return api.Query{}, false, err
	}
	have, made, err := cli.Ensured(e, find, func() (api.Query, error) {
		first := req
		if first.QueryType == "" {
			first.QueryType = "PLAIN"
		}
		if s := first.Schedule; s != nil && s.Type != "none" && first.QueryType != "MATERIALIZED" {
			return api.Query{}, exitcode.Usagef("a schedule requires --type MATERIALIZED")
		}
		if err := trust.KeepWholeChange(ctx, e, cl, p, "", first, f.allowPart); err != nil {
			return api.Query{}, err
		}
		v, err := cl.Queries.Create(ctx, p, first, f.params())
		if err == nil {
			sameSchedule(e, first.Schedule, v.Schedule)
		}
		return v, err
	})
	if err != nil {
		return cli.View{}, notSaved(e, req, err)
	}
	what := "query " + have.Name
	if made {
		return cli.EnsuredView(have, what, true, ""), nil
	}
	req.DisplayName = nil
	changed := queryDifferences(have, &req)
	if changed == nil {
		return cli.EnsuredView(have, what, false, ""), nil
	}
	if err := trust.KeepWholeChange(ctx, e, cl, p, have.ID, req, f.allowPart); err != nil {
		return cli.View{}, err
	}
	breaks, err := agreed(ctx, e, cl, p, named, have.ID, req)
	if err != nil {
		return cli.View{}, err
	}
	v, err := cl.Queries.Update(ctx, p, have.ID, req, f.params())
	if err != nil {
		return cli.View{}, notSaved(e, req, err)
	}
	breaks.warn(e, v)
	sameSchedule(e, req.Schedule, v.Schedule)
	return cli.EnsuredView(v, what, false, "changed the "+strings.Join(changed, ", ")), nil
}

// queryDifferences lists the fields that differ from a request, and removes the others from the request.
func queryDifferences(have api.Query, req *api.QueryRequest) []string {
	var out []string
	if q := req.InputQuery; q != nil && *q != sqlstmt.TrimEnd(have.InputQuery) {
		out = append(out, "statement")
	} else {
		req.InputQuery = nil
	}
	if t := req.QueryType; t != "" && !strings.EqualFold(t, have.QueryType) {
		out = append(out, "type")
	} else {
		req.QueryType = ""
	}
	path := "/"
	if have.Path != nil {
		path = "/" + strings.Trim(*have.Path, "/")
	}
	if p := req.Path; p != nil && "/"+strings.Trim(*p, "/") != path {
		out = append(out, "folder")
	} else {
		req.Path = nil
	}
	if s := req.Schedule; s != nil && !equalSchedules(s, have.Schedule) {
		out = append(out, "schedule")
	} else {
		req.Schedule = nil
	}
	return out
}

// equalSchedules compares the meaning: PT60M is PT1H, and the zone of an expression is UTC by default.
func equalSchedules(a, b *api.MaterializedQuerySchedule) bool {
	words := func(s *api.MaterializedQuerySchedule) string {
		switch {
		case s == nil:
			return "none"
		case s.RepeatDuration != nil:
			if d, err := schedule.ParsePeriod(*s.RepeatDuration); err == nil {
				return fmt.Sprint("interval ", d)
			}
		case s.CronExpression != nil:
			zone := "UTC"
			if s.Timezone != nil && *s.Timezone != "" {
				zone = *s.Timezone
			}
			return "cron " + *s.CronExpression + " " + zone
		}
		return scheduleWords(s)
	}
	return words(a) == words(b)
}

func newFolderEnsureCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "ensure PATH", Short: "Create a folder, with those above it, unless it exists",
		Example: "  " + e.Name + " query folder ensure /reports/daily", Args: cobra.ExactArgs(1)}
	cli.Annotate(c, spec.ListQueryFolders)
	return cli.Leaf[api.QueryFolderItem](e, spec.CreateQueryFolder, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			path, err := absolute(args[0])
			if err != nil {
				return nil, err
			}
			if path == "/" {
				return nil, exitcode.Usagef("a path is required: / always exists")
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				find := func() (api.QueryFolderItem, bool, error) {
					all, err := cl.Folders.List(ctx, p)
					for _, f := range all {
						if f.Path == path {
							return f, true, err
						}
					}
					return api.QueryFolderItem{}, false, err
				}
				v, made, err := cli.Ensured(e, find, func() (api.QueryFolderItem, error) {
					v, err := cl.Folders.Create(ctx, p, api.QueryFolderCreateRequest{FolderName: strings.Trim(path,
						"/")})
					return v, err
				})
				return cli.EnsuredView(v, "folder "+path, made, ""), err
			}, nil
		}))
}
