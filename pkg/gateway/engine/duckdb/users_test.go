//go:build cgo && linux

package duckdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

const readingDir = "DIG_TEST_READING_WINDOW"

// TestReadingWindow is a process that reads the project until its input ends.
func TestReadingWindow(t *testing.T) {
	dir := os.Getenv(readingDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	rest := reading(t, window(t, dir), `SELECT a.n, b.n FROM peaka."table"."x" a, UNNEST(sequence(1, 100)) b(n)`)
	fmt.Println("reads")
	_, _ = io.ReadAll(os.Stdin)
	_, _ = rest()
}

// TestStoppedReader: where no copy can be made, who waits for readers is told which, gives up when they are stopped,
// and others can list them.
func TestStoppedReader(t *testing.T) {
	dir := t.TempDir()
	first := window(t, dir)
	create(t, first, "x")
	add(t, first, "x", 30_000)
	first.waitClosed(t)
	child := exec.Command(os.Args[0], "-test.run=^TestReadingWindow$")
	child.Env = append(os.Environ(), readingDir+"="+dir)
	in, err1 := child.StdinPipe()
	out, err2 := child.StdoutPipe()
	if err := errors.Join(err1, err2, child.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = child.Process.Kill(); _ = child.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "reads\n" {
		t.Fatal(line, err)
	}
	home := filepath.Join(dir, "prjA")
	users := func(stopped bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			all, err := sharing.Users(home)
			if err == nil && len(all) == 1 && all[0].PID == child.Process.Pid && all[0].Stopped == stopped &&
				!all[0].Changes {
				return
			}
			if err != nil || time.Now().After(end) {
				t.Fatalf("%+v %v", all, err)
			}
		}
	}
	users(false)
	if err := child.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	users(true)
	// A log is what makes a copy impossible here, as a full disk would.
	if err := os.WriteFile(filepath.Join(home, sharing.DataFile+".wal"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 9)
	waiter := testProject(t, testEngine(t, dir, func(o *engine.Options) {
		o.Shared, o.LockWait, o.Waiting = true, 1500*time.Millisecond, func(h string) { told <- h }
	}), "prjA")
	_, err := waiter.files.Writer(context.Background())
	pid := fmt.Sprint(child.Process.Pid)
	if e := (*engine.Error)(nil); !errors.As(err, &e) || e.Kind != engine.KindLocked || !strings.Contains(e.Message,
		"process pid "+pid) || !strings.Contains(e.Message, "`kill -CONT "+pid+"`") {
		t.Errorf("%v", err)
	}
	if got := <-told; !strings.Contains(got, "process pid "+pid) || !strings.Contains(got, "stopped") {
		t.Errorf("%q", got)
	}
}
