package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// completionSteps are what is typed, and the arguments that the shell then has.
var completionSteps = []struct{ typed, args string }{
	{"dig cache li\t\r", "<cache><list>"},
	{"dig --zone=lo\t version\r", "<--zone=local><version>"},
	{"dig cache list -o nd\t\r", "<cache><list><-o><ndjson>"},
	{"dig cache list -o=nd\t\r", "<cache><list><-o=ndjson>"},
	{"dig metadata lineage sam\tsh\tcu\t\r", "<metadata><lineage><sample.shop.customers>"},
	{"dig table delete peo\t\r", "<table><delete><people>"},
	{"dig table import people som\t\r", "<table><import><people><some.csv>"},
	{"dig query last --no-such-fl\t\r", "<query><last><--no-such-fl>"},
}

// TestShellCompletion types into real shells that have read nothing but the script: no package bash-completion, no
// start-up files.
func TestShellCompletion(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	// The function stands for the program where no completion is asked for, and shows its arguments.
	const posix = `dig() { if [ "$1" = __complete ]; then command dig "$@"; else printf '<%s>' "$@"; echo " ` +
		`done"; fi; }` + "\r"
	for _, sh := range []struct {
		name   string
		args   []string
		before string
	}{
		{"bash", []string{"--norc", "--noprofile", "-i"}, "PS1='ready> '; bind 'set bell-style none'; " + posix +
			"source <(command dig completion bash)\r"},
		{"zsh", []string{"-f", "-i"}, "PS1='ready> '; unsetopt beep; source <(command dig completion zsh)\r" + posix},
		{"fish", []string{"--no-config", "-i"},
			"command dig completion fish | source; function fish_prompt; echo -n 'ready> '; end; " +
				`function dig; if test "$argv[1]" = __complete; command dig $argv; else; printf '<%s>' $argv; echo " ` +
				`done"; end; end` + "\r"},
	} {
		t.Run(sh.name, func(t *testing.T) {
			path, err := exec.LookPath(sh.name)
			if err != nil {
				t.Skipf("%s is not installed", sh.name)
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			dir, bin := t.TempDir(), t.TempDir()
			if err := os.Symlink(self, filepath.Join(bin, "dig")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "some.csv"), []byte("a\n1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir, "XDG_CONFIG_HOME="+dir,
				"XDG_CACHE_HOME="+dir, "XDG_DATA_HOME="+dir, "DIG_DATA_DIR="+filepath.Join(dir, "data"),
				"DIG_ZONE=local", "DIG_COMPLETION_TIMEOUT=60s", "TERM=xterm", "LC_ALL=C.UTF-8",
				"BASH_SILENCE_DEPRECATION_WARNING=1")
			make1 := exec.Command(filepath.Join(bin, "dig"), "table", "create", "people")
			if make1.Env, make1.Dir = env, dir; make1.Run() != nil {
				t.Fatal("no table")
			}
			x := newTerminal(t)
			c := exec.Command(path, sh.args...)
			c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr = env, dir, x.tty, x.tty, x.tty
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			at := 0
			x.types(sh.before)
			if sh.name != "fish" {
				x.types("dig begin\r")
				at = x.shows(at, "<begin> done")
			}
			for _, step := range completionSteps {
				x.types(step.typed)
				at = x.shows(at, step.args+" done")
			}
			x.types("exit\r")
			if err := c.Wait(); err != nil {
				t.Logf("%s: %v", sh.name, err)
			}
			if text := x.screen(); strings.Contains(text, "command not found") {
				t.Errorf("a function is missing:\n%s", text)
			}
		})
	}
}
