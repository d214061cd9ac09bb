package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Commands in hints are there to be copied: what a gateway calls its things stands in them as one word of a shell,
// whatever it holds.
func TestHintsQuoteNames(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.go", "*/*.go", "internal/*/*.go"} {
		some, err := filepath.Glob(pattern)
		if err != nil || len(some) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, some...)
	}
	// A string that begins a command within backquotes, or is all of one, and what is joined to it.
	begun := regexp.MustCompile("(?:`dig [^`\"]*|(?:[rR]esume|[cC]ancel): " +
		"\"[^\"]*|`\"\\s*\\+\\s*e\\.Name\\s*\\+\\s*\" [^`\"]*)\"\\s*\\+\\s*([\\w.]+)")
	own := map[string]bool{"shell.Quote": true, "w.Resume": true, "w.Cancel": true, "resume": true, "cancel": true,
		"instead": true}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range begun.FindAllSubmatchIndex(raw, -1) {
			found++
			if what := string(raw[m[2]:m[3]]); !own[what] {
				t.Errorf("%s: %s is not quoted: %s", file, what, raw[m[0]:m[1]])
			}
		}
	}
	if found < 15 {
		t.Errorf("%d commands were looked at", found)
	}
}
