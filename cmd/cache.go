package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newCacheCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "cache", Aliases: []string{"caches"}, Short: "Caches: stored copies of tables of other catalogs",
		Long: "Caches: stored copies of tables of other catalogs, refreshed by schedule or on demand. Queries read the copy.\n\nA cache is named by its id, by CATALOG SCHEMA TABLE, or by catalog.schema.table."}
	c.AddCommand(newCacheListCmd(e), newCacheGetCmd(e), newCacheStatusCmd(e), newCacheCreateCmd(e), newCacheEnsureCmd(e), newCacheBatchCmd(e), newCacheUpdateCmd(e),
		newCacheDeleteCmd(e), newCacheRefreshCmd(e), newCacheWaitCmd(e), newCacheCancelCmd(e), newCacheHistoryCmd(e))
	return c
}

// cacheColumns are shown of a cache in a table.
var cacheColumns = []string{"catalogName", "schemaName", "tableName", "status", "refreshedAt", "id"}

// withAge fills in since when the rows are as they are, where the gateway does not say so itself.
func (e *Env) withAge(all []api.CacheStatus) bool {
	if !e.humanOutput() {
		return false
	}
	for i, st := range all {
		if at := st.Refreshed(); at != "" {
			all[i].RefreshedAt = &at
		}
	}
	return true
}

// namedCache is a cache as people read it: with the name of its catalog, which the gateway knows by id.
type namedCache struct {
	CatalogName string `json:"catalogName"`
	api.CacheStatus
}

func (e *Env) namedCaches(ctx context.Context, cl *api.Client, project string, all []api.CacheStatus) []namedCache {
	names := map[string]string{}
	if len(all) > 0 {
		names = e.catalogNames(ctx, cl, project)
	}
	out := make([]namedCache, len(all))
	for i, st := range all {
		out[i] = namedCache{names[st.CatalogID], st}
	}
	return out
}

// cacheArgs accepts the three ways to name a cache.
func cacheArgs(_ *cobra.Command, args []string) error {
	if len(args) != 1 && len(args) != 3 {
		return errors.New("a cache is named by its id, by CATALOG SCHEMA TABLE, or by catalog.schema.table")
	}
	return nil
}

// tableArgs splits CATALOG SCHEMA TABLE or catalog.schema.table.
func tableArgs(args []string) ([3]string, error) {
	if len(args) == 1 {
		args = strings.SplitN(args[0], ".", 3)
	}
	if len(args) != 3 || args[0] == "" || args[1] == "" || args[2] == "" {
		return [3]string{}, usagef("%q is not catalog.schema.table", strings.Join(args, "."))
	}
	return [3]string(args), nil
}

// findCache is the id of the cache that the arguments name.
func findCache(ctx context.Context, cl *api.Client, project string, args []string) (string, error) {
	if len(args) == 1 && uuidLike().MatchString(args[0]) {
		return args[0], nil
	}
	t, err := tableArgs(args)
	if err != nil {
		return "", err
	}
	catalog, err := tableCatalogID(ctx, cl, project, t[0], t[1])
	if err != nil {
		return "", err
	}
	st, err := cacheByTable(ctx, cl, project, catalog, t[1], t[2])
	if err == nil && st == nil {
		err = &failure{exit: exitNotFound, code: "not-found", msg: "there is no cache of " + strings.Join(t[:], "."), hint: "`dig cache create` makes one"}
	}
	if err != nil {
		return "", err
	}
	return st.ID, nil
}

// cacheByTable is the cache of a table, nil when it has none.
func cacheByTable(ctx context.Context, cl *api.Client, project, catalog, schema, table string) (*api.CacheStatus, error) {
	all, err := cl.Cache.CatalogStatuses(ctx, project, catalog)
	if err != nil {
		return nil, err
	}
	for i, st := range all {
		if st.SchemaName == schema && st.TableName == table && st.Status != "DELETED" {
			return &all[i], nil
		}
	}
	return nil, nil
}

// withCache completes a command about one cache.
func (e *Env) withCache(op spec.Op, c *cobra.Command, f func(ctx context.Context, cl *api.Client, project, cache string) (view, error)) *cobra.Command {
	if c.Args == nil {
		c.Args = cacheArgs
	}
	return e.leaf(op, c, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
		id, err := findCache(ctx, cl, p, args)
		if err != nil {
			return view{}, err
		}
		return f(ctx, cl, p, id)
	}))
}

func newCacheListCmd(e *Env) *cobra.Command {
	var catalog, schema string
	c := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List caches and their states", Args: cobra.NoArgs,
		Long:    "List caches and their states. Tables for people name the catalog; -o json and csv have what the gateway sends,\nwhich is its id.",
		Example: "  " + e.Name + " cache list\n  " + e.Name + " cache list --catalog sample --schema shop"}
	c.Flags().StringVar(&catalog, "catalog", "", "only this catalog, by id or name")
	c.Flags().StringVar(&schema, "schema", "", "only this schema; needs --catalog")
	annotate(c, spec.ListCatalogCacheStatuses, spec.ListSchemaCacheStatuses, spec.ListCatalogs)
	return e.leaf(spec.ListCacheStatuses, c, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
		if schema != "" && catalog == "" {
			return view{}, usagef("--schema needs --catalog")
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		var v []api.CacheStatus
		var id string
		if catalog != "" {
			if id, err = tableCatalogID(ctx, cl, p, catalog, schema); err != nil {
				return view{}, err
			}
		}
		switch {
		case catalog == "":
			v, err = cl.Cache.Statuses(ctx, p)
		case schema != "" && e.run.settings.Local():
			v, err = cl.Cache.SchemaStatuses(asked(ctx), p, id, schema)
		default: // the hosted zones fail on every list of a schema [L]
			v, err = cl.Cache.CatalogStatuses(asked(ctx), p, id)
			if schema != "" {
				all := v
				v = []api.CacheStatus{}
				for _, st := range all {
					if st.SchemaName == schema {
						v = append(v, st)
					}
				}
			}
		}
		if err == nil && e.withAge(v) {
			return list(e.namedCaches(ctx, cl, p, v), cacheColumns...).mine(), nil
		}
		return list(v, cacheColumns[1:]...), err
	})
}

func newCacheGetCmd(e *Env) *cobra.Command {
	return e.withCache(spec.GetCacheSettings, &cobra.Command{Use: "get CACHE", Aliases: []string{"show", "settings"}, Short: "Show the settings of a cache",
		Example: "  " + e.Name + " cache get sample shop orders"},
		func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
			v, err := cl.Cache.Settings(ctx, p, id)
			return object(v), err
		})
}

func newCacheStatusCmd(e *Env) *cobra.Command {
	var bare bool
	c := &cobra.Command{Use: "status CACHE", Short: "Show the state of a cache, its last runs and its log", Example: "  " + e.Name + " cache status sample.shop.orders --exclude-logs"}
	c.Flags().BoolVar(&bare, "exclude-logs", false, "leave out the log")
	return e.withCache(spec.GetCacheStatus, c, func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
		q := url.Values{}
		if bare {
			q.Set("excludeLogs", "true")
		}
		v, err := cl.Cache.Status(ctx, p, id, q)
		one := []api.CacheStatus{v}
		if err == nil && e.withAge(one) {
			return object(e.namedCaches(ctx, cl, p, one)[0]).mine(), nil
		}
		return object(v), err
	})
}

func newCacheHistoryCmd(e *Env) *cobra.Command {
	var limit, offset int
	c := &cobra.Command{Use: "history CACHE", Aliases: []string{"executions"}, Short: "List the runs of a cache, newest first; they are kept for 14 days", Example: "  " + e.Name + " cache history sample shop orders --limit 50"}
	c.Flags().IntVar(&limit, "limit", 10, "at most this many")
	c.Flags().IntVar(&offset, "offset", 0, "leave out this many of the newest")
	return e.withCache(spec.ListCacheExecutions, c, func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
		if limit < 1 || offset < 0 {
			return view{}, usagef("--limit is at least 1 and --offset at least 0")
		}
		v, err := cl.Cache.Executions(ctx, p, id, url.Values{"limit": {strconv.Itoa(limit)}, "offset": {strconv.Itoa(offset)}})
		return list(v, "createdAt", "executionMode", "status", "finishedAt", "progress.numberOfCachedRecords", "progress.numberOfInsertedRecords", "id"), err
	})
}

func newCacheDeleteCmd(e *Env) *cobra.Command {
	return e.withCache(spec.DeleteCache, annotate(&cobra.Command{Use: "delete CACHE", Aliases: []string{"rm"}, Short: "Delete a cache; queries read the source again",
		Example: "  " + e.Name + " cache delete sample shop orders --yes"}, spec.GetCacheSettings, spec.GetTableCacheState, spec.ListCatalogs),
		func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
			who := e.called(id, id, func() ([]named, error) {
				st, err := cl.Cache.Settings(ctx, p, id)
				return []named{{id: st.ID, name: e.catalogNames(ctx, cl, p)[st.CatalogID] + "." + st.SchemaName + "." + st.TableName}}, err
			})
			if err := e.confirm("delete cache %s with its rows and schedules?", who); err != nil {
				return view{}, err
			}
			if !e.guarded() {
				return note("deleted cache %s", id), cl.Cache.Delete(ctx, p, id)
			}
			st, err := cl.Cache.Settings(ctx, p, id)
			if err != nil {
				return view{}, err
			}
			if err := cl.Cache.Delete(ctx, p, id); err != nil {
				return view{}, err
			}
			// The hosted zones now and then keep reading the deleted cache, and the table cannot be read any more [L].
			if now, err := cl.Catalogs.CacheState(ctx, p, st.CatalogID, st.SchemaName, st.TableName); err != nil {
				fmt.Fprintf(e.Err, "note: whether %s still counts as cached could not be found out: %v\n", st.TableName, err)
			} else if now.IsCached {
				return view{}, &failure{exit: exitFailed, code: "not-deleted", msg: "cache " + id + " was deleted, but " + st.TableName + " still counts as cached and may be unreadable", hint: "only a new catalog over the same connection is known to help"}
			}
			return note("deleted cache %s", id), nil
		})
}

func newCacheCancelCmd(e *Env) *cobra.Command {
	var full, incremental bool
	c := &cobra.Command{Use: "cancel CACHE", Short: "Cancel the refresh that is running; the cache keeps the rows it had",
		Example: "  " + e.Name + " cache cancel sample shop orders"}
	c.Flags().BoolVar(&full, "full", false, "the full refresh")
	c.Flags().BoolVar(&incremental, "incremental", false, "the incremental refresh")
	annotate(c, spec.CancelIncrementalUpdate, spec.GetCacheStatus)
	return e.withCache(spec.CancelFullRefresh, c, func(ctx context.Context, cl *api.Client, p, id string) (view, error) {
		if full && incremental {
			return view{}, usagef("--full and --incremental exclude each other")
		}
		if !full && !incremental {
			st, err := cl.Cache.Status(ctx, p, id, url.Values{"excludeLogs": {"true"}})
			if err != nil {
				return view{}, err
			}
			run := st.Newest()
			if run == nil || run.Status != "RUNNING" {
				return view{}, &failure{exit: exitNotFound, code: "not-running", msg: "no refresh of cache " + id + " is running"}
			}
			full = run == st.LastFullRefreshCacheExecution
		}
		cancel := cl.Cache.CancelIncrementalUpdate
		if full {
			cancel = cl.Cache.CancelFullRefresh
		}
		err := cancel(ctx, p, id)
		var ae *api.Error
		if errors.As(err, &ae) && ae.Status == 500 { // the record of a refresh appears a moment after its start [L]
			if err = retry.Sleep(ctx, 500*time.Millisecond); err == nil {
				err = cancel(ctx, p, id)
			}
		}
		return note("cancelled the refresh of cache %s", id), err
	})
}
