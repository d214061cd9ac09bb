// Package values converts between the vectors of DuckDB, the batches and types of the engine, and the values of Go.
package values
