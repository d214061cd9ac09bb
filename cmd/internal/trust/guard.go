// Package trust finds out whether a gateway leaves out rows of what a statement reads.
package trust

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// CappedRows is where the hosted zones end the scan of some tables that are not cached, without saying so [L].
const CappedRows = 100

// Guard looks for tables whose rows the gateway leaves out in part. What it has found out it keeps. It is safe for concurrent use.
type Guard struct {
	Cl      *api.Client
	Project string

	mu       sync.Mutex
	Catalogs []api.Catalog
	Queries  []api.Query
	known    map[sqltext.TableRef]Verdict
	Kept     *KeptVerdicts // from earlier runs; nil to ask anew
}

// The doubts about the rows of a table.
const (
	NoDoubt   = ""
	Uncached  = "uncached"  // its source may be cut
	Syncing   = "syncing"   // its cache is being filled for the first time, and reads as empty
	Unchecked = "unchecked" // the gateway does not say
)

// Verdict is what is known of the rows that a table shows.
type Verdict struct {
	Catalog string // id of the catalog, "" for one that is not over a connection
	Doubt   string
	Reads   []sqltext.TableRef // what it reads in its place, of a saved query, or of a parametric table that is not cached
	Why     error              // of unchecked
}

// keepWhole refuses to store the result of a query for good when the gateway would leave out rows: they would be missing until the
// next refresh, or for ever.
func keepWhole(ctx context.Context, e *cli.Env, cl *api.Client, project, sql string, allowed bool) error {
	if allowed || sql == "" || !e.Guarded() {
		return nil
	}
	err := (&Guard{Cl: cl, Project: project}).Refuse(ctx, sqltext.TablesIn(sql))
	var f *cli.Failure
	if errors.As(err, &f) {
		f.Hint = strings.TrimPrefix(f.Hint+"; --allow-part stores what there is", "; ")
	}
	return err
}

// KeepWholeQuery is keepWhole for the text of a saved query.
func KeepWholeQuery(ctx context.Context, e *cli.Env, cl *api.Client, project, id string, allowed bool) error {
	if allowed || !e.Guarded() {
		return nil
	}
	q, err := cl.Queries.Get(ctx, project, id)
	if err != nil {
		return err
	}
	return keepWhole(ctx, e, cl, project, q.InputQuery, false)
}

// KeepWholeChange is keepWhole for a saved query that is created, or changed when it has an id already: for whatever text its stored
// result would be made of from now on. A change that makes none stored and leaves the text of a stored one alone passes.
func KeepWholeChange(ctx context.Context, e *cli.Env, cl *api.Client, project, id string, req api.QueryRequest, allowed bool) error {
	text := req.InputQuery != nil || req.InputQueryRefID != nil
	if allowed || !e.Guarded() || req.QueryType == "PLAIN" || req.QueryType == "" && (id == "" || !text) {
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
		return keepWhole(ctx, e, cl, project, *req.InputQuery, false)
	case req.InputQueryRefID != nil:
		return KeepWholeQuery(ctx, e, cl, project, *req.InputQueryRefID, false)
	}
	return keepWhole(ctx, e, cl, project, old.InputQuery, false)
}

func AllowPartFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "allow-part", false, "store the rows even where the hosted zones would leave some out, or do not say: a table cut at 100, a cache being filled")
}

// Refuse is the error for the first table whose rows cannot be trusted to be all.
func (g *Guard) Refuse(ctx context.Context, tables []sqltext.TableRef) error {
	return g.Walk(ctx, tables, func(t sqltext.TableRef, v Verdict) error {
		if v.Doubt == NoDoubt {
			return nil
		}
		return g.Distrusted(ctx, t, v)
	})
}

// Distrusted is the error for a table in doubt, nil when the doubt is cleared up by counting.
func (g *Guard) Distrusted(ctx context.Context, t sqltext.TableRef, v Verdict) error {
	switch v.Doubt {
	case Syncing:
		return untrusted("syncing", t, "its cache is being filled for the first time, and reads as empty until then", "`dig cache wait "+shell.Quote(t.String())+"` waits for it")
	case Unchecked:
		return Doubtful("of "+t.String(), v.Why)
	}
	n, err := g.CountOf(ctx, t)
	if errors.Is(err, cli.ErrDone) { // told of, not sent
		return nil
	}
	if err != nil {
		return Doubtful("of "+t.String(), err)
	}
	if n != fmt.Sprint(CappedRows) {
		return nil
	}
	return untrusted("capped", t, "it is not cached and shows exactly 100 rows, where scans of such sources are cut", "`dig cache create "+shell.Quote(v.Catalog)+" "+shell.Quote(t.Schema)+" "+shell.Quote(t.Table)+" --wait` caches it")
}

// Walk visits the tables that names stand for, each once: through saved queries, and through parametric tables that are not cached, which
// read their source as it is. Tables of semantic catalogs are not followed; no operation tells what is behind them.
func (g *Guard) Walk(ctx context.Context, tables []sqltext.TableRef, visit func(t sqltext.TableRef, v Verdict) error) error {
	seen := map[sqltext.TableRef]bool{}
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
		if tables = append(tables, v.Reads...); strings.EqualFold(t.Catalog, "peaka") && v.Doubt == NoDoubt {
			continue
		}
		if err := visit(t, v); err != nil {
			return err
		}
	}
	return nil
}

// verdict is what is known of a table, asked for once. It fails only when the caller has given up.
func (g *Guard) verdict(ctx context.Context, t sqltext.TableRef) (Verdict, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v, ok := g.known[t]; ok {
		return v, nil
	}
	v, ok := g.Kept.find(g.Project, t)
	if !ok {
		v = g.look(ctx, t)
		if ctx.Err() != nil {
			return v, context.Cause(ctx)
		}
		g.Kept.add(g.Project, t, v)
	}
	if g.known == nil {
		g.known = map[sqltext.TableRef]Verdict{}
	}
	g.known[t] = v
	return v, nil
}

// look asks the gateway.
func (g *Guard) look(ctx context.Context, t sqltext.TableRef) Verdict {
	if strings.EqualFold(t.Catalog, "peaka") {
		return g.behindQuery(ctx, t)
	}
	var err error
	if g.Catalogs == nil {
		if g.Catalogs, err = g.Cl.Catalogs.List(ctx, g.Project); err != nil {
			return Verdict{Doubt: Unchecked, Why: err}
		}
	}
	var v Verdict
	for _, c := range g.Catalogs {
		if strings.EqualFold(c.Name, t.Catalog) && c.ConnectionID != nil {
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
		project, name = g.Project, v.Catalog
	)
	wg.Go(func() { state, stateErr = g.Cl.Catalogs.CacheState(ctx, project, name, t.Schema, t.Table) })
	wg.Go(func() { have, cerr = cli.CacheByTable(ctx, g.Cl, project, name, t.Schema, t.Table) })
	wg.Go(func() {
		if made, perr = g.Cl.ParametricTables.List(ctx, project, name); cli.NoRoute(perr) {
			perr = nil // a gateway without them has none
		}
	})
	wg.Wait()
	if err := errors.Join(stateErr, perr); err != nil {
		return Verdict{Catalog: name, Doubt: Unchecked, Why: err}
	}
	if state.IsCacheable && cerr != nil {
		return Verdict{Catalog: name, Doubt: Unchecked, Why: cerr}
	}
	switch {
	case state.IsCacheable && have != nil && !cli.CacheEnded(have.Status) && firstRefresh(have):
		v.Doubt = Syncing
		return v
	case state.IsCacheable && !state.IsCached:
		v.Doubt = Uncached
	}
	for _, m := range made {
		if !state.IsCached && strings.EqualFold(m.ToSchema, t.Schema) && strings.EqualFold(m.ToTable, t.Table) {
			v.Reads = []sqltext.TableRef{{Catalog: t.Catalog, Schema: m.FromSchema, Table: m.FromTable}}
		}
	}
	return v
}

// behindQuery is what a saved query reads; nothing for a stored result or an internal table.
func (g *Guard) behindQuery(ctx context.Context, t sqltext.TableRef) Verdict {
	if t.Schema != "query" {
		return Verdict{}
	}
	if g.Queries == nil {
		var err error
		if g.Queries, err = g.Cl.Queries.List(ctx, g.Project); err != nil {
			return Verdict{Doubt: Unchecked, Why: err}
		}
	}
	for _, q := range g.Queries {
		if strings.EqualFold(q.Name, t.Table) {
			return Verdict{Reads: sqltext.TablesIn(q.InputQuery)}
		}
	}
	return Verdict{}
}

func untrusted(code string, t sqltext.TableRef, why, hint string) *cli.Failure {
	return &cli.Failure{Exit: cli.ExitUntrusted, Code: code, Msg: "the rows of " + t.String() + " may not be all: " + why, Hint: hint}
}

// Doubtful is the error for rows that nobody can say are all. A run that is interrupted or has no key is told so instead.
func Doubtful(of string, err error) error {
	var ae *api.Error
	if errors.Is(err, context.Canceled) || errors.As(err, &ae) && ae.Kind == api.KindUnauthorized {
		return err
	}
	return &cli.Failure{Exit: cli.ExitUntrusted, Code: Unchecked, Msg: "whether the rows " + of + " are all cannot be found out: " + strings.ReplaceAll(err.Error(), "\n", "; "), Err: err}
}

// firstRefresh reports whether a cache has no run that completed before the one that goes on.
func firstRefresh(st *api.CacheStatus) bool {
	for _, run := range []*api.CacheExecutionInfo{st.LastFullRefreshCacheExecution, st.LastIncrementalCacheExecution} {
		if run != nil && cli.CacheState(run.Status) == "COMPLETED" {
			return false
		}
	}
	return true
}

func (g *Guard) CountOf(ctx context.Context, t sqltext.TableRef) (string, error) {
	res, err := g.Cl.Queries.Execute(ctx, g.Project, api.ExecuteByStatement{Statement: "SELECT count(*) FROM " + t.Quoted()}, api.Compact)
	if err != nil {
		return "", err
	}
	defer res.Close()
	n, err := cli.CountsIn(res.Rows(), 1)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(n[0], 10), nil
}

// Tables are the three-part names that a statement holds.
func (g *Guard) Tables(ctx context.Context, form api.ExecuteRequest) ([]sqltext.TableRef, error) {
	switch f := form.(type) {
	case api.ExecuteByStatement:
		return sqltext.TablesIn(f.Statement), nil
	case api.ExecuteByName:
		return sqltext.TablesIn(f.QualifiedName), nil
	case api.ExecuteByBuilder:
		var out []sqltext.TableRef
		for _, t := range f.From {
			out = append(out, sqltext.TableRef{Catalog: t.CatalogName, Schema: t.SchemaName, Table: t.TableName})
		}
		return out, nil
	case api.ExecuteByID:
		saved, err := g.Cl.Queries.Get(ctx, g.Project, f.ID)
		return sqltext.TablesIn(saved.InputQuery), err
	}
	return nil, nil
}
