//go:build cgo && !linux

package duckdb

// onAbort does nothing: the system says how the process ended.
func onAbort(int) {}
