package cmd

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newMaterializedCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "materialized", Aliases: []string{"mtquery"}, Short: "Materialized queries: state of their runs, refresh, cancel, wait",
		Long: `Materialized queries store their result, which SQL names as peaka.mtquery.NAME; peaka.query.NAME stays live.
They are made with "query create --type MATERIALIZED" or "query materialize".`}
	ex := "  " + e.Name + " materialized "
	c.AddCommand(
		e.leaf(spec.ListMaterializedStatuses, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the materialized queries with the state of their latest run", Example: ex + "list", Args: cobra.NoArgs},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
				all, err := cl.Materialized.Statuses(ctx, p)
				v := list(all, "queryName", "status", "refreshedAt", "nextExecutionStartTime")
				if err != nil || !e.humanOutput() {
					return v, err
				}
				for i := range all {
					all[i].Status = stateWords(all[i])
					if at := all[i].Refreshed(); at != "" {
						all[i].RefreshedAt = &at
					}
				}
				v.value = all
				return v.mine(), nil
			})),
		e.leaf(spec.GetMaterializedStatus, &cobra.Command{Use: "status QUERY", Aliases: []string{"get", "show"}, Short: "Show the state of one materialized query", Example: ex + "status daily_sales", Args: cobra.ExactArgs(1)},
			e.onQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
				s, err := cl.Materialized.Status(ctx, p, id)
				if err != nil || !e.humanOutput() {
					return object(s), err
				}
				if at := s.Refreshed(); at != "" {
					s.RefreshedAt = &at
				}
				s.Status = stateWords(s)
				return object(s).mine(), nil
			})),
		newMaterializedRefreshCmd(e), newMaterializedCancelCmd(e), newMaterializedWaitCmd(e),
	)
	return c
}

// humanOutput tells that the result is laid out for reading, where dig may put words for codes.
func (e *Env) humanOutput() bool {
	f := &e.run.flags
	if f.jq != "" {
		return false
	}
	return f.output.Human()
}

// neverMaterialized is the state of a query that has not run.
const neverMaterialized = "never materialized"

// stateWords says of a query that never ran that it never did; the gateway calls it COMPLETED.
func stateWords(s api.MaterializedQueryStatus) string {
	if s.LastExecutionStartTime == nil && s.LastUpdateTime == nil {
		return neverMaterialized
	}
	return s.Status
}

func newMaterializedRefreshCmd(e *Env) *cobra.Command {
	var w waitFlags
	var allowPart bool
	c := &cobra.Command{Use: "refresh QUERY", Short: "Run a materialized query again", Args: cobra.ExactArgs(1),
		Long: `Run a materialized query again. The stored rows stay until the run has succeeded.

With --wait the command ends when that run has: exit code 0 when it completed, 7 when it failed or was
canceled, 8 when --wait-timeout ran out first.`,
		Example: "  " + e.Name + " materialized refresh daily_sales --wait"}
	w.register(c, "the run has ended")
	allowPartFlag(c, &allowPart)
	annotate(c, spec.GetMaterializedStatus, spec.GetQuery, spec.ExecuteQuery)
	return e.leaf(spec.RefreshMaterializedQuery, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		if err := w.check(false); err != nil {
			return view{}, err
		}
		return e.onQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
			if err := e.keepWholeQuery(ctx, cl, p, id, allowPart); err != nil {
				return view{}, err
			}
			if !w.wait {
				return note("refresh of %s was asked for", args[0]), cl.Materialized.Refresh(ctx, p, id)
			}
			before, err := cl.Materialized.Status(ctx, p, id)
			if err != nil {
				return view{}, err
			}
			if err := cl.Materialized.Refresh(ctx, p, id); err != nil {
				return view{}, err
			}
			after, err := e.waitRun(ctx, cl, p, id, args[0], &before, w.limit)
			if err != nil {
				return view{}, err
			}
			n, err := storedRows(ctx, cl, p, after.QueryName)
			return object(after).mine().withNote("%d rows stored", n), err
		})(ctx, cl, args)
	})
}

func newMaterializedCancelCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "cancel QUERY", Short: "Cancel the run of a materialized query; the stored rows stay", Args: cobra.ExactArgs(1),
		Example: "  " + e.Name + " materialized cancel daily_sales"}
	return e.leaf(spec.CancelMaterializedRefresh, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		return e.onQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
			return note("cancellation of %s was asked for", args[0]), cl.Materialized.Cancel(ctx, p, id)
		})(ctx, cl, args)
	})
}

func newMaterializedWaitCmd(e *Env) *cobra.Command {
	var w waitFlags
	c := &cobra.Command{Use: "wait QUERY", Short: "Wait until the run of a materialized query has ended", Args: cobra.ExactArgs(1),
		Long: `Wait until the run of a materialized query has ended. A query that never ran is waited for until its first
run has.

Exit code 0 when the latest run completed, 7 when it failed or was canceled, 8 when --wait-timeout ran out.
To wait for a run that you start, use "materialized refresh --wait": after a refresh the gateway may still
show the run before it.`,
		Example: fmt.Sprintf("  %s materialized wait daily_sales --wait-timeout 5m", e.Name)}
	w.limits(c)
	return e.leaf(spec.GetMaterializedStatus, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		w.wait = true
		if err := w.check(false); err != nil {
			return view{}, err
		}
		return e.onQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
			s, err := e.waitRun(ctx, cl, p, id, args[0], nil, w.limit)
			return object(s), err
		})(ctx, cl, args)
	})
}
