//go:build cgo && !darwin

package process

// peakMemory is not needed where privateMemory is known, and not known elsewhere.
func peakMemory() (n int64, ok bool) { return 0, false }
