// Package tabledef has the rules for the definitions of internal tables, which hold on every engine.
package tabledef

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
)

// TextColumn is a system column that an import may fill, as the service's own sample document does [L].
const TextColumn = "text"

// Instant is the type of the system columns with times.
const Instant = "timestamp with time zone"

// System are the system columns of an internal table, in their stored order; BI tables have _operation before text [L].
func System(kind string) []engine.Column {
	cols := []engine.Column{
		{Name: "_id", Type: "bigint", NotNull: true, Unique: true},
		{Name: "_version", Type: "bigint"},
		{Name: "_created_time", Type: Instant},
		{Name: "_created_by", Type: "bigint"},
		{Name: "_last_modified_time", Type: Instant},
		{Name: "_last_modified_by", Type: "bigint"},
		{Name: "_session", Type: "bigint"},
	}
	if kind == engine.SchemaBI {
		cols = append(cols, engine.Column{Name: "_operation", Type: "varchar"})
	}
	cols = append(cols, engine.Column{Name: TextColumn, Type: "varchar"})
	for i := range cols {
		cols[i].DisplayName, cols[i].System = cols[i].Name, true
	}
	return cols
}

// Table is the definition of a table. Its name is the stored one, and its system columns come first.
type Table struct {
	Kind, Name string
	Columns    []engine.Column
}

// Column finds a column by its name in any case of letters.
func (t *Table) Column(name string) (int, bool) {
	i := Column(t.Columns, name)
	return i, i >= 0
}

// Column is the index of a column by its name, in any case of letters, or -1.
func Column(cols []engine.Column, name string) int {
	return slices.IndexFunc(cols, func(c engine.Column) bool { return SameName(c.Name, name) })
}

// SameName compares names of columns.
func SameName(a, b string) bool { return strings.EqualFold(a, b) }

// CheckKind rejects schemas without internal tables.
func CheckKind(kind string) error {
	if kind != engine.SchemaTable && kind != engine.SchemaBI {
		return &engine.Error{Kind: engine.KindUnknownSchema, Message: fmt.Sprintf("schema %q has no internal tables",
			kind)}
	}
	return nil
}

// CheckName rejects names that could not be referenced later.
func CheckName(what, given, stored string) error {
	bad := engine.NameFault(given, stored)
	if bad == "" {
		return nil
	}
	return &engine.Error{Kind: engine.KindValue, Message: fmt.Sprintf("%s name %q %s", what, given, bad)}
}

// CheckColumnName rejects names of system columns and of other columns; self is the index of the column that is
// renamed, or -1.
func (t *Table) CheckColumnName(given, stored string, self int) error {
	if err := CheckName("column", given, stored); err != nil {
		return err
	}
	if strings.HasPrefix(stored, "_") || SameName(stored, TextColumn) {
		return &engine.Error{Kind: engine.KindValue,
			Message: fmt.Sprintf("column name %q is reserved: the name text and names that begin with an underscore "+
				"are system columns", stored)}
	}
	if i, taken := t.Column(stored); taken && i != self {
		return &engine.Error{Kind: engine.KindExists, Message: fmt.Sprintf("column %q already exists in table %q",
			t.Columns[i].Name, t.Name)}
	}
	return nil
}

// New checks a declaration against the table it is for.
func (t *Table) New(def engine.ColumnDef, newID func() string) (engine.Column, error) {
	col := engine.Column{Name: engine.StoredName(t.Kind, def.Name)}
	if err := t.CheckColumnName(def.Name, col.Name, -1); err != nil {
		return col, err
	}
	if newID == nil {
		return col, errors.New("the engine was opened without a source of identifiers")
	}
	col.ID, col.DisplayName = newID(), col.Name
	if def.Type == "" {
		return col, &engine.Error{Kind: engine.KindValue,
			Message: fmt.Sprintf("column %q has no data type; one of %s is needed", col.Name,
				strings.Join(api.ColumnTypes(), ", "))}
	}
	return col, Apply(t.Kind, &col, def)
}

// Apply applies a declaration to a column.
func Apply(kind string, col *engine.Column, def engine.ColumnDef) error {
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

// Declared finds a column that a user may change.
func (t *Table) Declared(name string) (int, error) {
	i, ok := t.Column(engine.StoredName(t.Kind, name))
	if !ok {
		i, ok = t.Column(name) // a BI table's own _id
	}
	switch {
	case !ok:
		return 0, &engine.Error{Kind: engine.KindUnknownColumn,
			Message: fmt.Sprintf("column %q does not exist in table %q", name, t.Name)}
	case t.Columns[i].System:
		return 0, &engine.Error{Kind: engine.KindNotAllowed,
			Message: fmt.Sprintf("column %q is a system column and cannot be changed", t.Columns[i].Name)}
	}
	return i, nil
}

// CheckFilled rejects a new column that is not possible for the existing rows.
func CheckFilled(col engine.Column, rows int64) error {
	switch {
	case col.NotNull && col.DefaultValue == nil && rows > 0:
		return Constraint("column %q cannot be not null without a default value: the table holds %d rows",
			col.Name, rows)
	case col.NotNull && col.Unique && rows > 1:
		return Constraint("column %q cannot be unique and not null: %d rows would hold its default value %q", col.Name,
			rows, *col.DefaultValue)
	}
	return nil
}

// Constraint is an error about a constraint.
func Constraint(format string, args ...any) error {
	return &engine.Error{Kind: engine.KindConstraint, Message: fmt.Sprintf(format, args...)}
}

// Changed is the error when n of the rows that were to be deleted are left as they were read.
func Changed(rows int, n int64, table string) error {
	return &engine.Error{Kind: engine.KindOutdated, Message: fmt.Sprintf("%d of the %d rows of table %q were changed "+
		"meanwhile; no row was deleted", int64(rows)-n, rows, table)}
}
