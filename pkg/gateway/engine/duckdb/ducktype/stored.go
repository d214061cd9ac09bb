// Package ducktype has the forms in which values of Trino's types are stored in DuckDB, where those of a statement
// differ.
package ducktype

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql/translate"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// NeedsNote reports whether a type differs from that of its stored form.
func NeedsNote(t *types.Type) bool {
	switch t.Kind {
	case types.Varchar:
		return t.N != types.Unbounded
	case types.Time, types.Timestamp, types.TimestampTZ:
		return t.N != 6 && t.N != 9
	case types.Char, types.Unknown, types.IntervalYM:
		return true
	case types.Row:
		if t.Names == nil || slices.Contains(t.Names, "") {
			return true
		}
	}
	return slices.ContainsFunc(t.Args, NeedsNote)
}

// Noted is the type in a column's comment, if its values have the column's type, and the conversion to it.
func Noted(t *types.Type, convert func(string) string, note string) (*types.Type, func(string) string) {
	n, err := types.Parse(note)
	if err != nil || note == "" {
		return t, convert
	}
	if n.Kind == types.Unknown {
		return n, func(x string) string { return "CAST(" + x + " AS INTEGER)" }
	}
	have, ok1 := translate.DuckType(t)
	want, ok2 := translate.DuckType(n)
	if !ok1 || !ok2 || have != want {
		return t, convert
	}
	if n.Kind == types.Char {
		return n, func(x string) string { return "rtrim(" + Applied(convert, x) + ", ' ')" }
	}
	return n, convert
}

// Repacked is a struct built from the converted fields of another one.
func Repacked(x string, n int, name func(int) string, convert func(int) func(string) string) string {
	items := make([]string, n)
	for i := range n {
		items[i] = sqltext.Quote(name(i)) + " := " + Applied(convert(i), fmt.Sprintf("struct_extract_at(%s, %d)", x, i+
			1))
	}
	return "CASE WHEN " + x + " IS NOT NULL THEN struct_pack(" + strings.Join(items, ", ") + ") END"
}

func Applied(convert func(string) string, x string) string {
	if convert == nil {
		return x
	}
	return convert(x)
}

// EachElement applies a conversion to the elements of a list.
func EachElement(convert func(string) string, depth int) func(string) string {
	if convert == nil {
		return nil
	}
	return func(x string) string {
		e := fmt.Sprintf(`"~e%d"`, depth)
		return "list_transform(" + x + ", lambda " + e + ": " + convert(e) + ")"
	}
}

// Outward converts a value to the form of a stored table or a view: the fields of rows have their names.
func Outward(x string, t *types.Type) string { return Applied(outwardOf(t, 0), x) }

func outwardOf(t *types.Type, depth int) func(string) string {
	switch t.Kind {
	case types.Unknown:
		if depth > 0 { // the type of the whole says so
			return nil
		}
		return func(x string) string { return "CAST(" + x + " AS VARCHAR)" }
	case types.Char:
		return func(x string) string { return fmt.Sprintf("system.main.rpad(%s, %d, ' ')", x, t.N) }
	case types.Array:
		return EachElement(outwardOf(t.Args[0], depth+1), depth)
	case types.Map:
		k, v := EachElement(outwardOf(t.Args[0], depth+1), depth), EachElement(outwardOf(t.Args[1], depth+1), depth)
		if k == nil && v == nil {
			return nil
		}
		return func(x string) string {
			return "map(" + Applied(k, "map_keys("+x+")") + ", " + Applied(v, "map_values("+x+")") + ")"
		}
	case types.Row:
		names := fieldNames(t)
		if names == nil {
			return nil
		}
		return func(x string) string {
			return Repacked(x, len(t.Args), func(i int) string { return names[i] },
				func(i int) func(string) string { return outwardOf(t.Args[i], depth+1) })
		}
	}
	return nil
}

// fieldNames are unique names for the fields of a row: its own name where a field has one.
func fieldNames(t *types.Type) []string {
	names := make([]string, len(t.Args))
	seen := map[string]bool{}
	for i := range names {
		names[i] = t.FieldName(i)
		for names[i] == "" || seen[strings.ToLower(names[i])] {
			names[i] = fmt.Sprintf("field%d", i)
			if seen[names[i]] {
				names[i] = fmt.Sprintf("field%d_%d", i, len(seen))
			}
		}
		seen[strings.ToLower(names[i])] = true
	}
	return names
}
