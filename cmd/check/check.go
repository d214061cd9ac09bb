// Package check holds the command that checks a project and the routes of a gateway.
package check

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// finding is a problem in a project.
type finding struct {
	Check   string `json:"check"` // rows, cached, cache, materialized, query, columns
	Object  string `json:"object"`
	Problem string `json:"problem"`
	Hint    string `json:"hint"`
}

// untrustedChecks are the checks whose findings mean that results may be silently wrong.
var untrustedChecks = map[string]bool{"rows": true, "cached": true, "columns": true}

// checking collects the findings of one project.
type checking struct {
	e       *cli.Env
	g       *trust.Guard
	stalled time.Duration
	found   []finding
	queries []api.Query
	columns map[string][]localstate.Column // of the saved queries that run, by name
}

func (k *checking) add(check, object, hint, format string, args ...any) {
	k.found = append(k.found, finding{check, object, fmt.Sprintf(format, args...), k.e.OwnName(hint)})
}

func New(e *cli.Env) *cobra.Command {
	var stalled time.Duration
	var expect, write string
	var routes bool
	c := &cobra.Command{
		Use: "check", Short: "Find causes of wrong or outdated results in a project", Args: cobra.NoArgs,
		Long: `Find causes of wrong or outdated results in a project, and print one line per finding.

  rows          a table that a saved query reads is truncated at 100 rows, or
                its cache is filled for the first time; never on zone local
  cached        a table is shown as cached but no cache is listed
  cache         the last refresh failed, was cancelled or is stalled; there
                was none; or the next one is overdue
  materialized  the last run failed or was canceled, there never was one, or
                the next one is overdue
  query         a saved query does not run
  columns       with --expect: a saved query has other columns, or is gone

The exit code is 0 if nothing is found, 10 if results cannot be trusted (rows, cached, columns), else 7. Nothing is
changed. Each saved query is run with LIMIT 0, and the rows of suspect tables are counted.

--write-columns writes the columns of all saved queries to a file, for a later --expect: a saved query
is bound to tables by name whenever it runs, and silently uses a table that was recreated under the same
name.

--routes asks the gateway which routes it has, and lists the documented ones that are missing or unknown:
documentation and service do not agree on all of them. It sends only OPTIONS and GET, to addresses with
ids made up for the purpose, and changes nothing; the exit code is 7 when routes are missing.`,
		Example: strings.ReplaceAll("  dig check\n  dig check --write-columns columns.json\n  dig check --expect "+
			"columns.json -o json", "dig ", e.Name+" "),
	}
	cli.DurationVar(c.Flags(), &stalled, "stalled-after", 15*time.Minute, "how long a refresh may show no progress")
	c.Flags().StringVar(&expect, "expect", "", "file of --write-columns to compare the columns of saved queries with")
	c.Flags().StringVar(&write, "write-columns", "", "write the columns of the saved queries that run to this file")
	c.Flags().BoolVar(&routes, "routes", false, "instead, check which of the documented routes the gateway has")
	c.MarkFlagsMutuallyExclusive("expect", "write-columns", "routes")
	cli.Annotate(c, spec.ListQueries, spec.ListCatalogs, spec.ListSchemas, spec.ListTables, spec.GetTableCacheState,
		spec.ListCatalogCacheStatuses, spec.GetCacheSettings, spec.ListMaterializedStatuses,
		spec.ListParametricTables, spec.ExecuteQuery)
	return cli.Leaf[cli.Either[[]finding, []RouteFinding]](e, spec.ListCacheStatuses, c,
		e.WithProject(func(ctx context.Context, cl *api.Client, p string,
			_ []string) (cli.View, error) {
			if stalled <= 0 {
				return cli.View{}, exitcode.Usagef("--stalled-after: %v is not a positive duration", stalled)
			}
			if routes {
				return checkRoutes(ctx, cl, p)
			}
			var want map[string][]localstate.Column
			if expect != "" {
				raw, err := e.ReadFile("--expect", expect)
				if err != nil {
					return cli.View{}, err
				}
				if json.Unmarshal(raw, &want) != nil || want == nil {
					return cli.View{}, exitcode.Usagef("--expect: %s is not a file of --write-columns",
						expect).WithHint("`dig check --write-columns %s` creates it", shell.Quote(expect))
				}
			}
			k := &checking{e: e, g: &trust.Guard{Cl: cl, Project: p}, stalled: stalled, found: []finding{},
				columns: map[string][]localstate.Column{}}
			for _, part := range []func(context.Context) error{k.checkQueries, k.checkRows, k.checkCaches,
				k.checkMaterialized} {
				if err := part(ctx); err != nil {
					return cli.View{}, err
				}
			}
			if want != nil {
				k.checkColumns(want)
			}
			if write != "" {
				raw, _ := json.MarshalIndent(k.columns, "", "  ") // strings always marshal
				if err := e.DryRunStep("write the columns of the saved queries to %s", write); err != nil {
					return cli.View{}, err
				}
				if err := cli.WriteFile(e.Abs(write), append(raw, '\n')); err != nil {
					return cli.View{}, err
				}
			}
			return k.report(), nil
		}))
}

// report builds the view of the findings, with the resulting error.
func (k *checking) report() cli.View {
	v := cli.List(k.found, "check", "object", "problem", "hint").PrintValue()
	if len(k.found) == 0 {
		return v.WithNote("nothing found in %d saved queries", len(k.queries))
	}
	v.Fail = &exitcode.Failure{Exit: exitcode.Job, Code: "findings", Msg: fmt.Sprintf("%d findings", len(k.found))}
	if len(k.found) == 1 {
		v.Fail.Msg = "1 finding"
	}
	for _, f := range k.found {
		if untrustedChecks[f.Check] {
			v.Fail.Exit, v.Fail.Code = exitcode.Untrusted, "untrusted"
			v.Fail.Msg += ", so results cannot be trusted"
			break
		}
	}
	return v
}
