// Package runs holds the command that lists the runs of all kinds of a project.
package runs

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// run is one run, whatever has run.
type run struct {
	StartedAt  string  `json:"startedAt"`
	Kind       string  `json:"kind"` // cache, materialized, export or import
	Name       string  `json:"name"` // of what has run: a table in three parts, or a saved query
	Mode       string  `json:"mode,omitempty"`
	Status     string  `json:"status"` // RUNNING, COMPLETED, FAILED, CANCELLED, those of exports, or UNKNOWN
	DurationMs *int64  `json:"durationMs"`
	Rows       *int64  `json:"rows"`
	Error      *string `json:"error"`
	ID         string  `json:"id"` // of the run, the materialized query, or the import's change in the history
}

const (
	kindCache        = "cache"
	kindMaterialized = "materialized"
	kindExport       = "export"
	kindImport       = "import"
)

var runShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "startedAt", Heading: "started", As: output.AsTime},
	{Path: "kind"},
	{Path: "name", Key: true},
	{Path: "mode", Only: output.InRecords},
	{Path: "status"},
	{Path: "durationMs", Heading: "took", As: output.AsDuration},
	{Path: "rows"},
	{Path: "error"},
	{Path: "id", Only: output.InRecords, Key: true},
}}

// New returns the noun.
func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "runs", Aliases: []string{"run"},
		Short: "Runs of caches, materialized queries, exports and imports"}
	c.AddCommand(newList(e))
	e.Displays(&runShape, run{})
	return c
}

// listing is one call of list.
type listing struct {
	e        *cli.Env
	cl       *api.Client
	project  string
	limit    int
	kinds    []string
	catalogs map[string]string // names by ID, nil before they are needed
	note     string            // about the journal
}

func newList(e *cli.Env) *cobra.Command {
	var limit int
	var since time.Duration
	var failed bool
	var kinds []string
	c := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List runs, newest first", Args: cobra.NoArgs,
		Long: `List the runs of a project, newest first: refreshes of caches, runs of materialized queries, exports and
imports, with their time, rows and error.

A gateway tells the runs of a cache for 14 days, the latest run of a materialized query only, and an export for 30
days; the latest 100 runs of each cache and the latest 200 exports are read. Zone local tells the ends of the latest
1000 imports, whoever has sent them. The hosted zones tell nothing of imports: those are from the history of changes of
this machine, without their rows, and one whose reply was lost is UNKNOWN. Nor do they tell why a refresh failed, or the
rows of a materialized query.`,
		Example: strings.ReplaceAll("  dig runs list --failed --since 24h\n  dig runs list --kind cache,materialized "+
			"-o json", "dig ", e.Name+" ")}
	c.Flags().IntVar(&limit, "limit", 50, "most runs to list")
	cli.DurationVar(c.Flags(), &since, "since", 0, "only runs that started in this period, such as 24h or 7d")
	c.Flags().BoolVar(&failed, "failed", false, "only runs that have failed")
	c.Flags().StringSliceVar(&kinds, "kind", nil, "only runs of these kinds: cache, materialized, export, import")
	complete.Values(c, "kind", kindCache, kindMaterialized, kindExport, kindImport)
	cli.Annotate(c, spec.ListCacheExecutions, spec.ListMaterializedStatuses, spec.ListExports, spec.ListCatalogs,
		spec.ListQueries, spec.ListImports)
	return cli.Leaf[[]run](e, spec.ListCacheStatuses, c, e.CheckThenProject(func(_ []string) (cli.ProjectRun, error) {
		if limit < 1 || limit > 1000 {
			return nil, exitcode.Usagef("--limit: %d is not between 1 and 1000", limit)
		}
		for _, k := range kinds {
			if !slices.Contains([]string{kindCache, kindMaterialized, kindExport, kindImport}, k) {
				return nil, exitcode.Usagef("--kind: %q is not one of cache, materialized, export, import", k)
			}
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			l := &listing{e: e, cl: cl, project: p, limit: limit, kinds: kinds}
			if failed { // among more, since the failed ones may be old
				l.limit = 1000
			}
			all, err := l.all(ctx)
			if err != nil {
				return cli.View{}, err
			}
			out := []run{}
			for _, r := range all {
				if len(out) < limit && (!failed || r.Status == api.StateFailed) &&
					(since == 0 || e.Now().Sub(started(r)) <= since) {
					out = append(out, r)
				}
			}
			v := cli.List(out, "startedAt", "kind", "name", "status", "durationMs", "rows", "error").PrintValue()
			v.Note = l.note
			return v, nil
		}, nil
	}))
}

// all returns the runs of the kinds that were asked for, newest first.
func (l *listing) all(ctx context.Context) ([]run, error) {
	var all []run
	for _, source := range []struct {
		kind string
		list func(context.Context) ([]run, error)
	}{{kindCache, l.caches}, {kindMaterialized, l.materialized}, {kindExport, l.exports}, {kindImport, l.imports}} {
		if len(l.kinds) > 0 && !slices.Contains(l.kinds, source.kind) {
			continue
		}
		some, err := source.list(ctx)
		if err != nil && !api.NoRoute(err) { // a gateway that has no such thing
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b run) int { return started(b).Compare(started(a)) })
	return all, nil
}

func (l *listing) catalog(ctx context.Context, id string) string {
	if l.catalogs == nil {
		l.catalogs = l.e.CatalogNames(ctx, l.cl, l.project)
	}
	return cmp.Or(l.catalogs[id], id)
}

// started is when a run started; the zero time if the gateway does not tell it in a form that is known.
func started(r run) time.Time {
	at, err := time.Parse(time.RFC3339, r.StartedAt)
	if err != nil {
		return time.Time{}
	}
	return at
}

const (
	atOnce      = 8   // histories of caches that are read at a time
	mostOfCache = 100 // runs of one cache
)

// caches lists the refreshes. Those of a cache whose latest one is older than the limit allows are not read.
func (l *listing) caches(ctx context.Context) ([]run, error) {
	all, err := l.cl.Cache.Statuses(ctx, l.project)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(st api.CacheStatus) bool { return st.Newest() == nil })
	slices.SortStableFunc(all, func(a, b api.CacheStatus) int {
		return strings.Compare(b.Newest().CreatedAt, a.Newest().CreatedAt)
	})
	all = all[:min(len(all), l.limit)]
	histories := make([][]api.CacheExecutionInfo, len(all))
	var reading errgroup.Group
	reading.SetLimit(atOnce)
	for i, st := range all {
		reading.Go(func() (err error) {
			if histories[i], err = l.cl.Cache.Executions(ctx, l.project, st.ID,
				url.Values{"limit": {strconv.Itoa(min(l.limit, mostOfCache))}, "offset": {"0"}}); err != nil {
				return fmt.Errorf("the runs of cache %s: %w", st.ID, err)
			}
			return nil
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	var out []run
	for i, st := range all {
		for _, x := range histories[i] {
			r := run{StartedAt: x.CreatedAt, Kind: kindCache, Mode: x.ExecutionMode,
				Status: api.JobState(x.Status), ID: x.ID,
				Name: l.catalog(ctx, st.CatalogID) + "." + st.SchemaName + "." + st.TableName}
			if x.FinishedAt != nil {
				r.DurationMs = between(x.CreatedAt, *x.FinishedAt)
			}
			if x.Progress != nil && r.Status == api.StateCompleted {
				r.Rows = &x.Progress.NumberOfCachedRecords
			}
			if why := cli.CacheError(&x); why != "" {
				r.Error = &why
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// materialized lists the latest run of each query.
func (l *listing) materialized(ctx context.Context) ([]run, error) {
	all, err := l.cl.Materialized.Statuses(ctx, l.project)
	if err != nil {
		return nil, err
	}
	var out []run
	for _, st := range all {
		if st.LastExecutionStartTime == nil {
			continue
		}
		r := run{StartedAt: *st.LastExecutionStartTime, Kind: kindMaterialized, Name: st.QueryName,
			Status: api.JobState(st.Status), Error: st.Error, ID: st.QueryID}
		if st.LastUpdateTime != nil && r.Status != api.StateRunning {
			r.DurationMs = between(r.StartedAt, *st.LastUpdateTime)
		}
		if r.Status == api.StateCompleted {
			r.Rows = st.RowCount
		}
		out = append(out, r)
	}
	return out, nil
}

func (l *listing) exports(ctx context.Context) ([]run, error) {
	all, err := l.cl.Exports.List(ctx, l.project, url.Values{"limit": {strconv.Itoa(min(l.limit, 200))}})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	names := map[string]string{}
	if slices.ContainsFunc(all, func(x api.ExportJobResponse) bool { return x.TableName == nil }) {
		queries, err := l.cl.Queries.List(ctx, l.project)
		if err != nil {
			return nil, err
		}
		for _, q := range queries {
			names[q.ID] = q.Name
		}
	}
	var out []run
	for _, x := range all {
		r := run{StartedAt: x.CreatedAt, Kind: kindExport, Status: api.JobState(x.Status), DurationMs: x.DurationMs,
			Rows: x.RowCount, Error: x.Error, ID: x.ID}
		switch {
		case x.TableName != nil && x.CatalogID != nil && x.SchemaName != nil:
			r.Name = l.catalog(ctx, *x.CatalogID) + "." + *x.SchemaName + "." + *x.TableName
		case x.QueryID != nil:
			r.Name = cmp.Or(names[*x.QueryID], *x.QueryID) // the ID if it was deleted
		}
		out = append(out, r)
	}
	return out, nil
}

// between is the time from one instant to another, nil if one of them is not an instant.
func between(from, to string) *int64 {
	a, err := time.Parse(time.RFC3339, from)
	if err != nil {
		return nil
	}
	b, err := time.Parse(time.RFC3339, to)
	if err != nil {
		return nil
	}
	return new(max(0, b.Sub(a).Milliseconds()))
}
