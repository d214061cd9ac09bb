// Package blocks bounds the size of the blocks of memory that DuckDB allocates, on Linux. Its own limit covers neither
// the values that functions create nor the state of some aggregates, and a function that fills one block notices no
// interrupt. DuckDB turns a refused block into an error of the statement that has asked for it.
package blocks
