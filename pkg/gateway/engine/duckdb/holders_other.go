//go:build cgo && !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package duckdb

import "io/fs"

// replaceable reports whether an open file can be replaced by another.
const replaceable = false

func fileNumber(fs.FileInfo) string { return "0" }
