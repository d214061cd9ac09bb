//go:build cgo

package tables

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// Columns lists the columns of a table: the system columns first, then the declared ones in order of creation.
func (p Tables) Columns(ctx context.Context, kind, name string) ([]engine.Column, error) {
	c, err := p.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := tabledef.CheckKind(kind); err != nil {
		return nil, err
	}
	all, err := c.tables(ctx)
	if err != nil {
		return nil, err
	}
	t := all[tableKey{kind, strings.ToLower(engine.StoredName(kind, name))}]
	if t == nil {
		return nil, engine.UnknownTable(engine.TableName{Catalog: engine.InternalCatalog, Schema: kind, Table: name})
	}
	return t.cols, nil
}

// AddColumns adds columns, all or none, and returns them. Existing rows have NULL in a new column whatever its
// default [L], unless the column is not null: then they get the default.
func (p Tables) AddColumns(ctx context.Context, kind, name string, defs []engine.ColumnDef) ([]engine.Column, error) {
	var added []engine.Column
	err := p.change(ctx, func(c conn) error {
		t, err := c.findTable(ctx, kind, name)
		if err != nil {
			return err
		}
		rows, err := c.Count(ctx, t.sql())
		if err != nil {
			return err
		}
		was := len(t.cols)
		constrained := false
		for _, def := range defs {
			col, err := t.def().New(def, p.files.Opts.NewID)
			if err != nil {
				return err
			}
			if err := tabledef.CheckFilled(col, rows); err != nil {
				return err
			}
			constrained = constrained || col.NotNull || col.Unique
			t.cols = append(t.cols, col)
			if err := c.insertColumn(ctx, t, len(t.cols)-1); err != nil {
				return err
			}
		}
		added = t.cols[was:]
		if constrained {
			values := t.names()
			for i, col := range added {
				values[was+i] = "NULL"
				if col.NotNull && col.DefaultValue != nil {
					values[was+i] = sqlValue(col.Type, *col.DefaultValue)
				}
			}
			return c.rebuild(ctx, t, values)
		}
		for _, col := range added {
			s := `ALTER TABLE ` + t.sql() + ` ADD COLUMN ` + sqltext.Quote(col.Name) + ` ` + sqlType(col.Type)
			if _, err := c.Exec(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// insertColumn records the declared column at index i.
func (c conn) insertColumn(ctx context.Context, t *table, i int) error {
	col := t.cols[i]
	_, err := c.Exec(ctx, `INSERT INTO `+digTable("columns")+
		` SELECT ?, ?, coalesce(max(pos), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? FROM `+
		digTable("columns")+` WHERE kind = ? AND tbl = ?`, t.kind, t.name, col.ID, col.Name, col.DisplayName,
		storedType(col), deref(col.DefaultValue), col.NotNull, col.Unique, deref(col.Desc), t.kind, t.name)
	return err
}

// deref converts an optional text to a parameter.
func deref(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// widens follows the type of a column in the definitions, if Widens is set.
const widens = " widens"

func storedType(col engine.Column) string {
	if col.Widens {
		return col.Type + widens
	}
	return col.Type
}

// sqlType is the stored type of a column.
func sqlType(t string) string {
	if t == tabledef.Instant {
		return "TIMESTAMPTZ"
	}
	if precision, scale, ok := api.DecimalOf(t); ok {
		return fmt.Sprintf("DECIMAL(%d,%d)", precision, scale)
	}
	return strings.ToUpper(t)
}

// sqlValue converts a text to an expression of a type. The text is read like an imported value and written in
// the form that DuckDB reads as the same value.
func sqlValue(typ, value string) string {
	if parse := cells.ParserOf(typ); parse != nil {
		v, _ := parse([]byte(value))
		value = v.Text(typ)
	}
	return `CAST(` + sqltext.DuckDBLiteral(value) + ` AS ` + sqlType(typ) + `)`
}
