package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// exportSource is what an export reads: a table of a catalog by its id, or a saved query by its id.
type exportSource struct{ catalog, schema, table, query string }

// startExport starts a job and does what the flags ask for after that.
func (e *Env) startExport(ctx context.Context, cl *api.Client, project string, f *exportFlags, r api.ExportRequest, src exportSource, start func() (api.ExportJobCreated, error)) (view, error) {
	made, err := start()
	if err != nil {
		return view{}, err
	}
	if !f.waiting.wait && f.download == "" {
		return object(made), nil
	}
	job, err := e.waitExport(ctx, cl, project, made.ID, f.waiting.limit)
	if err != nil && job.Status == "FAILED" && !e.run.settings.InProcess() {
		// The hosted service fails exports now and then for no reason of the request [L]; once more settles which it is.
		fmt.Fprintf(e.Err, "export %s failed (%v); trying once more\n", made.ID, err)
		if made, err = start(); err != nil {
			return view{}, err
		}
		job, err = e.waitExport(ctx, cl, project, made.ID, f.waiting.limit)
		if err != nil && f.download != "" && job.Error != nil && strings.Contains(*job.Error, "no files") {
			if ok, serr := e.saveEmpty(ctx, cl, project, src, r, f.download); ok {
				if serr != nil {
					return view{}, serr
				}
				return e.done("")
			}
		}
	}
	if err != nil {
		return view{}, err
	}
	e.warnCapped(ctx, cl, project, src, job)
	if f.download == "" {
		return object(job, exportColumns...).mine(), nil
	}
	return e.download(ctx, cl, project, job.ID, f.download)
}

// warnCapped says when an export holds as many rows as a capped scan gives: some API sources stop at 100 without saying so [L].
func (e *Env) warnCapped(ctx context.Context, cl *api.Client, project string, src exportSource, job api.ExportJobResponse) {
	if job.RowCount == nil || *job.RowCount != cappedRows || e.run.settings.InProcess() {
		return
	}
	if !e.guarded() {
		return
	}
	from := []tableRef{}
	if src.query != "" {
		q, err := cl.Queries.Get(ctx, project, src.query)
		if err != nil {
			fmt.Fprintf(e.Err, "warning: the file has exactly 100 rows, and whether a source was cut there cannot be found out: %v\n", err)
			return
		}
		from = tablesIn(q.InputQuery)
	} else if c, err := cl.Catalogs.Get(ctx, project, src.catalog); err == nil {
		from = append(from, tableRef{c.Name, src.schema, src.table})
	} else {
		fmt.Fprintf(e.Err, "warning: the file has exactly 100 rows, and whether %s was cut there cannot be found out: %v\n", src.table, err)
	}
	err := (&guard{cl: cl, project: project}).walk(ctx, from, func(t tableRef, v verdict) error {
		switch v.Doubt {
		case uncached:
			fmt.Fprintf(e.Err, "warning: the file has exactly 100 rows and %s is not cached: the source may have been cut at 100; cache the table first\n", t)
		case unchecked:
			fmt.Fprintf(e.Err, "warning: the file has exactly 100 rows, and whether %s was cut there cannot be found out: %v\n", t, v.why)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(e.Err, "warning: the file has exactly 100 rows, and whether a source was cut there cannot be found out: %v\n", err)
	}
}

// waitExport waits until a job has ended and returns it; any end but SUCCEEDED is also an error.
func (e *Env) waitExport(ctx context.Context, cl *api.Client, project, id string, limit time.Duration) (job api.ExportJobResponse, err error) {
	err = e.wait(ctx, waiting{what: "export " + id, limit: limit, resume: "export wait " + shell.Quote(id), cancel: "export cancel " + shell.Quote(id)}, func() (string, string, bool, error) {
		var err error
		if job, err = cl.Exports.Get(ctx, project, id); err != nil {
			return "", "", false, err
		}
		switch exportState(job.Status) {
		case "SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED":
			return job.Status, "", true, nil
		}
		return job.Status, "", false, nil // also states not known yet
	})
	if err == nil {
		err = exportEnd(job)
	}
	return job, err
}

// exportState is a state in the one spelling used here.
func exportState(s string) string {
	if s = strings.ToUpper(s); s == "CANCELED" {
		return "CANCELLED"
	}
	return s
}

// exportEnd is the error of a job that has ended without a file.
func exportEnd(job api.ExportJobResponse) error {
	f := &failure{exit: exitJob, code: "job-" + strings.ToLower(exportState(job.Status)), msg: fmt.Sprintf("export %s is %s", job.ID, job.Status)}
	switch exportState(job.Status) {
	case "SUCCEEDED":
		return nil
	case "FAILED":
		if job.Error != nil {
			f.msg = fmt.Sprintf("export %s failed: %s", job.ID, *job.Error)
			if strings.Contains(*job.Error, "no files") {
				f.hint = "the hosted zones fail an export without rows; count them with `dig query execute`"
			}
		}
	case "EXPIRED":
		f.hint = "its files are gone; start the export again"
	}
	return f
}

func newExportWaitCmd(e *Env) *cobra.Command {
	w := waitFlags{wait: true}
	c := &cobra.Command{Use: "wait EXPORT", Short: "Wait until an export has ended", Args: cobra.ExactArgs(1),
		Long:    "Wait until an export has ended. The exit code is 0 when its file is ready, 7 when it failed or was cancelled\nor its file is gone, and 8 when the time was not enough.",
		Example: "  " + e.Name + " export wait 7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10 --wait-timeout 10m"}
	w.limits(c)
	return e.leaf(spec.GetExport, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		if err := w.check(false); err != nil {
			return view{}, err
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		job, err := e.waitExport(ctx, cl, p, args[0], w.limit)
		return object(job, exportColumns...), err
	})
}
