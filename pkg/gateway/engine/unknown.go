package engine

import "github.com/dig-cli/dig/pkg/trinosql"

// UnknownTable is the error for a table that does not exist.
func UnknownTable(name string) error {
	return &Error{Kind: KindUnknownTable, Message: trinosql.MissingTable(name)}
}
