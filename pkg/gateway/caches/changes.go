package caches

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// refreshNames are the names a refresh reads by: the source, what the run has stored, and what the cache held. They are not the
// names users write, which may stand for the cache in a statement that runs at the same time.
type refreshNames struct {
	names.Resolver
	real     engine.TableName
	run, old string
	filters  map[string]engine.Filter // of readings of the source
	read     int64                    // rows that were read of the source, where not all were
}

// table is the SQL name of "live", a reading of the source with a filter, "new", "old" or a scratch table.
func (r *refreshNames) table(which string) string {
	return engine.TableName{Catalog: cacheNames, Schema: which, Table: r.real.String()}.Quoted()
}

// Lookup implements engine.Catalogs.
func (r *refreshNames) Lookup(ctx context.Context, n engine.TableName) (engine.Source, error) {
	if n.Catalog != cacheNames {
		return r.Resolver.Lookup(ctx, n)
	}
	stored := func(table string) (engine.Source, error) {
		return engine.Source{Stored: &engine.TableName{Schema: names.CacheSchema, Table: table}}, nil
	}
	switch {
	case n.Schema == "new":
		return stored(r.run)
	case n.Schema == "old":
		return stored(r.old)
	case slices.Contains(Scratch[:], n.Schema):
		return stored(ScratchName(r.run, n.Schema))
	}
	if r.real.Catalog == engine.SampleCatalog {
		return engine.Source{SQL: "SELECT * FROM " + r.real.Quoted()}, nil
	}
	src, err := r.Resolver.Lookup(ctx, r.real)
	if f, ok := r.filters[n.Schema]; ok && src.Scan != nil {
		src.Scan = filtered{src.Scan, f}
	}
	return src, err
}

// changes compares the rows of a refresh with those before it.
type changes struct {
	data  engine.Project
	names *refreshNames
	run   *store.CacheRun
}

// texts is the values of a statement, row by row; nil is NULL.
func (c changes) texts(ctx context.Context, sql string) ([]*string, error) {
	res, err := c.data.Query(ctx, engine.Query{SQL: sql, Catalogs: c.names, Dialect: "duckdb"})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var out []*string
	_, err = res.Rows(ctx, func(row [][]byte) error {
		for _, v := range row {
			if v == nil {
				out = append(out, nil)
				continue
			}
			s := string(v)
			out = append(out, &s)
		}
		return nil
	})
	return out, err
}

func (c changes) ints(ctx context.Context, sql string) ([]int64, error) {
	texts, err := c.texts(ctx, sql)
	out := make([]int64, len(texts))
	for i, t := range texts {
		if err == nil {
			out[i], err = strconv.ParseInt(*t, 10, 64)
		}
	}
	return out, err
}

// columns lists the columns of a table with their types.
func (c changes) columns(ctx context.Context, which string) ([]string, error) {
	res, err := c.data.Query(ctx, engine.Query{SQL: "SELECT * FROM " + c.names.table(which) + " LIMIT 0", Catalogs: c.names})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var out []string
	for _, col := range res.Columns() {
		out = append(out, col.Name+"\x00"+col.DataType)
	}
	return out, nil
}

func (c changes) withKey(key []string) *merge { return &merge{changes: c, key: key} }

// keyFault says what is wrong with the key in a table, nil for nothing.
func (m *merge) keyFault(ctx context.Context, which string) (wrong, err error) {
	missing := make([]string, len(m.key))
	for i, k := range m.key {
		missing[i] = sqltext.Quote(k) + " IS NULL"
	}
	n, err := m.ints(ctx, "SELECT count(*) FROM "+m.names.table(which)+" WHERE "+strings.Join(missing, " OR "))
	if err != nil {
		return nil, err
	}
	name := strings.Join(m.key, ", ")
	if n[0] > 0 {
		return fault.Cache(400, "", "the key (%s) is NULL in %s of %s: an incremental refresh cannot tell such rows apart; a full refresh can read them", name, some(n[0], "row"), m.names.real), nil
	}
	twice := "SELECT " + sqltext.List(m.key) + " FROM " + m.names.table(which) + " GROUP BY " + sqltext.List(m.key) + " HAVING count(*) > 1"
	if n, err = m.ints(ctx, "SELECT count(*) FROM ("+twice+")"); err != nil || n[0] == 0 {
		return nil, err
	}
	one, err := m.texts(ctx, twice+" ORDER BY ALL LIMIT 1")
	return fault.Cache(400, "", "the key (%s) is not unique in %s: %s more than once, such as %s; an incremental refresh cannot tell such rows apart", name, m.names.real,
		some(n[0], "value")+map[bool]string{true: " is there", false: " are there"}[n[0] == 1], strings.Join(each.Map(one, func(s *string) string { return *s }), ", ")), err
}

func some(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}

// checkKey fails when the key does not tell the rows of a table apart.
func (m *merge) checkKey(ctx context.Context, which string) error {
	fault, err := m.keyFault(ctx, which)
	if err == nil {
		err = fault
	}
	return err
}

// countAll compares all rows with those before, duplicates and NULLs included. With a key, or a column that tells rows apart in
// both, a row whose other values changed is updated; without one it is a deleted and an inserted row.
func (c changes) countAll(ctx context.Context, key []string, old int64) error {
	before, err := c.columns(ctx, "old")
	if err != nil {
		return err
	}
	after, err := c.columns(ctx, "new")
	if err != nil {
		return err
	}
	run := c.run
	if !slices.Equal(before, after) { // the table itself changed: every row is another
		run.Inserted, run.Deleted = run.Cached, old
		return nil
	}
	a, b := c.names.table("new"), c.names.table("old")
	n, err := c.ints(ctx, "SELECT (SELECT count(*) FROM (SELECT * FROM "+a+" EXCEPT ALL SELECT * FROM "+b+")), (SELECT count(*) FROM (SELECT * FROM "+b+" EXCEPT ALL SELECT * FROM "+a+"))")
	if err != nil {
		return err
	}
	run.Inserted, run.Deleted = n[0], n[1]
	if len(key) == 0 {
		if k := keyColumn(after, c.names.real.Table); k != "" {
			key = []string{k}
		}
	}
	if len(key) == 0 || n[0] == 0 || n[1] == 0 {
		return nil
	}
	m := c.withKey(key)
	for _, which := range []string{"new", "old"} {
		if fault, err := m.keyFault(ctx, which); err != nil || fault != nil {
			return err
		}
	}
	if n, err = c.ints(ctx, "SELECT count(*) FROM "+a+" x0 WHERE NOT "+m.in("x0", "old")); err != nil {
		return err
	}
	run.Updated = run.Inserted - n[0]
	run.Inserted -= run.Updated
	run.Deleted -= run.Updated
	return nil
}

// keyColumn is a column that by its name tells rows apart; whether it does is for the caller to check.
func keyColumn(columns []string, table string) string {
	for _, want := range []string{"id", "_id", "uuid", table + "_id", strings.TrimSuffix(table, "s") + "_id"} {
		for _, c := range columns {
			if name := nameOf(c); strings.EqualFold(name, want) {
				return name
			}
		}
	}
	return ""
}
