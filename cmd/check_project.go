package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
)

// checkQueries runs every saved query for no rows.
func (k *checking) checkQueries(ctx context.Context) error {
	var err error
	if k.queries, err = k.g.cl.Queries.List(ctx, k.g.project); err != nil {
		return err
	}
	k.g.queries = k.queries
	for _, q := range k.queries {
		cols, err := k.columnsOf(ctx, q.Name)
		switch {
		case err == nil:
			k.columns[q.Name] = cols
		case k.e.planned(err):
		case answered(err):
			k.add("query", q.Name, "`dig query get "+shell.Quote(q.Name)+"` shows its text", "does not run: %v", err)
		default:
			return err
		}
	}
	return nil
}

// columnsOf are the columns of a saved query.
func (k *checking) columnsOf(ctx context.Context, name string) ([]typedColumn, error) {
	t := tableRef{"peaka", "query", name}
	res, err := k.g.cl.Queries.Execute(ctx, k.g.project, api.ExecuteByStatement{Statement: "SELECT * FROM " + t.quoted() + " LIMIT 0"}, api.Compact)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	rows := res.Rows()
	for rows.Next() {
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	cols, err := rows.Columns()
	out := make([]typedColumn, len(cols))
	for i, c := range cols {
		out[i] = typedColumn{c.Name, c.DataType}
	}
	return out, err
}

// checkColumns compares with what was written before. A type is compared where both sides know it.
func (k *checking) checkColumns(want map[string][]typedColumn) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		have, ok := k.columns[name]
		switch {
		case ok && slices.EqualFunc(want[name], have, func(a, b typedColumn) bool {
			return a.Name == b.Name && (a.Type == b.Type || a.Type == "" || b.Type == "")
		}):
		case ok:
			k.add("columns", name, "`dig check --write-columns FILE` accepts the new ones", "the columns are %s; they were %s", inWords(have), inWords(want[name]))
		case !slices.ContainsFunc(k.queries, func(q api.Query) bool { return q.Name == name }): // one that does not run is found already
			k.add("columns", name, "`dig check --write-columns FILE` accepts that", "the saved query is gone")
		}
	}
}

func inWords(cols []typedColumn) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = strings.TrimSpace(c.Name + " " + c.Type)
	}
	return strings.Join(out, ", ")
}

// checkRows looks at the tables that saved queries read, each once.
func (k *checking) checkRows(ctx context.Context) error {
	if !k.e.guarded() {
		return nil
	}
	reads := map[tableRef][]string{}
	doubts := map[tableRef]func() error{}
	var order []tableRef
	for _, q := range k.queries {
		err := k.g.walk(ctx, tablesIn(q.InputQuery), func(t tableRef, v verdict) error {
			if v.Doubt == noDoubt {
				return nil
			}
			if reads[t] == nil {
				order = append(order, t)
				doubts[t] = func() error { return k.g.distrusted(ctx, t, v) }
			}
			reads[t] = append(reads[t], q.Name)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, t := range order {
		var f *failure
		err := doubts[t]()
		if errors.As(err, &f) && f.exit == exitUntrusted {
			why := f.msg
			if f.code != unchecked {
				_, why, _ = strings.Cut(f.msg, ": ")
			}
			k.add("rows", t.String(), f.hint, "%s; read by %s", why, strings.Join(reads[t], ", "))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// answered reports whether an error is what the gateway says about the request, and not a failure to ask it.
func answered(err error) bool {
	var refused *api.Error
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Kind {
	case api.KindUnavailable, api.KindUnauthorized, api.KindForbidden, api.KindTimeout, api.KindProtocol:
		return false
	}
	return true
}

// checkCaches looks at the runs of the caches, and for tables that count as cached without one.
func (k *checking) checkCaches(ctx context.Context) error {
	all, err := k.g.cl.Cache.Statuses(ctx, k.g.project)
	if err != nil {
		return err
	}
	if k.g.catalogs == nil {
		if k.g.catalogs, err = k.g.cl.Catalogs.List(ctx, k.g.project); err != nil {
			return err
		}
	}
	listed := map[tableRef]bool{}
	for _, st := range all {
		listed[tableRef{st.CatalogID, st.SchemaName, st.TableName}] = true
		name := st.CatalogID
		if i := slices.IndexFunc(k.g.catalogs, func(c api.Catalog) bool { return c.ID == st.CatalogID }); i >= 0 {
			name = k.g.catalogs[i].Name
		}
		k.checkCache(tableRef{name, st.SchemaName, st.TableName}.String(), st)
	}
	for _, c := range k.g.catalogs {
		if c.ConnectionID == nil {
			continue
		}
		if err := k.checkCached(ctx, c, listed); answered(err) {
			k.add("cached", c.Name, "", "the catalog cannot be read: %v", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (k *checking) checkCache(table string, st api.CacheStatus) {
	run := st.Newest()
	again := "`dig cache refresh " + shell.Quote(table) + " --full --wait`"
	switch {
	case run == nil:
		k.add("cache", table, again, "there was no refresh yet")
	case cacheState(run.Status) == "FAILED" || cacheState(run.Status) == "CANCELLED":
		text := ""
		if json.Unmarshal(run.Error["message"], &text) == nil && text != "" {
			text = ": " + text
		}
		k.add("cache", table, again, "the refresh of %s is %s%s; queries read %s", run.CreatedAt, run.Status, text, older(st))
	case !cacheEnded(run.Status):
		at, err := time.Parse(time.RFC3339, run.UpdatedAt)
		if quiet := k.e.Now().Sub(at); err == nil && quiet > k.stalled {
			k.add("cache", table, "`dig cache cancel "+shell.Quote(table)+"`, then refresh it", "the refresh of %s is %s and has shown no sign of life for %v", run.CreatedAt, run.Status, quiet.Round(time.Second))
		}
	}
}

// older says which rows are read after a refresh that came to nothing.
func older(st api.CacheStatus) string {
	if at := st.Refreshed(); at != "" {
		return "rows of " + at
	}
	return "no copy that is known to be whole"
}

// checkCached looks for tables of a catalog that count as cached and have no cache.
func (k *checking) checkCached(ctx context.Context, c api.Catalog, listed map[tableRef]bool) error {
	schemas, err := k.g.cl.Catalogs.Schemas(ctx, k.g.project, c.ID)
	if err != nil {
		return err
	}
	for _, s := range schemas {
		tables, err := k.g.cl.Catalogs.Tables(ctx, k.g.project, c.ID, s.SchemaName)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if t.IsCached && !listed[tableRef{c.ID, s.SchemaName, t.TableName}] {
				k.add("cached", tableRef{c.Name, s.SchemaName, t.TableName}.String(), "only a new catalog over the same connection is known to help",
					"the table counts as cached and no cache is listed; it may read as empty")
			}
		}
	}
	return nil
}

// overdue is how late a scheduled run may be.
const overdue = 10 * time.Minute

// checkMaterialized looks at the runs of materialized queries.
func (k *checking) checkMaterialized(ctx context.Context) error {
	all, err := k.g.cl.Materialized.Statuses(ctx, k.g.project)
	if err != nil {
		return err
	}
	for _, st := range all {
		again := "`dig materialized refresh " + shell.Quote(st.QueryName) + " --wait`"
		var f *failure
		switch {
		case stateWords(st) == neverMaterialized:
			k.add("materialized", st.QueryName, again, "nothing is stored: it never ran")
		case errors.As(endOf(st.QueryName, st), &f):
			k.add("materialized", st.QueryName, again, "%s", f.msg)
		}
		if st.NextExecutionStartTime == nil {
			continue
		}
		next, err := time.Parse(time.RFC3339, *st.NextExecutionStartTime)
		if late := k.e.Now().Sub(next); err == nil && late > overdue {
			hint := again
			if !k.e.guarded() {
				hint = "schedules of zone local fire while `dig gateway serve` runs"
			}
			k.add("materialized", st.QueryName, hint, "the run of %s is overdue", *st.NextExecutionStartTime)
		}
	}
	return nil
}
