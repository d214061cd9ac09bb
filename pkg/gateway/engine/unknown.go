package engine

// UnknownTable is the error for a table that does not exist, with the message of the hosted service [O].
func UnknownTable(name string) error {
	return &Error{Kind: KindUnknownTable, Message: "Table '" + name + "' does not exist"}
}
