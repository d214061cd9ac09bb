package query

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// queryFlags are the fields of a saved query as flags.
type queryFlags struct {
	sql, file, from, kind, path, body string
	noCheck, allowPart                bool
	schedule                          scheduleFlags
	wait                              cli.WaitFlags
	estimate                          bool
}

func (f *queryFlags) register(e *cli.Env, c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.sql, "sql", "", "the statement; a SELECT")
	fs.StringVarP(&f.file, "file", "f", "", "read the statement from a file, - for stdin")
	fs.StringVar(&f.from, "from-query", "",
		"copy the statement of another saved query, by id or name; later changes of that query are not followed")
	fs.StringVar(&f.kind, "type", "", "PLAIN, or MATERIALIZED to store the result")
	fs.StringVar(&f.path, "path", "", "folder for the query, such as /reports/daily; missing folders are created")
	fs.BoolVar(&f.noCheck, "no-check", false, "save it even if its tables or columns do not exist yet")
	complete.Values(c, "type", "PLAIN", "MATERIALIZED")
	complete.Names(c, "from-query", "query")
	complete.Names(c, "path", "folder")
	f.schedule.register(c)
	trust.AllowPartFlag(c, &f.allowPart)
	cli.BodyFlag(c, &f.body)
}

func (f *queryFlags) params() url.Values {
	if f.noCheck {
		return url.Values{"checkSchemaExists": {"false"}}
	}
	return nil
}

// request builds the body from --body and the flags, all checked before anything is sent.
func (f *queryFlags) request(e *cli.Env, c *cobra.Command) (api.QueryRequest, error) {
	var req api.QueryRequest
	if err := e.Body(f.body, &req); err != nil {
		return req, err
	}
	var given []string
	for _, name := range []string{"sql", "file", "from-query"} {
		if c.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) > 1 {
		return req, exitcode.Usagef("%s are mutually exclusive", strings.Join(given, " and "))
	}
	if len(given) == 1 {
		req.InputQuery, req.InputQueryRefID = nil, nil
	}
	if c.Flags().Changed("file") {
		raw, err := e.ReadText("-f", f.file)
		if err != nil {
			return req, err
		}
		text := string(raw)
		req.InputQuery = &text
	}
	cli.SetIf(c, "sql", &req.InputQuery, f.sql)
	if req.InputQuery != nil && strings.TrimSpace(*req.InputQuery) == "" {
		return req, exitcode.Usagef("the statement is empty")
	}
	if req.InputQuery != nil {
		if err := refuseStatement(e, *req.InputQuery); err != nil {
			return req, err
		}
		text := sqlstmt.TrimEnd(*req.InputQuery)
		req.InputQuery = &text
	}
	kind, err := queryType(f.kind)
	if err != nil {
		return req, err
	}
	if kind != "" {
		req.QueryType = kind
	}
	if c.Flags().Changed("path") {
		path, err := absolute(f.path)
		if err != nil {
			return req, err
		}
		req.Path = &path
	}
	return req, f.schedule.into(c, &req.Schedule)
}

// reference resolves --from-query.
func (f *queryFlags) reference(ctx context.Context, cl *api.Client, project string, req *api.QueryRequest) error {
	if f.from == "" {
		return nil
	}
	id, err := resolve.QueryID(ctx, cl, project, f.from)
	req.InputQueryRefID = &id
	return err
}

func newQueryCreateCmd(e *cli.Env) *cobra.Command {
	var f queryFlags
	c := &cobra.Command{
		Use: "create [NAME]", Short: "Save a query", Args: cobra.MaximumNArgs(1),
		Long: `Save a query. SQL can then refer to it as peaka.query.NAME, where NAME is the given name in lower case
with underscores for other characters than letters and digits.

With --type MATERIALIZED its result is stored as well, as peaka.mtquery.NAME, and refreshed by --every or
--cron or on request; the first run starts immediately, and --wait waits for it. Partitioning and sorting of
the stored result cannot be set through the API; --estimate prints its approximate size, and saves nothing.`,
		Example: strings.ReplaceAll(`  dig query create "Daily sales" -f daily.sql --path /reports
  dig query create big_customers --sql "SELECT * FROM sample.shop.customers" --type MATERIALIZED --every PT6H --wait
  dig query create weekly --from-query daily_sales --type MATERIALIZED --cron "0 6 * * 1" --timezone Europe/Berlin`,
			"dig ", e.Name+" "),
	}
	f.register(e, c)
	f.wait.Register(c, "the first run of a materialized query has ended")
	c.Flags().BoolVar(&f.estimate, "estimate", false, "only print the approximate size of the stored result")
	cli.Annotate(c, spec.GetMaterializedStatus, spec.ExecuteQuery)
	return cli.Leaf[cli.Either[api.Query, sizeEstimate]](e, spec.CreateQuery, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			req, err := f.request(e, c)
			if err != nil {
				return nil, err
			}
			if len(args) == 1 {
				req.DisplayName = &args[0]
			}
			switch {
			case req.DisplayName == nil || strings.TrimSpace(*req.DisplayName) == "":
				return nil, exitcode.Usagef("a name is required")
			case req.InputQuery == nil && req.InputQueryRefID == nil && f.from == "":
				return nil, exitcode.Usagef("nothing to save").WithHint("give --sql, -f FILE or --from-query")
			case req.Schedule != nil && req.Schedule.Type != "none" && req.QueryType != "MATERIALIZED":
				return nil, exitcode.Usagef("a schedule requires --type MATERIALIZED")
			}
			if req.QueryType == "" {
				req.QueryType = "PLAIN"
			}
			if f.wait.Wait && req.QueryType != "MATERIALIZED" {
				return nil, exitcode.Usagef("--wait requires a materialized query: there is nothing to wait for")
			}
			if err := f.wait.Check(false); err != nil {
				return nil, err
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				if err := f.reference(ctx, cl, p, &req); err != nil {
					return cli.View{}, err
				}
				if f.estimate {
					sql := ""
					if req.InputQuery != nil {
						sql = *req.InputQuery
					} else {
						from, err := cl.Queries.Get(ctx, p, *req.InputQueryRefID)
						if err != nil {
							return cli.View{}, err
						}
						sql = from.InputQuery
					}
					return estimateSize(ctx, e, cl, p, sql)
				}
				if err := trust.KeepWholeChange(ctx, e, cl, p, "", req, f.allowPart); err != nil {
					return cli.View{}, err
				}
				v, err := cl.Queries.Create(ctx, p, req, f.params())
				if err != nil {
					return cli.View{}, notSaved(e, req, err)
				}
				sameSchedule(e, req.Schedule, v.Schedule)
				if !f.noCheck {
					trust.NoteColumns(ctx, e, cl, p, v)
				}
				if f.wait.Wait {
					if _, err := e.WaitRun(ctx, cl, p, v.ID, v.Name, nil, f.wait.Limit); err != nil {
						return cli.View{}, err
					}
					n, err := contents.Stored(ctx, cl, p, v.Name)
					return cli.Object(v).WithNote("%d rows stored", n), err
				}
				return cli.Object(v), nil
			}, nil
		}))
}

func newQueryUpdateCmd(e *cli.Env) *cobra.Command {
	var f queryFlags
	var name string
	var named prompt.Naming
	c := &cobra.Command{
		Use: "update QUERY", Short: "Change a saved query; fields that are not given stay as they are",
		Args: cobra.ExactArgs(1),
		Long: `Change a saved query; fields that are not given stay as they are.

A new name changes how SQL refers to it: other queries that use the old name break; if there are any, they are
listed, and the name of the query is asked for, or --yes needs --confirm QUERY.

--type converts between PLAIN and MATERIALIZED in place; PLAIN drops the stored result and the schedule. Queries
that read the stored result, as peaka.mtquery.NAME, break: they are listed and asked about alike.`,
		Example: fmt.Sprintf("  %[1]s query update daily_sales -f daily.sql\n  %[1]s query update daily_sales --name "+
			"\"Daily revenue\" --every PT1H", e.Name),
	}
	c.Flags().StringVar(&name, "name", "", "new name")
	named.Register(c, "query")
	cli.Annotate(c, append(uses.Operations(), spec.GetQuery)...)
	f.register(e, c)
	return cli.Leaf[api.Query](e, spec.UpdateQuery, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
		req, err := f.request(e, c)
		if err != nil {
			return nil, err
		}
		cli.SetIf(c, "name", &req.DisplayName, name)
		if req == (api.QueryRequest{}) && f.from == "" {
			return nil, exitcode.Usagef("nothing to change").
				WithHint("give --name, --sql, -f FILE, --from-query, --type, --path or a schedule")
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			id, err := resolve.QueryID(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			if err := f.reference(ctx, cl, p, &req); err != nil {
				return cli.View{}, err
			}
			if err := trust.KeepWholeChange(ctx, e, cl, p, id, req, f.allowPart); err != nil {
				return cli.View{}, err
			}
			breaks, err := agreed(ctx, e, cl, p, named, id, req)
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Queries.Update(ctx, p, id, req, f.params())
			if err != nil {
				return cli.View{}, notSaved(e, req, err)
			}
			sameSchedule(e, req.Schedule, v.Schedule)
			trust.NoteColumns(ctx, e, cl, p, v)
			breaks.warn(e, v)
			return cli.Object(v), nil
		}, nil
	}))
}

// breakage is what a change of a saved query breaks.
type breakage struct {
	was  api.Query
	used string // the end of a sentence, "" for nothing
}

// agreed asks for confirmation before a saved query gets another name in SQL, or loses its stored result, if something
// reads it by that name or reads that result.
func agreed(ctx context.Context, e *cli.Env, cl *api.Client, p string, named prompt.Naming, id string,
	req api.QueryRequest) (out breakage, err error) {
	if req.DisplayName == nil && req.QueryType != "PLAIN" {
		return out, nil
	}
	if out.was, err = cl.Queries.Get(ctx, p, id); err != nil {
		return out, err
	}
	q, change := out.was, ""
	var direct func(uses.Object) bool
	if name := req.DisplayName; name != nil && *name != q.DisplayName && sqltext.OfQuery(*name) != q.Name {
		change = "rename query %s (%s) to " + strings.ReplaceAll(sqltext.OfQuery(*name), "%", "%%")
	} else if q.QueryType == "MATERIALIZED" && req.QueryType == "PLAIN" {
		change = "drop the stored result of query %s (%s)"
		direct = func(o uses.Object) bool { return o.ReadsStored(q.Name) }
	} else {
		return out, nil
	}
	if out.used, err = brokenBy(ctx, cl, p, direct, q); err != nil {
		return out, err
	}
	return out, e.Ask().ConfirmBreaking(named, prompt.NamesOf(id, q.Name, q.DisplayName), out.used, change+"%s?",
		q.Name, id, out.used)
}

// warn names what a change that was made has broken.
func (b breakage) warn(e *cli.Env, now api.Query) {
	switch {
	case b.used == "":
	case now.Name != b.was.Name:
		fmt.Fprintf(e.Err, "warning: %s is called %s now%s\n", b.was.Name, now.Name, b.used)
	case now.QueryType != b.was.QueryType:
		fmt.Fprintf(e.Err, "warning: %s has no stored result now%s\n", now.Name, b.used)
	}
}

func newQueryMaterializeCmd(e *cli.Env) *cobra.Command {
	var s scheduleFlags
	var w cli.WaitFlags
	var allowPart, estimate bool
	c := &cobra.Command{
		Use: "materialize QUERY", Short: "Store the result of a saved query, and refresh it on a schedule",
		Args: cobra.ExactArgs(1),
		Long: `Store the result of a saved query as peaka.mtquery.NAME; peaka.query.NAME stays live. The first run
starts immediately. If a query is already materialized, only its schedule is changed.

Partitioning and sorting of the stored result cannot be set through the API, so its size determines the
cost of reading it: --estimate runs the query to count its rows and measure some of them, prints the
approximate size of the result, and stores nothing.`,
		Example: fmt.Sprintf("  %[1]s query materialize daily_sales --every PT6H --wait\n  %[1]s query materialize "+
			"daily_sales --estimate", e.Name),
	}
	c.Flags().BoolVar(&estimate, "estimate", false, "only print the approximate size of the stored result")
	s.register(c)
	w.Register(c, "the first run has ended")
	trust.AllowPartFlag(c, &allowPart)
	cli.Annotate(c, spec.GetMaterializedStatus, spec.GetQuery, spec.ExecuteQuery)
	return cli.Leaf[cli.Either[api.Query, sizeEstimate]](e, spec.UpdateQuery, c,
		func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
			req := api.QueryRequest{QueryType: "MATERIALIZED"}
			if err := s.into(c, &req.Schedule); err != nil {
				return cli.View{}, err
			}
			if err := w.Check(false); err != nil {
				return cli.View{}, err
			}
			return e.OnQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
				if estimate {
					q, err := cl.Queries.Get(ctx, p, id)
					if err != nil {
						return cli.View{}, err
					}
					return estimateSize(ctx, e, cl, p, q.InputQuery)
				}
				if err := trust.KeepWholeQuery(ctx, e, cl, p, id, allowPart); err != nil {
					return cli.View{}, err
				}
				v, err := cl.Queries.Update(ctx, p, id, req, nil)
				if err != nil {
					return cli.View{}, err
				}
				sameSchedule(e, req.Schedule, v.Schedule)
				if w.Wait {
					if _, err := e.WaitRun(ctx, cl, p, id, v.Name, nil, w.Limit); err != nil {
						return cli.View{}, err
					}
					n, err := contents.Stored(ctx, cl, p, v.Name)
					return cli.Object(v).WithNote("%d rows stored", n), err
				}
				return cli.Object(v), nil
			})(ctx, cl, args)
		})
}

// notSaved adds the position in the statement to the error, and names the flag that saves a query although its tables
// do not exist yet.
func notSaved(e *cli.Env, req api.QueryRequest, err error) error {
	if req.InputQuery != nil {
		err = pointAt(e, &statement{text: *req.InputQuery}, err)
	}
	f := cli.Classify(context.Background(), err)
	if f.Code == string(api.KindInvalid) && f.Hint == "" && (strings.Contains(f.Msg, "does not exist") ||
		strings.Contains(f.Msg, "cannot be resolved")) {
		f.Hint = "create it first, or save the query with --no-check"
		return &f
	}
	return err
}
