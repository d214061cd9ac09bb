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

// TestServeEndsBeforeAStalledReader: a result that nobody reads does not keep `gateway serve`, which is to stop, for
// its grace period.
func TestServeEndsBeforeAStalledReader(t *testing.T) {
	needLocal(t)
	data := t.TempDir()
	serve := process(t, data, "gateway", "serve", "--listen", "127.0.0.1:0", "--grace", "1h", "--quiet")
	begin(t, serve)
	for end := time.Now().Add(atMost); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(data, "gateway.sock")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the gateway does not begin")
		}
	}
	c := process(t, data, "query", "execute", wide, "-o", "csv")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, c)
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exits(t, serve); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
