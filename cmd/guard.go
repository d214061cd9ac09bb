package cmd

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
)

// cappedRows is where the hosted zones end the scan of some tables that are not cached, without saying so [L].
const cappedRows = 100

// guarded reports whether a result may lack rows without a word: zone local never leaves any out.
func (q *querying) guarded() bool { return q.e.run.settings.Zone.Value != string(config.Local) }

// distrust refuses, for --strict, a statement over a table whose scan ends at exactly 100 rows or whose cache is being filled for
// the first time: its sums and counts would be of a part.
func (q *querying) distrust(ctx context.Context, st *statement) error {
	if !q.f.strict || !q.guarded() {
		return nil
	}
	for _, t := range q.tables(ctx, st) {
		id, doubt, err := q.doubtful(ctx, t)
		if err != nil {
			return err
		}
		switch doubt {
		case "":
		case "syncing":
			return untrusted("syncing", t, "the first refresh of its cache is running, until which it reads as empty", "`dig cache wait "+t.String()+"` waits for it")
		default:
			n, err := q.countOf(ctx, t)
			if err != nil {
				return err
			}
			if n == fmt.Sprint(cappedRows) {
				return untrusted("capped", t, "it is not cached and shows exactly 100 rows, where scans of such sources are cut", "`dig cache create "+id+" "+t.schema+" "+t.table+" --wait` caches it")
			}
		}
	}
	return nil
}

func untrusted(code string, t tableRef, why, hint string) *failure {
	return &failure{exit: exitUntrusted, code: code, msg: "--strict: the rows of " + t.String() + " cannot be trusted: " + why, hint: hint}
}

// warn says after a result of exactly 100 rows or of none whether rows may be missing.
func (q *querying) warn(ctx context.Context, st *statement, rows int64, notes io.Writer) {
	if rows != 0 && rows != cappedRows || !q.guarded() {
		return
	}
	for _, t := range q.tables(ctx, st) {
		switch _, doubt, _ := q.doubtful(ctx, t); {
		case doubt == "syncing" && rows == 0:
			fmt.Fprintf(notes, "warning: no rows, but the cache of %s is still being filled for the first time\n", t)
		case doubt == "uncached" && rows == cappedRows:
			fmt.Fprintf(notes, "warning: exactly 100 rows, and %s is not cached: the source may have been cut at 100; --strict makes sure\n", t)
		}
	}
}

// doubtful is "syncing", "uncached" or "" for a table, with the id of its catalog. What cannot be found out is no doubt.
func (q *querying) doubtful(ctx context.Context, t tableRef) (catalog, doubt string, err error) {
	all, err := q.cl.Catalogs.List(ctx, q.project)
	if err != nil {
		return "", "", err
	}
	for _, c := range all {
		if strings.EqualFold(c.Name, t.catalog) && c.ConnectionID != nil {
			catalog = c.ID
		}
	}
	if catalog == "" {
		return "", "", nil // not a catalog over a connection
	}
	st, err := q.cl.Catalogs.CacheState(ctx, q.project, catalog, t.schema, t.table)
	if err != nil || !st.IsCacheable {
		return catalog, "", nil
	}
	have, err := cacheByTable(ctx, q.cl, q.project, catalog, t.schema, t.table)
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

func (q *querying) countOf(ctx context.Context, t tableRef) (string, error) {
	res, err := q.cl.Queries.Execute(ctx, q.project, api.ExecuteByStatement{Statement: "SELECT count(*) FROM " + t.quoted()}, api.Compact)
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
func (q *querying) tables(ctx context.Context, st *statement) []tableRef {
	switch f := st.form.(type) {
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
		if saved, err := q.cl.Queries.Get(ctx, q.project, f.ID); err == nil {
			return tablesIn(saved.InputQuery)
		}
	}
	return nil
}

var (
	notNames  = regexp.MustCompile(`(?s)'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/`)
	namePart  = `("(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_]*)`
	threePart = regexp.MustCompile(namePart + `\s*\.\s*` + namePart + `\s*\.\s*` + namePart)
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
	for _, m := range threePart.FindAllStringSubmatch(notNames.ReplaceAllString(sql, " "), -1) {
		if t := (tableRef{part(m[1]), part(m[2]), part(m[3])}); !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
