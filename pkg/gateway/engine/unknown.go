package engine

import "github.com/dig-cli/dig/pkg/trinosql"

// MissingTable is the message for a table that does not exist.
func MissingTable(name string) string { return trinosql.MissingTable(name) }

// UnknownTable is the error for a table that does not exist.
func UnknownTable(name string) error {
	return &Error{Kind: KindUnknownTable, Message: MissingTable(name)}
}
