package trinosql

// MissingTable is the message of Trino, and of the hosted service, for a table that does not exist [O].
func MissingTable(name string) string { return "Table '" + name + "' does not exist" }
