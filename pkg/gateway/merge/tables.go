package merge

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// catalog is the catalog of the names in this package's statements; no catalog of a user can have this name.
const catalog = "stored rows"

// name is the name in statements of one of the tables: "old", "new", one of scratch, or a filtered scan of the source.
func name(which string) engine.TableName {
	return engine.TableName{Catalog: catalog, Schema: which, Table: "rows"}
}

func table(which string) string { return name(which).Quoted() }

// names resolves the names in the statements.
type names struct {
	sql.Catalogs
	from    engine.TableName
	schema  string
	stored  map[string]string
	filters map[string]engine.Filter // of filtered scans of the source
}

// Lookup implements sql.Catalogs.
func (s *names) Lookup(ctx context.Context, n engine.TableName) (sql.Source, error) {
	if n.Catalog != catalog {
		return s.Catalogs.Lookup(ctx, n)
	}
	if t, ok := s.stored[n.Schema]; ok {
		return sql.Source{Base: &engine.TableName{Schema: s.schema, Table: t}}, nil
	}
	f, ok := s.filters[n.Schema]
	src, err := s.Catalogs.Lookup(ctx, s.from)
	if ok && src.Scan != nil {
		src.Scan = filtered{src.Scan, f}
	}
	return src, err
}

// Spelled implements sql.Catalogs.
func (s *names) Spelled(ctx context.Context, n engine.TableName) error {
	if n.Catalog == catalog {
		return nil
	}
	return s.Catalogs.Spelled(ctx, n)
}

// tables are stored tables that statements refer to by name, and the key that identifies their rows.
type tables struct {
	p     engine.Project
	names *names
	key   []string
}

// texts are the values of a statement's result, row by row; nil is NULL.
func (t tables) texts(ctx context.Context, text string) ([]*string, error) {
	res, err := sql.Run(ctx, t.p, sql.Query{SQL: text, Catalogs: t.names})
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

func (t tables) ints(ctx context.Context, text string) ([]int64, error) {
	texts, err := t.texts(ctx, text)
	out := make([]int64, len(texts))
	for i, s := range texts {
		if err == nil {
			out[i], err = strconv.ParseInt(*s, 10, 64)
		}
	}
	return out, err
}

type column struct{ name, typ string }

// columns lists the columns of a table with their types.
func (t tables) columns(ctx context.Context, n engine.TableName) ([]column, error) {
	res, err := sql.Run(ctx, t.p, sql.Query{Ask: sql.Rows{Table: n, Limit: sql.NoRows}, Catalogs: t.names})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var out []column
	for _, c := range res.Columns() {
		out = append(out, column{c.Name, c.DataType})
	}
	return out, nil
}

func typeOf(columns []column, name string) string {
	for _, c := range columns {
		if c.name == name {
			return c.typ
		}
	}
	return ""
}

// keyFault is the error for an invalid key of a table, nil if it is valid.
func (t tables) keyFault(ctx context.Context, which string) (*KeyError, error) {
	missing := make([]string, len(t.key))
	for i, k := range t.key {
		missing[i] = sqltext.Quote(k) + " IS NULL"
	}
	n, err := t.ints(ctx, "SELECT count(*) FROM "+table(which)+" WHERE "+strings.Join(missing, " OR "))
	if err != nil {
		return nil, err
	}
	if n[0] > 0 {
		return &KeyError{Missing: n[0]}, nil
	}
	twice := "SELECT " + sqltext.List(t.key) + " FROM " + table(which) + " GROUP BY " + sqltext.List(t.key) +
		" HAVING count(*) > 1"
	if n, err = t.ints(ctx, "SELECT count(*) FROM ("+twice+")"); err != nil || n[0] == 0 {
		return nil, err
	}
	fault := &KeyError{Twice: n[0]}
	one, err := t.texts(ctx, twice+" ORDER BY "+sqltext.List(t.key)+" LIMIT 1")
	for _, v := range one {
		fault.Example = append(fault.Example, *v)
	}
	return fault, err
}

// checkKey fails if the key does not identify the rows of a table.
func (t tables) checkKey(ctx context.Context, which string) error {
	fault, err := t.keyFault(ctx, which)
	if err == nil && fault != nil {
		err = fault
	}
	return err
}

// on is the condition that joins two tables by the key, which is never NULL but may be NaN.
func (t tables) on(a, b string) string {
	terms := make([]string, len(t.key))
	for i, k := range t.key {
		terms[i] = a + "." + sqltext.Quote(k) + " IS NOT DISTINCT FROM " + b + "." + sqltext.Quote(k)
	}
	return strings.Join(terms, " AND ")
}

// in is the condition that a table has a row's key.
func (t tables) in(row, which string) string {
	return "EXISTS (SELECT 1 FROM " + table(which) + " x WHERE " + t.on("x", row) + ")"
}

// CheckKey returns *KeyError if a key does not identify the rows of a stored table.
func CheckKey(ctx context.Context, p engine.Project, schema, stored string, key []string) error {
	return tables{p, &names{Catalogs: sql.Own{}, schema: schema, stored: map[string]string{"new": stored}},
		key}.checkKey(ctx, "new")
}

// compared are the columns of rows that are compared: those with JSON, which Trino 476 does not sort, as a text.
func compared(columns []column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = sqltext.Quote(c.name)
		if strings.Contains(c.typ, "json") {
			list[i] = "json_format(CAST(" + list[i] + " AS json))"
		}
	}
	return strings.Join(list, ", ")
}

// Compare counts the differences between the rows of a stored table and those of another.
func Compare(ctx context.Context, p engine.Project, c Comparison) (out Changes, err error) {
	t := tables{p, &names{Catalogs: sql.Own{}, schema: c.Schema, stored: map[string]string{"old": c.Old,
		"new": c.New}}, c.Key}
	before, err := t.columns(ctx, name("old"))
	if err != nil {
		return out, err
	}
	after, err := t.columns(ctx, name("new"))
	if err != nil {
		return out, err
	}
	if !slices.Equal(before, after) { // the columns changed: every row is different
		if out.Inserted, err = p.RowCount(ctx, c.Schema, c.New); err == nil {
			out.Deleted, err = p.RowCount(ctx, c.Schema, c.Old)
		}
		return out, err
	}
	a, b := table("new"), table("old")
	list := "SELECT " + compared(after) + " FROM "
	n, err := t.ints(ctx, "SELECT (SELECT count(*) FROM ("+list+a+" EXCEPT ALL "+list+b+
		")), (SELECT count(*) FROM ("+list+b+" EXCEPT ALL "+list+a+"))")
	if err != nil {
		return out, err
	}
	out.Inserted, out.Deleted = n[0], n[1]
	if len(t.key) == 0 {
		t.key = firstOf(after, c.Keys)
	}
	if len(t.key) == 0 || n[0] == 0 || n[1] == 0 {
		return out, nil
	}
	for _, which := range []string{"new", "old"} {
		if fault, err := t.keyFault(ctx, which); err != nil || fault != nil {
			return out, err
		}
	}
	if n, err = t.ints(ctx, "SELECT count(*) FROM "+a+" x0 WHERE NOT "+t.in("x0", "old")); err != nil {
		return out, err
	}
	out.Updated = out.Inserted - n[0]
	out.Inserted -= out.Updated
	out.Deleted -= out.Updated
	return out, nil
}

// firstOf is the first of some names that is the name of a column.
func firstOf(columns []column, names []string) []string {
	for _, want := range names {
		for _, c := range columns {
			if strings.EqualFold(c.name, want) {
				return []string{c.name}
			}
		}
	}
	return nil
}
