package engine

import "strings"

// Fold normalizes a name as Trino does: to lower case, even if it was quoted. Letters beyond ASCII are not changed,
// because DuckDB distinguishes their case and must find the view under the name in the statement.
func (n TableName) Fold() TableName {
	return TableName{Catalog: LowerASCII(n.Catalog), Schema: LowerASCII(n.Schema), Table: LowerASCII(n.Table)}
}

// LowerASCII is a text with its ASCII letters in lower case.
func LowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// WrittenName completes a name as a session with catalog "peaka" and schema "table" does.
func WrittenName(parts []string) TableName {
	return TableName{Catalog: InternalCatalog, Schema: SchemaTable}.With(parts)
}

// With is the name with its last parts replaced by those that are written, three at most.
func (n TableName) With(parts []string) TableName {
	switch len(parts) {
	case 0:
	case 1:
		n.Table = parts[0]
	case 2:
		n.Schema, n.Table = parts[0], parts[1]
	default:
		n.Catalog, n.Schema, n.Table = parts[0], parts[1], parts[2]
	}
	return n
}
