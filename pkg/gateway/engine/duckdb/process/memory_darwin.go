//go:build cgo

package process

import "syscall"

// peakMemory is the peak memory of the process.
func peakMemory() (n int64, ok bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return u.Maxrss, true
}
