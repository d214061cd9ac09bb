package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// cacheWait are the flags of commands that can wait for a refresh.
type cacheWait struct {
	wait           bool
	limit, stalled time.Duration
}

func (w *cacheWait) register(c *cobra.Command) {
	c.Flags().BoolVar(&w.wait, "wait", false, "wait until the refresh has ended")
	w.limits(c)
	annotate(c, spec.GetCacheStatus)
}

func (w *cacheWait) limits(c *cobra.Command) {
	c.Flags().DurationVar(&w.limit, "wait-timeout", 0, "longest wait, such as 10m; none by default")
	c.Flags().DurationVar(&w.stalled, "stalled-after", 15*time.Minute, "give up a refresh that shows no sign of life for so long; 0 for never")
}

func (w *cacheWait) check() error {
	switch {
	case w.limit < 0 || w.stalled < 0:
		return usagef("--wait-timeout and --stalled-after cannot be negative")
	case w.limit > 0 && !w.wait:
		return usagef("--wait-timeout needs --wait")
	}
	return nil
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
func (e *Env) settledCache(ctx context.Context, cl *api.Client, p, id, mode, before string, w *cacheWait) (view, error) {
	var st api.CacheStatus
	var run *api.CacheExecutionInfo
	err := e.wait(ctx, waiting{what: "cache " + id, limit: w.limit, stalled: w.stalled, resume: "cache wait " + id}, func() (string, string, bool, error) {
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
	v := object(st, cacheColumns...).mine()
	switch n := run.Progress; {
	case n == nil:
	case run.ExecutionMode != "INCREMENTAL":
		v = v.withNote("%d rows cached", n.NumberOfCachedRecords)
	case e.onlyLocal("") == nil:
		v = v.withNote("%d rows cached: %d inserted, %d updated, %d deleted", n.NumberOfCachedRecords, n.NumberOfInsertedRecords, n.NumberOfUpdatedRecords, n.NumberOfDeletedRecords)
	default: // the service's counters of updated and deleted rows do not count [L]
		v = v.withNote("%d rows cached, %d inserted; this zone does not count updated and deleted rows", n.NumberOfCachedRecords, n.NumberOfInsertedRecords)
	}
	return v, nil
}

func newCacheRefreshCmd(e *Env) *cobra.Command {
	var full bool
	var w cacheWait
	c := &cobra.Command{Use: "refresh CACHE", Short: "Refresh a cache now: what changed, or with --full everything",
		Long:    "Refresh a cache now: what changed, or with --full everything. Queries read the old rows until it is done, and\nkeep them when it fails. With --wait the exit code is 7 when it failed, was cancelled or is stalled, and 8 when\nthe time was not enough.",
		Example: "  " + e.Name + " cache refresh sample shop orders --full --wait"}
	c.Flags().BoolVar(&full, "full", false, "a full refresh instead of an incremental one")
	w.register(c)
	annotate(c, spec.TriggerFullRefresh)
	return e.withCache(spec.TriggerIncrementalUpdate, c, func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
		if err := w.check(); err != nil {
			return view{}, err
		}
		mode, trigger := "INCREMENTAL", cl.Cache.IncrementalUpdate
		if full {
			mode, trigger = "FULL_REFRESH", cl.Cache.FullRefresh
		}
		before := ""
		if w.wait {
			st, err := cl.Cache.Status(ctx, p, id, url.Values{"excludeLogs": {"true"}})
			if err != nil {
				return view{}, err
			}
			if run := slot(st, mode); run != nil {
				before = run.CreatedAt
			}
		}
		if err := trigger(ctx, p, id); err != nil || !w.wait {
			return note("started the refresh of cache %s", id), err
		}
		return e.settledCache(ctx, cl, p, id, mode, before, &w)
	})
}

func newCacheWaitCmd(e *Env) *cobra.Command {
	w := cacheWait{wait: true}
	c := &cobra.Command{Use: "wait CACHE", Short: "Wait until the current refresh of a cache has ended", Example: "  " + e.Name + " cache wait sample shop orders --wait-timeout 30m"}
	w.limits(c)
	return e.withCache(spec.GetCacheStatus, c, func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
		if err := w.check(); err != nil {
			return view{}, err
		}
		return e.settledCache(ctx, cl, p, id, "", "", &w)
	})
}
