//go:build cgo

package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
)

// Columns lists the columns of a table: the system columns first, then the declared ones in order of creation.
func (p Tables) Columns(ctx context.Context, kind, name string) ([]engine.Column, error) {
	c, err := p.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := checkKind(kind); err != nil {
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
			col, err := p.newColumn(t, def)
			if err != nil {
				return err
			}
			if err := checkFilled(col, rows); err != nil {
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

// checkFilled rejects a new column that is not possible for the existing rows.
func checkFilled(col engine.Column, rows int64) error {
	switch {
	case col.NotNull && col.DefaultValue == nil && rows > 0:
		return constraint("column %q cannot be not null without a default value: the table holds %d rows",
			col.Name, rows)
	case col.NotNull && col.Unique && rows > 1:
		return constraint("column %q cannot be unique and not null: %d rows would hold its default value %q", col.Name,
			rows, *col.DefaultValue)
	}
	return nil
}

func constraint(format string, args ...any) error {
	return &engine.Error{Kind: engine.KindConstraint, Message: fmt.Sprintf(format, args...)}
}

// newColumn checks a declaration against the table it is for.
func (p Tables) newColumn(t *table, def engine.ColumnDef) (engine.Column, error) {
	col := engine.Column{Name: engine.StoredName(t.kind, def.Name)}
	if err := t.checkColumnName(def.Name, col.Name, -1); err != nil {
		return col, err
	}
	if p.files.Opts.NewID == nil {
		return col, errors.New("the engine was opened without a source of identifiers")
	}
	col.ID, col.DisplayName = p.files.Opts.NewID(), col.Name
	if def.Type == "" {
		return col, &engine.Error{Kind: engine.KindValue,
			Message: fmt.Sprintf("column %q has no data type; one of %s is needed", col.Name,
				strings.Join(api.ColumnTypes(), ", "))}
	}
	return col, applyDef(t.kind, &col, def)
}

// applyDef applies a declaration to a column.
func applyDef(kind string, col *engine.Column, def engine.ColumnDef) error {
	if def.Type != "" {
		typ, ok := api.ColumnType(def.Type)
		if !ok {
			return &engine.Error{Kind: engine.KindValue, Message: fmt.Sprintf("column %q: data type %q is not allowed"+
				"; allowed are %s", col.Name, def.Type, strings.Join(api.ColumnTypes(), ", "))}
		}
		_, _, decimal := api.DecimalOf(typ)
		col.Widens = decimal && (col.Widens && typ == col.Type && def.Widens == nil || def.Widens != nil && *def.Widens)
		col.Type = typ
	}
	if def.NoDefault {
		col.DefaultValue = nil
	}
	if def.DefaultValue != nil {
		col.DefaultValue = def.DefaultValue
		if *def.DefaultValue == "" && col.Type != "varchar" {
			col.DefaultValue = nil
		}
	}
	if col.DefaultValue != nil {
		if _, reason := cells.Parse(col.Type, *col.DefaultValue); reason != "" {
			return &engine.Error{Kind: engine.KindValue, Message: fmt.Sprintf("default value of column %q: %s",
				col.Name, reason)}
		}
	}
	if def.NotNull != nil {
		col.NotNull = *def.NotNull
	}
	if def.Unique != nil {
		col.Unique = *def.Unique
	}
	if def.Desc != nil {
		col.Desc = def.Desc
	}
	if def.DisplayName != nil && *def.DisplayName != "" {
		col.DisplayName = *def.DisplayName
	}
	if kind == engine.SchemaBI {
		col.DisplayName = col.Name // as hosted [L]
	}
	return nil
}

// checkColumnName rejects names of system columns and of other columns; self is the index of the column that is
// renamed, or -1.
func (t *table) checkColumnName(given, stored string, self int) error {
	if err := checkName("column", given, stored); err != nil {
		return err
	}
	if strings.HasPrefix(stored, "_") || sameName(stored, importer.TextColumn) {
		return &engine.Error{Kind: engine.KindValue,
			Message: fmt.Sprintf("column name %q is reserved: the name text and names that begin with an underscore "+
				"are system columns", stored)}
	}
	if i, taken := t.column(stored); taken && i != self {
		return &engine.Error{Kind: engine.KindExists, Message: fmt.Sprintf("column %q already exists in table %q",
			t.cols[i].Name, t.name)}
	}
	return nil
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
	if t == values.Instant {
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
	return `CAST(` + sqltext.Literal(value) + ` AS ` + sqlType(typ) + `)`
}
