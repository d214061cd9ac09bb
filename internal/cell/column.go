package cell

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/api"
)

// Class groups the declared types by how their text is interpreted.
type Class uint8

const (
	ClassOther Class = iota // text, and all unknown types
	ClassInt
	ClassDecimal
	ClassDouble
	ClassReal
	ClassBool
)

// ClassOf classifies a lower-case Trino type name; parameters are ignored.
func ClassOf(dataType string) Class {
	base, _, _ := strings.Cut(dataType, "(")
	switch strings.TrimSpace(base) {
	case "bigint", "integer", "int", "smallint", "tinyint":
		return ClassInt
	case "decimal", "numeric":
		return ClassDecimal
	case "double", "double precision":
		return ClassDouble
	case "real":
		return ClassReal
	case "boolean":
		return ClassBool
	}
	return ClassOther
}

func (c Class) Float() bool { return c == ClassDouble || c == ClassReal }

// Time reports whether the declared type is a date or a timestamp.
func (c *Column) Time() bool {
	return c.Type == "date" || strings.HasPrefix(c.Type, "timestamp") || c.Type == "datetime"
}

func (c Class) Number() bool { return c >= ClassInt && c <= ClassReal }

// Column is one column of the output.
type Column struct {
	Name    string // as in the result
	Key     string // unique among the columns: name, name_2, ...
	KeyJSON []byte // key as a JSON string and a colon
	Type    string // declared type, lower case, "" if unknown
	Class   Class
	Index   int // index of its cell in a row
}

// ColumnsOf reads the columns of a result and selects the wanted ones, or else those of the defaults that exist.
func ColumnsOf(rows api.RowReader, want, defaults []string) ([]Column, error) {
	found, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all := make([]Column, len(found))
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.Name
		typ := strings.ToLower(c.DataType)
		all[i] = Column{Name: c.Name, Type: typ, Class: ClassOf(typ), Index: i}
	}
	for i, key := range uniqueKeys(names) {
		all[i].Key = key
	}
	picked, err := pick(all, want, defaults)
	if err != nil {
		return nil, err
	}
	for i := range picked {
		b, err := json.Marshal(picked[i].Key)
		if err != nil {
			return nil, err
		}
		picked[i].KeyJSON = append(b, ':')
	}
	return picked, nil
}

func pick(all []Column, want, defaults []string) ([]Column, error) {
	optional := len(want) == 0
	if optional {
		if want = defaults; len(want) == 0 || len(all) == 0 {
			return all, nil
		}
	}
	keys := make([]string, len(all))
	for i, c := range all {
		keys[i] = c.Key
	}
	var picked []Column
	for _, name := range want {
		i := Find(name, keys)
		switch {
		case i >= 0:
			picked = append(picked, all[i])
		case optional:
		case len(all) == 0: // a result without rows may lack its columns
			picked = append(picked, Column{Name: name, Key: name, Index: len(picked)})
		default:
			return nil, UnknownColumn(name, keys)
		}
	}
	if len(picked) == 0 {
		return all, nil
	}
	names := make([]string, len(picked))
	for i, c := range picked {
		names[i] = c.Key
	}
	for i, key := range uniqueKeys(names) {
		picked[i].Key = key
	}
	return picked, nil
}

// Find looks for the exact name, then for the only one that differs in case; -1 if there is neither.
func Find(name string, keys []string) int {
	folded := -1
	for i, k := range keys {
		if k == name {
			return i
		}
		if strings.EqualFold(k, name) {
			if folded >= 0 {
				folded = -2
			} else if folded == -1 {
				folded = i
			}
		}
	}
	return max(folded, -1)
}

// UnknownColumn is the error for a column that is not one of keys.
func UnknownColumn(name string, keys []string) *UsageError {
	shown, more := keys, ""
	if len(shown) > 40 {
		shown, more = shown[:40], fmt.Sprintf(" and %d more", len(keys)-40)
	}
	hint := "columns: " + strings.Join(shown, ", ") + more
	if near := nearest.Of(name, keys); near != "" {
		hint = fmt.Sprintf("did you mean %s? Columns: %s%s", near, strings.Join(shown, ", "), more)
	}
	return &UsageError{Message: fmt.Sprintf("no column %q in the result", name), Hint: hint}
}

// uniqueKeys makes names unique for the keys of one object.
func uniqueKeys(names []string) []string {
	return UniqueNames(names, func(n string) string { return n })
}

// UniqueNames numbers names that same maps to one string: the second "id" becomes "id_2", or the next free number.
func UniqueNames(names []string, same func(string) string) []string {
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[same(n)] = true
	}
	used := make(map[string]bool, len(names))
	out := make([]string, len(names))
	for i, n := range names {
		name := n
		for k := 2; used[same(name)] || (name != n && taken[same(name)]); k++ {
			name = n + "_" + strconv.Itoa(k)
		}
		used[same(name)] = true
		out[i] = name
	}
	return out
}

// RowError adds the row and column of a value that cannot be written to the error.
func RowError(row int64, c *Column, err error) error {
	return fmt.Errorf("row %d, column %q: %w", row, c.Name, err)
}

// ErrShortRow is the error for a row with fewer cells than the result has columns.
var ErrShortRow = errors.New("the row has no such cell")

// CheckRow returns an error if a row has fewer cells than its columns require.
func CheckRow(n int64, cells []api.Cell, cols []Column) error {
	for i := range cols {
		if cols[i].Index >= len(cells) {
			return RowError(n, &cols[i], ErrShortRow)
		}
	}
	return nil
}
