package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesAreShort: a file of Go that needs more lines than this holds several things.
func TestFilesAreShort(t *testing.T) {
	const most = 400
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if n := bytes.Count(raw, []byte("\n")); n > most && !bytes.Contains(raw, []byte("\n// Code generated ")) {
			t.Errorf("%s has %d lines, more than %d", path, n, most)
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files, %v", files, err)
	}
}
