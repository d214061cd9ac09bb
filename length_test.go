package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFilesAreShort: a file of Go that needs more lines than this holds several things.
func TestFilesAreShort(t *testing.T) {
	const most = 450
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

// TestLinesAreNarrow: a line has at most 120 columns, with four for a tab. testdata/wide.txt lists the files that have
// wider ones, and how many; a number may only fall.
func TestLinesAreNarrow(t *testing.T) {
	const most = 120
	listed := map[string]int{}
	raw, err := os.ReadFile("testdata/wide.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var path string
		var n int
		if _, err := fmt.Sscan(line, &path, &n); err != nil {
			t.Fatalf("testdata/wide.txt: %q: %v", line, err)
		}
		listed[path] = n
	}
	for _, root := range []string{"cmd", "internal", "pkg"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			wide := 0
			for line := range strings.Lines(string(raw)) {
				if utf8.RuneCountInString(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")) > most {
					wide++
				}
			}
			path = filepath.ToSlash(path)
			if wide > listed[path] {
				t.Errorf("%s has %d lines of more than %d columns, and may have %d", path, wide, most, listed[path])
			}
			if wide < listed[path] {
				t.Errorf("testdata/wide.txt: %s has only %d wide lines now: correct the line", path, wide)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestProseIsNarrow: a paragraph of a page has lines of at most 120 columns. Code, tables, and words that are longer by
// themselves, such as addresses, are as they are.
func TestProseIsNarrow(t *testing.T) {
	const most = 120
	pages := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "docs/reference" || path == "testdata" || path != "." && path[0] == '.'):
			return fs.SkipDir // what the help of commands makes, and what is not written by hand
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		raw, err := os.ReadFile(path)
		pages++
		fenced, n := false, 0
		for line := range strings.Lines(string(raw)) {
			n++
			line = strings.TrimRight(line, "\r\n")
			text := strings.TrimSpace(line)
			if strings.HasPrefix(text, "```") {
				fenced = !fenced
			}
			code := fenced || strings.HasPrefix(line, "    ") || strings.HasPrefix(text, "|") || !strings.Contains(text, " ")
			if cols := utf8.RuneCountInString(line); !code && cols > most {
				t.Errorf("%s:%d: %d columns", path, n, cols)
			}
		}
		return err
	})
	if err != nil || pages < 25 {
		t.Errorf("%d pages, %v", pages, err)
	}
}
