// Package dbfile opens a DuckDB file that does not belong to the engine in an instance of its own, and streams the rows
// of statements on it. The caller must know which settings are safe and what the tables mean.
package dbfile
