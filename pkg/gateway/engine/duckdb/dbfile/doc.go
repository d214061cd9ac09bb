// Package dbfile opens a DuckDB file that does not belong to the engine in an instance of its own, and streams the rows of statements on
// it. It knows neither which settings are safe nor what the tables mean: its caller does.
package dbfile
