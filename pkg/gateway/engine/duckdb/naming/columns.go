package naming

import (
	"strings"
)

// A query of Trino may have duplicate column names: a star selects all of them, and a reference by name is ambiguous. DuckDB
// renames the duplicates. Where the columns of a saved query or a stored table become DuckDB names, duplicates are therefore
// given names that no statement can write, and ColumnName restores the names in a result.

// DoubleMark separates the name of a duplicate column from its number.
const DoubleMark = "\x01"

// ColumnName is the original name of a column.
func ColumnName(s string) string {
	name, _, _ := strings.Cut(s, DoubleMark)
	return name
}

// Columns are the known column names of a query.
type Columns struct {
	Names   []string        // as written; nil if not known
	Doubled map[string]bool // duplicate names, in lower case
}

// OfColumns finds the duplicate column names.
func OfColumns(names []string) Columns {
	c := Columns{Names: names}
	seen := map[string]bool{}
	for _, n := range names {
		if n = strings.ToLower(n); seen[n] {
			if c.Doubled == nil {
				c.Doubled = map[string]bool{}
			}
			c.Doubled[n] = true
		}
		seen[n] = true
	}
	return c
}
