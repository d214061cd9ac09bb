package query

import (
	"context"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// freshness compares a stored result with its query.
type freshness struct {
	Query       string         `json:"query"`
	State       string         `json:"state"`
	RefreshedAt *string        `json:"refreshedAt"` // start of the run that produced the stored rows; nil if unknown
	Age         *string        `json:"age"`
	StoredRows  *int64         `json:"storedRows"` // nil: nothing is stored
	LiveRows    *int64         `json:"liveRows"`   // nil: not counted
	NextRefresh *string        `json:"nextRefresh"`
	Sources     []sourceOfRows `json:"sources"`
}

// sourceOfRows is a table of another catalog that the statement refers to.
type sourceOfRows struct {
	Table       string  `json:"table"`
	Cached      bool    `json:"cached"`
	RefreshedAt *string `json:"refreshedAt"` // of its cache
}

func newQueryFreshnessCmd(e *cli.Env) *cobra.Command {
	var storedOnly bool
	c := &cobra.Command{Use: "freshness QUERY",
		Short: "Compare a stored result with its live query: rows, age, caches it reads", Args: cobra.ExactArgs(1),
		Long: `Compare the stored result of a materialized query with its live query: the number of rows of each, the
start of the run that stored the rows, and the age of the caches that the statement of the query reads.
Tables that it reads through other saved queries are not included.

Counting the live query runs it; --stored-only leaves that out.`,
		Example: "  " + e.Name + " query freshness daily_sales"}
	c.Flags().BoolVar(&storedOnly, "stored-only", false, "do not run the live query to count its rows")
	cli.Annotate(c, spec.GetQuery, spec.ExecuteQuery, spec.ListCatalogs, spec.ListCatalogCacheStatuses)
	return cli.Leaf[freshness](e, spec.GetMaterializedStatus, c, e.OnQuery(func(ctx context.Context, cl *api.Client, p,
		id string,
		_ []string) (cli.View, error) {
		st, err := cl.Materialized.Status(ctx, p, id)
		if err != nil {
			return cli.View{}, err
		}
		q, err := cl.Queries.Get(ctx, p, id)
		if err != nil {
			return cli.View{}, err
		}
		out := freshness{Query: q.Name, State: cli.StateWords(st), NextRefresh: st.NextExecutionStartTime}
		if at := st.Refreshed(); at != "" {
			out.RefreshedAt = &at
			if t, err := time.Parse(time.RFC3339, at); err == nil {
				age := e.Now().Sub(t).Round(time.Second).String()
				out.Age = &age
			}
		}
		if out.State != cli.NeverMaterialized {
			n, err := contents.Rows(ctx, cl, p, api.SchemaMtQuery, q.Name)
			if err == nil {
				out.StoredRows = &n
			} else if !e.Planned(err) && cli.RunStateOf(st.Status) == cli.RunDone {
				return cli.View{}, err
			}
		}
		if !storedOnly {
			n, err := contents.Rows(ctx, cl, p, api.SchemaQuery, q.Name)
			if err != nil && !e.Planned(err) {
				return cli.View{}, err
			}
			out.LiveRows = &n
		}
		out.Sources, err = sourcesOf(ctx, cl, p, q.InputQuery)
		return cli.Object(out).PrintValue(), err
	}))
}

// sourcesOf lists the tables of other catalogs that a statement refers to, with the age of their caches.
func sourcesOf(ctx context.Context, cl *api.Client, project, sql string) ([]sourceOfRows, error) {
	out := []sourceOfRows{}
	catalogs, err := cl.Catalogs.List(ctx, project)
	if err != nil {
		return out, err
	}
	for _, t := range sqlstmt.Tables(sql) {
		for _, c := range catalogs {
			if !strings.EqualFold(c.Name, t.Catalog) || c.ConnectionID == nil && c.CatalogType != "sample" {
				continue
			}
			s := sourceOfRows{Table: t.String()}
			st, err := resolve.CacheByTable(ctx, cl, project, c.ID, t.Schema, t.Table)
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
