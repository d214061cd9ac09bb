package connector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Described is a connector's own type of a column, which embeds engine.ColumnInfo.
type Described interface{ Info() engine.ColumnInfo }

// BaseType is a type without its parameters: timestamp with time zone of timestamp(3) with time zone.
func BaseType(typ string) string {
	base, rest, _ := strings.Cut(typ, "(")
	_, zone, _ := strings.Cut(rest, ")")
	return base + zone
}

// Infos implements engine.Scanner.Columns for the columns of a table.
func Infos[C Described](cols []C) []engine.ColumnInfo {
	out := make([]engine.ColumnInfo, len(cols))
	for i, c := range cols {
		out[i] = c.Info()
	}
	return out
}

// Column finds a column of a table by its exact name.
func Column[C Described](table string, cols []C, name string) (C, error) {
	i := slices.IndexFunc(cols, func(c C) bool { return c.Info().Name == name })
	if i < 0 {
		var none C
		return none, fmt.Errorf("table %s has no column %q", table, name)
	}
	return cols[i], nil
}

// PickSchema returns the spelling of a schema among all of a source, see Pick.
func PickSchema(name string, all []string) (string, error) {
	return pickOr(ErrNoSchema, "schema", name, all)
}

// PickTable returns the spelling of a table among all of a schema, see Pick.
func PickTable(name string, all []string) (string, error) {
	return pickOr(ErrNoTable, "table", name, all)
}

func pickOr(missing error, kind, name string, all []string) (string, error) {
	found, ok, err := Pick(kind, name, all)
	if err == nil && !ok {
		err = missing
	}
	return found, err
}

// Tables lists tables of which only the names are known.
func Tables(names []string) []Table {
	out := make([]Table, len(names))
	for i, n := range names {
		out[i] = Table{Name: n}
	}
	return out
}
