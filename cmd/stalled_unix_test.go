//go:build unix

package cmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/gofrs/flock"
)

// wide is a result of some hundred megabytes, more than any pipe or socket holds.
const wide = `SELECT a.x, b.y, 'some text to make the row wider' AS t FROM UNNEST(sequence(1, 3000)) a(x), ` +
	`UNNEST(sequence(1, 3000)) b(y)`

// stalled starts a query whose output nobody reads any more after its first bytes.
func stalled(t *testing.T, c *exec.Cmd) {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, c)
	if _, err := io.ReadFull(out, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
}

// exits waits for the end of a process, which must come.
func exits(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	late := time.AfterFunc(atMost, func() { _ = c.Process.Kill() })
	defer late.Stop()
	_ = c.Wait()
	return c.ProcessState.ExitCode()
}

// TestOneSignalEndsAProcessThatNobodyReads: a full pipe does not keep a process, and with it a project.
func TestOneSignalEndsAProcessThatNobodyReads(t *testing.T) {
	t.Parallel()
	needLocal(t)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		for _, joined := range []bool{false, true} { // whether stderr goes into the same pipe
			for _, format := range []string{"csv", "json", "table"} {
				t.Run(fmt.Sprintf("%v, joined %v, %s", sig, joined, format), func(t *testing.T) {
					data := t.TempDir()
					c := process(t, data, "query", "execute", wide, "-o", format)
					if format == "table" {
						c.Args = append(c.Args, "--all")
					}
					if joined {
						out, in, err := os.Pipe()
						if err != nil {
							t.Fatal(err)
						}
						defer out.Close()
						c.Stdout, c.Stderr = in, in
						begin(t, c)
						in.Close()
						if _, err := io.ReadFull(out, make([]byte, 1000)); err != nil {
							t.Fatal(err)
						}
					} else {
						stalled(t, c)
					}
					time.Sleep(200 * time.Millisecond) // until the pipe is full
					if err := c.Process.Signal(sig); err != nil {
						t.Fatal(err)
					}
					if code := exits(t, c); code != exitcode.Interrupted {
						t.Errorf("exit code %d", code)
					}
					if got := mustRun(t, data, "query", "execute", "SELECT 1 AS n", "-o", "csv"); got != "n\n1\n" {
						t.Errorf("the project is still held: %q", got)
					}
				})
			}
		}
	}
}

// TestHeldProject: a window that nobody reads holds up nobody. Who changes a project that another process is changing
// waits for it, and is told for whom.
func TestHeldProject(t *testing.T) {
	t.Parallel()
	needLocal(t)
	data := t.TempDir()
	mustRun(t, data, "table", "create", "numbers", "--column", "n:bigint")
	stalled(t, process(t, data, "query", "execute", wide, "-o", "csv"))
	if got := mustRun(t, data, "query", "execute", "SELECT 1 AS n", "-o", "csv"); got != "n\n1\n" {
		t.Errorf("%q", got)
	}
	mustRun(t, data, "table", "create", "other")

	locks, err := filepath.Glob(filepath.Join(data, "projects", "*", "lock"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	l := flock.New(locks[0])
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(locks[0]), "holder"), []byte("pid 7 (tester)"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, data, "query", "execute", "SELECT count(*) AS n FROM peaka.\"table\".numbers", "-o",
		"csv"); got != "n\n0\n" {
		t.Errorf("%q", got)
	}
	c := process(t, data, "table", "create", "third")
	errs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, c)
	said := bufio.NewReader(errs)
	if line, err := said.ReadString('\n'); err != nil ||
		line != "waiting for process pid 7 (tester), which uses the data of this project\n" {
		t.Errorf("%q %v", line, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(said); err != nil || exits(t, c) != 0 || strings.Contains(string(rest), "waiting") {
		t.Errorf("%s %v", rest, err)
	}
}

// TestStalledReaderOfAServedGateway: a client that stops reading its result keeps nobody from anything: not from tables
// and other statements, not from deleting the project, and after --max-stall its statement is ended.
func TestStalledReaderOfAServedGateway(t *testing.T) {
	t.Parallel()
	needLocal(t)
	data := t.TempDir()
	mustRun(t, data, "table", "create", "numbers", "--column", "n:bigint")
	mustRun(t, data, "project", "create", "second")
	s := process(t, data, "gateway", "serve", "--quiet", "--print-key", "--max-stall", "3s")
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s)
	var base, key string
	if _, err := fmt.Fscanf(out, "DIG_BASE_URL=%s\nDIG_API_KEY=%s\n", &base, &key); err != nil {
		t.Fatal(err)
	}
	g := served{s, make(chan string, 100), ""}
	go lines(errs, g.lines)
	// Without compression: a compressed result fits into the buffers of a socket for a long time.
	raw := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	stop := func(project string) *http.Response {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		req, err := http.NewRequestWithContext(ctx, "POST", base+"/data/projects/"+project+"/queries/execute",
			strings.NewReader(`{"statement":"`+wide+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		res, err := raw.Do(req)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%v, %v", res, err)
		}
		if _, err := io.ReadFull(res.Body, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		return res
	}
	second := strings.TrimSpace(mustRun(t, data, "project", "list", "--jq", `.[] | select(.name == "second") | .id`,
		"-o", "json"))
	second = strings.Trim(second, `"`)
	res := stop(second)
	mustRun(t, data, "project", "delete", second, "--yes")
	if n, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Errorf("the result of a project that was deleted came to its end after %d bytes", n)
	}
	stop("localdev")
	mustRun(t, data, "table", "column", "add", "numbers", "m", "--type", "varchar")
	mustRun(t, data, "table", "delete", "numbers", "--yes")
	if got := mustRun(t, data, "query", "execute", "SELECT 1 AS n", "-o", "csv"); got != "n\n1\n" {
		t.Errorf("%q", got)
	}
	g.says(t, "read nothing of the reply for 3s")
}

// TestStatusOfAStoppedGateway: a gateway that was stopped has the data directory and answers nobody.
func TestStatusOfAStoppedGateway(t *testing.T) {
	t.Parallel()
	needLocal(t)
	data := t.TempDir()
	mustRun(t, data, "query", "execute", "SELECT 1 AS n")
	s := process(t, data, "gateway", "serve", "--quiet")
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell does, whose Ctrl-Z stops the whole group
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s)
	if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, data, "gateway", "status", "-o", "json", "--jq",
		"[.serving, .answers]"); strings.Join(strings.Fields(got), "") != "[true,true]" {
		t.Errorf("%s", got)
	}
	if err := syscall.Kill(-s.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, data, "gateway", "status", "-o", "json", "--jq",
		"[.serving, .answers]"); strings.Join(strings.Fields(got), "") != "[true,false]" {
		t.Errorf("stopped: %s", got)
	}
	_ = syscall.Kill(-s.Process.Pid, syscall.SIGCONT)
}
