package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// definition is the comment of a column. That of _id has the name of the table, which the catalog has in lower case.
type definition struct {
	Table       string  `json:"table,omitempty"`
	Was         string  `json:"was,omitempty"` // the name of the table until the catalog has the new one
	ID          string  `json:"id,omitempty"`
	Name        string  `json:"name"`
	DisplayName string  `json:"display,omitempty"`
	Type        string  `json:"type"`
	Widens      bool    `json:"widens,omitempty"`
	Default     *string `json:"default,omitempty"`
	NotNull     bool    `json:"notNull,omitempty"`
	Unique      bool    `json:"unique,omitempty"`
	Desc        *string `json:"description,omitempty"`
}

// tableIn is the name of the table that the catalog has under a name.
func (d definition) tableIn(stored string) string {
	if d.Was != "" && physical(strings.ToLower(d.Table)) != stored {
		return d.Was
	}
	return d.Table
}

// comment is the definition of column i of a table, as a literal.
func comment(t *tabledef.Table, i int) string { return commentOf(t, i, "") }

// commentOf is the same for a table that has had another name.
func commentOf(t *tabledef.Table, i int, was string) string {
	b, err := json.Marshal(definitionOf(t, i, was))
	if err != nil { // it consists of strings and booleans
		panic(err)
	}
	return sqltext.Literal(string(b))
}

func definitionOf(t *tabledef.Table, i int, was string) definition {
	c := t.Columns[i]
	d := definition{ID: c.ID, Name: c.Name, DisplayName: c.DisplayName, Type: c.Type, Widens: c.Widens,
		Default: c.DefaultValue,
		NotNull: c.NotNull, Unique: c.Unique, Desc: c.Desc}
	if i == 0 {
		d.Table, d.Was = t.Name, was
	}
	return d
}

// columnType is the type in the catalog for one of internal tables.
func columnType(typ string) string {
	if precision, scale, ok := api.DecimalOf(typ); ok {
		return fmt.Sprintf("decimal(%d,%d)", precision, scale)
	}
	switch typ {
	case "time", "timestamp":
		return typ + "(6)"
	case tabledef.Instant:
		return "timestamp(6) with time zone"
	}
	return typ
}

// find reads the definition of a table.
func (p *project) find(ctx context.Context, kind, name string) (*tabledef.Table, error) {
	if err := tabledef.CheckKind(kind); err != nil {
		return nil, err
	}
	if err := p.admit(nil); err != nil {
		return nil, err
	}
	t := &tabledef.Table{Kind: kind}
	stored := physical(strings.ToLower(engine.StoredName(kind, name)))
	var all map[string]definition // those of a table that is written again
	_, err := p.exec(ctx, "SELECT comment, column_name FROM "+sqltext.Quote(p.e.Catalog)+
		".information_schema.columns WHERE table_schema = "+sqltext.Literal(p.schema(kind))+" AND table_name = "+
		sqltext.Literal(stored)+" ORDER BY ordinal_position", false,
		func(v []*string) (err error) {
			var d definition
			if v[0] != nil {
				err = json.Unmarshal([]byte(*v[0]), &d)
			} else {
				if all == nil {
					all, err = p.definitions(ctx, kind, stored)
				}
				d = all[*v[1]]
			}
			if err != nil || d.Name == "" {
				return errors.Join(err, fmt.Errorf("table %q has a column that the gateway has not made", name))
			}
			if d.Table != "" {
				t.Name = d.tableIn(stored)
			}
			if strings.ToLower(d.Name) != *v[1] { // between the two commits of a new name
				d.Name = *v[1]
			}
			t.Columns = append(t.Columns, engine.Column{ID: d.ID, Name: d.Name, DisplayName: d.DisplayName,
				Type:   d.Type,
				Widens: d.Widens, DefaultValue: d.Default, NotNull: d.NotNull, Unique: d.Unique, Desc: d.Desc,
				System: len(t.Columns) < len(tabledef.System(kind))})
			return nil
		})
	if err == nil && len(t.Columns) == 0 {
		err = engine.UnknownTable(engine.TableName{Catalog: engine.InternalCatalog, Schema: kind, Table: name})
	}
	return t, err
}

// at is the full name of a table, for a statement.
func (p *project) at(t *tabledef.Table) string { return p.table(t.Kind, strings.ToLower(t.Name)) }

// ListTables implements engine.Tables.
func (p *project) ListTables(ctx context.Context, kind string) ([]string, error) {
	if err := tabledef.CheckKind(kind); err != nil {
		return nil, err
	}
	if err := p.admit(nil); err != nil {
		return nil, err
	}
	names := []string{}
	stored, err := p.tablesIn(ctx, p.schema(kind))
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(stored, mostNamed) {
		shown, err := p.shownNames(ctx, kind, part)
		if err != nil {
			return nil, err
		}
		names = append(names, shown...)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return names, nil
}

// shownNames are the names of tables that have those names in the catalog.
func (p *project) shownNames(ctx context.Context, kind string, stored []string) (names []string, err error) {
	list := make([]string, len(stored))
	for i, name := range stored {
		list[i] = sqltext.Literal(name)
	}
	_, err = p.exec(ctx, "SELECT comment, table_name FROM "+sqltext.Quote(p.e.Catalog)+
		".information_schema.columns WHERE table_schema = "+sqltext.Literal(p.schema(kind))+" AND table_name IN ("+
		strings.Join(list, ", ")+") AND column_name = '_id'", false, func(v []*string) error {
		var d definition
		var err error
		if v[0] != nil {
			err = json.Unmarshal([]byte(*v[0]), &d)
		} else {
			var all map[string]definition
			all, err = p.definitions(ctx, kind, *v[1])
			d = all["_id"]
		}
		if err == nil && d.Table != "" {
			names = append(names, d.tableIn(*v[1]))
		}
		return err
	})
	return names, err
}

// mostNamed is for how many tables of one statement Trino looks up their columns. Without names, or with more, it lists
// the views of all schemas of the catalog, which fails while one of another project is dropped.
const mostNamed = 100

// tablesIn are the names in the catalog of the tables of a schema.
func (p *project) tablesIn(ctx context.Context, schema string) (names []string, err error) {
	_, err = p.exec(ctx, "SELECT table_name FROM "+sqltext.Quote(p.e.Catalog)+
		".information_schema.tables WHERE table_schema = "+sqltext.Literal(schema)+" ORDER BY 1", false,
		func(v []*string) error { names = append(names, *v[0]); return nil })
	return names, err
}

// CreateTable implements engine.Tables.
func (p *project) CreateTable(ctx context.Context, kind, name string, defs ...engine.ColumnDef) (string, error) {
	if err := tabledef.CheckKind(kind); err != nil {
		return "", err
	}
	t := &tabledef.Table{Kind: kind, Name: engine.StoredName(kind, name), Columns: tabledef.System(kind)}
	if err := tabledef.CheckName("table", name, t.Name); err != nil {
		return "", err
	}
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, name))
	if err != nil {
		return "", err
	}
	defer unlock()
	old, err := p.find(ctx, kind, name)
	if err == nil {
		if kind == engine.SchemaBI && len(defs) == 0 {
			return old.Name, nil
		}
		return "", &engine.Error{Kind: engine.KindExists, Message: fmt.Sprintf("table %q already exists", old.Name)}
	}
	if !isKind(err, engine.KindUnknownTable) {
		return "", err
	}
	for _, def := range defs {
		col, err := t.New(def, p.e.newID)
		if err != nil {
			return "", err
		}
		t.Columns = append(t.Columns, col)
	}
	if err := p.ready(ctx, kind); err != nil {
		return "", err
	}
	_, err = p.exec(ctx, "CREATE TABLE "+p.at(t)+" ("+columnList(t)+")", true, nil)
	return t.Name, err
}

// DropTable implements engine.Tables.
func (p *project) DropTable(ctx context.Context, kind, name string) error {
	_, err := p.drop(ctx, kind, name, false)
	return err
}

// DropEmptyTable implements engine.Tables.
func (p *project) DropEmptyTable(ctx context.Context, kind, name string) (int64, error) {
	return p.drop(ctx, kind, name, true)
}

func (p *project) drop(ctx context.Context, kind, name string, empty bool) (rows int64, err error) {
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, name))
	if err != nil {
		return 0, err
	}
	defer unlock()
	t, err := p.find(ctx, kind, name)
	if err != nil {
		return 0, err
	}
	if empty {
		if rows, err = p.count(ctx, p.at(t)); err != nil || rows > 0 {
			return rows, err
		}
	}
	_, err = p.exec(ctx, "DROP TABLE "+p.at(t), true, nil)
	return rows, err
}

// Columns implements engine.Tables.
func (p *project) Columns(ctx context.Context, kind, table string) ([]engine.Column, error) {
	t, err := p.find(ctx, kind, table)
	if err != nil {
		return nil, err
	}
	return t.Columns, nil
}

// AddColumns implements engine.Tables. Each column is a commit of its own; the first one that fails takes those before
// it back.
func (p *project) AddColumns(ctx context.Context, kind, table string, defs []engine.ColumnDef) ([]engine.Column,
	error) {
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, table))
	if err != nil {
		return nil, err
	}
	defer unlock()
	t, err := p.find(ctx, kind, table)
	if err != nil {
		return nil, err
	}
	rows, err := p.count(ctx, p.at(t))
	if err != nil {
		return nil, err
	}
	was := len(t.Columns)
	for _, def := range defs {
		col, err := t.New(def, p.e.newID)
		if err == nil {
			err = tabledef.CheckFilled(col, rows)
		}
		if err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, col)
	}
	names := make([]string, len(defs))
	for i := range defs {
		names[i] = t.Columns[was+i].Name
	}
	if err := p.free(ctx, &tabledef.Table{Kind: t.Kind, Name: t.Name, Columns: t.Columns[:was]}, names...); err != nil {
		return nil, err
	}
	for i := was; i < len(t.Columns); i++ {
		if err = p.addColumn(ctx, t, i, rows); err == nil {
			continue
		}
		for _, done := range t.Columns[was : i+1] {
			_, _ = p.exec(context.WithoutCancel(ctx), "ALTER TABLE "+p.at(t)+" DROP COLUMN IF EXISTS "+quoted(done),
				true, nil)
		}
		return nil, err
	}
	return t.Columns[was:], nil
}

// addColumn adds column i. One that is not null becomes that after the stored rows have got its default.
func (p *project) addColumn(ctx context.Context, t *tabledef.Table, i int, rows int64) error {
	col := t.Columns[i]
	name := quoted(col)
	filled := col.NotNull && rows > 0
	t.Columns[i].NotNull = col.NotNull && !filled
	_, err := p.exec(ctx, "ALTER TABLE "+p.at(t)+" ADD COLUMN "+name+" "+columnType(col.Type)+" COMMENT "+comment(t,
		i), true,
		nil)
	t.Columns[i] = col
	if err != nil || !filled {
		return err
	}
	if _, err := p.exec(ctx, "UPDATE "+p.at(t)+" SET "+name+" = CAST("+sqltext.Literal(plainText(col.Type,
		[]byte(*col.DefaultValue)))+" AS "+columnType(col.Type)+")", true, nil); err != nil {
		return err
	}
	_, err = p.exec(ctx, "COMMENT ON COLUMN "+p.at(t)+"."+name+" IS "+comment(t, i), true, nil)
	return err
}

// UpdateColumn implements engine.Tables. A column that is renamed has its former definition, with the former name,
// until the second commit.
func (p *project) UpdateColumn(ctx context.Context, kind, table, column string, def engine.ColumnDef) ([]engine.Column,
	error) {
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, table))
	if err != nil {
		return nil, err
	}
	defer unlock()
	t, err := p.find(ctx, kind, table)
	if err != nil {
		return nil, err
	}
	i, err := t.Declared(column)
	if err != nil {
		return nil, err
	}
	old := t.Columns[i]
	col := old
	if def.Name != "" {
		col.Name = engine.StoredName(kind, def.Name)
		if err := t.CheckColumnName(def.Name, col.Name, i); err != nil {
			return nil, err
		}
	}
	if err := tabledef.Apply(kind, &col, def); err != nil {
		return nil, err
	}
	now := &tabledef.Table{Kind: kind, Name: t.Name, Columns: slices.Clone(t.Columns)}
	now.Columns[i] = col
	if err := p.checkStored(ctx, t, old, col); err != nil {
		return nil, err
	}
	if !api.SameColumnType(col.Type, old.Type) {
		return []engine.Column{col}, p.retype(ctx, t, now, i)
	}
	before := t
	t = now
	name := sqltext.Quote(strings.ToLower(old.Name))
	if to := sqltext.Quote(strings.ToLower(col.Name)); to != name {
		if err := p.free(ctx, before, col.Name); err != nil {
			return nil, err
		}
		if _, err := p.exec(ctx, "ALTER TABLE "+p.at(t)+" RENAME COLUMN "+name+" TO "+to, true, nil); err != nil {
			return nil, err
		}
		name = to
	}
	_, err = p.exec(ctx, "COMMENT ON COLUMN "+p.at(t)+"."+name+" IS "+comment(t, i), true, nil)
	return []engine.Column{col}, err
}

// checkStored rejects a new constraint that existing rows violate.
func (p *project) checkStored(ctx context.Context, t *tabledef.Table, old, col engine.Column) (err error) {
	name := sqltext.Quote(strings.ToLower(old.Name))
	ask := func(text string, row func(v []*string)) {
		if err == nil {
			_, err = p.exec(ctx, text, false, func(v []*string) error { row(v); return nil })
		}
	}
	var nulls int64
	var first, value, times *string
	if col.NotNull && !old.NotNull {
		ask("SELECT count(*), min(_id) FROM "+p.at(t)+" WHERE "+name+" IS NULL", func(v []*string) {
			_, err = fmt.Sscan(*v[0], &nulls)
			first = v[1]
		})
		if nulls > 0 {
			return tabledef.Constraint("column %q cannot be not null: %d rows hold NULL, the first with _id %s",
				col.Name, nulls,
				*first)
		}
	}
	retyped := !api.SameColumnType(col.Type, old.Type)
	if col.Unique && (!old.Unique || retyped) {
		if retyped {
			name = convert(old, col.Type)
		}
		ask("SELECT CAST("+name+" AS varchar), count(*), min(_id) FROM "+p.at(
			t)+" WHERE "+name+" IS NOT NULL GROUP BY "+name+
			" HAVING count(*) > 1 ORDER BY 3 LIMIT 1", func(v []*string) { value, times, first = v[0], v[1], v[2] })
		if value != nil {
			return tabledef.Constraint("column %q cannot be unique: %s rows hold %q, the first with _id %s", col.Name,
				*times,
				*value, *first)
		}
	}
	return err
}

// DropColumn implements engine.Tables.
func (p *project) DropColumn(ctx context.Context, kind, table, column string) error {
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, table))
	if err != nil {
		return err
	}
	defer unlock()
	t, err := p.find(ctx, kind, table)
	if err != nil {
		return err
	}
	i, err := t.Declared(column)
	if err == nil {
		_, err = p.exec(ctx, "ALTER TABLE "+p.at(t)+" DROP COLUMN "+sqltext.Quote(strings.ToLower(t.Columns[i].Name)),
			true, nil)
	}
	return err
}
