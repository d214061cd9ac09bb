package caches

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Scratch are the tables of a run beside the one it stores; each is named by the run and one of these.
var Scratch = [...]string{"keys", "rows", "need", "rest"}

// maxNamedKeys is how many rows are asked for by their keys; for more the table is read whole.
const maxNamedKeys = 500

// merge is an incremental refresh that reads keys and changed rows only.
type merge struct {
	changes
	key     []string
	updated string // "" for a table whose rows never change
}

// mergeChanges builds the new rows from the old ones and what changed. It reads, in this order,
//
//	keys  the key, and the time of change, of every row;
//	rows  the rows whose time is that of the newest cached row, or later;
//	rest  the rows whose key is new, or whose time is another one or missing, and that are not among the rows.
//
// A row that a later reading does not find any more has been deleted in between. It answers false when there is nothing to build
// on: no old rows, or other columns.
func (s *Service) mergeChanges(ctx context.Context, c changes, t store.CacheTracking) (done bool, err error) {
	m := merge{c, t.Key, t.Updated}
	live, err := m.columns(ctx, "live")
	if err != nil {
		return false, err
	}
	old, err := m.columns(ctx, "old")
	if err != nil || !slices.Equal(live, old) {
		return false, err
	}
	if fault, err := m.keyFault(ctx, "old"); err != nil || fault != nil {
		return false, err
	}
	order := t.Updated
	if t.InsertOnly {
		order = t.Key[0]
	}
	newest, err := m.texts(ctx, "SELECT CAST(max("+sqltext.Quote(order)+") AS VARCHAR) FROM "+m.names.table("old"))
	if err != nil || newest[0] == nil {
		return false, err
	}
	fields := m.key
	if m.updated != "" {
		fields = append(slices.Clone(fields), m.updated)
	}
	if _, err := m.store(ctx, "keys", "SELECT "+sqltext.List(fields)+" FROM "+m.names.table("live")); err != nil {
		return false, err
	}
	if err := m.checkKey(ctx, "keys"); err != nil {
		return false, err
	}
	if f, ok := sinceFilter(order, typeOf(live, order), *newest[0]); ok {
		m.names.filters["newer"] = f
	}
	if _, err := m.store(ctx, "rows", "SELECT n.* FROM "+m.names.table("newer")+" n WHERE n."+sqltext.Quote(order)+" >= (SELECT max(o."+sqltext.Quote(order)+") FROM "+m.names.table("old")+" o)"); err != nil {
		return false, err
	}
	if err := m.readRest(ctx, live); err != nil {
		return false, err
	}
	m.run.Cached, err = m.store(ctx, "", "SELECT o.* FROM "+m.names.table("old")+" o WHERE "+m.in("o", "keys")+" AND NOT "+m.in("o", "rows")+" AND NOT "+m.in("o", "need")+
		" UNION ALL SELECT * FROM "+m.names.table("rows")+" UNION ALL SELECT * FROM "+m.names.table("rest"))
	if err != nil {
		return false, err
	}
	if err := m.checkKey(ctx, "new"); err != nil {
		return false, err
	}
	return true, m.count(ctx, live)
}

// readRest reads the rows that need reading and are not among those of late.
func (m *merge) readRest(ctx context.Context, live []string) error {
	changed := ""
	if m.updated != "" {
		u := sqltext.Quote(m.updated)
		changed = " OR p." + u + " IS NULL OR p." + u + " IS DISTINCT FROM o." + u
	}
	keys := make([]string, len(m.key))
	for i, k := range m.key {
		keys[i] = "p." + sqltext.Quote(k)
	}
	n, err := m.store(ctx, "need", "SELECT "+strings.Join(keys, ", ")+" FROM "+m.names.table("keys")+" p LEFT JOIN "+m.names.table("old")+" o ON "+m.on("p", "o")+
		" WHERE (o."+sqltext.Quote(m.key[0])+" IS NULL"+changed+") AND NOT "+m.in("p", "rows"))
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = m.store(ctx, "rest", "SELECT * FROM "+m.names.table("rows")+" LIMIT 0")
		return err
	}
	from := "live"
	if len(m.key) == 1 && n <= maxNamedKeys {
		found, err := m.texts(ctx, "SELECT CAST("+sqltext.Quote(m.key[0])+" AS VARCHAR) FROM "+m.names.table("need"))
		if err != nil {
			return err
		}
		if f, ok := keyFilter(m.key[0], typeOf(live, m.key[0]), found); ok {
			from, m.names.filters["named"] = "named", f
		}
	}
	_, err = m.store(ctx, "rest", "SELECT l.* FROM "+m.names.table(from)+" l WHERE "+m.in("l", "need"))
	return err
}

// count tells what is new, what changed and what is gone.
func (m *merge) count(ctx context.Context, columns []string) error {
	got := "(SELECT * FROM " + m.names.table("rows") + " UNION ALL SELECT * FROM " + m.names.table("rest") + ")"
	var differ []string
	for _, c := range columns {
		name := sqltext.Quote(nameOf(c))
		differ = append(differ, "g."+name+" IS DISTINCT FROM o."+name)
	}
	n, err := m.ints(ctx, "SELECT (SELECT count(*) FROM "+got+" g WHERE NOT "+m.in("g", "old")+"), (SELECT count(*) FROM "+got+" g JOIN "+m.names.table("old")+" o ON "+m.on("g", "o")+
		" WHERE "+strings.Join(differ, " OR ")+"), (SELECT count(*) FROM "+m.names.table("old")+" o WHERE NOT "+m.in("o", "new")+"), (SELECT count(*) FROM "+got+" g)")
	if err != nil {
		return err
	}
	m.run.Inserted, m.run.Updated, m.run.Deleted, m.names.read = n[0], n[1], n[2], n[3]
	return nil
}

// on joins two tables by the key, which is nowhere NULL.
func (m *merge) on(a, b string) string {
	terms := make([]string, len(m.key))
	for i, k := range m.key {
		terms[i] = a + "." + sqltext.Quote(k) + " = " + b + "." + sqltext.Quote(k)
	}
	return strings.Join(terms, " AND ")
}

// in tells whether a table has the key of a row.
func (m *merge) in(row, table string) string {
	return "EXISTS (SELECT 1 FROM " + m.names.table(table) + " x WHERE " + m.on("x", row) + ")"
}

// store keeps the rows of a statement in a scratch table, or with "" in the run's own.
func (m *merge) store(ctx context.Context, which, sql string) (int64, error) {
	name := m.run.ID
	if which != "" {
		name = ScratchName(m.run.ID, which)
	}
	return m.data.Materialize(ctx, names.CacheSchema, name, engine.Query{SQL: sql, Catalogs: m.names, Dialect: "duckdb"})
}

func ScratchName(run, which string) string { return run + "-" + which }

// A column is its name and its type.
func nameOf(column string) string { return column[:strings.LastIndex(column, "\x00")] }

func typeOf(columns []string, name string) string {
	for _, c := range columns {
		if nameOf(c) == name {
			return c[len(name)+1:]
		}
	}
	return ""
}

// sinceFilter is the condition that a source may apply itself, where a value surely means the same there.
func sinceFilter(column, typ, text string) (engine.Filter, bool) {
	f := engine.Filter{Column: column, Op: ">="}
	base, _, _ := strings.Cut(typ, "(")
	switch base {
	case "tinyint", "smallint", "integer", "bigint":
		n, err := strconv.ParseInt(text, 10, 64)
		f.Values = []any{n}
		return f, err == nil
	case "date", "timestamp":
		layout := "2006-01-02 15:04:05.999999999"
		if strings.HasSuffix(typ, "with time zone") {
			layout += "-07"
		} else if base == "date" {
			layout = time.DateOnly
		}
		t, err := time.Parse(layout, text)
		f.Values = []any{t.UTC()}
		return f, err == nil
	}
	return f, false
}

// keyFilter asks for rows by their keys.
func keyFilter(column, typ string, texts []*string) (engine.Filter, bool) {
	f := engine.Filter{Column: column, Op: "in"}
	base, _, _ := strings.Cut(typ, "(")
	for _, t := range texts {
		switch base {
		case "tinyint", "smallint", "integer", "bigint":
			n, err := strconv.ParseInt(*t, 10, 64)
			if err != nil {
				return f, false
			}
			f.Values = append(f.Values, n)
		case "varchar":
			f.Values = append(f.Values, *t)
		default:
			return f, false
		}
	}
	return f, true
}

// filtered adds a condition to every reading of a source. The engine applies it again.
type filtered struct {
	engine.Scanner
	filter engine.Filter
}

// Scan implements engine.Scanner.
func (s filtered) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	req.Filters = append(slices.Clone(req.Filters), s.filter)
	return s.Scanner.Scan(ctx, req)
}
