package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Commands in hints are there to be copied: what a gateway calls its things stands in them as one word of a shell, whatever it holds.
func TestHintsQuoteNames(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	// A string that begins a command within backquotes, or is all of one, and what is joined to it.
	begun := regexp.MustCompile("(?:`dig [^`\"]*|(?:resume|cancel): \"[^\"]*|`\"\\s*\\+\\s*e\\.Name\\s*\\+\\s*\" [^`\"]*)\"\\s*\\+\\s*([\\w.]+)")
	own := map[string]bool{"shell.Quote": true, "w.resume": true, "w.cancel": true, "resume": true, "cancel": true, "instead": true}
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

// TestHostileThread: the id of a conversation, which the gateway makes, is no way into a shell.
func TestHostileThread(t *testing.T) {
	const id = "x; touch /tmp/owned `id` $(id)"
	e := &Env{Name: "dig"}
	if got := e.threadNote(id); !strings.Contains(got, "--thread 'x; touch /tmp/owned `id` $(id)' MESSAGE") {
		t.Error(got)
	}
	if got := e.noAnswer("nothing", id).hint; !strings.Contains(got, "get 'x; touch /tmp/owned `id` $(id)'") {
		t.Error(got)
	}
}
