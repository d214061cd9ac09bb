package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestProtections: docs/protections.md has a row for each of the 72 pitfalls, and every script and test that a row
// names exists. A row has a case: a test in Go, or a place in a script of protections that is marked with its number.
func TestProtections(t *testing.T) {
	page, err := os.ReadFile("docs/protections.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(string(page),
		-1)
	if len(row) != 72 {
		t.Errorf("%d rows", len(row))
	}
	cases := caseScripts(t)
	for i, r := range row {
		if r[1] != fmt.Sprint(i+1) {
			t.Fatalf("row %d is numbered %s", i+1, r[1])
		}
		if len(cases[r[1]]) == 0 && !strings.Contains(r[4], ".go:") {
			t.Errorf("row %s has no case: neither a test in Go nor a line `# %[1]s: ...` in a script of protections",
				r[1])
		}
		for _, script := range cases[r[1]] {
			if !slices.Contains(strings.Split(r[4], ", "), script) {
				t.Errorf("row %s does not name %s, which has a case of it", r[1], script)
			}
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

// caseScripts returns the scripts of protections that have a case of a row: a line `# 7: ...` or `# 7 and 8: ...` above
// it.
func caseScripts(t *testing.T) map[string][]string {
	files, err := filepath.Glob("testdata/script/protections/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts of protections: ", err)
	}
	cases := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^# (\d+(?: and \d+)*): `).FindAllStringSubmatch(string(text), -1) {
			for row := range strings.SplitSeq(m[1], " and ") {
				if script := "protections/" + filepath.Base(file); !slices.Contains(cases[row], script) {
					cases[row] = append(cases[row], script)
				}
			}
		}
	}
	return cases
}
