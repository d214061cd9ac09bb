package naming

import (
	"strings"
)

// In Trino a query may have two columns of one name: a star shows both under it, and naming it is refused. DuckDB gives the second another
// name. Where the columns of a saved query or a stored table become names of DuckDB's, such columns are therefore given names that no statement
// can write, and ColumnName takes those names off a result.

// DoubleMark stands between the name of a doubled column and its number.
const DoubleMark = "\x01"

// ColumnName is the name of a column as the statement gave it.
func ColumnName(s string) string {
	name, _, _ := strings.Cut(s, DoubleMark)
	return name
}

// Columns are the columns of a query as far as they are known.
type Columns struct {
	Names   []string        // as written; nil when not known
	Doubled map[string]bool // names that stand for more than one, in lower case
}

// OfColumns finds the names that stand for more than one column.
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
