package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd"
	"github.com/dig-cli/dig/cmd/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// The examples of README.md and of the pages in docs are indented blocks in which a line begins with dig, or with "$
// dig" if its output follows. All run with the files and objects of one fixture, testdata/pages/shared.txtar. Its
// comment is the commands that make the objects, run once, and lines that say what is other in a page:
//
//	# replace PAGE OLD => NEW
//	# before PAGE COMMAND => LINE to be run first
//	# exit CODE PAGE COMMAND
//	# parsed PAGE COMMAND: why it is not run
//	# output PAGE LINE: a line that is none
//	# skip PAGE COMMAND: why its block is none of examples, or where it runs
//
// COMMAND is the beginning of a line; * stands for all pages, or all commands.
type examples struct {
	setup []string
	rules []exampleRule
	files []txtar.File
}

type exampleRule struct {
	kind, page, command, text string
	used                      bool
}

func readExamples(t *testing.T) *examples {
	raw, err := os.ReadFile("../../../testdata/pages/shared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	ar := txtar.Parse(raw)
	x := &examples{files: ar.Files}
	for line := range strings.SplitSeq(strings.TrimSpace(string(ar.Comment)), "\n") {
		rule, ok := strings.CutPrefix(line, "# ")
		if !ok {
			x.setup = append(x.setup, line)
			continue
		}
		kind, rest, _ := strings.Cut(rule, " ")
		r := exampleRule{kind: kind}
		if kind == "exit" {
			r.text, rest, _ = strings.Cut(rest, " ")
		}
		r.page, r.command, ok = strings.Cut(rest, " ")
		switch kind {
		case "replace", "before":
			r.command, r.text, ok = strings.Cut(r.command, " => ")
		case "parsed", "skip", "output":
			r.command, r.text, ok = strings.Cut(r.command, ": ")
		case "exit":
		default:
			ok = false
		}
		if !ok {
			t.Fatalf("shared.txtar: %q is no rule", line)
		}
		x.rules = append(x.rules, r)
	}
	return x
}

// rule finds what is said of a line.
func (x *examples) rule(kind, page, line string) *exampleRule {
	for i := range x.rules {
		r := &x.rules[i]
		if r.kind == kind && (r.page == "*" || r.page == page) &&
			(r.command == "*" || strings.HasPrefix(line, r.command)) {
			r.used = true
			return r
		}
	}
	return nil
}

// example is a command of a page.
type example struct {
	text   string
	want   string // its output, if the page shows it
	shows  bool
	parsed bool // it is not run
}

// of finds the examples of a page.
func (x *examples) of(page, text string) (out []example) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "```") {
			for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
			}
			continue
		}
		var block []string
		for ; i < len(lines) && (strings.HasPrefix(lines[i], "    ") || len(block) > 0 && lines[i] == "" &&
			i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ")); i++ {
			block = append(block, strings.TrimPrefix(lines[i], "    "))
		}
		if !slices.ContainsFunc(block, isExample) || x.rule("skip", page, block[0]) != nil {
			continue
		}
		// prose or output of a program that shows a command
		if p := strings.TrimPrefix(block[0], "$ "); !isExample(block[0]) && !strings.HasPrefix(p, "mkdir ") {
			continue
		}
		for k := 0; k < len(block); k++ {
			if block[k] == "" || x.rule("output", page, block[k]) != nil {
				continue
			}
			e := example{}
			e.text, e.shows = strings.CutPrefix(block[k], "$ ")
			for k+1 < len(block) && (strings.HasSuffix(block[k], "\\") || odd(e.text)) {
				k++
				e.text += "\n" + block[k]
			}
			for e.shows && k+1 < len(block) && !isExample(block[k+1]) {
				k++
				e.want += block[k] + "\n"
			}
			e.parsed = x.rule("parsed", page, e.text) != nil
			out = append(out, e)
		}
	}
	return out
}

func isExample(line string) bool {
	line = strings.TrimPrefix(line, "$ ")
	return strings.HasPrefix(line, "dig ") || strings.HasPrefix(line, "digctl ")
}

// odd reports whether a quote is open at the end of a command.
func odd(s string) bool {
	return strings.Count(s, "'")%2 == 1 || strings.Count(s, `"`)%2 == 1
}

// TestExamples runs the examples of all pages but those of TestPages.
func TestExamples(t *testing.T) {
	if !duckdb.Available {
		t.Skip("zone local needs cgo")
	}
	x := readExamples(t)
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "../../../README.md")
	dir, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	made := t.TempDir() // files that the setup makes
	one := func(name string, body func(out *txtar.Archive)) {
		out := &txtar.Archive{Files: slices.Clone(x.files)}
		out.Comment = []byte("[!exec:bash] skip\nenv DIG_ZONE=local\nenv DIG_KEY_STORAGE=file\n")
		body(out)
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), txtar.Format(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := t.TempDir() // makes the objects
	dir, pagesDir := first, dir
	one("shared", func(out *txtar.Archive) {
		for i, line := range x.setup {
			step(out, fmt.Sprintf("setup-%02d", i), line)
		}
		out.Comment = append(out.Comment, fmt.Sprintf("exec cp -R $DIG_DATA_DIR/. %s\nexec cp -R made %s\n",
			data, made)...)
	})
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Run("fixture", func(t *testing.T) { testscript.Run(t, scriptParams(t, first, inProcess, nil)) })
	dir = pagesDir
	ran, parsed := 0, 0
	for _, p := range pages {
		raw, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(p)
		all := x.of(name, string(raw))
		if len(all) == 0 {
			continue
		}
		var run []example
		for _, e := range all {
			if e.parsed {
				parsed++
				if err := parses(e.text); err != nil {
					t.Errorf("%s: %s\n%v", name, e.text, err)
				}
			} else {
				run = append(run, e)
			}
		}
		if len(run) == 0 {
			continue
		}
		ran += len(run)
		one(strings.TrimSuffix(name, ".md"), func(out *txtar.Archive) {
			out.Comment = append(out.Comment, fmt.Sprintf("exec cp -R %s/. $DIG_DATA_DIR\nexec cp -R %s/made/. .\n",
				data, made)...)
			for i, e := range run {
				x.script(out, name, i, e)
			}
		})
	}
	t.Run("pages", func(t *testing.T) { testscript.Run(t, scriptParams(t, pagesDir, inProcess, nil)) })
	for _, r := range x.rules {
		if !r.used {
			t.Errorf("shared.txtar: no example needs %s %s %s", r.kind, r.page, r.command)
		}
	}
	t.Logf("%d examples ran, %d were parsed", ran, parsed)
}

// script appends an example.
func (x *examples) script(out *txtar.Archive, page string, i int, e example) {
	for k := range x.rules {
		r := &x.rules[k]
		if r.page != "*" && r.page != page {
			continue
		}
		if r.kind == "replace" && strings.Contains(e.text, r.command) {
			e.text, r.used = strings.ReplaceAll(e.text, r.command, r.text), true
		}
		if r.kind == "before" && strings.HasPrefix(e.text, r.command) {
			r.used = true
			step(out, fmt.Sprintf("before-%02d-%d", i, k), r.text)
		}
	}
	text := e.text
	if r := x.rule("exit", page, e.text); r != nil {
		text = fmt.Sprintf("code=0; { %s\n} || code=$?; [ $code = %s ] || { echo \"exit code $code\" >&2; exit 1; }",
			text, r.text)
	}
	if !e.shows {
		text = "{ " + text + "\n} >/dev/null"
	}
	step(out, fmt.Sprintf("example-%02d", i), text)
	if e.shows {
		file := fmt.Sprintf("example-%02d.want", i)
		out.Files = append(out.Files, txtar.File{Name: file, Data: []byte(e.want)})
		out.Comment = append(out.Comment, "cmp stdout "+file+"\n"...)
	}
}

func step(out *txtar.Archive, name, text string) {
	out.Files = append(out.Files, txtar.File{Name: name + ".sh", Data: []byte("set -e -o pipefail\n" + text + "\n")})
	out.Comment = append(out.Comment, "exec bash "+name+".sh\n"...)
}

var substitution = regexp.MustCompile(`\$\([^)]*\)`)

var shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)

// parses checks the command and the flags of a line that is not run.
func parses(line string) error {
	line = substitution.ReplaceAllString(line, "x")
	line, _, _ = strings.Cut(strings.ReplaceAll(line, "\\\n", " "), " | ")
	line, _, _ = strings.Cut(line, " #")
	line, _, _ = strings.Cut(line, " <")
	var args []string
	end := 0
	for _, at := range shellWord.FindAllStringIndex(line, -1) {
		word := strings.Trim(line[at[0]:at[1]], `'"`)
		if at[0] == end && len(args) > 0 {
			args[len(args)-1] += word
		} else {
			args = append(args, word)
		}
		end = at[1]
	}
	root := cmd.Tree("dig", gateway.Zone())
	c, rest, err := root.Find(args[1:])
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if c.Args != nil {
		err = c.Args(c, c.Flags().Args())
	}
	if err == nil && !c.Runnable() {
		err = fmt.Errorf("no command")
	}
	return err
}
