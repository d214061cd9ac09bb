package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// freshness compares a stored result with the query it came from.
type freshness struct {
	Query       string         `json:"query"`
	State       string         `json:"state"`
	RefreshedAt *string        `json:"refreshedAt"` // start of the run whose rows are stored; nil when that is not known
	Age         *string        `json:"age"`
	StoredRows  *int64         `json:"storedRows"` // nil: nothing is stored
	LiveRows    *int64         `json:"liveRows"`   // nil: not counted
	NextRefresh *string        `json:"nextRefresh"`
	Sources     []sourceOfRows `json:"sources"`
}

// sourceOfRows is a table of another catalog that the text of the query names.
type sourceOfRows struct {
	Table       string  `json:"table"`
	Cached      bool    `json:"cached"`
	RefreshedAt *string `json:"refreshedAt"` // of its cache
}

func newQueryFreshnessCmd(e *Env) *cobra.Command {
	var storedOnly bool
	c := &cobra.Command{Use: "freshness QUERY", Short: "Compare a stored result with its live query: rows, age, caches it reads", Args: cobra.ExactArgs(1),
		Long: `Compare the stored result of a materialized query with its live query: how many rows each has, when the run
began whose rows are stored, and how old the caches are that the text of the query reads. What it reads through
other saved queries is not followed.

Counting the live query runs it; --stored-only leaves that out.`,
		Example: "  " + e.Name + " query freshness daily_sales"}
	c.Flags().BoolVar(&storedOnly, "stored-only", false, "do not run the live query to count its rows")
	annotate(c, spec.GetQuery, spec.ExecuteQuery, spec.ListCatalogs, spec.ListCatalogCacheStatuses)
	return e.leaf(spec.GetMaterializedStatus, c, e.onQuery(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
		st, err := cl.Materialized.Status(ctx, p, id)
		if err != nil {
			return view{}, err
		}
		q, err := cl.Queries.Get(ctx, p, id)
		if err != nil {
			return view{}, err
		}
		out := freshness{Query: q.Name, State: stateWords(st), NextRefresh: st.NextExecutionStartTime}
		if at := st.Refreshed(); at != "" {
			out.RefreshedAt = &at
			if t, err := time.Parse(time.RFC3339, at); err == nil {
				age := e.Now().Sub(t).Round(time.Second).String()
				out.Age = &age
			}
		}
		if out.State != neverMaterialized {
			n, err := countRows(ctx, cl, p, "mtquery", q.Name)
			if err == nil {
				out.StoredRows = &n
			} else if !e.planned(err) && runStateOf(st.Status) == runDone {
				return view{}, err
			}
		}
		if !storedOnly {
			n, err := countRows(ctx, cl, p, "query", q.Name)
			if err != nil && !e.planned(err) {
				return view{}, err
			}
			out.LiveRows = &n
		}
		out.Sources, err = sourcesOf(ctx, cl, p, q.InputQuery)
		return object(out).mine(), err
	}))
}

// sourcesOf lists the tables of other catalogs that a text names, with the age of their caches.
func sourcesOf(ctx context.Context, cl *api.Client, project, sql string) ([]sourceOfRows, error) {
	out := []sourceOfRows{}
	catalogs, err := cl.Catalogs.List(ctx, project)
	if err != nil {
		return out, err
	}
	for _, t := range tablesIn(sql) {
		for _, c := range catalogs {
			if !strings.EqualFold(c.Name, t.catalog) || c.ConnectionID == nil && c.CatalogType != "sample" {
				continue
			}
			s := sourceOfRows{Table: t.String()}
			st, err := cacheByTable(ctx, cl, project, c.ID, t.schema, t.table)
			if err != nil {
				return out, err
			}
			if st != nil {
				if at := st.Refreshed(); at != "" {
					s.Cached, s.RefreshedAt = true, &at
				}
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// storedRows counts what a run has stored. A result without rows whose query has some is not what was asked for: its sources were
// empty when it ran, as a table reads while its cache is filled for the first time on the hosted zones [L].
func storedRows(ctx context.Context, cl *api.Client, project, name string) (int64, error) {
	n, err := countRows(ctx, cl, project, "mtquery", name)
	if err != nil || n > 0 {
		return n, err
	}
	live, err := countRows(ctx, cl, project, "query", name)
	if err == nil && live > 0 {
		err = &failure{exit: exitJob, code: "stored-nothing", msg: fmt.Sprintf("the run of %s stored no rows, and its query has %d now", name, live),
			hint: "a cache may have been filled meanwhile; `dig materialized refresh " + shell.Quote(name) + " --wait` runs it again"}
	}
	return n, err
}
