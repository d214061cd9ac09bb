//go:build !linux

package connector

import "io/fs"

func (*Stamp) fill(fs.FileInfo) {}
