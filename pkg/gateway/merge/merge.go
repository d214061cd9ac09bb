// Package merge builds stored tables from older ones and compares them. Its statements are in Trino's dialect, in which
// stored columns keep their types.
package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// scratch are the suffixes of a merge's temporary tables.
var scratch = [...]string{"keys", "rows", "need", "rest"}

// Scratch returns the names of the temporary tables that a merge may have left.
func Scratch(into string) []string {
	out := make([]string, len(scratch))
	for i, which := range scratch {
		out[i] = scratchName(into, which)
	}
	return out
}

// DropScratch removes the temporary tables of a Merge, including those of a terminated process.
func DropScratch(ctx context.Context, p engine.Project, schema, into string) error {
	var all error
	for _, table := range Scratch(into) {
		if err := p.DropStored(ctx, schema, table); err != nil {
			all = errors.Join(all, fmt.Errorf("table %s: %w", table, err))
		}
	}
	return all
}

func scratchName(into, which string) string { return into + "-" + which }

// maxNamedKeys is the maximum number of rows that are read by key; beyond it the whole table is read.
const maxNamedKeys = 500

// merger is a running merge.
type merger struct {
	tables
	Job
}

// Merge stores the current rows of a table, combined from those stored before and the changes at the source, of which
// only the changed rows are read in full. It returns false if there is nothing to build on: no old rows, other columns,
// or a key that is not unique in the old rows. A key that is not unique in the new ones is *KeyError.
//
// It reads, in this order,
//
//	keys  the key, and the time of change, of every row;
//	rows  the rows whose time is that of the newest old row, or later;
//	rest  the other rows whose key is new, or whose time has changed or is missing.
//
// A row that a later scan does not find has been deleted in between.
func Merge(ctx context.Context, p engine.Project, m Job) (Merged, bool, error) {
	g := merger{tables{p: p, names: &names{Catalogs: m.Catalogs, from: m.From, schema: m.Schema,
		stored:  map[string]string{"new": m.Into, "old": m.Old},
		filters: map[string]engine.Filter{}}, key: m.Key}, m}
	for _, which := range scratch {
		g.names.stored[which] = scratchName(m.Into, which)
	}
	return g.run(ctx)
}

func (m *merger) run(ctx context.Context) (out Merged, done bool, err error) {
	live, err := m.columns(ctx, m.From)
	if err != nil {
		return out, false, err
	}
	old, err := m.columns(ctx, name("old"))
	if err != nil || !slices.Equal(live, old) {
		return out, false, err
	}
	if fault, err := m.keyFault(ctx, "old"); err != nil || fault != nil {
		return out, false, err
	}
	order := m.Updated
	if order == "" {
		order = m.Key[0]
	}
	newest, err := m.texts(ctx, "SELECT CAST(max("+sqltext.Quote(order)+") AS VARCHAR) FROM "+table("old"))
	if err != nil || newest[0] == nil {
		return out, false, err
	}
	fields := m.Key
	if m.Updated != "" {
		fields = append(slices.Clone(fields), m.Updated)
	}
	if _, err := m.store(ctx, "keys", "SELECT "+sqltext.List(fields)+" FROM "+m.From.Quoted()); err != nil {
		return out, false, err
	}
	if err := m.checkKey(ctx, "keys"); err != nil {
		return out, false, err
	}
	if f, ok := sinceFilter(order, typeOf(live, order), *newest[0]); ok {
		m.names.filters["newer"] = f
	}
	if _, err := m.store(ctx, "rows", "SELECT n.* FROM "+table("newer")+" n WHERE NOT n."+sqltext.Quote(order)+
		" < (SELECT max(o."+sqltext.Quote(order)+") FROM "+table("old")+" o)"); err != nil {
		return out, false, err
	}
	if err := m.readRest(ctx, live); err != nil {
		return out, false, err
	}
	out.Rows, err = m.store(ctx, "new", "SELECT o.* FROM "+table("old")+" o WHERE "+m.in("o", "keys")+" AND NOT "+
		m.in("o", "rows")+" AND NOT "+m.in("o", "need")+
		" UNION ALL SELECT * FROM "+table("rows")+" UNION ALL SELECT * FROM "+table("rest"))
	if err != nil {
		return out, false, err
	}
	if err := m.checkKey(ctx, "new"); err != nil {
		return out, false, err
	}
	return out, true, m.count(ctx, live, &out)
}

// readRest reads the rows that need reading and were not read before.
func (m *merger) readRest(ctx context.Context, live []column) error {
	changed := ""
	if m.Updated != "" {
		u := sqltext.Quote(m.Updated)
		changed = " OR p." + u + " IS NULL OR p." + u + " IS DISTINCT FROM o." + u
	}
	keys := make([]string, len(m.Key))
	for i, k := range m.Key {
		keys[i] = "p." + sqltext.Quote(k)
	}
	n, err := m.store(ctx, "need", "SELECT "+strings.Join(keys, ", ")+" FROM "+table("keys")+" p LEFT JOIN "+
		table("old")+" o ON "+m.on("p", "o")+
		" WHERE (o."+sqltext.Quote(m.Key[0])+" IS NULL"+changed+") AND NOT "+m.in("p", "rows"))
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = m.store(ctx, "rest", "SELECT * FROM "+table("rows")+" LIMIT 0")
		return err
	}
	from := m.From.Quoted()
	if len(m.Key) == 1 && n <= maxNamedKeys {
		found, err := m.texts(ctx, "SELECT CAST("+sqltext.Quote(m.Key[0])+" AS VARCHAR) FROM "+table("need"))
		if err != nil {
			return err
		}
		if f, ok := keyFilter(m.Key[0], typeOf(live, m.Key[0]), found); ok {
			from, m.names.filters["named"] = table("named"), f
		}
	}
	_, err = m.store(ctx, "rest", "SELECT l.* FROM "+from+" l WHERE "+m.in("l", "need"))
	return err
}

// count counts the new, the changed and the deleted rows.
func (m *merger) count(ctx context.Context, columns []column, out *Merged) error {
	got := "(SELECT * FROM " + table("rows") + " UNION ALL SELECT * FROM " + table("rest") + ")"
	var differ []string
	for _, c := range columns {
		name := sqltext.Quote(c.name)
		differ = append(differ, "g."+name+" IS DISTINCT FROM o."+name)
	}
	n, err := m.ints(ctx, "SELECT (SELECT count(*) FROM "+got+" g WHERE NOT "+m.in("g", "old")+
		"), (SELECT count(*) FROM "+got+" g JOIN "+table("old")+" o ON "+m.on("g", "o")+
		" WHERE "+strings.Join(differ, " OR ")+"), (SELECT count(*) FROM "+table("old")+" o WHERE NOT "+
		m.in("o", "new")+"), (SELECT count(*) FROM "+got+" g)")
	if err != nil {
		return err
	}
	out.Inserted, out.Updated, out.Deleted, out.Read = n[0], n[1], n[2], n[3]
	return nil
}

// store stores the rows of a statement as one of the tables.
func (m *merger) store(ctx context.Context, which, text string) (int64, error) {
	return sql.Store(ctx, m.p, m.Schema, m.names.stored[which], sql.Query{SQL: text, Catalogs: m.names})
}
