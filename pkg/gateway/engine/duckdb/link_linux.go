//go:build cgo

package duckdb

// Go links with -rdynamic, for libraries that are loaded at run time and look for symbols of the program. DuckDB would
// be such a program for its extensions, which are never loaded here. Without its 60,000 names the
// binary is 7 MB smaller and starts sooner.

// #cgo LDFLAGS: -Wl,--no-export-dynamic
import "C"
