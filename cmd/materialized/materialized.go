// Package materialized holds the commands for the runs of materialized queries.
package materialized

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&runShape, api.MaterializedQueryStatus{})
}

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "materialized", Aliases: []string{"mtquery"},
		Short: "Materialized queries: state of their runs, refresh, cancel, wait",
		Long: `Materialized queries store their result, which is peaka.mtquery.NAME in SQL; peaka.query.NAME stays live.
They are created with "query create --type MATERIALIZED" or "query materialize".`,
		Annotations: map[string]string{cli.InsteadOf + "create": "query create --type MATERIALIZED", cli.InsteadOf +
			"get": "materialized status",
			cli.InsteadOf + "delete": "query delete", cli.InsteadOf + "update": "query update"}}
	ex := "  " + e.Name + " materialized "
	c.AddCommand(
		cli.Leaf[[]api.MaterializedQueryStatus](e, spec.ListMaterializedStatuses,
			&cobra.Command{Use: "list", Aliases: []string{"ls"},
				Short: "List the materialized queries with the state of their latest run", Example: ex + "list",
				Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				all, err := cl.Materialized.Statuses(ctx, p)
				v := cli.List(all, "queryName", "status", "refreshedAt", "nextExecutionStartTime")
				if err != nil || !e.HumanOutput() {
					return v, err
				}
				for i := range all {
					all[i].Status = cli.StateWords(all[i])
					if at := all[i].Refreshed(); at != "" {
						all[i].RefreshedAt = &at
					}
				}
				v.Value = all
				return v.PrintValue(), nil
			})),
		cli.Leaf[api.MaterializedQueryStatus](e, spec.GetMaterializedStatus,
			&cobra.Command{Use: "status QUERY", Aliases: []string{"get", "show"},
				Short: "Show the state of one materialized query", Example: ex + "status daily_sales",
				Args: cobra.ExactArgs(1)},
			e.OnQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
				s, err := cl.Materialized.Status(ctx, p, id)
				if err != nil || !e.HumanOutput() {
					return cli.Object(s), err
				}
				if at := s.Refreshed(); at != "" {
					s.RefreshedAt = &at
				}
				s.Status = cli.StateWords(s)
				return cli.Object(s).PrintValue(), nil
			})),
		newMaterializedRefreshCmd(e), newMaterializedCancelCmd(e), newMaterializedWaitCmd(e),
	)
	return c
}

func newMaterializedRefreshCmd(e *cli.Env) *cobra.Command {
	var w cli.WaitFlags
	var allowPart bool
	c := &cobra.Command{Use: "refresh QUERY", Short: "Run a materialized query again", Args: cobra.ExactArgs(1),
		Long: `Run a materialized query again. The stored rows are kept until the run has succeeded.

With --wait the command ends when that run has: exit code 0 when it completed, 7 when it failed or was
canceled, 8 when --wait-timeout was reached first.`,
		Example: "  " + e.Name + " materialized refresh daily_sales --wait"}
	w.Register(c, "the run has ended")
	trust.AllowPartFlag(c, &allowPart)
	cli.Annotate(c, spec.GetMaterializedStatus, spec.GetQuery, spec.ExecuteQuery)
	return cli.Leaf[cli.Either[api.MaterializedQueryStatus, cli.Acknowledged]](e, spec.RefreshMaterializedQuery, c,
		func(ctx context.Context, cl *api.Client, args []string) (cli.View,
			error) {
			if err := w.Check(false); err != nil {
				return cli.View{}, err
			}
			return e.OnQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
				if err := trust.KeepWholeQuery(ctx, e, cl, p, id, allowPart); err != nil {
					return cli.View{}, err
				}
				if !w.Wait {
					return cli.Note("requested refresh of %s", args[0]), cl.Materialized.Refresh(ctx, p, id)
				}
				before, err := cl.Materialized.Status(ctx, p, id)
				if err != nil {
					return cli.View{}, err
				}
				if err := cl.Materialized.Refresh(ctx, p, id); err != nil {
					return cli.View{}, err
				}
				after, err := e.WaitRun(ctx, cl, p, id, args[0], &before, w.Limit)
				if err != nil {
					return cli.View{}, err
				}
				n, err := contents.Stored(ctx, cl, p, after.QueryName)
				return cli.Object(after).PrintValue().WithNote("%d rows stored", n), err
			})(ctx, cl, args)
		})
}

func newMaterializedCancelCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "cancel QUERY", Short: "Cancel the run of a materialized query; the stored rows are kept",
		Args:    cobra.ExactArgs(1),
		Example: "  " + e.Name + " materialized cancel daily_sales"}
	return cli.Leaf[cli.Acknowledged](e, spec.CancelMaterializedRefresh, c,
		func(ctx context.Context, cl *api.Client, args []string) (cli.View,
			error) {
			return e.OnQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
				return cli.Note("requested cancellation of %s", args[0]), cl.Materialized.Cancel(ctx, p, id)
			})(ctx, cl, args)
		})
}

func newMaterializedWaitCmd(e *cli.Env) *cobra.Command {
	var w cli.WaitFlags
	c := &cobra.Command{Use: "wait QUERY", Short: "Wait until the run of a materialized query has ended",
		Args: cobra.ExactArgs(1),
		Long: `Wait until the run of a materialized query has ended. For a query that never ran, this is its first
run.

Exit code 0 when the latest run completed, 7 when it failed or was canceled, 8 when --wait-timeout was reached.
To wait for a run that you start, use "materialized refresh --wait": after a refresh the gateway may still
show the previous run.`,
		Example: fmt.Sprintf("  %s materialized wait daily_sales --wait-timeout 5m", e.Name)}
	w.Limits(c)
	return cli.Leaf[api.MaterializedQueryStatus](e, spec.GetMaterializedStatus, c,
		func(ctx context.Context, cl *api.Client, args []string) (cli.View,
			error) {
			w.Wait = true
			if err := w.Check(false); err != nil {
				return cli.View{}, err
			}
			return e.OnQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
				s, err := e.WaitRun(ctx, cl, p, id, args[0], nil, w.Limit)
				return cli.Object(s), err
			})(ctx, cl, args)
		})
}
