package connector

import (
	"io/fs"
	"time"
)

// Stamp tells one state of a file or a directory from another.
type Stamp struct {
	Size     int64
	Modified int64 // in nanoseconds
	Changed  int64 // of what is said about the file, 0 where the system does not tell
	Dev, Ino uint64
}

// StampOf is the state that a look has found. settled is false while a change could still come that leaves no trace in it: the
// clocks of file systems move in steps.
func StampOf(info fs.FileInfo, now time.Time) (s Stamp, settled bool) {
	s = Stamp{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	s.fill(info)
	step := 50 * time.Millisecond
	if s.Modified%int64(time.Second) == 0 { // the file system may count whole seconds, or two
		step = 3 * time.Second
	}
	age := now.Sub(time.Unix(0, max(s.Modified, s.Changed)))
	return s, age > step
}
