//go:build !linux

package connector

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// noDetour rejects a path that cannot be resolved.
func noDetour(path string) error {
	_, err := filepath.EvalSymlinks(filepath.Clean(path))
	if os.IsNotExist(err) {
		return noFile(path)
	}
	return bare(err)
}

// hold checks a file. Here a library opens it by name, and File.Still must be called afterwards.
func hold(path string) (*File, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", fmt.Errorf("file %s: %w", path, bare(err))
	}
	if !info.Mode().IsRegular() {
		return nil, "", fmt.Errorf("%s is not a regular file", path)
	}
	real, err := byName(info, path)
	return &File{FileInfo: info, name: path}, real, err
}

// Descriptors is not supported by the system.
func (*File) Descriptors() map[int]bool { return nil }

func whereabouts(_ *os.File, info fs.FileInfo, name string) (string, error) {
	return byName(info, name)
}
