//go:build cgo && !linux

package process

// OnAbort does nothing: the system says how the process ended.
func OnAbort(int) {}
