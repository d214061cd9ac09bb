//go:build cgo && !linux

package blocks

// Bound does nothing: blocks are not bounded here.
func Bound(int64) {}

// Trim does nothing.
func Trim() {}

// Guest calls a function.
func Guest(do func()) { do() }
