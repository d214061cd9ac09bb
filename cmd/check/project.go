package check

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
)

// checkQueries runs every saved query with LIMIT 0.
func (k *checking) checkQueries(ctx context.Context) error {
	var err error
	if k.queries, err = k.g.Cl.Queries.List(ctx, k.g.Project); err != nil {
		return err
	}
	k.g.Queries = k.queries
	for _, q := range k.queries {
		cols, err := k.columnsOf(ctx, q.Name)
		switch {
		case err == nil:
			k.columns[q.Name] = cols
		case k.e.Planned(err):
		case api.Answered(err):
			k.add("query", q.Name, "`dig query get "+shell.Quote(q.Name)+"` shows its text", "does not run: %v", err)
		default:
			return err
		}
	}
	return nil
}

// columnsOf returns the columns of a saved query.
func (k *checking) columnsOf(ctx context.Context, name string) ([]localstate.Column, error) {
	res, err := k.g.Cl.Queries.Execute(ctx, k.g.Project, api.ExecuteByStatement{Statement: "SELECT * FROM " +
		resolve.QueryTable(name).Quoted() + " LIMIT 0"}, api.ExecuteOptions{Format: api.Compact})
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
	return trust.StoredColumns(cols), err
}

// checkColumns compares the columns of the saved queries with those in the file of --expect. Types are compared if both
// sides have them.
func (k *checking) checkColumns(want map[string][]localstate.Column) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		have, ok := k.columns[name]
		switch {
		case ok && localstate.SameColumns(want[name], have):
		case ok:
			k.add("columns", name, "`dig check --write-columns FILE` accepts the new ones",
				"the columns are %s; they were %s", localstate.ColumnsText(have), localstate.ColumnsText(want[name]))
			// a query that does not run has been reported already
		case !slices.ContainsFunc(k.queries, func(q api.Query) bool { return q.Name == name }):
			k.add("columns", name, "`dig check --write-columns FILE` accepts that", "the saved query is gone")
		}
	}
}

// checkRows checks the tables that saved queries read, each once.
func (k *checking) checkRows(ctx context.Context) error {
	if !k.e.MayDropRows() {
		return nil
	}
	reads := map[sqltext.TableRef][]string{}
	untrusted := map[sqltext.TableRef]func() error{}
	var order []sqltext.TableRef
	for _, q := range k.queries {
		err := k.g.Walk(ctx, sqlstmt.Tables(q.InputQuery), func(t sqltext.TableRef, v trust.Verdict) error {
			if v.Reason == trust.Trusted {
				return nil
			}
			if reads[t] == nil {
				order = append(order, t)
				untrusted[t] = func() error { return k.g.Distrusted(ctx, t, v) }
			}
			reads[t] = append(reads[t], q.Name)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, t := range order {
		var f *exitcode.Failure
		err := untrusted[t]()
		if errors.As(err, &f) && f.Exit == exitcode.Untrusted {
			why := f.Msg
			if f.Code != trust.Unchecked {
				_, why, _ = strings.Cut(f.Msg, ": ")
			}
			k.add("rows", t.String(), f.Hint, "%s; read by %s", why, strings.Join(reads[t], ", "))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// checkCaches checks the runs of the caches, and finds tables that are shown as cached without a cache.
func (k *checking) checkCaches(ctx context.Context) error {
	all, err := k.g.Cl.Cache.Statuses(ctx, k.g.Project)
	if err != nil {
		return err
	}
	if k.g.Catalogs == nil {
		if k.g.Catalogs, err = k.g.Cl.Catalogs.List(ctx, k.g.Project); err != nil {
			return err
		}
	}
	listed := map[sqltext.TableRef]bool{}
	for _, st := range all {
		listed[sqltext.TableRef{Catalog: st.CatalogID, Schema: st.SchemaName, Table: st.TableName}] = true
		name := st.CatalogID
		if i := slices.IndexFunc(k.g.Catalogs, func(c api.Catalog) bool { return c.ID == st.CatalogID }); i >= 0 {
			name = k.g.Catalogs[i].Name
		}
		table := sqltext.TableRef{Catalog: name, Schema: st.SchemaName, Table: st.TableName}.String()
		k.checkCache(table, st)
		if err := k.checkCacheSchedule(ctx, table, st); err != nil {
			return err
		}
	}
	for _, c := range k.g.Catalogs {
		if c.ConnectionID == nil {
			continue
		}
		if err := k.checkCached(ctx, c, listed); api.Answered(err) {
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
	case api.JobState(run.Status) == api.StateFailed || api.JobState(run.Status) == api.StateCancelled:
		text := cli.CacheError(run)
		if text != "" {
			text = ": " + text
		}
		k.add("cache", table, again, "the refresh of %s is %s%s; queries read %s", run.CreatedAt, run.Status,
			text, older(st))
	case !cli.CacheEnded(run.Status):
		at, err := time.Parse(time.RFC3339, run.UpdatedAt)
		if quiet := k.e.Now().Sub(at); err == nil && quiet > k.stalled {
			k.add("cache", table, "`dig cache cancel "+shell.Quote(table)+"`, then refresh it",
				"the refresh of %s is %s and has shown no progress for %v", run.CreatedAt, run.Status,
				quiet.Round(time.Second))
		}
	}
}

// checkCacheSchedule finds a cache that should have been refreshed a while ago. The hosted zones do not tell when, but
// the schedules.
func (k *checking) checkCacheSchedule(ctx context.Context, table string, st api.CacheStatus) error {
	run := st.Newest()
	if run == nil || !cli.CacheEnded(run.Status) {
		return nil
	}
	again := "`dig cache refresh " + shell.Quote(table) + " --wait`"
	if !k.e.MayDropRows() {
		if st.NextRefreshTime == nil {
			return nil
		}
		due, err := time.Parse(time.RFC3339, *st.NextRefreshTime)
		if err == nil && k.e.Now().Sub(due) > schedule.Overdue {
			k.add("cache", table, servingHint, "the refresh of %s is overdue", *st.NextRefreshTime)
		}
		return nil
	}
	c, err := k.g.Cl.Cache.Settings(ctx, k.g.Project, st.ID)
	var ae *api.Error
	if errors.As(err, &ae) && ae.Kind == api.KindNotFound { // deleted meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range []struct {
		*api.CacheSchedule
		last *api.CacheExecutionInfo
		kind string
	}{{c.FullRefreshCacheSchedule, st.LastFullRefreshCacheExecution, "full refresh"},
		{c.IncrementalCacheSchedule, run, "refresh"}} { // a full refresh counts for both
		if s.CacheSchedule == nil || s.Expression == nil || s.last == nil {
			continue
		}
		period, err := schedule.ParsePeriod(*s.Expression)
		last, terr := time.Parse(time.RFC3339, s.last.CreatedAt)
		if err != nil || terr != nil { // the hosted zones accept a malformed period and ignore it [L]
			continue
		}
		if k.e.Now().Sub(period.Times(last, 1)) > schedule.Overdue {
			k.add("cache", table, again, "the last %s was that of %s, although there is to be one every %s", s.kind,
				s.last.CreatedAt, *s.Expression)
			break
		}
	}
	return nil
}

// older describes the rows that queries read after a failed refresh.
func older(st api.CacheStatus) string {
	if at := st.Refreshed(); at != "" {
		return "rows of " + at
	}
	return "no copy that is known to be complete"
}

// checkCached finds tables of a catalog that are shown as cached but have no cache.
func (k *checking) checkCached(ctx context.Context, c api.Catalog, listed map[sqltext.TableRef]bool) error {
	schemas, err := k.g.Cl.Catalogs.Schemas(ctx, k.g.Project, c.ID)
	if err != nil {
		return err
	}
	for _, s := range schemas {
		tables, err := k.g.Cl.Catalogs.Tables(ctx, k.g.Project, c.ID, s.SchemaName)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if t.IsCached && !listed[sqltext.TableRef{Catalog: c.ID, Schema: s.SchemaName, Table: t.TableName}] {
				k.add("cached", sqltext.TableRef{Catalog: c.Name, Schema: s.SchemaName, Table: t.TableName}.String(),
					"create a new catalog over the same connection",
					"the table is shown as cached but no cache is listed; it may read as empty")
			}
		}
	}
	return nil
}

const servingHint = "schedules of zone local fire while `dig gateway serve` runs"

// checkMaterialized checks the runs of materialized queries.
func (k *checking) checkMaterialized(ctx context.Context) error {
	all, err := k.g.Cl.Materialized.Statuses(ctx, k.g.Project)
	if err != nil {
		return err
	}
	for _, st := range all {
		again := "`dig materialized refresh " + shell.Quote(st.QueryName) + " --wait`"
		var f *exitcode.Failure
		switch {
		case cli.StateWords(st) == cli.NeverMaterialized:
			k.add("materialized", st.QueryName, again, "nothing is stored: it never ran")
		case errors.As(cli.EndOf(st.QueryName, st), &f):
			k.add("materialized", st.QueryName, again, "%s", f.Msg)
		}
		if st.NextExecutionStartTime == nil {
			continue
		}
		next, err := time.Parse(time.RFC3339, *st.NextExecutionStartTime)
		if late := k.e.Now().Sub(next); err == nil && late > schedule.Overdue {
			hint := again
			if !k.e.MayDropRows() {
				hint = servingHint
			}
			k.add("materialized", st.QueryName, hint, "the run of %s is overdue", *st.NextExecutionStartTime)
		}
	}
	return nil
}
