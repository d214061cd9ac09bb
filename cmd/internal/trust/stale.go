package trust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// Staleness finds the stored results and the caches behind a statement whose latest run failed: their rows are of an
// earlier run. It is safe for concurrent use.
type Staleness struct {
	Cl      *api.Client
	Project string

	mu      sync.Mutex
	results fetched[api.MaterializedQueryStatus]
	caches  fetched[api.CacheStatus]
}

// fetched is a list of statuses for the statements of the next seconds, such as those of a file.
type fetched[T any] struct {
	at   time.Time
	list []T
}

const statusesFresh = 5 * time.Second

func (f *fetched[T]) get(fetch func() ([]T, error)) ([]T, error) {
	if !f.at.IsZero() && time.Since(f.at) < statusesFresh {
		return f.list, nil
	}
	list, err := fetch()
	if api.NoRoute(err) { // a gateway without caches or stored results
		list, err = nil, nil
	}
	if err == nil {
		f.at, f.list = time.Now(), list
	}
	return list, err
}

// Stale is a table whose rows are of an earlier run than the latest, which failed.
type Stale struct{ what, hint string }

func (s Stale) String() string { return s.what }

// Refused is the error of --strict.
func (s Stale) Refused() *exitcode.Failure {
	return &exitcode.Failure{Exit: exitcode.Untrusted, Code: "stale", Msg: s.what, Hint: s.hint}
}

// StaleUnknown is the error of --strict for stored rows whose runs cannot be looked up.
func StaleUnknown(err error) error {
	var ae *api.Error
	if errors.Is(err, context.Canceled) || errors.As(err, &ae) && ae.Kind == api.KindUnauthorized {
		return err
	}
	return &exitcode.Failure{Exit: exitcode.Untrusted, Code: Unchecked,
		Msg: "whether the stored rows are stale cannot be determined: " + strings.ReplaceAll(err.Error(), "\n", "; "),
		Err: err}
}

// Of returns what a form reads that is stale. live is for statements that read sources instead of caches. It sends no
// request for a statement over internal tables, else one or two, and further ones only if a run has failed.
func (s *Staleness) Of(ctx context.Context, form api.ExecuteRequest, live bool) ([]Stale, error) {
	names, id := namesOf(form)
	outside := external(names)
	saved := id != "" || outside || names.Of(api.InternalCatalogName, "", api.SchemaQuery) // outside may be semantic
	var results []api.MaterializedQueryStatus
	var caches []api.CacheStatus
	s.mu.Lock()
	defer s.mu.Unlock()
	var wg sync.WaitGroup
	var rerr, cerr error
	if saved || names.Of(api.InternalCatalogName, "", api.SchemaMtQuery) {
		wg.Go(func() {
			results, rerr = s.results.get(func() ([]api.MaterializedQueryStatus,
				error) {
				return s.Cl.Materialized.Statuses(ctx, s.Project)
			})
		})
	}
	if !live && saved {
		wg.Go(func() {
			caches, cerr = s.caches.get(func() ([]api.CacheStatus,
				error) {
				return s.Cl.Cache.Statuses(ctx, s.Project)
			})
		})
	}
	wg.Wait()
	if err := errors.Join(rerr, cerr); err != nil {
		return nil, err
	}
	results, caches = failedResults(results), failedCaches(caches)
	if len(results)+len(caches) == 0 {
		return nil, nil
	}
	var catalogs []api.Catalog
	if saved {
		var err error
		if catalogs, err = s.Cl.Catalogs.List(ctx, s.Project); err != nil {
			return nil, err
		}
		if names, err = s.through(ctx, catalogs, names, id); err != nil {
			return nil, err
		}
	}
	var out []Stale
	for _, st := range results {
		if st.QueryID == id || names.Of(api.InternalCatalogName, st.QueryName, api.SchemaMtQuery) {
			out = append(out, staleResult(st))
		}
	}
	for _, st := range caches {
		for _, c := range catalogs {
			of := func(catalog string) bool { return names.Of(catalog, st.TableName, st.SchemaName) }
			if c.ID == st.CatalogID && (of(c.Name) || of(c.ID)) {
				out = append(out, staleCache(st, c.Name))
			}
		}
	}
	return out, nil
}

// namesOf returns the tables that a form names, or the id of the saved query that it runs.
func namesOf(form api.ExecuteRequest) (names sqlstmt.Reading, id string) {
	switch f := form.(type) {
	case api.ExecuteByStatement:
		return sqlstmt.ReadingOf(f.Statement), ""
	case api.ExecuteByName:
		return sqlstmt.Reading{strings.Split(strings.ReplaceAll(f.QualifiedName, `"`, ""), ".")}, ""
	case api.ExecuteByBuilder:
		for _, t := range f.From {
			names = append(names, []string{cmp.Or(t.CatalogName, t.CatalogID), t.SchemaName, t.TableName})
		}
	case api.ExecuteByID:
		return nil, f.ID
	}
	return names, ""
}

func external(names sqlstmt.Reading) bool {
	for _, name := range names {
		if len(name) == 3 && !strings.EqualFold(name[0], api.InternalCatalogName) {
			return true
		}
	}
	return false
}

// through adds the tables that saved queries read: the query of an ID, those that are named and those behind semantic
// tables, directly and through others. Only zone local tells the query of a semantic table, and that of a catalog
// shared from another project is not followed.
func (s *Staleness) through(
	ctx context.Context, catalogs []api.Catalog, names sqlstmt.Reading, id string,
) (sqlstmt.Reading, error) {
	semantic := slices.DeleteFunc(slices.Clone(catalogs), func(c api.Catalog) bool { return !resolve.IsSemantic(c) })
	if id == "" && !names.Of(api.InternalCatalogName, "", api.SchemaQuery) &&
		!slices.ContainsFunc(semantic, func(c api.Catalog) bool { return ofCatalog(names, c) }) {
		return names, nil
	}
	all, err := s.Cl.Queries.List(ctx, s.Project)
	if err != nil {
		return nil, err
	}
	behind := semanticQueries{s: s, catalogs: semantic, tables: map[[2]string][]api.Table{}, ids: map[string]bool{}}
	seen := map[string]bool{}
	for more := true; more; {
		more = false
		if err := behind.add(ctx, names); err != nil {
			return nil, err
		}
		for _, q := range all {
			stored := q.ID == id && q.QueryType == "MATERIALIZED" // by its ID its stored result is read
			read := q.ID == id && !stored || behind.ids[q.ID] || names.Of(api.InternalCatalogName, q.Name,
				api.SchemaQuery)
			if read && !seen[q.ID] {
				seen[q.ID], more = true, true
				names = append(names, sqlstmt.ReadingOf(q.InputQuery)...)
			}
		}
	}
	return names, nil
}

func ofCatalog(names sqlstmt.Reading, c api.Catalog) bool {
	return names.Of(c.Name, "") || names.Of(c.ID, "")
}

// semanticQueries finds the queries behind semantic tables, which are read live.
type semanticQueries struct {
	s        *Staleness
	catalogs []api.Catalog
	tables   map[[2]string][]api.Table // by ID of the catalog and schema
	ids      map[string]bool
}

// add adds the queries of the semantic tables among names.
func (b *semanticQueries) add(ctx context.Context, names sqlstmt.Reading) error {
	for _, name := range names {
		one := sqlstmt.Reading{name}
		for _, c := range b.catalogs {
			if len(name) != 3 || !ofCatalog(one, c) {
				continue
			}
			tables, err := b.list(ctx, c.ID, strings.ToLower(name[1])) // as the catalog stores it
			if err != nil {
				return err
			}
			for _, t := range tables {
				if t.QueryID != "" && one.Of(name[0], t.TableName, t.SchemaName) {
					b.ids[t.QueryID] = true
				}
			}
		}
	}
	return nil
}

func (b *semanticQueries) list(ctx context.Context, catalog, schema string) ([]api.Table, error) {
	key := [2]string{catalog, schema}
	if tables, ok := b.tables[key]; ok {
		return tables, nil
	}
	tables, err := b.s.Cl.Catalogs.Tables(ctx, b.s.Project, catalog, schema)
	var ae *api.Error
	if errors.As(err, &ae) && ae.Kind == api.KindNotFound { // the statement says so
		tables, err = nil, nil
	}
	b.tables[key] = tables
	return tables, err
}

func failedResults(all []api.MaterializedQueryStatus) (out []api.MaterializedQueryStatus) {
	for _, st := range all {
		if api.JobState(st.Status) == api.StateFailed {
			out = append(out, st)
		}
	}
	return out
}

// failedCaches leaves out those that have never stored rows: tables are read from the source then.
func failedCaches(all []api.CacheStatus) (out []api.CacheStatus) {
	for _, st := range all {
		both := st.LastFullRefreshCacheExecution != nil && st.LastIncrementalCacheExecution != nil
		if api.JobState(st.Status) == api.StateFailed && (st.Refreshed() != "" || both) {
			out = append(out, st)
		}
	}
	return out
}

func staleResult(st api.MaterializedQueryStatus) Stale {
	why, at := "", ""
	if st.Error != nil {
		why = *st.Error
	}
	if st.LastExecutionStartTime != nil {
		at = *st.LastExecutionStartTime
	}
	return Stale{staleText("peaka.mtquery."+st.QueryName, "run", at, why, st.Refreshed()),
		"`dig materialized status " + shell.Quote(st.QueryName) + "` shows the run, `dig materialized refresh " +
			shell.Quote(st.QueryName) + "` runs it again"}
}

func staleCache(st api.CacheStatus, catalog string) Stale {
	why, at := "", ""
	if run := st.Newest(); run != nil {
		at = run.CreatedAt
		why = cli.CacheError(run)
	}
	name := catalog + "." + st.SchemaName + "." + st.TableName
	return Stale{staleText(name, "refresh of its cache", at, why, st.Refreshed()),
		"`dig cache status " + shell.Quote(name) + "` shows the refresh, `dig cache refresh " + shell.Quote(name) +
			"` repeats it"}
}

func staleText(name, run, at, why, refreshed string) string {
	text := fmt.Sprintf("the rows of %s are stale: the latest %s", name, run)
	if at != "" {
		text += " (" + at + ")"
	}
	text += " failed"
	if why != "" {
		text += ": " + strings.ReplaceAll(strings.TrimSpace(why), "\n", "; ")
	}
	if refreshed != "" {
		text += "; they are of " + refreshed
	}
	return text
}
