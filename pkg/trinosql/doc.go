// Package trinosql reads and writes the query language of Trino: a lexer, a typed syntax tree, a recursive-descent
// parser and a printer. It knows no catalog and runs nothing.
//
// The grammar is that of Trino 435: queries in full, and EXPLAIN, SHOW and DESCRIBE. Of other statements only the kind
// is reported. MATCH_RECOGNIZE, JSON_TABLE and table functions are rejected by name.
//
// Positions are those that Trino prints: lines and columns count from 1, a column is a character, not a byte, and the
// position of an operator expression is that of its operator.
//
// A Parser holds no state between calls, and the functions may be called from several goroutines. Time and memory grow
// with the length of the text; nesting is bounded by MaxDepth.
package trinosql
