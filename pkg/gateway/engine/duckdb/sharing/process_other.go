//go:build !linux

package sharing

// processState is not known here.
func processState(int, string) (stopped bool, work int64) { return false, 0 }
