package connector

import "io/fs"

type fileID struct{}

// idOf: only os.SameFile knows here.
func idOf(fs.FileInfo) (id fileID, names uint64, ok bool) { return fileID{}, 0, false }
