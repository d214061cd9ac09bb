package cmd

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newExportCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "export", Aliases: []string{"exports"}, Short: "Exports: the rows of a table or saved query as a file"}
	c.AddCommand(newExportQueryCmd(e), newExportTableCmd(e), newExportListCmd(e), newExportGetCmd(e), newExportWaitCmd(e), newExportDownloadCmd(e), newExportCancelCmd(e))
	return c
}

// exportColumns are shown of a job in a table.
var exportColumns = []string{"id", "status", "format", "rowCount", "bytes", "createdAt", "error"}

// exportFlags are the fields of an ExportRequest, and what to do after the start.
type exportFlags struct {
	format, compression, delimiter, quote, separator, null, body, download string
	limit                                                                  int64
	columns                                                                []string
	system, header, gzip, wait                                             bool
	waitLimit                                                              time.Duration
}

func (f *exportFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.format, "format", "", "CSV (the default) or JSONL")
	fs.StringVar(&f.compression, "compression", "", "NONE (the default) or GZIP")
	fs.BoolVar(&f.gzip, "gzip", false, "short for --compression GZIP")
	fs.Int64Var(&f.limit, "limit", 0, "rows to write, 1 to 1000000")
	fs.StringSliceVar(&f.columns, "column", nil, "columns to write, in this order; all by default")
	fs.BoolVar(&f.system, "include-system-columns", true, "write the system columns of internal tables too")
	fs.StringVar(&f.delimiter, "delimiter", "", `between the values of a CSV file; \t is a tab`)
	fs.StringVar(&f.quote, "quote-char", "", "around the values of a CSV file that need it")
	fs.StringVar(&f.separator, "record-separator", "", `at the end of a line of a CSV file: \n or \r\n`)
	fs.BoolVar(&f.header, "include-header", true, "begin a CSV file with the names of the columns")
	fs.StringVar(&f.null, "null-value", "", "NULL in a CSV file")
	fs.BoolVar(&f.wait, "wait", false, "wait until the file is ready")
	fs.DurationVar(&f.waitLimit, "wait-timeout", 0, "longest wait, such as 10m; none by default")
	fs.StringVar(&f.download, "download", "", "wait, then save the file under this name, - for stdout")
	bodyFlag(c, &f.body)
	annotate(c, spec.GetExport)
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"CSV", "JSONL"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("compression", cobra.FixedCompletions([]string{"NONE", "GZIP"}, cobra.ShellCompDirectiveNoFileComp))
}

// request reads and checks the flags as a set.
func (f *exportFlags) request(e *Env, c *cobra.Command) (api.ExportRequest, error) {
	var r api.ExportRequest
	if err := e.body(f.body, &r); err != nil {
		return r, err
	}
	set := c.Flags().Changed
	if set("format") {
		r.Format = strings.ToUpper(f.format)
	}
	if f.gzip {
		if set("compression") && !strings.EqualFold(f.compression, "GZIP") {
			return r, usagef("--gzip and --compression %s exclude each other", f.compression)
		}
		r.Compression = "GZIP"
	} else if set("compression") {
		r.Compression = strings.ToUpper(f.compression)
	}
	setIf(c, "limit", &r.Limit, f.limit)
	setIf(c, "include-system-columns", &r.IncludeSystemColumns, f.system)
	if set("column") {
		r.Columns = f.columns
	}
	o := api.ExportCSVOptions{}
	if r.CSVOptions != nil {
		o = *r.CSVOptions
	}
	var csv []string
	for _, s := range []struct {
		flag, value string
		into        *string
	}{{"delimiter", f.delimiter, &o.Delimiter}, {"quote-char", f.quote, &o.QuoteChar}, {"record-separator", f.separator, &o.RecordSeparator}} {
		if set(s.flag) {
			*s.into = s.value
			csv = append(csv, "--"+s.flag)
		}
	}
	setIf(c, "include-header", &o.IncludeHeader, f.header)
	setIf(c, "null-value", &o.NullValue, f.null)
	for _, name := range []string{"include-header", "null-value"} {
		if set(name) {
			csv = append(csv, "--"+name)
		}
	}
	if len(csv) > 0 {
		r.CSVOptions = &o
	}
	switch {
	case r.Format != "" && r.Format != "CSV" && r.Format != "JSONL":
		return r, usagef("--format: %q is neither CSV nor JSONL", r.Format)
	case r.Compression != "" && r.Compression != "NONE" && r.Compression != "GZIP":
		return r, usagef("--compression: %q is neither NONE nor GZIP", r.Compression)
	case r.Format == "JSONL" && len(csv) > 0:
		return r, usagef("%s cannot be used with --format JSONL", strings.Join(csv, " and "))
	case r.Limit != nil && (*r.Limit < 1 || *r.Limit > 1_000_000):
		return r, usagef("--limit: %d is not between 1 and 1000000", *r.Limit)
	case f.waitLimit < 0:
		return r, usagef("--wait-timeout: %v is negative", f.waitLimit)
	case f.waitLimit > 0 && !f.wait && f.download == "":
		return r, usagef("--wait-timeout needs --wait or --download")
	}
	return r, nil
}

func newExportQueryCmd(e *Env) *cobra.Command {
	var f exportFlags
	c := &cobra.Command{Use: "query QUERY", Short: "Export the rows of a saved query", Args: cobra.ExactArgs(1),
		Example: "  " + e.Name + " export query monthly_sales --wait\n  " + e.Name + " export query monthly_sales --gzip --download sales.csv.gz"}
	f.register(c)
	return e.leaf(spec.ExportQuery, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		r, err := f.request(e, c)
		if err != nil {
			return view{}, err
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		id, err := savedQueryID(ctx, cl, p, args[0])
		if err != nil {
			return view{}, err
		}
		return e.startExport(ctx, cl, p, &f, r, exportSource{query: id}, func() (api.ExportJobCreated, error) { return cl.Exports.StartQuery(ctx, p, id, r) })
	})
}

func newExportTableCmd(e *Env) *cobra.Command {
	var f exportFlags
	c := &cobra.Command{Use: "table CATALOG SCHEMA TABLE", Short: "Export the rows of a table", Args: cobra.ExactArgs(3),
		Long:    "Export the rows of a table. Internal tables are in catalog peaka, schema table or bitable; without\n--include-system-columns=false their system columns are in the file, and it cannot be imported as it is.",
		Example: "  " + e.Name + " export table sample shop orders --download orders.csv\n  " + e.Name + " export table peaka table people --include-system-columns=false --format JSONL --wait"}
	f.register(c)
	annotate(c, spec.GetTableCacheState)
	return e.leaf(spec.ExportTable, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		r, err := f.request(e, c)
		if err != nil {
			return view{}, err
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		id, err := tableCatalogID(ctx, cl, p, args[0], args[1])
		if err != nil {
			return view{}, err
		}
		return e.startExport(ctx, cl, p, &f, r, exportSource{catalog: id, schema: args[1], table: args[2]}, func() (api.ExportJobCreated, error) {
			return cl.Exports.StartTable(ctx, p, id, args[1], args[2], r)
		})
	})
}

// tableCatalogID is catalogID for a catalog whose schema is known: peaka is the name of two, and the schema tells which.
func tableCatalogID(ctx context.Context, cl *api.Client, project, catalog, schema string) (string, error) {
	if strings.EqualFold(catalog, "peaka") {
		if schema == "query" || schema == "mtquery" {
			return "2", nil
		}
		return "1", nil
	}
	return catalogID(ctx, cl, project, catalog)
}

// savedQueryID finds a saved query by id, name or display name.
func savedQueryID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if bigIDLike().MatchString(set) {
		return set, nil
	}
	qs, err := cl.Queries.List(ctx, project)
	if err != nil {
		return "", err
	}
	var all []named
	for _, q := range qs {
		all = append(all, named{id: q.ID, name: q.Name})
		if q.DisplayName != q.Name {
			all = append(all, named{id: q.ID, name: q.DisplayName})
		}
	}
	return pick("query", "", set, all)
}

func newExportListCmd(e *Env) *cobra.Command {
	var status, before string
	var limit int64
	c := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List exports, newest first", Example: "  " + e.Name + " export list --status SUCCEEDED,FAILED --limit 20", Args: cobra.NoArgs}
	fs := c.Flags()
	fs.StringVar(&status, "status", "", "only these states, separated by commas: PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED")
	fs.Int64Var(&limit, "limit", 0, "at most this many, up to 200")
	fs.StringVar(&before, "created-before", "", "only exports made before this time; the createdAt of the last one gives the next page")
	return e.leaf(spec.ListExports, c, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
		q := url.Values{}
		if status != "" {
			q.Set("status", strings.ToUpper(status))
		}
		if c.Flags().Changed("limit") {
			if limit < 1 || limit > 200 {
				return view{}, usagef("--limit: %d is not between 1 and 200", limit)
			}
			q.Set("limit", strconv.FormatInt(limit, 10))
		}
		if before != "" {
			if _, err := time.Parse(time.RFC3339, before); err != nil {
				return view{}, usagef("--created-before: %q is not a time such as 2026-01-31T12:00:00Z", before)
			}
			q.Set("createdBefore", before)
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		v, err := cl.Exports.List(ctx, p, q)
		return list(v, exportColumns...), err
	})
}

func newExportGetCmd(e *Env) *cobra.Command {
	return e.leaf(spec.GetExport, &cobra.Command{Use: "get EXPORT", Aliases: []string{"show"}, Short: "Show an export, with fresh links to its files", Args: cobra.ExactArgs(1),
		Long:    "Show an export, with fresh links to its files. Whoever has a link can fetch the file until the link expires.",
		Example: "  " + e.Name + " export get 7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10"},
		func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			p, err := e.projectID(ctx, cl)
			if err != nil {
				return view{}, err
			}
			v, err := cl.Exports.Get(ctx, p, args[0])
			return object(v), err
		})
}

func newExportCancelCmd(e *Env) *cobra.Command {
	return e.leaf(spec.CancelExport, &cobra.Command{Use: "cancel EXPORT", Short: "Cancel an export; one that has ended stays as it is", Args: cobra.ExactArgs(1),
		Example: "  " + e.Name + " export cancel 7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10"},
		func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			p, err := e.projectID(ctx, cl)
			if err != nil {
				return view{}, err
			}
			if err := cl.Exports.Cancel(ctx, p, args[0]); err != nil {
				return view{}, err
			}
			return note("export %s is cancelled, unless it had ended", args[0]), nil
		})
}
