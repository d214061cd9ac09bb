package cmd

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestTerminateBehindAPager: one SIGTERM ends a process whose pager does not read, and the pager with it.
func TestTerminateBehindAPager(t *testing.T) {
	needLocal(t)
	x, data := newTerminal(t), t.TempDir()
	mark := filepath.Join(t.TempDir(), "begun")
	c := process(t, data, "query", "execute", wide, "-o", "csv")
	c.Env = append(c.Env, "TERM=xterm", "DIG_PAGER=touch '"+mark+"'; exec sleep 600")
	c.Stdout, c.Stderr = x.tty, x.tty
	begin(t, c)
	for end := time.Now().Add(atMost); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(mark); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no pager was started")
		}
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exits(t, c); code != exitcode.Interrupted {
		t.Errorf("exit code %d", code)
	}
	if got := mustRun(t, data, "query", "execute", "SELECT 1 AS n", "-o", "csv"); got != "n\n1\n" {
		t.Errorf("%q", got)
	}
}
