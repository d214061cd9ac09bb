//go:build cgo

package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/projects"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// digSchema holds the definitions of the internal tables. It is in the same file as the rows and
// changes in the same transaction, so that the two agree after any crash. Users cannot name it.
//
//	tables   one row per table; key is the name in lower case
//	columns  one row per declared column, in order of pos
//	counter  one row: the last _id generated, which outlives the tables
const digSchema = "dig"

func digTable(t string) string { return naming.StoredTable(digSchema, t) }

// digSetup creates the schema in a file without it.
func digSetup() []string {
	return []string{
		`CREATE SCHEMA IF NOT EXISTS ` + sqltext.Quote(naming.Store, digSchema),
		`CREATE TABLE IF NOT EXISTS ` + digTable("tables") +
			` (kind VARCHAR NOT NULL, key VARCHAR NOT NULL, name VARCHAR NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS ` + digTable("columns") +
			` (kind VARCHAR NOT NULL, tbl VARCHAR NOT NULL, pos BIGINT NOT NULL,
			id VARCHAR NOT NULL, name VARCHAR NOT NULL, display VARCHAR NOT NULL, type VARCHAR NOT NULL, dflt VARCHAR,
			not_null BOOLEAN NOT NULL, is_unique BOOLEAN NOT NULL, descr VARCHAR)`,
		`CREATE TABLE IF NOT EXISTS ` + digTable("counter") + ` (last BIGINT NOT NULL)`,
	}
}

// Tables are the internal tables of a project.
type Tables struct{ files *projects.Project }

// Of returns the tables of a project.
func Of(p *projects.Project) Tables { return Tables{p} }

// conn is a connection to them.
type conn struct{ *instance.Conn }

// conn opens a connection for reading; close it.
func (p Tables) conn(ctx context.Context) (conn, error) {
	c, err := p.files.Conn(ctx)
	return conn{c}, err
}

// table is one internal table as the statements of an operation see it.
type table struct {
	kind string
	name string // as stored
	cols []engine.Column
}

// def is the table as the rules for definitions have it.
func (t *table) def() *tabledef.Table {
	return &tabledef.Table{Kind: t.kind, Name: t.name, Columns: t.cols}
}

// column finds a column by its name in any case of letters.
func (t *table) column(name string) (int, bool) { return t.def().Column(name) }

func (t *table) sql() string { return naming.StoredTable(t.kind, t.name) }

// change runs fn in a transaction as the only writer, with stages attached for reading. All changes of fn are stored,
// or none.
func (p Tables) change(ctx context.Context, fn func(c conn) error, from ...*projects.Stage) error {
	return p.files.Alone(ctx, from, func(c *instance.Conn) error {
		return conn{c}.change(ctx, func() error { return fn(conn{c}) })
	})
}

// change is a transaction on the project's file, for the current writer.
func (c conn) change(ctx context.Context, fn func() error) error {
	err := c.Tx(ctx, func() error {
		has, err := c.HasStored(ctx, digSchema, "counter")
		if err != nil {
			return err
		}
		if !has {
			for _, s := range digSetup() {
				if _, err := c.Exec(ctx, s); err != nil {
					return err
				}
			}
		}
		return fn()
	})
	return faults.OfTables(err)
}

// findTable reads the definition of a table; an unknown one is *engine.Error with KindUnknownTable.
func (c conn) findTable(ctx context.Context, kind, name string) (t *table, err error) {
	if err := tabledef.CheckKind(kind); err != nil {
		return nil, err
	}
	err = c.Snapshot(ctx, func() error {
		t, err = c.readTable(ctx, kind, name)
		return err
	})
	return t, err
}

// tableKey is a kind and a name in lower case.
type tableKey struct{ kind, key string }

func (k tableKey) compare(o tableKey) int {
	return cmp.Or(strings.Compare(k.kind, o.kind), strings.Compare(k.key, o.key))
}

// tables reads the definitions of all tables: those that ask for the columns of one often ask for those of another.
func (c conn) tables(ctx context.Context) (map[tableKey]*table, error) {
	return instance.Remembered(c.Conn, tableKey{}, func() (map[tableKey]*table, error) {
		all := map[tableKey]*table{}
		if has, err := c.HasStored(ctx, digSchema, "counter"); err != nil || !has {
			return all, err
		}
		return all, c.Snapshot(ctx, func() error {
			clear(all)
			named := map[tableKey]*table{}
			err := c.Query(ctx, `SELECT kind, key, name FROM `+digTable("tables"), nil, func(v []*string) error {
				t := &table{kind: *v[0], name: *v[2], cols: tabledef.System(*v[0])}
				all[tableKey{t.kind, *v[1]}], named[tableKey{t.kind, t.name}] = t, t
				return nil
			})
			if err != nil {
				return err
			}
			return c.Query(ctx, `SELECT kind, tbl, `+columnFields+` FROM `+digTable("columns")+
				` ORDER BY kind, tbl, pos`, nil, func(v []*string) error {
				if t := named[tableKey{*v[0], *v[1]}]; t != nil {
					t.cols = append(t.cols, columnOf(v[2:]))
				}
				return nil
			})
		})
	})
}

// columnFields are what columnOf reads.
const columnFields = `id, name, display, type, dflt, not_null, is_unique, descr`

func columnOf(v []*string) engine.Column {
	typ, widens := strings.CutSuffix(*v[3], widens)
	return engine.Column{ID: *v[0], Name: *v[1], DisplayName: *v[2], Type: typ, Widens: widens, DefaultValue: v[4],
		NotNull: *v[5] == "true", Unique: *v[6] == "true", Desc: v[7]}
}

func (c conn) readTable(ctx context.Context, kind, name string) (*table, error) {
	stored, err := c.lookupTable(ctx, kind, engine.StoredName(kind, name))
	if err != nil {
		return nil, err
	}
	if stored == "" {
		return nil, engine.UnknownTable(engine.TableName{Catalog: engine.InternalCatalog, Schema: kind, Table: name})
	}
	t := &table{kind: kind, name: stored, cols: tabledef.System(kind)}
	err = c.Query(ctx, `SELECT `+columnFields+` FROM `+digTable("columns")+` WHERE kind = ? AND tbl = ? ORDER BY pos`,
		[]any{kind, t.name}, func(v []*string) error {
			t.cols = append(t.cols, columnOf(v))
			return nil
		})
	return t, err
}

// lookupTable finds the stored spelling of a table's name, or "".
func (c conn) lookupTable(ctx context.Context, kind, name string) (stored string, err error) {
	if has, err := c.HasStored(ctx, digSchema, "counter"); err != nil || !has {
		return "", err
	}
	err = c.Snapshot(ctx, func() error {
		return c.Query(ctx, `SELECT name FROM `+digTable("tables")+` WHERE kind = ? AND key = ?`,
			[]any{kind, strings.ToLower(name)},
			func(v []*string) error { stored = *v[0]; return nil })
	})
	return stored, err
}

// StoredAs is the spelling under which DuckDB finds the table that a statement names. DuckDB itself ignores the case of
// ASCII letters only.
func StoredAs(ctx context.Context, c *instance.Conn, kind, name string) (string, error) {
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return name, nil
	}
	stored, err := conn{c}.lookupTable(ctx, kind, name)
	if stored == "" {
		stored = name
	}
	return stored, err
}

// ListTables names the tables of a kind in alphabetical order.
func (p Tables) ListTables(ctx context.Context, kind string) ([]string, error) {
	if err := tabledef.CheckKind(kind); err != nil {
		return nil, err
	}
	c, err := p.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all, err := c.tables(ctx)
	names := []string{}
	for _, key := range slices.SortedFunc(maps.Keys(all), tableKey.compare) {
		if key.kind == kind {
			names = append(names, all[key].name)
		}
	}
	return names, err
}

// CreateTable creates a table with its system columns and those declared, and returns its stored name. A name that is
// taken, in any case of letters, is KindExists; for a BI table without declared columns it is not an error and the
// existing table's name is returned [L].
func (p Tables) CreateTable(ctx context.Context, kind, name string,
	defs ...engine.ColumnDef) (stored string, err error) {
	if err := tabledef.CheckKind(kind); err != nil {
		return "", err
	}
	stored = engine.StoredName(kind, name)
	if err := tabledef.CheckName("table", name, stored); err != nil {
		return "", err
	}
	err = p.change(ctx, func(c conn) error {
		t, err := c.findTable(ctx, kind, name)
		if err == nil {
			if kind == engine.SchemaBI && len(defs) == 0 {
				stored = t.name
				return nil
			}
			return &engine.Error{Kind: engine.KindExists, Message: fmt.Sprintf("table %q already exists", t.name)}
		}
		var unknown *engine.Error
		if !errors.As(err, &unknown) || unknown.Kind != engine.KindUnknownTable {
			return err
		}
		t = &table{kind: kind, name: stored, cols: tabledef.System(kind)}
		for _, def := range defs {
			col, err := t.def().New(def, p.files.Opts.NewID)
			if err != nil {
				return err
			}
			t.cols = append(t.cols, col)
		}
		return c.createTable(ctx, t)
	})
	return stored, err
}

// createTable creates a table and records its definition.
func (c conn) createTable(ctx context.Context, t *table) error {
	for i, col := range t.cols {
		if col.System {
			continue
		}
		if err := c.insertColumn(ctx, t, i); err != nil {
			return err
		}
	}
	if _, err := c.Exec(ctx, t.create(t.sql())); err != nil {
		return err
	}
	_, err := c.Exec(ctx, `INSERT INTO `+digTable("tables")+` VALUES (?, ?, ?)`, t.kind, strings.ToLower(t.name),
		t.name)
	return err
}

// DropTable removes a table, its columns and its rows.
func (p Tables) DropTable(ctx context.Context, kind, name string) error {
	_, err := p.dropTable(ctx, kind, name, false)
	return err
}

// DropEmptyTable implements engine.Tables. It counts in the transaction that drops: an import beside it fails
// if it ends later.
func (p Tables) DropEmptyTable(ctx context.Context, kind, name string) (rows int64, err error) {
	return p.dropTable(ctx, kind, name, true)
}

func (p Tables) dropTable(ctx context.Context, kind, name string, empty bool) (rows int64, err error) {
	err = p.change(ctx, func(c conn) error {
		t, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		if empty {
			if rows, err = c.Count(ctx, t.sql()); err != nil || rows > 0 {
				return err
			}
		}
		if _, err := c.Exec(ctx, `DROP TABLE `+t.sql()); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, `DELETE FROM `+digTable("columns")+` WHERE kind = ? AND tbl = ?`, kind,
			t.name); err != nil {
			return err
		}
		_, err = c.Exec(ctx, `DELETE FROM `+digTable("tables")+` WHERE kind = ? AND name = ?`, kind, t.name)
		return err
	})
	return rows, err
}

// create is the statement that creates the table under the given full name, with its constraints.
func (t *table) create(as string) string {
	var b strings.Builder
	b.WriteString("CREATE TABLE " + as + " (")
	for i, col := range t.cols {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(sqltext.Quote(col.Name) + " " + sqlType(col.Type))
		if col.NotNull {
			b.WriteString(" NOT NULL")
		}
		if col.Unique && !col.System { // _id is unique by its generation; an index would slow down every import
			b.WriteString(" UNIQUE")
		}
	}
	return b.String() + ")"
}
