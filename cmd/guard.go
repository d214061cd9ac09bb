package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/spf13/cobra"
)

// cappedRows is where the hosted zones end the scan of some tables that are not cached, without saying so [L].
const cappedRows = 100

// guard looks for tables whose rows the gateway leaves out in part. What it has found out it keeps. It is safe for concurrent use.
type guard struct {
	cl      *api.Client
	project string

	mu       sync.Mutex
	catalogs []api.Catalog
	queries  []api.Query
	known    map[tableRef]verdict
	kept     *keptVerdicts // from earlier runs; nil to ask anew
}

// The doubts about the rows of a table.
const (
	noDoubt   = ""
	uncached  = "uncached"  // its source may be cut
	syncing   = "syncing"   // its cache is being filled for the first time, and reads as empty
	unchecked = "unchecked" // the gateway does not say
)

// verdict is what is known of the rows that a table shows.
type verdict struct {
	Catalog string // id of the catalog, "" for one that is not over a connection
	Doubt   string
	Reads   []tableRef // what it reads in its place, of a saved query, or of a parametric table that is not cached
	why     error      // of unchecked
}

// guarded reports whether a result may lack rows without a word: zone local never leaves any out.
func (e *Env) guarded() bool { return !e.run.settings.Local() }

// distrust refuses, for --strict, a statement over a table whose scan ends at exactly 100 rows or whose cache is being filled for
// the first time: its sums and counts would be of a part. What cannot be checked is refused too.
func (q *querying) distrust(ctx context.Context, st *statement) error {
	if !q.f.strict || !q.e.guarded() {
		return nil
	}
	g := &guard{cl: q.cl, project: q.project}
	tables, err := g.tables(ctx, st.form)
	if err != nil {
		return doubtful("of the statement", err)
	}
	return g.refuse(ctx, tables)
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
		f.hint = strings.TrimPrefix(f.hint+"; --allow-part stores what there is", "; ")
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

// keepWholeChange is keepWhole for a saved query that is created, or changed when it has an id already: for whatever text its stored
// result would be made of from now on. A change that makes none stored and leaves the text of a stored one alone passes.
func (e *Env) keepWholeChange(ctx context.Context, cl *api.Client, project, id string, req api.QueryRequest, allowed bool) error {
	text := req.InputQuery != nil || req.InputQueryRefID != nil
	if allowed || !e.guarded() || req.QueryType == "PLAIN" || req.QueryType == "" && (id == "" || !text) {
		return nil
	}
	var old api.Query
	if id != "" && (req.QueryType == "" || !text) {
		var err error
		if old, err = cl.Queries.Get(ctx, project, id); err != nil {
			return err
		}
		if req.QueryType == "" && old.QueryType != "MATERIALIZED" {
			return nil
		}
	}
	switch {
	case req.InputQuery != nil:
		return e.keepWhole(ctx, cl, project, *req.InputQuery, false)
	case req.InputQueryRefID != nil:
		return e.keepWholeQuery(ctx, cl, project, *req.InputQueryRefID, false)
	}
	return e.keepWhole(ctx, cl, project, old.InputQuery, false)
}

func allowPartFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "allow-part", false, "store the rows even where the hosted zones would leave some out, or do not say: a table cut at 100, a cache being filled")
}

// refuse is the error for the first table whose rows cannot be trusted to be all.
func (g *guard) refuse(ctx context.Context, tables []tableRef) error {
	return g.walk(ctx, tables, func(t tableRef, v verdict) error {
		if v.Doubt == noDoubt {
			return nil
		}
		return g.distrusted(ctx, t, v)
	})
}

// distrusted is the error for a table in doubt, nil when the doubt is cleared up by counting.
func (g *guard) distrusted(ctx context.Context, t tableRef, v verdict) error {
	switch v.Doubt {
	case syncing:
		return untrusted("syncing", t, "its cache is being filled for the first time, and reads as empty until then", "`dig cache wait "+shell.Quote(t.String())+"` waits for it")
	case unchecked:
		return doubtful("of "+t.String(), v.why)
	}
	n, err := g.countOf(ctx, t)
	if errors.Is(err, errDone) { // told of, not sent
		return nil
	}
	if err != nil {
		return doubtful("of "+t.String(), err)
	}
	if n != fmt.Sprint(cappedRows) {
		return nil
	}
	return untrusted("capped", t, "it is not cached and shows exactly 100 rows, where scans of such sources are cut", "`dig cache create "+shell.Quote(v.Catalog)+" "+shell.Quote(t.schema)+" "+shell.Quote(t.table)+" --wait` caches it")
}

// walk visits the tables that names stand for, each once: through saved queries, and through parametric tables that are not cached, which
// read their source as it is. Tables of semantic catalogs are not followed; no operation tells what is behind them.
func (g *guard) walk(ctx context.Context, tables []tableRef, visit func(t tableRef, v verdict) error) error {
	seen := map[tableRef]bool{}
	for len(tables) > 0 {
		t := tables[0]
		if tables = tables[1:]; seen[t] {
			continue
		}
		seen[t] = true
		v, err := g.verdict(ctx, t)
		if err != nil {
			return err
		}
		if tables = append(tables, v.Reads...); strings.EqualFold(t.catalog, "peaka") && v.Doubt == noDoubt {
			continue
		}
		if err := visit(t, v); err != nil {
			return err
		}
	}
	return nil
}

// verdict is what is known of a table, asked for once. It fails only when the caller has given up.
func (g *guard) verdict(ctx context.Context, t tableRef) (verdict, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v, ok := g.known[t]; ok {
		return v, nil
	}
	v, ok := g.kept.find(g.project, t)
	if !ok {
		v = g.look(ctx, t)
		if ctx.Err() != nil {
			return v, context.Cause(ctx)
		}
		g.kept.add(g.project, t, v)
	}
	if g.known == nil {
		g.known = map[tableRef]verdict{}
	}
	g.known[t] = v
	return v, nil
}

// look asks the gateway.
func (g *guard) look(ctx context.Context, t tableRef) verdict {
	if strings.EqualFold(t.catalog, "peaka") {
		return g.behindQuery(ctx, t)
	}
	var err error
	if g.catalogs == nil {
		if g.catalogs, err = g.cl.Catalogs.List(ctx, g.project); err != nil {
			return verdict{Doubt: unchecked, why: err}
		}
	}
	var v verdict
	for _, c := range g.catalogs {
		if strings.EqualFold(c.Name, t.catalog) && c.ConnectionID != nil {
			v.Catalog = c.ID
		}
	}
	if v.Catalog == "" {
		return v // not a catalog over a connection
	}
	var (
		wg            sync.WaitGroup
		state         api.TableCacheResult
		have          *api.CacheStatus
		made          []api.ParametricTable
		cerr, perr    error
		stateErr      error
		project, name = g.project, v.Catalog
	)
	wg.Go(func() { state, stateErr = g.cl.Catalogs.CacheState(ctx, project, name, t.schema, t.table) })
	wg.Go(func() { have, cerr = cacheByTable(ctx, g.cl, project, name, t.schema, t.table) })
	wg.Go(func() {
		if made, perr = g.cl.ParametricTables.List(ctx, project, name); noRoute(perr) {
			perr = nil // a gateway without them has none
		}
	})
	wg.Wait()
	if err := errors.Join(stateErr, perr); err != nil {
		return verdict{Catalog: name, Doubt: unchecked, why: err}
	}
	if state.IsCacheable && cerr != nil {
		return verdict{Catalog: name, Doubt: unchecked, why: cerr}
	}
	switch {
	case state.IsCacheable && have != nil && !cacheEnded(have.Status) && firstRefresh(have):
		v.Doubt = syncing
		return v
	case state.IsCacheable && !state.IsCached:
		v.Doubt = uncached
	}
	for _, m := range made {
		if !state.IsCached && strings.EqualFold(m.ToSchema, t.schema) && strings.EqualFold(m.ToTable, t.table) {
			v.Reads = []tableRef{{t.catalog, m.FromSchema, m.FromTable}}
		}
	}
	return v
}

// behindQuery is what a saved query reads; nothing for a stored result or an internal table.
func (g *guard) behindQuery(ctx context.Context, t tableRef) verdict {
	if t.schema != "query" {
		return verdict{}
	}
	if g.queries == nil {
		var err error
		if g.queries, err = g.cl.Queries.List(ctx, g.project); err != nil {
			return verdict{Doubt: unchecked, why: err}
		}
	}
	for _, q := range g.queries {
		if strings.EqualFold(q.Name, t.table) {
			return verdict{Reads: tablesIn(q.InputQuery)}
		}
	}
	return verdict{}
}

func untrusted(code string, t tableRef, why, hint string) *failure {
	return &failure{exit: exitUntrusted, code: code, msg: "the rows of " + t.String() + " may not be all: " + why, hint: hint}
}

// doubtful is the error for rows that nobody can say are all. A run that is interrupted or has no key is told so instead.
func doubtful(of string, err error) error {
	var ae *api.Error
	if errors.Is(err, context.Canceled) || errors.As(err, &ae) && ae.Kind == api.KindUnauthorized {
		return err
	}
	return &failure{exit: exitUntrusted, code: unchecked, msg: "whether the rows " + of + " are all cannot be found out: " + strings.ReplaceAll(err.Error(), "\n", "; "), err: err}
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
	n, err := countsIn(res.Rows(), 1)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(n[0], 10), nil
}

// tableRef is a three-part name in a statement.
type tableRef struct{ catalog, schema, table string }

func (t tableRef) String() string { return t.catalog + "." + t.schema + "." + t.table }

func (t tableRef) quoted() string {
	return sqltext.Quote(t.catalog, t.schema, t.table)
}

// tables are the three-part names that a statement holds.
func (g *guard) tables(ctx context.Context, form api.ExecuteRequest) ([]tableRef, error) {
	switch f := form.(type) {
	case api.ExecuteByStatement:
		return tablesIn(f.Statement), nil
	case api.ExecuteByName:
		return tablesIn(f.QualifiedName), nil
	case api.ExecuteByBuilder:
		var out []tableRef
		for _, t := range f.From {
			out = append(out, tableRef{t.CatalogName, t.SchemaName, t.TableName})
		}
		return out, nil
	case api.ExecuteByID:
		saved, err := g.cl.Queries.Get(ctx, g.project, f.ID)
		return tablesIn(saved.InputQuery), err
	}
	return nil, nil
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
			return sqltext.Unquote(s)
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
