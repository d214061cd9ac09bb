//go:build cgo

package duckdb

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// In Trino a query may have two columns of one name: a star shows both under it, and naming it is refused. DuckDB gives the second another
// name. Where the columns of a saved query or a stored table become names of DuckDB's, such columns are therefore given names that no statement
// can write, and columnName takes those names off a result.

// doubleMark stands between the name of a doubled column and its number.
const doubleMark = "\x01"

// columnName is the name of a column as the statement gave it.
func columnName(s string) string {
	name, _, _ := strings.Cut(s, doubleMark)
	return name
}

// outColumns are the columns of a query as far as they are known.
type outColumns struct {
	names   []string        // as written; nil when not known
	doubled map[string]bool // names that stand for more than one, in lower case
}

func columnsNamed(names []string) outColumns {
	c := outColumns{names: names}
	seen := map[string]bool{}
	for _, n := range names {
		if n = strings.ToLower(n); seen[n] {
			if c.doubled == nil {
				c.doubled = map[string]bool{}
			}
			c.doubled[n] = true
		}
		seen[n] = true
	}
	return c
}

func internalError(msg string) error {
	return &engine.Error{Kind: engine.KindInternal, Message: msg}
}
