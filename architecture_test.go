package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strings"
	"testing"
)

var writeGraph = flag.Bool("write", false, "renew the list of packages in docs/architecture.md")

// TestArchitecture compares the list of packages in docs/architecture.md with the imports of the code, and holds the rules that the page
// states about them.
func TestArchitecture(t *testing.T) {
	const page = "docs/architecture.md"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(raw, []byte("\n```\n"))
	list, after, ok2 := bytes.Cut(rest, []byte("\n```\n"))
	if !ok || !ok2 {
		t.Fatalf("%s has no list of packages", page)
	}
	imports := ownImports(t)
	var lines []string
	for pkg, deps := range imports {
		lines = append(lines, strings.TrimSpace(pkg+": "+strings.Join(deps, " ")))
	}
	sort.Strings(lines)
	want := strings.Join(lines, "\n")
	if *writeGraph {
		out := slices.Concat(before, []byte("\n```\n"+want+"\n```\n"), after)
		if err := os.WriteFile(page, out, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(list) {
		have := strings.Split(string(list), "\n")
		for _, l := range lines {
			if !slices.Contains(have, l) {
				t.Errorf("%s lacks: %s", page, l)
			}
		}
		for _, l := range have {
			if !slices.Contains(lines, l) {
				t.Errorf("%s says, and the code does not: %s", page, l)
			}
		}
	}
	for pkg, deps := range imports {
		for _, d := range deps {
			switch {
			case strings.HasPrefix(pkg, "cmd/") && strings.HasPrefix(d, "cmd/") && !strings.HasPrefix(d, "cmd/internal/"):
				t.Errorf("%s imports the command package %s", pkg, d)
			case strings.HasPrefix(d, "cmd") && pkg != "." && !strings.HasPrefix(pkg, "cmd") && pkg != "internal/reference":
				t.Errorf("%s imports %s", pkg, d)
			case d == "pkg/gateway/hosted" && pkg != "pkg/gateway":
				t.Errorf("%s imports %s, which only pkg/gateway may", pkg, d)
			}
		}
	}
	if len(imports) < 40 {
		t.Errorf("only %d packages were seen", len(imports))
	}
}

// ownImports lists the packages of this module with those of it that they import, tests apart.
func ownImports(t *testing.T) map[string][]string {
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1") // the page shows the whole program
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name := func(path string) (string, bool) {
			if path+"/" == module {
				return ".", true
			}
			return strings.CutPrefix(path, module)
		}
		pkg, _ := name(words[0])
		all[pkg] = []string{}
		for _, w := range words[1:] {
			if own, ok := name(w); ok {
				all[pkg] = append(all[pkg], own)
			}
		}
		sort.Strings(all[pkg])
	}
	return all
}
