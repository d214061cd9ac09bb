// Package instance opens the data file of a project in an instance of DuckDB, to change it, to read it while other
// processes change it, or as a copy, and has the connections to it: their transactions, errors and interrupts.
package instance
