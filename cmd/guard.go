package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/spf13/cobra"
)

// cappedRows is where the hosted zones end the scan of some tables that are not cached, without saying so [L].
const cappedRows = 100

// guard looks for tables whose rows the gateway leaves out in part. What it has listed it keeps.
type guard struct {
	cl       *api.Client
	project  string
	catalogs []api.Catalog
	queries  []api.Query
	made     map[string][]api.ParametricTable // by id of the catalog
}

// guarded reports whether a result may lack rows without a word: zone local never leaves any out.
func (e *Env) guarded() bool { return e.run.settings.Zone.Value != string(config.Local) }

// distrust refuses, for --strict, a statement over a table whose scan ends at exactly 100 rows or whose cache is being filled for
// the first time: its sums and counts would be of a part.
func (q *querying) distrust(ctx context.Context, st *statement) error {
	if !q.f.strict || !q.e.guarded() {
		return nil
	}
	g := &guard{cl: q.cl, project: q.project}
	return g.refuse(ctx, g.tables(ctx, st.form))
}

// keepWhole refuses to store the result of a query for good when the gateway would leave out rows: they would be missing until the
// next refresh, or for ever.
func (e *Env) keepWhole(ctx context.Context, cl *api.Client, project, sql string, allowed bool) error {
	if allowed || sql == "" || !e.guarded() {
		return nil
	}
	err := (&guard{cl: cl, project: project}).refuse(ctx, tablesIn(sql))
	var f *failure
	if errors.As(err, &f) {
		f.hint += "; --allow-part stores what there is"
	}
	return err
}

// keepWholeQuery is keepWhole for the text of a saved query.
func (e *Env) keepWholeQuery(ctx context.Context, cl *api.Client, project, id string, allowed bool) error {
	if allowed || !e.guarded() {
		return nil
	}
	q, err := cl.Queries.Get(ctx, project, id)
	if err != nil {
		return err
	}
	return e.keepWhole(ctx, cl, project, q.InputQuery, false)
}

func allowPartFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "allow-part", false, "store the rows even where the hosted zones would leave some out: a table cut at 100, a cache being filled")
}

// refuse is the error for the first table whose rows cannot be trusted to be all.
func (g *guard) refuse(ctx context.Context, tables []tableRef) error {
	return g.walk(ctx, tables, func(t tableRef, catalog, doubt string) error {
		if doubt == "" {
			return nil
		}
		return g.distrusted(ctx, t, catalog, doubt)
	})
}

// distrusted is the error for a table in doubt, nil when the doubt is cleared up by counting.
func (g *guard) distrusted(ctx context.Context, t tableRef, catalog, doubt string) error {
	if doubt == "syncing" {
		return untrusted("syncing", t, "its cache is being filled for the first time, and reads as empty until then", "`dig cache wait "+t.String()+"` waits for it")
	}
	n, err := g.countOf(ctx, t)
	if err != nil || n != fmt.Sprint(cappedRows) {
		return err
	}
	return untrusted("capped", t, "it is not cached and shows exactly 100 rows, where scans of such sources are cut", "`dig cache create "+catalog+" "+t.schema+" "+t.table+" --wait` caches it")
}

// walk visits the tables that names stand for, each once: through saved queries, and through parametric tables that are not cached, which
// read their source as it is. Tables of semantic catalogs are not followed; no operation tells what is behind them.
func (g *guard) walk(ctx context.Context, tables []tableRef, visit func(t tableRef, catalog, doubt string) error) error {
	seen := map[tableRef]bool{}
	for len(tables) > 0 {
		t := tables[0]
		if tables = tables[1:]; seen[t] {
			continue
		}
		seen[t] = true
		if strings.EqualFold(t.catalog, "peaka") {
			more, err := g.behindQuery(ctx, t)
			if err != nil {
				return err
			}
			tables = append(tables, more...)
			continue
		}
		catalog, doubt, err := g.doubtful(ctx, t)
		if err != nil {
			return err
		}
		if catalog != "" && doubt != "syncing" {
			if from, ok := g.readFrom(ctx, catalog, t); ok {
				if cached, err := g.cl.Catalogs.CacheState(ctx, g.project, catalog, t.schema, t.table); err != nil || !cached.IsCached {
					tables = append(tables, from)
				}
			}
		}
		if err := visit(t, catalog, doubt); err != nil {
			return err
		}
	}
	return nil
}

// behindQuery is what a saved query reads; nothing for a stored result or an internal table.
func (g *guard) behindQuery(ctx context.Context, t tableRef) ([]tableRef, error) {
	if t.schema != "query" {
		return nil, nil
	}
	if g.queries == nil {
		var err error
		if g.queries, err = g.cl.Queries.List(ctx, g.project); err != nil {
			return nil, err
		}
	}
	for _, q := range g.queries {
		if strings.EqualFold(q.Name, t.table) {
			return tablesIn(q.InputQuery), nil
		}
	}
	return nil, nil
}

// readFrom is the table that a parametric one reads. A catalog that does not list any has none.
func (g *guard) readFrom(ctx context.Context, catalog string, t tableRef) (tableRef, bool) {
	made, ok := g.made[catalog]
	if !ok {
		made, _ = g.cl.ParametricTables.List(ctx, g.project, catalog)
		if g.made == nil {
			g.made = map[string][]api.ParametricTable{}
		}
		g.made[catalog] = made
	}
	for _, m := range made {
		if strings.EqualFold(m.ToSchema, t.schema) && strings.EqualFold(m.ToTable, t.table) {
			return tableRef{t.catalog, m.FromSchema, m.FromTable}, true
		}
	}
	return tableRef{}, false
}

func untrusted(code string, t tableRef, why, hint string) *failure {
	return &failure{exit: exitUntrusted, code: code, msg: "the rows of " + t.String() + " may not be all: " + why, hint: hint}
}

// computed finds a statement whose result depends on rows that it does not show, so that a part of them gives another answer.
var computed = late.Regexp(`(?i)\b(where|join|group|having|distinct|count|sum|avg|min|max|order|union|intersect|except|over|exists|in)\b`)

// warn says after a result whether it may have been made of a part of the rows. Of each table it does so once in a run. A negative number
// of rows is one that is not known yet.
func (q *querying) warn(ctx context.Context, st *statement, rows int64, notes io.Writer) {
	if !q.e.guarded() || q.f.strict {
		return
	}
	q.guarding.Lock()
	defer q.guarding.Unlock()
	if q.guard == nil {
		q.guard, q.told = &guard{cl: q.cl, project: q.project}, map[tableRef]bool{}
	}
	type doubted struct {
		t     tableRef
		doubt string
	}
	var all []doubted
	sum := st.text == "" || rows < 0 || computed().MatchString(notNames().ReplaceAllString(st.text, " "))
	if !sum && rows != 0 && rows != cappedRows && !strings.Contains(strings.ToLower(st.text), "query") {
		return // what it shows is there; a saved query may compute
	}
	tables := 0
	_ = q.guard.walk(ctx, q.guard.tables(ctx, st.form), func(t tableRef, _, doubt string) error {
		tables++
		if doubt != "" && !q.told[t] {
			all = append(all, doubted{t, doubt})
		}
		return nil
	})
	for _, d := range all {
		switch {
		case d.doubt == "syncing" && rows == 0:
			fmt.Fprintf(notes, "warning: no rows, but the cache of %s is still being filled for the first time\n", d.t)
		case d.doubt == "syncing":
			fmt.Fprintf(notes, "warning: the cache of %s is still being filled for the first time: its rows are not in this result\n", d.t)
		case rows == cappedRows:
			fmt.Fprintf(notes, "warning: exactly 100 rows, and %s is not cached: the source may have been cut at 100; --strict makes sure\n", d.t)
		case rows > cappedRows && tables == 1 || rows == 0 && !sum:
			continue
		default:
			fmt.Fprintf(notes, "warning: %s is not cached: if its source is cut at 100 rows, this was made of a part of them; --strict makes sure\n", d.t)
		}
		q.told[d.t] = true
	}
}

// doubtful is "syncing", "uncached" or "" for a table, with the id of its catalog. What cannot be found out is no doubt.
func (g *guard) doubtful(ctx context.Context, t tableRef) (catalog, doubt string, err error) {
	if g.catalogs == nil {
		if g.catalogs, err = g.cl.Catalogs.List(ctx, g.project); err != nil {
			return "", "", err
		}
	}
	for _, c := range g.catalogs {
		if strings.EqualFold(c.Name, t.catalog) && c.ConnectionID != nil {
			catalog = c.ID
		}
	}
	if catalog == "" {
		return "", "", nil // not a catalog over a connection
	}
	st, err := g.cl.Catalogs.CacheState(ctx, g.project, catalog, t.schema, t.table)
	if err != nil || !st.IsCacheable {
		return catalog, "", nil // what cannot be found out is no doubt
	}
	have, err := cacheByTable(ctx, g.cl, g.project, catalog, t.schema, t.table)
	switch {
	case err == nil && have != nil && !cacheEnded(have.Status) && firstRefresh(have):
		return catalog, "syncing", nil
	case !st.IsCached:
		return catalog, "uncached", nil
	}
	return catalog, "", nil
}

// firstRefresh reports whether a cache has no run that completed before the one that goes on.
func firstRefresh(st *api.CacheStatus) bool {
	for _, run := range []*api.CacheExecutionInfo{st.LastFullRefreshCacheExecution, st.LastIncrementalCacheExecution} {
		if run != nil && cacheState(run.Status) == "COMPLETED" {
			return false
		}
	}
	return true
}

func (g *guard) countOf(ctx context.Context, t tableRef) (string, error) {
	res, err := g.cl.Queries.Execute(ctx, g.project, api.ExecuteByStatement{Statement: "SELECT count(*) FROM " + t.quoted()}, api.Compact)
	if err != nil {
		return "", err
	}
	defer res.Close()
	rows := res.Rows()
	if !rows.Next() {
		return "", rows.Err()
	}
	return strings.Trim(string(rows.Row()[0]), `"`), nil
}

// tableRef is a three-part name in a statement.
type tableRef struct{ catalog, schema, table string }

func (t tableRef) String() string { return t.catalog + "." + t.schema + "." + t.table }

func (t tableRef) quoted() string {
	q := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	return q(t.catalog) + "." + q(t.schema) + "." + q(t.table)
}

// tables are the three-part names that a statement holds.
func (g *guard) tables(ctx context.Context, form api.ExecuteRequest) []tableRef {
	switch f := form.(type) {
	case api.ExecuteByStatement:
		return tablesIn(f.Statement)
	case api.ExecuteByName:
		return tablesIn(f.QualifiedName)
	case api.ExecuteByBuilder:
		var out []tableRef
		for _, t := range f.From {
			out = append(out, tableRef{t.CatalogName, t.SchemaName, t.TableName})
		}
		return out
	case api.ExecuteByID:
		if saved, err := g.cl.Queries.Get(ctx, g.project, f.ID); err == nil {
			return tablesIn(saved.InputQuery)
		}
	}
	return nil
}

var (
	notNames  = late.Regexp(`(?s)'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/`)
	namePart  = `("(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_]*)`
	threePart = late.Regexp(namePart + `\s*\.\s*` + namePart + `\s*\.\s*` + namePart)
)

// tablesIn finds the three-part names in a text of SQL, each once. A column may be among them; nothing is found behind it then.
func tablesIn(sql string) []tableRef {
	part := func(s string) string {
		if strings.HasPrefix(s, `"`) {
			return strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
		}
		return strings.ToLower(s)
	}
	var out []tableRef
	seen := map[tableRef]bool{}
	for _, m := range threePart().FindAllStringSubmatch(notNames().ReplaceAllString(sql, " "), -1) {
		if t := (tableRef{part(m[1]), part(m[2]), part(m[3])}); !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
