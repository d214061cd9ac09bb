package cmd

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
)

// TestUnattended runs commands on a terminal with the variables that CI systems and agents set: nothing is asked, and
// there is no pager and no line of progress. Where a person is, and where a variable says no, there are.
func TestUnattended(t *testing.T) {
	home := t.TempDir()
	paged := filepath.Join(home, "paged")
	run := func(vars map[string]string, keys string, args ...string) (screen string, code int) {
		t.Helper()
		x := newTerminal(t)
		all := shellDirs(home)
		all["TERM"], all["PATH"], all["DIG_PAGER"] = "xterm", os.Getenv("PATH"), "cat >"+paged
		maps.Copy(all, vars)
		e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: x.tty, Out: x.tty, Err: x.tty, Dir: home,
			Now:    time.Now,
			Getenv: environ(t, all),
			InTerm: true, OutTerm: true, ErrTerm: true, Width: 80, Height: 24, Trap: new(atomic.Pointer[func()])}
		x.types(keys)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		code = Run(ctx, e)
		x.shown()
		return x.screen(), code
	}
	if _, code := run(nil, "", "table", "create", "people"); code != 0 {
		t.Fatalf("table create: exit code %d", code)
	}
	rows := []string{"sql", "SELECT n FROM UNNEST(sequence(1, 30)) AS t(n)"}
	for _, tt := range []struct {
		vars   map[string]string
		person bool
	}{
		{nil, true},
		{map[string]string{"CI": "false", "AI_AGENT": "0"}, true},
		{map[string]string{"CI": "true"}, false},
		{map[string]string{"GITHUB_ACTIONS": "true"}, false},
		{map[string]string{"TF_BUILD": "True"}, false},
		{map[string]string{"JENKINS_URL": "http://ci.example.com/"}, false},
		{map[string]string{"CLAUDECODE": "1"}, false},
		{map[string]string{"GEMINI_CLI": "1"}, false},
	} {
		_ = os.Remove(paged)
		screen, code := run(tt.vars, "", rows...)
		_, err := os.Stat(paged)
		if code != 0 || (err == nil) != tt.person || strings.Contains(screen, "30") == tt.person {
			t.Errorf("%v: exit code %d, pager: %v, screen\n%s", tt.vars, code, err, screen)
		}
		screen, code = run(tt.vars, "n\n", "table", "delete", "people")
		if asked := strings.Contains(screen, "[y/N]"); asked != tt.person || code != 9 && !tt.person ||
			!strings.Contains(screen, "is set, so nothing is asked") != tt.person {
			t.Errorf("%v: delete: exit code %d, screen\n%s", tt.vars, code, screen)
		}
		if tt.person {
			continue
		}
		if screen, code = run(tt.vars, "", "sql"); code != 2 || !strings.Contains(plainText(screen),
			"no input is expected") {
			t.Errorf("%v: sql: exit code %d, screen\n%s", tt.vars, code, screen)
		}
	}
}

// shown waits until what was written to the terminal has arrived.
func (x *terminal) shown() {
	for was := -1; was != len(x.screen()); time.Sleep(20 * time.Millisecond) {
		was = len(x.screen())
	}
}
