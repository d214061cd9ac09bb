//go:build cgo

package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"golang.org/x/sys/unix"
)

// replaced waits until another process than old serves.
func replaced(t *testing.T, supervisor, old int) {
	t.Helper()
	for end := time.Now().Add(atMost); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now := children(supervisor); len(now) == 1 && now[0] != old {
			return
		}
	}
	t.Fatal("no other process took the place of the one that serves")
}

// TestReplacedWithoutReader: a process is replaced for a statement, and after a crash, also when nobody reads the log.
func TestReplacedWithoutReader(t *testing.T) {
	needLocal(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data := t.TempDir()
	s := process(t, data, "gateway", "serve", "--quiet", "--max-statement-time", "300ms", "--max-overrun", "300ms")
	s.Stderr = w
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s)
	if _, err := fmt.Fscanln(out, new(string)); err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	old := children(s.Process.Pid)[0]
	// On a slow machine a statement may reach its time limit before DuckDB begins with it: then it just ends.
	for range 20 {
		client := process(t, data, "query", "execute", unending[0].sql, "--retries", "0")
		begin(t, client)
		_ = exits(t, client)
		if now := children(s.Process.Pid); len(now) != 1 || now[0] != old {
			break
		}
	}
	replaced(t, s.Process.Pid, old)
	old = children(s.Process.Pid)[0]
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	replaced(t, s.Process.Pid, old)
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exits(t, s); code != exitcode.OK {
		t.Errorf("exit code %d", code)
	}
}

// fill writes into a pipe until it holds no more.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	// Another description of the pipe: those who have this one must go on to wait.
	own, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", w.Fd()), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	for {
		if _, err := syscall.Write(int(own.Fd()), []byte{'\n'}); err != nil {
			if !errors.Is(err, syscall.EAGAIN) {
				t.Fatal(err)
			}
			return
		}
	}
}

// TestReplacedWhenPossible: a gateway that cannot start another process for the moment, such as for too many open
// files, tries again.
func TestReplacedWhenPossible(t *testing.T) {
	needLocal(t)
	data := t.TempDir()
	s := serve(t, data)
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var before unix.Rlimit
	few := unix.Rlimit{Cur: uint64(len(open)), Max: 1024}
	if err := unix.Prlimit(s.Process.Pid, unix.RLIMIT_NOFILE, &few, &before); err != nil {
		t.Skip(err)
	}
	old := children(s.Process.Pid)[0]
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.says(t, "cannot start the serving process")
	if err := unix.Prlimit(s.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1024, Max: 1024}, nil); err != nil {
		t.Fatal(err)
	}
	replaced(t, s.Process.Pid, old)
	if got := mustRun(t, data, "query", "execute", "SELECT 1 AS n", "-o", "csv"); strings.TrimSpace(got) != "n\n1" {
		t.Errorf("%q", got)
	}
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := s.ended(t); err != nil {
		t.Error(err)
	}
}

// TestReplacedElsewhere: a data directory that was moved away is not served under its old name, whose lock nobody
// holds, and is served again when it is back.
func TestReplacedElsewhere(t *testing.T) {
	needLocal(t)
	data := filepath.Join(t.TempDir(), "data")
	s := serve(t, data)
	// A process that runs would notice the move, and the gateway would end.
	for _, old := range children(s.Process.Pid) {
		if err := syscall.Kill(old, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(data, data+".away"); err != nil {
		t.Fatal(err)
	}
	other := serve(t, data)
	for _, old := range children(s.Process.Pid) { // none if the supervisor has noticed the move
		if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	s.says(t, "its lock is not held")
	if err := other.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := other.ended(t); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.RemoveAll(data), os.Rename(data+".away", data)); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(atMost); ; time.Sleep(50 * time.Millisecond) {
		if got := mustRun(t, data, "gateway", "status", "-o", "json", "--jq",
			".answers"); strings.TrimSpace(got) == "true" {
			break
		} else if time.Now().After(end) {
			t.Fatal("the directory is not served again")
		}
	}
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := s.ended(t); err != nil {
		t.Error(err)
	}
}
