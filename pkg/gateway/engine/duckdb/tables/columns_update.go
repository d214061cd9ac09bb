//go:build cgo

package tables

import (
	"context"
	"strconv"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// UpdateColumn changes name, type or description of a column and returns it. Stored values are kept: if one of them
// does not fit the new type or constraint, the error names it and nothing changes. An empty default removes the
// default, except for a VARCHAR column, where it is the empty string.
func (p Tables) UpdateColumn(ctx context.Context, kind, name, column string,
	def engine.ColumnDef) ([]engine.Column, error) {
	var out []engine.Column
	err := p.change(ctx, func(c conn) error {
		t, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		i, err := t.def().Declared(column)
		if err != nil {
			return err
		}
		old, col := t.cols[i], t.cols[i]
		if def.Name != "" {
			col.Name = engine.StoredName(kind, def.Name)
			if err := t.def().CheckColumnName(def.Name, col.Name, i); err != nil {
				return err
			}
		}
		if err := tabledef.Apply(kind, &col, def); err != nil {
			return err
		}
		if err := c.checkStored(ctx, t, old, col); err != nil {
			return err
		}
		_, err = c.Exec(ctx, `UPDATE `+digTable("columns")+
			` SET name = ?, display = ?, type = ?, dflt = ?, not_null = ?,
			is_unique = ?, descr = ? WHERE id = ?`, col.Name, col.DisplayName, storedType(col), deref(col.DefaultValue),
			col.NotNull,
			col.Unique, deref(col.Desc), col.ID)
		if err != nil {
			return err
		}
		out = []engine.Column{col}
		now := &table{kind: t.kind, name: t.name, cols: append([]engine.Column(nil), t.cols...)}
		now.cols[i] = col
		switch {
		case col.Type != old.Type:
			return c.retype(ctx, p, t, now, i)
		case col.NotNull != old.NotNull || col.Unique != old.Unique:
			return c.rebuild(ctx, now, t.names())
		case col.Name != old.Name:
			_, err = c.Exec(ctx, `ALTER TABLE `+t.sql()+` RENAME COLUMN `+sqltext.Quote(old.Name)+` TO `+
				sqltext.Quote(col.Name))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// checkStored rejects a new constraint that existing rows violate.
func (c conn) checkStored(ctx context.Context, t *table, old, col engine.Column) error {
	name := sqltext.Quote(old.Name)
	if col.NotNull && !old.NotNull {
		var nulls int64
		var first string
		err := c.Query(ctx, `SELECT CAST(count(*) AS VARCHAR), coalesce(CAST(min(_id) AS VARCHAR), '') FROM `+t.sql()+
			` WHERE `+name+` IS NULL`, nil, func(v []*string) (err error) {
			first = *v[1]
			nulls, err = strconv.ParseInt(*v[0], 10, 64)
			return err
		})
		if err != nil {
			return err
		}
		if nulls > 0 {
			return tabledef.Constraint("column %q cannot be not null: %d rows hold NULL, the first with _id %s",
				col.Name, nulls, first)
		}
	}
	if col.Unique && !old.Unique && col.Type == old.Type {
		var value, times, first *string
		err := c.Query(ctx, `SELECT CAST(`+name+
			` AS VARCHAR), CAST(count(*) AS VARCHAR), CAST(min(_id) AS VARCHAR) FROM `+t.sql()+` WHERE `+name+
			` IS NOT NULL GROUP BY `+name+` HAVING count(*) > 1 ORDER BY min(_id) LIMIT 1`, nil,
			func(v []*string) error { value, times, first = v[0], v[1], v[2]; return nil })
		if err != nil {
			return err
		}
		if value != nil {
			return tabledef.Constraint("column %q cannot be unique: %s rows hold %q, the first with _id %s", col.Name,
				*times,
				*value, *first)
		}
	}
	return nil
}

// DropColumn removes a column; rows and other columns stay.
func (p Tables) DropColumn(ctx context.Context, kind, name, column string) error {
	return p.change(ctx, func(c conn) error {
		t, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		i, err := t.def().Declared(column)
		if err != nil {
			return err
		}
		col := t.cols[i]
		if _, err := c.Exec(ctx, `DELETE FROM `+digTable("columns")+` WHERE id = ?`, col.ID); err != nil {
			return err
		}
		indexed := false
		for _, other := range t.cols {
			indexed = indexed || (other.Unique && !other.System)
		}
		if indexed { // ALTER cannot drop a column at or before an indexed one
			t.cols = append(t.cols[:i], t.cols[i+1:]...)
			return c.rebuild(ctx, t, t.names())
		}
		_, err = c.Exec(ctx, `ALTER TABLE `+t.sql()+` DROP COLUMN `+sqltext.Quote(col.Name))
		return err
	})
}

// names returns the quoted names of all columns, as expressions over the stored table.
func (t *table) names() []string {
	s := make([]string, len(t.cols))
	for i, col := range t.cols {
		s[i] = sqltext.Quote(col.Name)
	}
	return s
}
