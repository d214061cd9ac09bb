package engine

import (
	"github.com/dig-cli/dig/pkg/trinosql/missing"
)

// MissingTable is the message for a table that does not exist.
func MissingTable(n TableName) string { return missing.Table(n.Catalog, n.Schema, n.Table) }

// UnknownTable is the error for a table that does not exist.
func UnknownTable(n TableName) error {
	return &Error{Kind: KindUnknownTable, Message: MissingTable(n)}
}
