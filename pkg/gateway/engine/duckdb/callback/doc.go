// Package callback passes Go values to DuckDB, for the functions that it calls.
package callback
