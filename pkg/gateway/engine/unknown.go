package engine

// MissingTable is the message for a table that does not exist, that of the hosted service [O].
func MissingTable(name string) string { return "Table '" + name + "' does not exist" }

// UnknownTable is the error for a table that does not exist.
func UnknownTable(name string) error {
	return &Error{Kind: KindUnknownTable, Message: MissingTable(name)}
}
