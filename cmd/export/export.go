// Package export holds the commands for exports and their files.
package export

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&exportShape, api.ExportJobCreated{}, api.ExportJobResponse{})
}

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "export", Aliases: []string{"exports"},
		Short: "Exports: the rows of a table or saved query as a file"}
	c.PersistentFlags().StringArrayVar(&e.Run.Allowed, "allow-host", nil,
		"also download files from this host or its subdomains; repeat")
	c.AddCommand(newExportQueryCmd(e), newExportTableCmd(e), newExportListCmd(e), newExportGetCmd(e),
		newExportWaitCmd(e), newExportDownloadCmd(e), newExportCancelCmd(e))
	return c
}

// exportColumns are the default columns of jobs in a table.
var exportColumns = []string{"id", "status", "format", "rowCount", "bytes", "createdAt", "error"}

// exportFlags are the fields of an ExportRequest, and the actions after the start.
type exportFlags struct {
	format, compression, delimiter, quote, separator, null, body, download string
	limit                                                                  int64
	columns                                                                []string
	system, header, gzip                                                   bool
	waiting                                                                cli.WaitFlags
}

func (f *exportFlags) register(e *cli.Env, c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.format, "format", "", "CSV (the default) or JSONL")
	fs.StringVar(&f.compression, "compression", "", "NONE (the default) or GZIP")
	fs.BoolVar(&f.gzip, "gzip", false, "short for --compression GZIP")
	fs.Int64Var(&f.limit, "limit", 0, "rows to write, 1 to 1000000")
	fs.StringSliceVar(&f.columns, "column", nil, "columns to write, in this order; all by default")
	fs.BoolVar(&f.system, "include-system-columns", true, "write the system columns of internal tables too")
	fs.StringVar(&f.delimiter, "delimiter", "", `delimiter between the values of a CSV file; \t is a tab`)
	fs.StringVar(&f.quote, "quote-char", "", "quote character of a CSV file, for values that need it")
	fs.StringVar(&f.separator, "record-separator", "", `line ending of a CSV file: \n or \r\n`)
	fs.BoolVar(&f.header, "include-header", true, "start a CSV file with the names of the columns")
	fs.StringVar(&f.null, "null-value", "", "representation of NULL in a CSV file")
	f.waiting.Register(c, "the file is ready")
	fs.StringVar(&f.download, "download", "", "wait, then save the file under this name, - for stdout")
	cli.BodyFlag(c, &f.body)
	cli.Annotate(c, spec.GetExport)
	complete.Values(c, "format", "CSV", "JSONL")
	complete.Values(c, "compression", "NONE", "GZIP")
}

// request reads the flags and checks them as a set.
func (f *exportFlags) request(e *cli.Env, c *cobra.Command) (api.ExportRequest, error) {
	var r api.ExportRequest
	if err := e.Body(f.body, &r); err != nil {
		return r, err
	}
	set := c.Flags().Changed
	if set("format") {
		r.Format = strings.ToUpper(f.format)
	}
	if f.gzip {
		if set("compression") && !strings.EqualFold(f.compression, "GZIP") {
			return r, exitcode.Usagef("--gzip and --compression %s are mutually exclusive", f.compression)
		}
		r.Compression = "GZIP"
	} else if set("compression") {
		r.Compression = strings.ToUpper(f.compression)
	}
	cli.SetIf(c, "limit", &r.Limit, f.limit)
	cli.SetIf(c, "include-system-columns", &r.IncludeSystemColumns, f.system)
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
	}{{"delimiter", f.delimiter, &o.Delimiter}, {"quote-char", f.quote, &o.QuoteChar}, {"record-separator", f.separator,
		&o.RecordSeparator}} {
		if set(s.flag) {
			*s.into = s.value
			csv = append(csv, "--"+s.flag)
		}
	}
	cli.SetIf(c, "include-header", &o.IncludeHeader, f.header)
	cli.SetIf(c, "null-value", &o.NullValue, f.null)
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
		return r, exitcode.Usagef("--format: %q is neither CSV nor JSONL", r.Format)
	case r.Compression != "" && r.Compression != "NONE" && r.Compression != "GZIP":
		return r, exitcode.Usagef("--compression: %q is neither NONE nor GZIP", r.Compression)
	case r.Format == "JSONL" && len(csv) > 0:
		return r, exitcode.Usagef("%s cannot be used with --format JSONL", strings.Join(csv, " and "))
	case set("quote-char") && utf8.RuneCountInString(f.quote) != 1:
		return r, exitcode.Usagef("--quote-char: %q is not one character", f.quote)
	case set("delimiter") && f.delimiter != `\t` && utf8.RuneCountInString(f.delimiter) != 1:
		return r, exitcode.Usagef("--delimiter: %q is not one character", f.delimiter)
	case set("record-separator") && !slices.Contains([]string{`\n`, `\r\n`, `\r`, "\n", "\r\n", "\r"}, f.separator):
		return r, exitcode.Usagef(`--record-separator: %q is neither \n nor \r\n`, f.separator)
	case r.Limit != nil && (*r.Limit < 1 || *r.Limit > 1_000_000):
		return r, exitcode.Usagef("--limit: %d is not between 1 and 1000000", *r.Limit)
	case set("download") && f.download == "":
		return r, exitcode.Usagef("--download is empty")
	}
	if err := f.waiting.Check(f.download != ""); err != nil {
		return r, err
	}
	return r, checkDownload(e, f.download)
}

// exportStarted is what a command prints that starts an export: the new job, the job after --wait, or the file.
type exportStarted = cli.Either[api.ExportJobCreated, cli.Either[api.ExportJobResponse, cli.Acknowledged]]

func newExportQueryCmd(e *cli.Env) *cobra.Command {
	var f exportFlags
	c := &cobra.Command{Use: "query QUERY", Short: "Export the rows of a saved query", Args: cobra.ExactArgs(1),
		Example: "  " + e.Name + " export query monthly_sales --wait\n  " + e.Name +
			" export query monthly_sales --gzip --download sales.csv.gz"}
	f.register(e, cli.OwnFile(c))
	return cli.Leaf[exportStarted](e,
		spec.ExportQuery, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			r, err := f.request(e, c)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				id, err := resolve.QueryID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				return startExport(ctx, e, cl, p, &f, r, exportSource{query: id}, func() (api.ExportJobCreated,
					error) {
					return cl.Exports.StartQuery(ctx, p, id, r)
				})
			}, nil
		}))
}

func newExportTableCmd(e *cli.Env) *cobra.Command {
	var f exportFlags
	c := &cobra.Command{Use: "table CATALOG SCHEMA TABLE", Short: "Export the rows of a table",
		Args: cobra.ExactArgs(3),
		Long: "Export the rows of a table. Internal tables are in catalog peaka, schema table or bitable; " +
			"without\n--include-system-columns=false the file contains their system columns and cannot be imported " +
			"unchanged.",
		Example: "  " + e.Name + " export table sample shop orders --download orders.csv\n  " + e.Name +
			" export table peaka table people --include-system-columns=false --format JSONL --wait"}
	f.register(e, cli.OwnFile(c))
	cli.Annotate(c, spec.GetTableCacheState)
	return cli.Leaf[exportStarted](e,
		spec.ExportTable, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			r, err := f.request(e, c)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				id, err := resolve.TableCatalogID(ctx, cl, p, args[0], args[1])
				if err != nil {
					return cli.View{}, err
				}
				return startExport(ctx, e, cl, p, &f, r, exportSource{catalog: id, schema: args[1], table: args[2]},
					func() (api.ExportJobCreated, error) {
						return cl.Exports.StartTable(ctx, p, id, args[1], args[2], r)
					})
			}, nil
		}))
}

func newExportListCmd(e *cli.Env) *cobra.Command {
	var status, before string
	var limit int64
	c := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List exports, newest first", Example: "  " +
		e.Name + " export list --status SUCCEEDED,FAILED --limit 20", Args: cobra.NoArgs}
	fs := c.Flags()
	fs.StringVar(&status, "status", "",
		"only these states, separated by commas: PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED")
	fs.Int64Var(&limit, "limit", 0, "at most this many; all by default, read page by page")
	fs.StringVar(&before, "created-before", "",
		"only exports created before this time; pass the createdAt of the last one for the next page")
	complete.Several(c, "status", exportStates...)
	cli.Annotate(c, spec.ListCatalogs, spec.ListQueries)
	return cli.Leaf[[]api.ExportJobResponse](e, spec.ListExports, c,
		e.CheckThenProject(func(_ []string) (cli.ProjectRun, error) {
			q := url.Values{}
			if status != "" {
				var states []string
				for _, s := range strings.Split(status, ",") {
					w, err := cli.Word("--status", api.JobState(strings.TrimSpace(s)), exportStates)
					if err != nil {
						return nil, err
					}
					states = append(states, w)
				}
				q.Set("status", strings.Join(states, ","))
			}
			if c.Flags().Changed("limit") {
				if limit < 1 {
					return nil, exitcode.Usagef("--limit: %d is less than 1", limit)
				}
			}
			if before != "" {
				if _, err := time.Parse(time.RFC3339, before); err != nil {
					return nil, exitcode.Usagef("--created-before: %q is not a time such as 2026-01-31T12:00:00Z",
						before)
				}
				q.Set("createdBefore", before)
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				v, raws, err := allExports(ctx, cl, p, q, limit)
				if err != nil || !e.HumanOutput() {
					return cli.List(raws, exportColumns...).PrintValue(), err
				}
				return cli.List(namedExports(ctx, e, cl, p, v), slices.Insert(slices.Clone(exportColumns), 2, "of")...).
					PrintValue(), nil
			}, nil
		}))
}

// exportPage is the maximum number of exports that a gateway lists at once [O].
const exportPage = 200

// allExports reads pages until there are no more, or the limit is reached; 0 means no limit. Jobs with the same
// creation time may be split between two pages, so each page starts with the last time of the previous one, and
// duplicates are removed. raws are the jobs as the gateway sent them, with fields unknown to dig.
func allExports(ctx context.Context, cl *api.Client, project string, q url.Values,
	limit int64) (all []api.ExportJobResponse, raws []json.RawMessage, err error) {
	raws = []json.RawMessage{}
	seen, first := map[string]bool{}, 0
	for {
		size := int64(exportPage)
		if left := limit - int64(len(all)); limit > 0 {
			size = min(size, left+int64(min(len(all), 1))) // the first job of a further page is a duplicate
		}
		q.Set("limit", strconv.FormatInt(size, 10))
		kept := api.Capture{Op: spec.ListExports}
		page, err := cl.Exports.List(api.WithCapture(ctx, &kept), project, q)
		if err != nil {
			return nil, nil, err
		}
		var each []json.RawMessage
		if err := json.Unmarshal(kept.Raw, &each); err != nil {
			return nil, nil, err
		}
		fresh := 0
		for i, j := range page {
			if seen[j.ID] {
				continue
			}
			seen[j.ID] = true
			if fresh++; limit == 0 || int64(len(all)) < limit {
				all, raws = append(all, j), append(raws, each[i])
			}
		}
		if first == 0 {
			first = len(page)
		}
		if len(page) == 0 || fresh == 0 && len(page) < first || limit > 0 && int64(len(all)) >= limit {
			return all, raws, nil
		}
		last := page[len(page)-1].CreatedAt
		at, err := time.Parse(time.RFC3339, last)
		if next := at.Add(time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z07:00"); err == nil && fresh > 0 {
			last = next
		} else if fresh == 0 && q.Get("createdBefore") == last {
			return all, raws, nil
		}
		q.Set("createdBefore", last)
	}
}

// namedExport is an export for display, with its table or saved query.
type namedExport struct {
	Of string `json:"of"`
	api.ExportJobResponse
}

func namedExports(ctx context.Context, e *cli.Env, cl *api.Client, project string,
	all []api.ExportJobResponse) []namedExport {
	out := make([]namedExport, len(all))
	if len(all) == 0 {
		return out
	}
	catalogs, queries := map[string]string{}, map[string]string{}
	var both sync.WaitGroup
	if slices.ContainsFunc(all, func(j api.ExportJobResponse) bool { return j.TableName != nil }) {
		both.Go(func() { catalogs = e.CatalogNames(ctx, cl, project) })
	}
	if slices.ContainsFunc(all, func(j api.ExportJobResponse) bool { return j.TableName == nil && j.QueryID != nil }) {
		qs, err := cl.Queries.List(ctx, project)
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(e.Err, "note: saved queries are shown by id because they could not be listed: %v\n", err)
		}
		for _, q := range qs {
			queries[q.ID] = q.Name
		}
	}
	both.Wait()
	for i, j := range all {
		out[i].ExportJobResponse = j
		switch id := api.OrEmpty(j.QueryID); {
		case j.TableName != nil:
			catalog := api.OrEmpty(j.CatalogID)
			if name := catalogs[catalog]; name != "" {
				catalog = name
			}
			out[i].Of = catalog + "." + api.OrEmpty(j.SchemaName) + "." + *j.TableName
		case queries[id] != "":
			out[i].Of = "query " + queries[id]
		case id != "":
			out[i].Of = "query " + id
		}
	}
	return out
}

func newExportGetCmd(e *cli.Env) *cobra.Command {
	return cli.Leaf[api.ExportJobResponse](e, spec.GetExport, cli.Annotate(&cobra.Command{Use: "get EXPORT",
		Aliases: []string{"show"},
		Short:   "Show an export, with fresh links to its files", Args: cobra.ExactArgs(1),
		Long: "Show an export, with fresh links to its files. Anyone who has a link can download the file until " +
			"the link expires.",
		Example: "  " + e.Name + " export get 7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10"}, spec.ListCatalogs,
		spec.ListQueries),
		e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
			v, err := cl.Exports.Get(ctx, p, args[0])
			if err != nil || !e.HumanOutput() {
				return cli.Object(v), err
			}
			return cli.Object(namedExports(ctx, e, cl, p, []api.ExportJobResponse{v})[0]).PrintValue(), nil
		}))
}

func newExportCancelCmd(e *cli.Env) *cobra.Command {
	return cli.Leaf[cli.Acknowledged](e, spec.CancelExport, &cobra.Command{Use: "cancel EXPORT",
		Short: "Cancel an export; one that has ended is not changed", Args: cobra.ExactArgs(1),
		Example: "  " + e.Name + " export cancel 7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10"},
		e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
			if err := cl.Exports.Cancel(ctx, p, args[0]); err != nil {
				return cli.View{}, err
			}
			return cli.Note("export %s is cancelled, unless it had ended", args[0]), nil
		}))
}

var (
	exportStates = []string{api.StatePending, api.StateRunning, api.StateSucceeded, api.StateFailed, api.StateCancelled,
		api.StateExpired}
)
