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

// TestArchitecture compares the list of packages in docs/architecture.md with the imports of the code, and holds the
// rules that the page states about them.
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
	imports, docs := ownImports(t)
	var lines []string
	for pkg, deps := range imports {
		if docs[pkg] == "" {
			t.Errorf("package %s has no comment", pkg)
		}
		lines = append(lines, strings.TrimSpace(pkg+": "+docs[pkg]+"\n    "+strings.Join(deps, " ")))
	}
	sort.Strings(lines)
	want := strings.Join(lines, "\n")
	if *writeGraph {
		out := slices.Concat(before, []byte("\n```\n"+want+"\n```\n"), after)
		if err := os.WriteFile(page, out, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(list) {
		have, should := strings.Split(string(list), "\n"), strings.Split(want, "\n")
		for _, l := range should {
			if !slices.Contains(have, l) {
				t.Errorf("%s lacks: %s", page, l)
			}
		}
		for _, l := range have {
			if !slices.Contains(should, l) {
				t.Errorf("%s says, and the code does not: %s", page, l)
			}
		}
		if !t.Failed() {
			t.Errorf("%s has other lines than the code", page)
		}
	}
	for pkg, deps := range imports {
		for _, d := range deps {
			switch {
			case strings.HasPrefix(pkg, "cmd/") && strings.HasPrefix(d, "cmd/") &&
				!strings.HasPrefix(d, "cmd/internal/"):
				t.Errorf("%s imports the command package %s", pkg, d)
			case strings.HasPrefix(d, "cmd") && pkg != "." && !strings.HasPrefix(pkg, "cmd") &&
				pkg != "internal/reference":
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

// ownImports lists the packages of this module with those of it that they import, tests apart, and with the first
// sentence of their comments.
func ownImports(t *testing.T) (imports map[string][]string, docs map[string]string) {
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}\t{{.Doc}}", "./...")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1") // the page shows the whole program
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	imports, docs = map[string][]string{}, map[string]string{}
	for line := range strings.Lines(string(out)) {
		line, doc, _ := strings.Cut(strings.TrimSpace(line), "\t")
		words := strings.Fields(line)
		name := func(path string) (string, bool) {
			if path+"/" == module {
				return ".", true
			}
			return strings.CutPrefix(path, module)
		}
		pkg, _ := name(words[0])
		imports[pkg], docs[pkg] = []string{}, doc
		for _, w := range words[1:] {
			if own, ok := name(w); ok {
				imports[pkg] = append(imports[pkg], own)
			}
		}
		sort.Strings(imports[pkg])
	}
	return imports, docs
}
