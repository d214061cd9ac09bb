package cache

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// registerCacheWait adds the flags of commands that can wait for a refresh.
func registerCacheWait(w *cli.WaitFlags, c *cobra.Command) {
	w.Register(c, "the refresh has ended")
	w.Signs(c)
	cli.Annotate(c, spec.GetCacheStatus)
}

// slot is the last run of a mode, or the newer of both if mode is empty.
func slot(st api.CacheStatus, mode string) *api.CacheExecutionInfo {
	switch mode {
	case "FULL_REFRESH":
		return st.LastFullRefreshCacheExecution
	case "INCREMENTAL":
		return st.LastIncrementalCacheExecution
	}
	return st.Newest()
}

// settledCache waits for a run of a mode that began after the one created at the given time, and until both that run
// and the cache as a whole have ended: a status read right after a trigger is still that of the previous run, and the
// slots of the two modes hide each other [L].
func settledCache(ctx context.Context, e *cli.Env, cl *api.Client, p, id, mode, before string,
	w *cli.WaitFlags) (cli.View, error) {
	var st api.CacheStatus
	var run *api.CacheExecutionInfo
	err := e.Wait(ctx, cli.Waiting{What: "cache " + id, Limit: w.Limit, Stalled: w.Stalled, Resume: "cache wait " +
		shell.Quote(id), Cancel: "cache cancel " + shell.Quote(id)}, func() (string, string, bool, error) {
		var err error
		if st, err = cl.Cache.Status(ctx, p, id, url.Values{"excludeLogs": {"true"}}); err != nil {
			return "", "", false, err
		}
		run = slot(st, mode)
		if run == nil || run.CreatedAt == before {
			return "about to start", "", false, nil
		}
		state, mark := run.Status, run.UpdatedAt
		if p := run.Progress; p != nil {
			if mark += fmt.Sprint(*p); p.NumberOfCachedRecords > 0 {
				state += fmt.Sprintf(", %d rows", p.NumberOfCachedRecords)
			}
		}
		return state, mark, cli.CacheEnded(run.Status) && cli.CacheEnded(st.Status), nil
	})
	if err != nil {
		return cli.View{}, err
	}
	if s := api.JobState(run.Status); s != api.StateCompleted {
		f := &exitcode.Failure{Exit: exitcode.Job, Code: "job-" + strings.ToLower(s),
			Msg: fmt.Sprintf("the refresh of cache %s is %s", id, run.Status)}
		if why := cli.CacheError(run); why != "" {
			f.Msg += ": " + why
		}
		return cli.View{}, f
	}
	v := cli.Object(st)
	if one := []api.CacheStatus{st}; withAge(e, one) {
		v = cli.Object(namedCaches(ctx, e, cl, p, one)[0])
	}
	v = v.PrintValue()
	switch n := run.Progress; {
	case n == nil:
	case run.ExecutionMode != "INCREMENTAL":
		v = v.WithNote("%d rows cached", n.NumberOfCachedRecords)
	case e.Local():
		v = v.WithNote("%d rows inserted, %d updated, %d deleted", n.NumberOfInsertedRecords, n.NumberOfUpdatedRecords,
			n.NumberOfDeletedRecords)
	default: // the service's counters of updated and deleted rows are wrong [L]
		v = v.WithNote("%d rows inserted; the zone's counters of updated and deleted rows are unreliable",
			n.NumberOfInsertedRecords)
	}
	return v, nil
}

func newCacheRefreshCmd(e *cli.Env) *cobra.Command {
	var full bool
	var w cli.WaitFlags
	c := &cobra.Command{Use: "refresh CACHE", Short: "Refresh a cache now: the changes, or with --full everything",
		Long: "Refresh a cache now: the changes, or with --full everything. Queries read the old rows until it is " +
			"done, and\nkeep reading them when it fails. With --wait the exit code is 7 if it failed, was cancelled " +
			"or is stalled, and 8 if\nthe time limit was reached.",
		Example: "  " + e.Name + " cache refresh sample shop orders --full --wait"}
	c.Flags().BoolVar(&full, "full", false, "a full refresh instead of an incremental one")
	registerCacheWait(&w, c)
	cli.Annotate(c, spec.TriggerFullRefresh, spec.GetCatalog, spec.ExecuteQuery)
	return withCache[cli.Either[api.CacheStatus, cli.Acknowledged]](e, spec.TriggerIncrementalUpdate, c,
		func(ctx context.Context, cl *api.Client, p,
			id string) (cli.View, error) {
			if err := w.Check(false); err != nil {
				return cli.View{}, err
			}
			mode, trigger := "INCREMENTAL", cl.Cache.IncrementalUpdate
			if full {
				mode, trigger = "FULL_REFRESH", cl.Cache.FullRefresh
			}
			before, counted := "", ""
			var table sqltext.TableRef
			if w.Wait {
				st, err := cl.Cache.Status(ctx, p, id, url.Values{"excludeLogs": {"true"}})
				if err != nil {
					return cli.View{}, err
				}
				if run := slot(st, mode); run != nil {
					before = run.CreatedAt
				}
				if e.MayDropRows() && !full {
					table, counted = countCached(ctx, e, cl, p, st)
				}
			}
			if err := trigger(ctx, p, id); err != nil || !w.Wait {
				return cli.Note("started the refresh of cache %s", id), err
			}
			v, err := settledCache(ctx, e, cl, p, id, mode, before, &w)
			if err == nil && counted != "" {
				v.Note += countedChange(ctx, e, cl, p, table, counted)
			}
			return v, err
		})
}

// countCached counts the rows of a cache by a query: the counters of the hosted zones do not show what a refresh
// changed [L]. It returns "" if they cannot be counted, which is noted and does not prevent the refresh.
func countCached(ctx context.Context, e *cli.Env, cl *api.Client, p string,
	st api.CacheStatus) (sqltext.TableRef, string) {
	t := sqltext.TableRef{Catalog: "", Schema: st.SchemaName, Table: st.TableName}
	c, err := cl.Catalogs.Get(ctx, p, st.CatalogID)
	n := ""
	if err == nil {
		t.Catalog = c.Name
		n, err = (&trust.Guard{Cl: cl, Project: p}).CountOf(ctx, t)
	}
	if err != nil && !errors.Is(err, cli.ErrDone) {
		fmt.Fprintf(e.Err,
			"note: the rows could not be counted before the refresh, so the number of changed rows is not shown: %v\n",
			err)
	}
	return t, n
}

// countedChange reports how much the row count of a table has changed since it was counted.
func countedChange(ctx context.Context, e *cli.Env, cl *api.Client, p string, t sqltext.TableRef,
	before string) string {
	after, err := (&trust.Guard{Cl: cl, Project: p}).CountOf(ctx, t)
	if err != nil {
		return fmt.Sprintf("; the rows could not be counted after the refresh: %v", err)
	}
	a, errA := strconv.ParseInt(after, 10, 64)
	b, errB := strconv.ParseInt(before, 10, 64)
	if err := errors.Join(errA, errB); err != nil {
		return fmt.Sprintf("; the counts before and after the refresh cannot be read: %v", err)
	}
	return fmt.Sprintf("; counted: %d rows before, %d after (%+d)", b, a, a-b)
}

func newCacheWaitCmd(e *cli.Env) *cobra.Command {
	w := cli.WaitFlags{Wait: true}
	c := &cobra.Command{Use: "wait CACHE", Short: "Wait until the current refresh of a cache has ended", Example: "  " +
		e.Name + " cache wait sample shop orders --wait-timeout 30m"}
	w.Limits(c)
	w.Signs(c)
	return withCache[api.CacheStatus](e, spec.GetCacheStatus, c, func(ctx context.Context, cl *api.Client, p,
		id string) (cli.View,
		error) {
		if err := w.Check(false); err != nil {
			return cli.View{}, err
		}
		return settledCache(ctx, e, cl, p, id, "", "", &w)
	})
}
