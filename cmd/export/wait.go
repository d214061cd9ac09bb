package export

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// exportSource is the source of an export: a table, with the id of its catalog, or a saved query by its id.
type exportSource struct{ catalog, schema, table, query string }

// startExport starts a job and performs the actions of the flags.
func startExport(ctx context.Context, e *cli.Env, cl *api.Client, project string, f *exportFlags, r api.ExportRequest,
	src exportSource, start func() (api.ExportJobCreated, error)) (cli.View, error) {
	made, err := start()
	if err != nil {
		return cli.View{}, err
	}
	noteStale(ctx, e, cl, project, src)
	if !f.waiting.Wait && f.download == "" {
		return cli.Object(made), nil
	}
	job, err := waitExport(ctx, e, cl, project, made.ID, f.waiting.Limit)
	if err != nil && api.JobState(job.Status) == api.StateFailed && !e.Run.Settings.InProcess() {
		// The hosted service sometimes fails exports for reasons unrelated to the request [L]; a second attempt
		// distinguishes them from other failures.
		fmt.Fprintf(e.Err, "export %s failed (%v); trying again\n", made.ID, err)
		if made, err = start(); err != nil {
			return cli.View{}, err
		}
		job, err = waitExport(ctx, e, cl, project, made.ID, f.waiting.Limit)
		if err != nil && f.download != "" && job.Error != nil && strings.Contains(*job.Error, "no files") {
			if ok, serr := saveEmpty(ctx, e, cl, project, src, r, f.download); ok {
				if serr != nil {
					return cli.View{}, serr
				}
				return done(e, "")
			}
		}
	}
	if err != nil {
		return cli.View{}, err
	}
	warnCapped(ctx, e, cl, project, src, job)
	if f.download == "" {
		return cli.Object(job, exportColumns...).PrintValue(), nil
	}
	return download(ctx, e, cl, project, job.ID, f.download)
}

// noteStale tells of rows that are stored by a run before one that failed.
func noteStale(ctx context.Context, e *cli.Env, cl *api.Client, project string, src exportSource) {
	from, _, err := exported(ctx, cl, project, src)
	var found []trust.Stale
	if err == nil {
		found, err = (&trust.Staleness{Cl: cl, Project: project}).Of(ctx,
			api.ExecuteByStatement{Statement: "SELECT * FROM " + from}, false)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(e.Err, "note: it is not known whether stored rows are stale: %v\n", err)
	}
	for _, s := range found {
		fmt.Fprintf(e.Err, "note: %s\n", s)
	}
}

// warnCapped warns if an export has exactly as many rows as a truncated scan returns: some API sources silently stop at
// 100 [L].
func warnCapped(ctx context.Context, e *cli.Env, cl *api.Client, project string, src exportSource,
	job api.ExportJobResponse) {
	if job.RowCount == nil || *job.RowCount != trust.CappedRows || e.Run.Settings.InProcess() {
		return
	}
	if !e.MayDropRows() {
		return
	}
	from := []sqltext.TableRef{}
	if src.query != "" {
		q, err := cl.Queries.Get(ctx, project, src.query)
		if err != nil {
			fmt.Fprintf(e.Err, "warning: the file has exactly 100 rows, and cannot determine whether a source was "+
				"truncated there: %v\n", err)
			return
		}
		from = sqlstmt.Tables(q.InputQuery)
	} else if c, err := cl.Catalogs.Get(ctx, project, src.catalog); err == nil {
		from = append(from, sqltext.TableRef{Catalog: c.Name, Schema: src.schema, Table: src.table})
	} else {
		fmt.Fprintf(e.Err,
			"warning: the file has exactly 100 rows, and cannot determine whether %s was truncated there: %v\n",
			src.table, err)
	}
	err := (&trust.Guard{Cl: cl, Project: project}).Walk(ctx, from, func(t sqltext.TableRef, v trust.Verdict) error {
		switch v.Reason {
		case trust.Uncached:
			fmt.Fprintf(e.Err, "warning: the file has exactly 100 rows and %s is not cached: the source may have "+
				"been truncated at 100; cache the table first\n", t)
		case trust.Unchecked:
			fmt.Fprintf(e.Err,
				"warning: the file has exactly 100 rows, and cannot determine whether %s was truncated there: %v\n", t,
				v.Why)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(e.Err,
			"warning: the file has exactly 100 rows, and cannot determine whether a source was truncated there: %v\n",
			err)
	}
}

// waitExport waits until a job has ended and returns it; any final state but SUCCEEDED is also an error.
func waitExport(ctx context.Context, e *cli.Env, cl *api.Client, project, id string,
	limit time.Duration) (job api.ExportJobResponse, err error) {
	err = e.Wait(ctx, cli.Waiting{What: "export " + id, Limit: limit, Resume: "export wait " + shell.Quote(id),
		Cancel: "export cancel " + shell.Quote(id)}, func() (string, string, bool, error) {
		var err error
		if job, err = cl.Exports.Get(ctx, project, id); err != nil {
			return "", "", false, err
		}
		switch api.JobState(job.Status) {
		case api.StateSucceeded, api.StateFailed, api.StateCancelled, api.StateExpired:
			return job.Status, "", true, nil
		}
		return job.Status, "", false, nil // also states that are not known yet
	})
	if err == nil {
		err = exportEnd(job)
	}
	return job, err
}

// exportEnd returns the error of a job that ended without a file.
func exportEnd(job api.ExportJobResponse) error {
	f := &exitcode.Failure{Exit: exitcode.Job, Code: "job-" + strings.ToLower(api.JobState(job.Status)),
		Msg: fmt.Sprintf("export %s is %s", job.ID, job.Status)}
	switch api.JobState(job.Status) {
	case api.StateSucceeded:
		return nil
	case api.StateFailed:
		if job.Error != nil {
			f.Msg = fmt.Sprintf("export %s failed: %s", job.ID, api.WithoutInsides(*job.Error))
			if strings.Contains(*job.Error, "no files") {
				f.Hint = "the hosted zones fail an export without rows; count them with `dig query execute`"
			}
		}
	case api.StateExpired:
		f.Hint = "its files have expired; start the export again"
	}
	return f
}

func newExportWaitCmd(e *cli.Env) *cobra.Command {
	w := cli.WaitFlags{Wait: true}
	c := &cobra.Command{Use: "wait EXPORT", Short: "Wait until an export has ended", Args: cobra.ExactArgs(1),
		Long: "Wait until an export has ended. The exit code is 0 when its file is ready, 7 when it failed or was " +
			"cancelled\nor its file has expired, and 8 when the time limit was reached.",
		Example: "  " + e.Name + " export wait 7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10 --wait-timeout 10m"}
	w.Limits(c)
	return cli.Leaf[api.ExportJobResponse](e, spec.GetExport, c, e.CheckThenProject(func(args []string) (cli.ProjectRun,
		error) {
		if err := w.Check(false); err != nil {
			return nil, err
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			job, err := waitExport(ctx, e, cl, p, args[0], w.Limit)
			return cli.Object(job, exportColumns...), err
		}, nil
	}))
}
