package main

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// notWorded are the directories that TestWords does not check.
var notWorded = regexp.MustCompile(`^(\.|bin/|completions/|docs/reference/|testdata/(pages|script)/)|/testdata/`)

// private are names that only this project would understand: what they stand for has a name in the field.
var private = regexp.MustCompile(
	`^(?:Place|Asked|Asking|Tells|Told|Would|Attend|NobodyTypes|Leavable|beside|come|making)$`)

// TestWords rejects the phrases of testdata/words.txt in the comments and strings of the code and in the documentation.
func TestWords(t *testing.T) {
	instead := map[string]string{}
	var phrases []string
	list, err := os.Open("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		phrase, use, ok := strings.Cut(lines.Text(), " | ")
		if strings.HasPrefix(phrase, "#") {
			continue
		}
		if !ok {
			t.Fatalf("testdata/words.txt: %q is not of the form PHRASE | INSTEAD", lines.Text())
		}
		phrases = append(phrases, "("+strings.ReplaceAll(phrase, "(", "(?:")+")")
		instead[strconv.Itoa(len(phrases))] = use
	}
	banned := regexp.MustCompile(`(?i)\b(?:` + strings.Join(phrases, "|") + `)\b`)
	checked := 0
	check := func(path string, line int, text string) {
		checked++
		text = strings.Join(strings.Fields(text), " ")
		for _, at := range banned.FindAllStringSubmatchIndex(text, -1) {
			for i := 1; i < len(at)/2; i++ {
				// "there is no file" is fine
				if at[2*i] >= 0 && !strings.HasSuffix(strings.ToLower(text[:at[0]]), "there ") {
					t.Errorf("%s:%d: %q: use %q", path, line, text[at[0]:at[1]], instead[strconv.Itoa(i)])
				}
			}
		}
	}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		switch {
		case path != "." && notWorded.MatchString(path+"/"):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case strings.HasSuffix(path, ".md") && path != "CHANGELOG.md":
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line := 1
			for _, paragraph := range strings.SplitAfter(string(raw), "\n\n") {
				check(path, line, paragraph)
				line += strings.Count(paragraph, "\n")
			}
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, g := range f.Comments {
				check(path, set.Position(g.Pos()).Line, g.Text())
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					check(path, set.Position(l.Pos()).Line, l.Value)
				}
				if id, ok := n.(*ast.Ident); ok && private.MatchString(id.Name) && !strings.HasPrefix(path,
					"pkg/gateway/") &&
					path != "cmd/gateway/serve.go" { // calls a method of pkg/gateway
					t.Errorf("%s: %s is not a name of the field", set.Position(id.Pos()), id.Name)
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 10_000 {
		t.Errorf("only %d texts were found", checked)
	}
}
