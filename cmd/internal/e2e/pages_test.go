package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"
)

// pageScript makes a script of a page: each fenced block whose info string has a second word is a file of that name,
// and each line of a console block that begins with "$ " is a command, with the lines below it that are indented, and
// must print the other lines below it. What comes before the page, and the words to replace ("# replace OLD => NEW",
// where NEW may hold variables of the environment), stand in the preamble.
func pageScript(page, preamble string) (string, error) {
	pre := txtar.Parse([]byte(preamble))
	var words []string
	for _, line := range strings.Split(string(pre.Comment), "\n") {
		if old, now, ok := strings.Cut(strings.TrimPrefix(line, "# replace "), " => "); ok && strings.HasPrefix(line,
			"# replace ") {
			words = append(words, old, now)
		}
	}
	place := strings.NewReplacer(words...)
	out := &txtar.Archive{Comment: append(slices.Clone(pre.Comment), '\n'), Files: slices.Clone(pre.Files)}
	step := func(text string) string {
		name := fmt.Sprintf("page-%02d.sh", len(out.Files))
		out.Files = append(out.Files, txtar.File{Name: name, Data: []byte("[ ! -f vars.sh ] || . ./vars.sh\n" + text)})
		return name
	}
	lines := strings.Split(page, "\n")
	commands := 0
	for i := 0; i < len(lines); i++ {
		info, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		var block []string
		for i++; i < len(lines) && lines[i] != "```"; i++ {
			block = append(block, lines[i])
		}
		if i == len(lines) {
			return "", fmt.Errorf("a block %q is not closed", info)
		}
		kind, name, _ := strings.Cut(info, " ")
		if kind != "console" {
			if name != "" {
				text := strings.Join(block, "\n")
				if kind == "yaml" && (name == "github.yml" || name == "gitlab.yml") {
					job, err := jobScript(name, text)
					if err != nil {
						return "", err
					}
					commands++
					out.Comment = append(out.Comment, "exec bash "+step(job)+"\n"...)
					continue
				}
				if place.Replace(text) == text { // the preamble may use it
					out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(text + "\n")})
					continue
				}
				text = place.Replace(text)
				out.Comment = append(out.Comment, "exec bash "+step("cat > "+name+" <<END\n"+text+"\nEND\n")+"\n"...)
			}
			continue
		}
		for k := 0; k < len(block); {
			command, ok := strings.CutPrefix(block[k], "$ ")
			if !ok {
				return "", fmt.Errorf("%q is no command", block[k])
			}
			for k++; k < len(block) && strings.HasPrefix(block[k], "    "); k++ {
				command += "\n" + block[k]
			}
			want := ""
			for ; k < len(block) && !strings.HasPrefix(block[k], "$ "); k++ {
				want += block[k] + "\n"
			}
			commands++
			call := "exec bash " + step(place.Replace(command)+"\n") + "\n"
			if failure, ok := strings.CutPrefix(want, "dig: "); ok { // the command fails, and says why
				file := fmt.Sprintf("page-%02d.err", len(out.Files))
				out.Files = append(out.Files, txtar.File{Name: file, Data: []byte("dig: " + failure)})
				out.Comment = append(out.Comment, "! "+call+"cmp stderr "+file+"\n"...)
				continue
			}
			file := fmt.Sprintf("page-%02d.out", len(out.Files))
			out.Files = append(out.Files, txtar.File{Name: file, Data: []byte(want)})
			out.Comment = append(out.Comment, call+"cmp stdout "+file+"\n"...)
		}
	}
	if commands == 0 {
		return "", fmt.Errorf("the page has no example")
	}
	return string(txtar.Format(out)), nil
}

// jobScript is what the only job of a workflow does, but for its installation: the steps named Install and
// before_script.
func jobScript(name, text string) (string, error) {
	type step struct{ Name, Run string }
	type job struct {
		Env, Variables map[string]string
		Steps          []step
		Script         []string
	}
	jobs := map[string]job{}
	if name == "github.yml" {
		var flow struct{ Jobs map[string]job }
		if err := yaml.Unmarshal([]byte(text), &flow); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		jobs = flow.Jobs
	} else if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if len(jobs) != 1 {
		return "", fmt.Errorf("%s has %d jobs", name, len(jobs))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "set -eu\nmkdir %[1]s.d\ncp sales.csv daily.sql expected.csv %[1]s.d\ncd %[1]s.d\nexport "+
		"CI_PROJECT_DIR=$PWD\n", name)
	for _, j := range jobs {
		for _, env := range []map[string]string{j.Env, j.Variables} {
			for _, k := range slices.Sorted(maps.Keys(env)) {
				fmt.Fprintf(&b, "export %s=\"%s\"\n", k, strings.ReplaceAll(env[k], "${{ github.workspace }}", "$PWD"))
			}
		}
		n := len(j.Script)
		for _, s := range j.Steps {
			if s.Run != "" && !strings.HasPrefix(s.Name, "Install") {
				j.Script = append(j.Script, s.Run)
			}
		}
		if len(j.Script) < 2 || n > 0 && n != len(j.Script) {
			return "", fmt.Errorf("%s runs too little: %q", name, j.Script)
		}
		b.WriteString(strings.Join(j.Script, "\n") + "\n[ -s result.csv ]\n")
	}
	return b.String(), nil
}

// TestPages runs the examples of the pages about connectors, CI jobs and projects in git as they stand there.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../../../docs/connectors/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages found: %v", err)
	}
	pages = append(pages, "../../../docs/ci.md", "../../../docs/projects-in-git.md")
	dir := t.TempDir()
	for _, p := range pages {
		name := strings.TrimSuffix(filepath.Base(p), ".md")
		page, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		preamble, err := os.ReadFile("../../../testdata/pages/" + name + ".txtar")
		if err != nil {
			t.Errorf("page %s has no preamble: %v", name, err)
			continue
		}
		script, err := pageScript(string(page), string(preamble))
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, scriptParams(t, dir, inProcess, nil))
}
