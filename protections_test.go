package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestProtections: docs/protections.md has a row for each of the 72 pitfalls, and every script and test that a row names exists.
func TestProtections(t *testing.T) {
	page, err := os.ReadFile("docs/protections.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(string(page), -1)
	if len(row) != 72 {
		t.Errorf("%d rows", len(row))
	}
	for i, r := range row {
		if r[1] != fmt.Sprint(i+1) {
			t.Fatalf("row %d is numbered %s", i+1, r[1])
		}
		if strings.HasPrefix(r[4], "none: ") {
			continue
		}
		for name := range strings.SplitSeq(r[4], ", ") {
			file, test, inGo := strings.Cut(name, ":")
			if !inGo {
				file = "testdata/script/" + name
			}
			text, err := os.ReadFile(file)
			switch {
			case err != nil:
				t.Errorf("row %s: %v", r[1], err)
			case inGo && !strings.Contains(string(text), "func "+test+"(t *testing.T)"):
				t.Errorf("row %s: %s has no %s", r[1], file, test)
			}
		}
	}
}
