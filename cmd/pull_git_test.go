package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPullRunsNothingOfARepository: a cloned or unpacked repository cannot have pull run its commands, whatever its
// configuration says.
func TestPullRunsNothingOfARepository(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	f := newFront(t, "local")
	f.ok("query", "create", "q", "--sql", "SELECT 1 AS x")
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >>'"+mark+"'\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{
		"filter": "[filter \"x\"]\n\tclean = " + script + " clean\n\tsmudge = " + script +
			" smudge\n\trequired = true\n",
		"filter process":  "[filter \"x\"]\n\tprocess = " + script + " process\n\trequired = true\n",
		"fsmonitor":       "[core]\n\tfsmonitor = " + script + "\n",
		"external diff":   "[diff]\n\texternal = " + script + "\n",
		"text conversion": "[diff \"x\"]\n\ttextconv = " + script + "\n\tcommand = " + script + "\n",
		"hooks":           "[core]\n\thooksPath = hooks-of-it\n\tsplitIndex = true\n",
		"alias": "[alias]\n\tls-files = !" + script + "\n\tdiff-index = !" + script + "\n\tdiff = !" +
			script + "\n",
		"pager": "[core]\n\tpager = " + script + "\n[pager]\n\tls-files = " + script + "\n",
		"promisor": "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = o\n[remote \"o\"]\n\turl " +
			"= ssh://h/x\n\tpromisor = true\n\tpartialCloneFilter = blob:none\n\tuploadpack = " +
			script + "\n[core]\n\tsshCommand = " + script + "\n",
		"credential":       "[credential]\n\thelper = !" + script + "\n",
		"included":         "[include]\n\tpath = included\n",
		"gpg":              "[gpg]\n\tprogram = " + script + "\n[log]\n\tshowSignature = true\n",
		"alternate prefix": "[core]\n\talternateRefsCommand = " + script + "\n",
	}
	lost := map[string]bool{"promisor": true} // its objects are not there
	check := func(name, dir string) {
		t.Helper()
		code, out, errs := f.dig("pull", dir)
		if raw, err := os.ReadFile(mark); err == nil {
			t.Errorf("%s: pull ran %s", name, raw)
			_ = os.Remove(mark)
		}
		want := 0
		if lost[name] {
			want = 6
		}
		if code != want {
			t.Errorf("%s: exit %d: %s%s", name, code, out, errs)
		}
	}
	for name, config := range settings {
		dir := "p-" + strings.ReplaceAll(name, " ", "-")
		f.ok("pull", dir)
		full := filepath.Join(f.home, dir)
		run := gitIn(t, git, full)
		run("init", "-q")
		f.file(dir+"/.gitattributes", "* filter=x diff=x\n")
		run("add", ".")
		run("commit", "-q", "-m", "all")
		f.file(dir+"/queries/other.sql", "SELECT 2 AS x\n") // pull removes it
		run("add", ".")
		run("commit", "-q", "-m", "more")
		f.file(dir+"/.git/config", "[core]\n\tbare = false\n"+config)
		f.file(dir+"/.git/included", settings["filter"])
		for _, hook := range []string{"post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"} {
			for _, at := range []string{".git/hooks/", "hooks-of-it/"} {
				f.file(dir+"/"+at+hook, "#!/bin/sh\n"+script+" hook\n")
				if err := os.Chmod(filepath.Join(full, at, hook), 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
		if name == "promisor" { // an object that git would fetch
			if err := os.RemoveAll(filepath.Join(full, ".git", "objects")); err != nil {
				t.Fatal(err)
			}
			f.file(dir+"/.git/objects/info/none", "")
		}
		check(name, dir)
	}

	// A bare repository among the files, whose directory is the one that is pulled into.
	f.ok("pull", "outer")
	bare := filepath.Join(f.home, "bare")
	run := gitIn(t, git, f.home)
	run("init", "-q", "--bare", bare)
	f.file("bare/config", "[core]\n\tbare = false\n\tworktree = "+bare+"\n"+settings["filter"]+settings["fsmonitor"])
	f.file("bare/info/attributes", "* filter=x\n")
	lost["bare"] = true
	f.ok("pull", "bare")
	f.file("bare/queries/other.sql", "SELECT 2 AS x\n")
	check("bare", "bare")
}

// TestPullInRepositories: files that are committed are overwritten in a repository of any form.
func TestPullInRepositories(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	f := newFront(t, "local")
	f.ok("query", "create", "q", "--sql", "SELECT 1 AS x")
	for name, prepare := range map[string]func(dir string, run func(...string)){
		"packed":   func(_ string, run func(...string)) { run("gc", "-q"); run("pack-refs", "--all") },
		"detached": func(_ string, run func(...string)) { run("checkout", "-q", "--detach") },
		"sha256":   nil,
		"crlf":     nil,
		"tree":     nil,
	} {
		dir := "r-" + name
		f.ok("pull", dir+"/project")
		full := filepath.Join(f.home, dir)
		run := gitIn(t, git, full)
		first := []string{"init", "-q"}
		if name == "sha256" {
			first = append(first, "--object-format=sha256")
		}
		run(first...)
		f.file(dir+"/project/queries/other.sql", "SELECT 2 AS x\n")
		if name == "crlf" {
			run("config", "core.autocrlf", "true")
			f.file(dir+"/project/queries/other.sql", "SELECT 2 AS x\r\n")
		}
		run("add", ".")
		run("commit", "-q", "-m", "all")
		if prepare != nil {
			prepare(full, run)
		}
		at := dir + "/project"
		if name == "tree" {
			run("worktree", "add", "-q", filepath.Join(f.home, "tree-of-it"))
			at = "tree-of-it/project"
		}
		f.ok("pull", at)
		if _, err := os.Stat(filepath.Join(f.home, at, "queries", "other.sql")); err == nil {
			t.Errorf("%s: the file is still there", name)
		}
	}
}
