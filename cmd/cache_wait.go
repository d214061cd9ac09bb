package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// registerCacheWait adds the flags of commands that can wait for a refresh.
func registerCacheWait(w *waitFlags, c *cobra.Command) {
	w.register(c, "the refresh has ended")
	w.signs(c)
	annotate(c, spec.GetCacheStatus)
}

// slot is the last run of a mode, or the newest of both when mode is empty.
func slot(st api.CacheStatus, mode string) *api.CacheExecutionInfo {
	switch mode {
	case "FULL_REFRESH":
		return st.LastFullRefreshCacheExecution
	case "INCREMENTAL":
		return st.LastIncrementalCacheExecution
	}
	return st.Newest()
}

// cacheState is a state in the one spelling used here.
func cacheState(s string) string {
	if s = strings.ToUpper(s); s == "CANCELED" {
		return "CANCELLED"
	}
	return s
}

func cacheEnded(s string) bool {
	switch cacheState(s) {
	case "COMPLETED", "FAILED", "CANCELLED", "DELETED":
		return true
	}
	return false // also states not known yet
}

// settledCache waits for a run of a mode that began after the one with the given time of creation, and until both that run and
// the cache as a whole have ended: a status right after a trigger is still that of the run before, and the slots of the two
// modes hide each other [L].
func (e *Env) settledCache(ctx context.Context, cl *api.Client, p, id, mode, before string, w *waitFlags) (view, error) {
	var st api.CacheStatus
	var run *api.CacheExecutionInfo
	err := e.wait(ctx, waiting{what: "cache " + id, limit: w.limit, stalled: w.stalled, resume: "cache wait " + shell.Quote(id), cancel: "cache cancel " + shell.Quote(id)}, func() (string, string, bool, error) {
		var err error
		if st, err = cl.Cache.Status(ctx, p, id, url.Values{"excludeLogs": {"true"}}); err != nil {
			return "", "", false, err
		}
		run = slot(st, mode)
		if run == nil || run.CreatedAt == before {
			return "about to begin", "", false, nil
		}
		mark := run.UpdatedAt
		if p := run.Progress; p != nil {
			mark += fmt.Sprint(*p)
		}
		return run.Status, mark, cacheEnded(run.Status) && cacheEnded(st.Status), nil
	})
	if err != nil {
		return view{}, err
	}
	if s := cacheState(run.Status); s != "COMPLETED" {
		f := &failure{exit: exitJob, code: "job-" + strings.ToLower(s), msg: fmt.Sprintf("the refresh of cache %s is %s", id, run.Status)}
		var text string
		if json.Unmarshal(run.Error["message"], &text) == nil && text != "" {
			f.msg += ": " + text
		} else if len(run.Error) > 0 {
			raw, _ := json.Marshal(run.Error)
			f.msg += ": " + string(raw)
		}
		return view{}, f
	}
	v := object(st, cacheColumns[1:]...).mine()
	switch n := run.Progress; {
	case n == nil:
	case run.ExecutionMode != "INCREMENTAL":
		v = v.withNote("%d rows cached", n.NumberOfCachedRecords)
	case e.onlyLocal("") == nil:
		v = v.withNote("%d rows cached: %d inserted, %d updated, %d deleted", n.NumberOfCachedRecords, n.NumberOfInsertedRecords, n.NumberOfUpdatedRecords, n.NumberOfDeletedRecords)
	default: // the service's counters of updated and deleted rows do not count [L]
		v = v.withNote("%d rows cached, %d inserted; the zone's counters of updated and deleted rows are unreliable", n.NumberOfCachedRecords, n.NumberOfInsertedRecords)
	}
	return v, nil
}

func newCacheRefreshCmd(e *Env) *cobra.Command {
	var full bool
	var w waitFlags
	c := &cobra.Command{Use: "refresh CACHE", Short: "Refresh a cache now: what changed, or with --full everything",
		Long:    "Refresh a cache now: what changed, or with --full everything. Queries read the old rows until it is done, and\nkeep them when it fails. With --wait the exit code is 7 when it failed, was cancelled or is stalled, and 8 when\nthe time was not enough.",
		Example: "  " + e.Name + " cache refresh sample shop orders --full --wait"}
	c.Flags().BoolVar(&full, "full", false, "a full refresh instead of an incremental one")
	registerCacheWait(&w, c)
	annotate(c, spec.TriggerFullRefresh, spec.GetCatalog, spec.ExecuteQuery)
	return e.withCache(spec.TriggerIncrementalUpdate, c, func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
		if err := w.check(false); err != nil {
			return view{}, err
		}
		mode, trigger := "INCREMENTAL", cl.Cache.IncrementalUpdate
		if full {
			mode, trigger = "FULL_REFRESH", cl.Cache.FullRefresh
		}
		before, counted := "", ""
		var table tableRef
		if w.wait {
			st, err := cl.Cache.Status(ctx, p, id, url.Values{"excludeLogs": {"true"}})
			if err != nil {
				return view{}, err
			}
			if run := slot(st, mode); run != nil {
				before = run.CreatedAt
			}
			if e.guarded() && !full {
				table, counted = e.countCached(ctx, cl, p, st)
			}
		}
		if err := trigger(ctx, p, id); err != nil || !w.wait {
			return note("started the refresh of cache %s", id), err
		}
		v, err := e.settledCache(ctx, cl, p, id, mode, before, &w)
		if err == nil && counted != "" {
			v.note += e.countedChange(ctx, cl, p, table, counted)
		}
		return v, err
	})
}

// countCached counts the rows that a cache holds, by a query: the counters of the hosted zones do not tell what a refresh changed [L].
// It is "" where they cannot be counted, which is said and no reason not to refresh.
func (e *Env) countCached(ctx context.Context, cl *api.Client, p string, st api.CacheStatus) (tableRef, string) {
	t := tableRef{"", st.SchemaName, st.TableName}
	c, err := cl.Catalogs.Get(ctx, p, st.CatalogID)
	n := ""
	if err == nil {
		t.catalog = c.Name
		n, err = (&guard{cl: cl, project: p}).countOf(ctx, t)
	}
	if err != nil && !errors.Is(err, errDone) {
		fmt.Fprintf(e.Err, "note: the rows could not be counted before the refresh, so how many it changes will not be told: %v\n", err)
	}
	return t, n
}

// countedChange tells by how many rows a table has grown since it was counted.
func (e *Env) countedChange(ctx context.Context, cl *api.Client, p string, t tableRef, before string) string {
	after, err := (&guard{cl: cl, project: p}).countOf(ctx, t)
	if err != nil {
		return fmt.Sprintf("; the rows could not be counted after it: %v", err)
	}
	a, errA := strconv.ParseInt(after, 10, 64)
	b, errB := strconv.ParseInt(before, 10, 64)
	if err := errors.Join(errA, errB); err != nil {
		return fmt.Sprintf("; the counts before and after it cannot be read: %v", err)
	}
	return fmt.Sprintf("; counted: %d rows before, %d after (%+d)", b, a, a-b)
}

func newCacheWaitCmd(e *Env) *cobra.Command {
	w := waitFlags{wait: true}
	c := &cobra.Command{Use: "wait CACHE", Short: "Wait until the current refresh of a cache has ended", Example: "  " + e.Name + " cache wait sample shop orders --wait-timeout 30m"}
	w.limits(c)
	w.signs(c)
	return e.withCache(spec.GetCacheStatus, c, func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
		if err := w.check(false); err != nil {
			return view{}, err
		}
		return e.settledCache(ctx, cl, p, id, "", "", &w)
	})
}
