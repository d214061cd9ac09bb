package connector

import (
	"io/fs"
	"time"
)

// Stamp identifies one state of a file or a directory.
type Stamp struct {
	Size     int64
	Modified int64 // in nanoseconds
	Changed  int64 // of the metadata of the file, 0 if the system does not provide it
	Dev, Ino uint64
}

// StampOf returns the state of a file. settled is false while a further change of the file could leave the Stamp
// unchanged, because the clocks of file systems advance in steps.
func StampOf(info fs.FileInfo, now time.Time) (s Stamp, settled bool) {
	s = Stamp{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	s.fill(info)
	step := 50 * time.Millisecond
	if s.Modified%int64(time.Second) == 0 { // the file system may have a resolution of one or two seconds
		step = 3 * time.Second
	}
	age := now.Sub(time.Unix(0, max(s.Modified, s.Changed)))
	return s, age > step
}
