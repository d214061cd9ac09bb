package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/api"
)

// class groups the declared types by how their text is interpreted.
type class uint8

const (
	classOther class = iota // text, and all unknown types
	classInt
	classDecimal
	classDouble
	classReal
	classBool
)

// classOf classifies a lower-case Trino type name; parameters are ignored.
func classOf(dataType string) class {
	base, _, _ := strings.Cut(dataType, "(")
	switch strings.TrimSpace(base) {
	case "bigint", "integer", "int", "smallint", "tinyint":
		return classInt
	case "decimal", "numeric":
		return classDecimal
	case "double", "double precision":
		return classDouble
	case "real":
		return classReal
	case "boolean":
		return classBool
	}
	return classOther
}

func (c class) float() bool { return c == classDouble || c == classReal }

// time reports whether the declared type is a date or a timestamp.
func (c *column) time() bool {
	return c.typ == "date" || strings.HasPrefix(c.typ, "timestamp") || c.typ == "datetime"
}

func (c class) number() bool { return c >= classInt && c <= classReal }

// column is one column of the output.
type column struct {
	name    string // as in the result
	key     string // unique among the columns: name, name_2, ...
	keyJSON []byte // key as a JSON string and a colon
	typ     string // declared type, lower case, "" if unknown
	class   class
	index   int // index of its cell in a row
}

// columnsOf reads the columns of a result and selects the wanted ones, or else those of the defaults that exist.
func columnsOf(rows api.RowReader, want, defaults []string) ([]column, error) {
	found, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all := make([]column, len(found))
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.Name
		typ := strings.ToLower(c.DataType)
		all[i] = column{name: c.Name, typ: typ, class: classOf(typ), index: i}
	}
	for i, key := range uniqueKeys(names) {
		all[i].key = key
	}
	picked, err := pick(all, want, defaults)
	if err != nil {
		return nil, err
	}
	for i := range picked {
		b, err := json.Marshal(picked[i].key)
		if err != nil {
			return nil, err
		}
		picked[i].keyJSON = append(b, ':')
	}
	return picked, nil
}

func pick(all []column, want, defaults []string) ([]column, error) {
	optional := len(want) == 0
	if optional {
		if want = defaults; len(want) == 0 || len(all) == 0 {
			return all, nil
		}
	}
	keys := make([]string, len(all))
	for i, c := range all {
		keys[i] = c.key
	}
	var picked []column
	for _, name := range want {
		i := find(name, keys)
		switch {
		case i >= 0:
			picked = append(picked, all[i])
		case optional:
		case len(all) == 0: // a result without rows may lack its columns
			picked = append(picked, column{name: name, key: name, index: len(picked)})
		default:
			return nil, UnknownColumn(name, keys)
		}
	}
	if len(picked) == 0 {
		return all, nil
	}
	names := make([]string, len(picked))
	for i, c := range picked {
		names[i] = c.key
	}
	for i, key := range uniqueKeys(names) {
		picked[i].key = key
	}
	return picked, nil
}

// find looks for the exact name, then for the only one that differs in case; -1 if there is neither.
func find(name string, keys []string) int {
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

// uniqueKeys makes names unique for the keys of one object: the second "id" becomes "id_2", or the next free number.
func uniqueKeys(names []string) []string {
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[n] = true
	}
	used := make(map[string]bool, len(names))
	keys := make([]string, len(names))
	for i, n := range names {
		key := n
		for k := 2; used[key] || (key != n && taken[key]); k++ {
			key = n + "_" + strconv.Itoa(k)
		}
		used[key] = true
		keys[i] = key
	}
	return keys
}

// rowError adds the row and column of a value that cannot be written to the error.
func rowError(row int64, c *column, err error) error {
	return fmt.Errorf("row %d, column %q: %w", row, c.name, err)
}

var errShortRow = errors.New("the row has no such cell")

// checkRow guards against a source with rows that are shorter than its columns.
func checkRow(n int64, cells []api.Cell, cols []column) error {
	for i := range cols {
		if cols[i].index >= len(cells) {
			return rowError(n, &cols[i], errShortRow)
		}
	}
	return nil
}
