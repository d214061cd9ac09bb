// Package trust decides whether the rows of an answer may be incomplete, and what --strict rejects: tables of which a
// gateway omits rows, pages in an order that is not unique, saved queries with changed columns, and answers that report
// omissions.
package trust

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// CappedRows is the number of rows after which the hosted zones silently end the scan of some tables that are not
// cached [L].
const CappedRows = 100

// Guard finds tables of which the gateway leaves out rows, and stores its findings. It is safe for concurrent use.
type Guard struct {
	Cl      *api.Client
	Project string

	mu       sync.Mutex
	Catalogs []api.Catalog
	Queries  []api.Query
	known    map[sqltext.TableRef]Verdict
	Kept     *KeptVerdicts // findings of earlier runs; nil if every table is looked up again
}

// Reasons not to trust the rows of a table.
const (
	Trusted   = ""
	Uncached  = "uncached"  // its scan may be truncated
	Syncing   = "syncing"   // its cache is being filled for the first time, and reads as empty
	Unchecked = "unchecked" // the gateway does not report it
)

// Verdict states whether the rows of a table are complete.
type Verdict struct {
	Catalog string             // id of the catalog, "" for one without a connection
	Reason  string             // one of the reasons above
	Reads   []sqltext.TableRef // the tables it reads, if it is a saved query or a parametric table that is not cached
	Why     error              // the cause of unchecked
}

// keepWhole refuses to store the result of a query if the gateway would leave out rows: they would be missing until the
// next refresh, or permanently.
func keepWhole(ctx context.Context, e *cli.Env, cl *api.Client, project, sql string, allowed bool) error {
	if allowed || sql == "" || !e.MayDropRows() {
		return nil
	}
	err := (&Guard{Cl: cl, Project: project}).Refuse(ctx, sqlstmt.Tables(sql))
	var f *exitcode.Failure
	if errors.As(err, &f) {
		f.Hint = strings.TrimPrefix(f.Hint+"; --allow-part stores the rows that are available", "; ")
	}
	return err
}

// KeepWholeQuery is keepWhole for the statement of a saved query.
func KeepWholeQuery(ctx context.Context, e *cli.Env, cl *api.Client, project, id string, allowed bool) error {
	if allowed || !e.MayDropRows() {
		return nil
	}
	q, err := cl.Queries.Get(ctx, project, id)
	if err != nil {
		return err
	}
	return keepWhole(ctx, e, cl, project, q.InputQuery, false)
}

// KeepWholeChange is keepWhole for a saved query that is created, or changed if it already has an id: it checks the
// statement that the stored result will be computed from. A change that neither makes a query materialized nor changes
// the statement of a materialized one passes.
func KeepWholeChange(ctx context.Context, e *cli.Env, cl *api.Client, project, id string, req api.QueryRequest,
	allowed bool) error {
	text := req.InputQuery != nil || req.InputQueryRefID != nil
	if allowed || !e.MayDropRows() || req.QueryType == "PLAIN" || req.QueryType == "" && (id == "" || !text) {
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
	c.Flags().BoolVar(to, "allow-part", false, "store the rows even if the hosted zones would leave some out or do "+
		"not say so: a table truncated at 100 rows, a cache being filled")
}

// Refuse returns the error for the first table whose rows may be incomplete.
func (g *Guard) Refuse(ctx context.Context, tables []sqltext.TableRef) error {
	return g.Walk(ctx, tables, func(t sqltext.TableRef, v Verdict) error {
		if v.Reason == Trusted {
			return nil
		}
		return g.Distrusted(ctx, t, v)
	})
}

// Distrusted returns the error for a table that may be incomplete, or nil if a count shows that its rows are complete.
func (g *Guard) Distrusted(ctx context.Context, t sqltext.TableRef, v Verdict) error {
	switch v.Reason {
	case Syncing:
		return untrusted("syncing", t, "its cache is being filled for the first time, and reads as empty until then",
			"`dig cache wait "+shell.Quote(t.String())+"` waits for it")
	case Unchecked:
		return Undetermined("of "+t.String(), v.Why)
	}
	n, err := g.CountOf(ctx, t)
	if errors.Is(err, cli.ErrDone) { // a dry run printed the request and did not send it
		return nil
	}
	if err != nil {
		return Undetermined("of "+t.String(), err)
	}
	if n != fmt.Sprint(CappedRows) {
		return nil
	}
	return untrusted("capped", t,
		"it is not cached and shows exactly 100 rows, at which scans of such sources are truncated",
		"`dig cache create "+shell.Quote(v.Catalog)+" "+shell.Quote(t.Schema)+" "+shell.Quote(t.Table)+
			" --wait` caches it")
}

// Walk visits the tables that names refer to, each once: through saved queries, and through parametric tables that are
// not cached, which read their source directly. Tables of semantic catalogs are not followed; no operation reports what
// they read.
func (g *Guard) Walk(ctx context.Context, tables []sqltext.TableRef, visit func(t sqltext.TableRef,
	v Verdict) error) error {
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
		if tables = append(tables, v.Reads...); strings.EqualFold(t.Catalog, api.InternalCatalogName) &&
			v.Reason == Trusted {
			continue
		}
		if err := visit(t, v); err != nil {
			return err
		}
	}
	return nil
}

// verdict returns the verdict on a table, which is looked up once. It fails only if ctx ends.
func (g *Guard) verdict(ctx context.Context, t sqltext.TableRef) (Verdict, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v, ok := g.known[t]; ok {
		return v, nil
	}
	v, ok := g.Kept.Find(g.Project, t)
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

// look determines the verdict on a table by requests to the gateway.
func (g *Guard) look(ctx context.Context, t sqltext.TableRef) Verdict {
	if strings.EqualFold(t.Catalog, api.InternalCatalogName) {
		return g.behindQuery(ctx, t)
	}
	var err error
	if g.Catalogs == nil {
		if g.Catalogs, err = g.Cl.Catalogs.List(ctx, g.Project); err != nil {
			return Verdict{Reason: Unchecked, Why: err}
		}
	}
	var v Verdict
	for _, c := range g.Catalogs {
		if strings.EqualFold(c.Name, t.Catalog) && c.ConnectionID != nil {
			v.Catalog = c.ID
		}
	}
	if v.Catalog == "" {
		return v // not a catalog with a connection
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
	wg.Go(func() { have, cerr = resolve.CacheByTable(ctx, g.Cl, project, name, t.Schema, t.Table) })
	wg.Go(func() {
		if made, perr = g.Cl.ParametricTables.List(ctx, project, name); api.NoRoute(perr) {
			perr = nil // a gateway without caches
		}
	})
	wg.Wait()
	if err := errors.Join(stateErr, perr); err != nil {
		return Verdict{Catalog: name, Reason: Unchecked, Why: err}
	}
	if state.IsCacheable && cerr != nil {
		return Verdict{Catalog: name, Reason: Unchecked, Why: cerr}
	}
	switch {
	case state.IsCacheable && have != nil && !cli.CacheEnded(have.Status) && firstRefresh(have):
		v.Reason = Syncing
		return v
	case state.IsCacheable && !state.IsCached:
		v.Reason = Uncached
	}
	for _, m := range made {
		if !state.IsCached && strings.EqualFold(m.ToSchema, t.Schema) && strings.EqualFold(m.ToTable, t.Table) {
			v.Reads = []sqltext.TableRef{{Catalog: t.Catalog, Schema: m.FromSchema, Table: m.FromTable}}
		}
	}
	return v
}

// behindQuery returns the tables that a saved query reads; none for a stored result or an internal table.
func (g *Guard) behindQuery(ctx context.Context, t sqltext.TableRef) Verdict {
	if t.Schema != api.SchemaQuery {
		return Verdict{}
	}
	if g.Queries == nil {
		var err error
		if g.Queries, err = g.Cl.Queries.List(ctx, g.Project); err != nil {
			return Verdict{Reason: Unchecked, Why: err}
		}
	}
	for _, q := range g.Queries {
		if strings.EqualFold(q.Name, t.Table) {
			return Verdict{Reads: sqlstmt.Tables(q.InputQuery)}
		}
	}
	return Verdict{}
}

func untrusted(code string, t sqltext.TableRef, why, hint string) *exitcode.Failure {
	return &exitcode.Failure{Exit: exitcode.Untrusted, Code: code, Msg: "the rows of " + t.String() +
		" may be incomplete: " + why, Hint: hint}
}

// Undetermined returns the error for rows that cannot be confirmed to be complete. For an interrupted run or a missing
// key it returns that error instead.
func Undetermined(of string, err error) error {
	var ae *api.Error
	if errors.Is(err, context.Canceled) || errors.As(err, &ae) && ae.Kind == api.KindUnauthorized {
		return err
	}
	return &exitcode.Failure{Exit: exitcode.Untrusted, Code: Unchecked, Msg: "whether the rows " + of +
		" are complete cannot be determined: " + strings.ReplaceAll(err.Error(), "\n", "; "),
		Hint: cli.Classify(context.Background(), err).Hint, Err: err}
}

// firstRefresh reports whether a cache has no completed run before the current one.
func firstRefresh(st *api.CacheStatus) bool {
	for _, run := range []*api.CacheExecutionInfo{st.LastFullRefreshCacheExecution, st.LastIncrementalCacheExecution} {
		if run != nil && api.JobState(run.Status) == api.StateCompleted {
			return false
		}
	}
	return true
}

func (g *Guard) CountOf(ctx context.Context, t sqltext.TableRef) (string, error) {
	res, err := g.Cl.Queries.Execute(ctx, g.Project, api.ExecuteByStatement{Statement: "SELECT count(*) FROM " +
		t.Quoted()}, api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		return "", err
	}
	defer res.Close()
	n, err := contents.In(res.Rows(), 1)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(n[0], 10), nil
}

// Tables returns the three-part names in a statement.
func (g *Guard) Tables(ctx context.Context, form api.ExecuteRequest) ([]sqltext.TableRef, error) {
	switch f := form.(type) {
	case api.ExecuteByStatement:
		return sqlstmt.Tables(f.Statement), nil
	case api.ExecuteByName:
		return sqltext.TablesIn(f.QualifiedName), nil
	case api.ExecuteByBuilder:
		var out []sqltext.TableRef
		for _, t := range f.From {
			if t.CatalogName == "" && t.CatalogID != "" {
				c, err := g.Cl.Catalogs.Get(ctx, g.Project, t.CatalogID)
				if err != nil {
					return nil, err
				}
				t.CatalogName = c.Name
			}
			out = append(out, sqltext.TableRef{Catalog: t.CatalogName, Schema: t.SchemaName, Table: t.TableName})
		}
		return out, nil
	case api.ExecuteByID:
		saved, err := g.Cl.Queries.Get(ctx, g.Project, f.ID)
		return sqlstmt.Tables(saved.InputQuery), err
	}
	return nil, nil
}
