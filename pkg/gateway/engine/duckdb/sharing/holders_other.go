//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package sharing

import "io/fs"

// Replaceable reports whether an open file can be replaced by another.
const Replaceable = false

func FileNumber(fs.FileInfo) string { return "0" }
