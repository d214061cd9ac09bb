package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// cacheSchedules are the flags for the two schedules and for change detection.
type cacheSchedules struct {
	incremental, full, body string
	tracking                cacheTracking
}

func (f *cacheSchedules) register(c *cobra.Command) {
	f.tracking.register(c)
	c.Flags().StringVar(&f.incremental, "incremental-every", "",
		"incremental refresh: an ISO 8601 duration such as PT15M or P1D, or 15m, 1h, 7d; none for no schedule")
	c.Flags().StringVar(&f.full, "full-every", "", "full refresh: same format")
}

// cacheSchedule parses a schedule flag; the hosted service accepts an invalid one and ignores it [L].
func cacheSchedule(flag, v string) (*api.CacheSchedule, error) {
	if strings.EqualFold(v, "none") {
		return &api.CacheSchedule{Type: "NONE"}, nil
	}
	v = cli.ISOPeriod(v)
	if _, err := schedule.ParsePeriod(v); err != nil {
		return nil, exitcode.Usagef("%s: %v", flag, err).WithHint(cli.PeriodHint)
	}
	return &api.CacheSchedule{Type: "BASIC", Expression: &v}, nil
}

// apply sets the schedules whose flags were given, and checks those from --body.
func (f *cacheSchedules) apply(c *cobra.Command, incremental, full **api.CacheSchedule) error {
	for _, s := range []struct {
		flag, value string
		into        **api.CacheSchedule
	}{{"incremental-every", f.incremental, incremental}, {"full-every", f.full, full}} {
		if c.Flags().Changed(s.flag) {
			v, err := cacheSchedule("--"+s.flag, s.value)
			if err != nil {
				return err
			}
			*s.into = v
		}
		if v := *s.into; v != nil && v.Expression != nil && *v.Expression != "" {
			if _, err := schedule.ParsePeriod(*v.Expression); err != nil {
				return exitcode.Usagef("--body: expression: %v", err)
			}
		}
	}
	return nil
}

// forNewCache completes a command that creates a cache: run gets the request that arguments and flags describe.
func forNewCache(e *cli.Env, c *cobra.Command, f *cacheSchedules, w *cli.WaitFlags, run func(ctx context.Context,
	cl *api.Client, project string, req api.CacheRequest) (cli.View, error)) cli.RunFunc {
	return e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
		if err := w.Check(false); err != nil {
			return nil, err
		}
		var req api.CacheRequest
		if err := e.Body(f.body, &req); err != nil {
			return nil, err
		}
		if err := f.apply(c, &req.IncrementalCacheSchedule, &req.FullRefreshCacheSchedule); err != nil {
			return nil, err
		}
		if err := f.tracking.apply(e, c, &req.ChangeTracking); err != nil {
			return nil, err
		}
		catalog := ""
		if len(args) > 0 {
			t, err := resolve.TableArgs(args)
			if err != nil {
				return nil, err
			}
			catalog, req.SchemaName, req.TableName = t[0], t[1], t[2]
		} else if req.CatalogID == "" || req.SchemaName == "" || req.TableName == "" {
			return nil, exitcode.Usagef("CATALOG SCHEMA TABLE is required")
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			if catalog != "" {
				var err error
				if req.CatalogID, err = resolve.TableCatalogID(ctx, cl, p, catalog, req.SchemaName); err != nil {
					return cli.View{}, err
				}
			}
			return run(ctx, cl, p, req)
		}, nil
	})
}

func newTableArgs(_ *cobra.Command, args []string) error {
	if n := len(args); n != 0 && n != 1 && n != 3 {
		return errors.New("name the table as CATALOG SCHEMA TABLE or catalog.schema.table")
	}
	return nil
}

func newCacheCreateCmd(e *cli.Env) *cobra.Command {
	var f cacheSchedules
	var w cli.WaitFlags
	c := &cobra.Command{Use: "create CATALOG SCHEMA TABLE",
		Short: "Create the cache of a table and start its first refresh", Args: newTableArgs,
		Long: "Create the cache of a table and start its first refresh. An existing cache is left unchanged;\n`cache " +
			"ensure` also updates its settings.\n\n" + trackingHelp,
		Example: "  " + e.Name +
			" cache create sample shop orders --incremental-every 15m --full-every P1D --wait\n  " +
			e.Name + " cache create shop public orders --key id --updated-at changed_at --incremental-every 5m"}
	f.register(c)
	cli.BodyFlag(c, &f.body)
	registerCacheWait(&w, c)
	return cli.Leaf[cli.Either[api.Cache, api.CacheStatus]](e, spec.CreateCache, c,
		forNewCache(e, c, &f, &w, func(ctx context.Context, cl *api.Client, p string,
			req api.CacheRequest) (cli.View, error) {
			made, err := cli.CreateCache(ctx, cl, p, req)
			err = explainCacheable(e, req.CatalogID, err)
			if err != nil || !w.Wait {
				return cli.Object(made), err
			}
			return settledCache(ctx, e, cl, p, made.ID, "", "", &w)
		}))
}

func newCacheEnsureCmd(e *cli.Env) *cobra.Command {
	var f cacheSchedules
	var w cli.WaitFlags
	c := &cobra.Command{Use: "ensure CATALOG SCHEMA TABLE",
		Short: "Create the cache of a table unless it has one; change its settings if they differ", Args: newTableArgs,
		Example: "  " + e.Name + " cache ensure sample shop orders --full-every 1d --wait"}
	f.register(c)
	cli.BodyFlag(c, &f.body)
	registerCacheWait(&w, c)
	cli.Annotate(c, spec.ListCatalogCacheStatuses, spec.GetCacheSettings, spec.UpdateCacheSettings)
	return cli.Leaf[cli.Either[api.Cache, api.CacheStatus]](e, spec.CreateCache, c,
		forNewCache(e, c, &f, &w, func(ctx context.Context, cl *api.Client, p string,
			req api.CacheRequest) (cli.View, error) {
			st, err := resolve.CacheByTable(ctx, cl, p, req.CatalogID, req.SchemaName, req.TableName)
			if err != nil {
				return cli.View{}, err
			}
			var have api.Cache
			if st == nil {
				have, err = cli.CreateCache(ctx, cl, p, req)
				if cli.Unsure(err) { // the reply may be lost, and the cache may exist
					if again, look := resolve.CacheByTable(ctx, cl, p, req.CatalogID, req.SchemaName,
						req.TableName); look == nil && again != nil {
						st, err = again, nil
					}
				}
				err = explainCacheable(e, req.CatalogID, err)
			}
			if err == nil && st != nil {
				have, err = updateCache(ctx, e, cl, p, st.ID,
					api.CacheScheduleUpdate{IncrementalCacheSchedule: req.IncrementalCacheSchedule,
						FullRefreshCacheSchedule: req.FullRefreshCacheSchedule, ChangeTracking: req.ChangeTracking})
			}
			if err != nil || !w.Wait {
				return cli.Object(have).PrintValue(), err
			}
			return settledCache(ctx, e, cl, p, have.ID, "", "", &w)
		}))
}

// sameSchedule treats nil as no schedule.
func sameSchedule(a, b *api.CacheSchedule) bool {
	text := func(s *api.CacheSchedule) string {
		if s == nil || s.Type == "NONE" || s.Expression == nil {
			return ""
		}
		return *s.Expression
	}
	return text(a) == text(b)
}

// updateCache changes the schedules that are not nil. Both are always sent, since the service may remove one that is
// omitted [O][M], and read back, since it may ignore one [L].
func updateCache(ctx context.Context, e *cli.Env, cl *api.Client, p, id string,
	want api.CacheScheduleUpdate) (api.Cache, error) {
	have, err := cl.Cache.Settings(ctx, p, id)
	if err != nil {
		return have, err
	}
	keep := func(want **api.CacheSchedule, have *api.CacheSchedule) {
		if *want == nil {
			*want = have
		}
		if *want == nil {
			*want = &api.CacheSchedule{Type: "NONE"}
		}
	}
	keep(&want.IncrementalCacheSchedule, have.IncrementalCacheSchedule)
	keep(&want.FullRefreshCacheSchedule, have.FullRefreshCacheSchedule)
	if sameSchedule(want.IncrementalCacheSchedule, have.IncrementalCacheSchedule) &&
		sameSchedule(want.FullRefreshCacheSchedule, have.FullRefreshCacheSchedule) && sameTracking(want.ChangeTracking,
		have.ChangeTracking) {
		return have, nil
	}
	if _, err := cl.Cache.UpdateSettings(ctx, p, id, want); err != nil {
		return have, err
	}
	if have, err = cl.Cache.Settings(ctx, p, id); err != nil {
		return have, err
	}
	if !sameSchedule(want.IncrementalCacheSchedule, have.IncrementalCacheSchedule) ||
		!sameSchedule(want.FullRefreshCacheSchedule, have.FullRefreshCacheSchedule) {
		return have, &exitcode.Failure{Exit: exitcode.Failed, Code: "not-stored",
			Msg:  "the gateway accepted the schedules of cache " + id + " but did not store them",
			Hint: "`dig cache get " + shell.Quote(id) + "` shows the current settings"}
	}
	return have, nil
}

func newCacheUpdateCmd(e *cli.Env) *cobra.Command {
	var f cacheSchedules
	c := &cobra.Command{Use: "update CACHE",
		Short: "Change the settings of a cache; settings that are not given stay as they are", Example: "  " + e.Name +
			" cache update sample shop orders --full-every PT6H --incremental-every none"}
	f.register(c)
	cli.BodyFlag(c, &f.body)
	cli.Annotate(c, spec.GetCacheSettings)
	return withCache[api.Cache](e, spec.UpdateCacheSettings, c, func(ctx context.Context, cl *api.Client, p,
		id string) (cli.View,
		error) {
		var want api.CacheScheduleUpdate
		if err := e.Body(f.body, &want); err != nil {
			return cli.View{}, err
		}
		if err := f.apply(c, &want.IncrementalCacheSchedule, &want.FullRefreshCacheSchedule); err != nil {
			return cli.View{}, err
		}
		if err := f.tracking.apply(e, c, &want.ChangeTracking); err != nil {
			return cli.View{}, err
		}
		if want == (api.CacheScheduleUpdate{}) {
			return cli.View{}, exitcode.Usagef(
				"nothing to change: give --incremental-every, --full-every, or --key and related flags")
		}
		v, err := updateCache(ctx, e, cl, p, id, want)
		return cli.Object(v).PrintValue(), err
	})
}

func newCacheBatchCmd(e *cli.Env) *cobra.Command {
	var f cacheSchedules
	c := &cobra.Command{Use: "batch [catalog.schema.table]...",
		Short: "Create several caches; each succeeds or fails independently", Args: cobra.ArbitraryArgs,
		Long: "Create several caches; each succeeds or fails independently. Tables are arguments with the same " +
			"schedules,\nor a list of requests with --body. The exit code is 7 when some failed.",
		Example: "  " + e.Name + " cache batch sample.shop.orders sample.shop.customers --full-every 1d\n  " + e.Name +
			" cache batch --body @caches.json"}
	f.register(c)
	cli.BodyFlag(c, &f.body)
	return cli.Leaf[[]api.CacheCreateStatus](e, spec.CreateCacheBatch, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			var reqs []api.CacheRequest
			if err := e.Body(f.body, &reqs); err != nil {
				return nil, err
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				for _, a := range args {
					t, err := resolve.TableArgs([]string{a})
					if err != nil {
						return cli.View{}, err
					}
					id, err := resolve.TableCatalogID(ctx, cl, p, t[0], t[1])
					if err != nil {
						return cli.View{}, err
					}
					reqs = append(reqs, api.CacheRequest{CatalogID: id, SchemaName: t[1], TableName: t[2]})
				}
				if len(reqs) == 0 {
					return cli.View{}, exitcode.Usagef("no tables: name them as catalog.schema.table or give --body")
				}
				for i := range reqs {
					if err := f.apply(c, &reqs[i].IncrementalCacheSchedule,
						&reqs[i].FullRefreshCacheSchedule); err != nil {
						return cli.View{}, err
					}
					if err := f.tracking.apply(e, c, &reqs[i].ChangeTracking); err != nil {
						return cli.View{}, err
					}
				}
				out, err := cl.Cache.CreateBatch(ctx, p, reqs)
				if err != nil {
					return cli.View{}, err
				}
				bad := 0
				for _, s := range out {
					if !s.Success {
						bad++
					}
				}
				v := cli.List(out, "success", "error", "cache.id", "cache.tableName")
				if bad > 0 {
					v.Fail = &exitcode.Failure{Exit: exitcode.Job, Code: "partial",
						Msg: fmt.Sprintf("%d of %d caches were not created", bad, len(out))}
				}
				return v, nil
			}, nil
		}))
}
