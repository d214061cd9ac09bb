package cmd

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// endless keeps the engine busy for longer than any test.
const endless = `SELECT count(*) AS n FROM (SELECT a.x * 17 + b.y - c.z AS v FROM UNNEST(sequence(1, 10000)) a(x), ` +
	`UNNEST(sequence(1, 10000)) b(y), UNNEST(sequence(1, 1000)) c(z)) t WHERE v % 3 = 1`

// atMost bounds every wait of these tests; none of them comes near it.
const atMost = time.Minute

// served is a `dig gateway serve` of its own process and the lines of its standard error.
type served struct {
	*exec.Cmd
	lines chan string
	base  string // its address
}

func serve(t *testing.T, data string, args ...string) served {
	t.Helper()
	c := process(t, data, append([]string{"gateway", "serve", "--quiet"}, args...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, c)
	line, err := bufio.NewReader(out).ReadString('\n')
	base, ok := strings.CutPrefix(strings.TrimSpace(line), "DIG_BASE_URL=")
	if err != nil || !ok {
		t.Fatalf("%q, %v", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	s := served{c, make(chan string, 100), base}
	go lines(errs, s.lines)
	return s
}

func lines(from io.Reader, to chan<- string) {
	defer close(to)
	for sc := bufio.NewScanner(from); sc.Scan(); {
		to <- sc.Text()
	}
}

// says waits for a line with a text.
func (s served) says(t *testing.T, text string) {
	t.Helper()
	var all []string
	for end := time.After(atMost); ; {
		select {
		case line, more := <-s.lines:
			if !more {
				t.Fatalf("ended without having said %q: %q", text, all)
			}
			if all = append(all, line); strings.Contains(line, text) {
				return
			}
		case <-end:
			t.Fatalf("never said %q: %q", text, all)
		}
	}
}

// ended waits until the process has closed its standard error, and reaps it.
func (s served) ended(t *testing.T) error {
	t.Helper()
	for end := time.After(atMost); ; {
		select {
		case _, more := <-s.lines:
			if !more {
				return s.Wait()
			}
		case <-end:
			t.Fatal("does not end")
		}
	}
}

// begin starts a process that dies with the test, and with the process of the test.
func begin(t *testing.T, c *exec.Cmd) {
	t.Helper()
	c.Env = append(c.Env, "DIG_TEST_LIFELINE=1")
	line, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		line.Close()
	})
}

// running waits until the materialized query m is being refreshed.
func running(t *testing.T, data string) {
	t.Helper()
	status := ""
	for end := time.Now().Add(atMost); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if status = strings.TrimSpace(mustRun(t, data, "materialized", "status", "m", "--jq",
			".status")); status == "RUNNING" {
			return
		}
		if status != "COMPLETED" { // of the run before
			t.Fatalf("the run is %s", status)
		}
	}
	t.Fatalf("no run has begun: %s", status)
}

// busy serves a data directory with a materialized query that holds rows and a run of it that has no end.
func busy(t *testing.T, grace string) (string, served) {
	t.Helper()
	needLocal(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	data := t.TempDir()
	mustRun(t, data, "query", "create", "m", "--sql", "SELECT 7 AS n", "--type", "MATERIALIZED", "--wait")
	s := serve(t, data, "--grace", grace)
	mustRun(t, data, "query", "update", "m", "--sql", endless)
	running(t, data)
	return data, s
}

// cutOff checks that the run has ended as cut off and that the rows before it are served.
func cutOff(t *testing.T, data string) {
	t.Helper()
	if got := mustRun(t, data, "materialized", "status", "m", "-o", "json", "--jq",
		`.status + ": " + .error`); !strings.Contains(got, "FAILED: the gateway stopped during this run") {
		t.Errorf("%s", got)
	}
	if got := mustRun(t, data, "query", "execute", "--name", "peaka.mtquery.m", "-o", "csv",
		"--no-header"); got != "7\n" {
		t.Errorf("%q", got)
	}
	for _, pattern := range []string{"runners/*", "gateway.sock"} {
		if left, _ := filepath.Glob(filepath.Join(data, pattern)); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// TestTerminateCancelsRunsAfterTheGrace: the process ends by itself, and the run with it.
// timeout(1) sends its signal twice.
func TestTerminateCancelsRunsAfterTheGrace(t *testing.T) {
	data, s := busy(t, "300ms")
	for range 2 {
		if err := s.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond) // so that they are two
	}
	s.says(t, "the grace period is over")
	s.says(t, "stopped")
	if err := s.ended(t); err != nil {
		t.Error(err)
	}
	cutOff(t, data)
}

// TestSecondSignalEndsAtOnce: within the grace a second signal kills; what was running is seen to be cut off
// afterwards.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	data, s := busy(t, "1h")
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.says(t, "a second signal stops immediately")
	time.Sleep(2 * sameSignal)
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = s.ended(t)
	if code := s.ProcessState.ExitCode(); code != exitcode.Interrupted {
		t.Errorf("exit code %d", code)
	}
	os.Remove(filepath.Join(data, "gateway.sock")) // nobody was left to remove it
	cutOff(t, data)
}

// TestInterruptedCommandCancelsItsRuns: a gateway inside the process of one command does not outlive its interrupt.
func TestInterruptedCommandCancelsItsRuns(t *testing.T) {
	needLocal(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	data := t.TempDir()
	mustRun(t, data, "query", "create", "m", "--sql", "SELECT 7 AS n", "--type", "MATERIALIZED", "--wait")
	c := process(t, data, "query", "update", "m", "--sql", endless)
	var said strings.Builder
	c.Stderr = &said
	begin(t, c)
	running(t, data)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(atMost, func() { _ = c.Process.Kill() })
	defer late.Stop()
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitcode.Interrupted {
		t.Errorf("exit code %d: %s", code, said.String())
	}
	cutOff(t, data)
}

// TestReload: on SIGHUP the process that serves reads the key file again: a new key counts, and a file that holds none
// leaves the key as it is. The next process has the key that is in the file then.
func TestReload(t *testing.T) {
	needLocal(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "key")
	heard := make(chan os.Signal, 1) // as in TestHangUp
	signal.Notify(heard, syscall.SIGHUP)
	s := serve(t, data, "--key-file", file)
	signal.Stop(heard)
	status := func(key string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+"/organizations", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	var first []byte
	for end := time.Now().Add(atMost); len(first) == 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		first, _ = os.ReadFile(file)
	}
	old, renewed := strings.TrimSpace(string(first)), strings.Repeat("renewed.", 5)
	if got := status(old); got != http.StatusOK {
		t.Fatalf("with the key of the file: %d", got)
	}
	for _, c := range []struct {
		text           string
		oldKey, newKey int
		says           string
	}{
		{"no key", 200, 401, "the key file cannot be read again"},
		{renewed + "\n", 401, 200, ""},
		{"", 401, 200, "the key file is gone or empty"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if c.says != "" {
			s.says(t, c.says)
		}
		for end := time.Now().Add(atMost); status(renewed) != c.newKey && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		if o, n := status(old), status(renewed); o != c.oldKey || n != c.newKey {
			t.Errorf("%q: the former key %d, the new one %d", c.text, o, n)
		}
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.ended(t); err != nil {
		t.Error(err)
	}
}

// TestHangUp: a gateway outlives the end of its terminal, and says so once; other commands end.
func TestHangUp(t *testing.T) {
	needLocal(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	data := t.TempDir()
	// a process that is started inherits no handler, and no signal that nohup had ignored
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	s := serve(t, data)
	signal.Stop(heard)
	if err := s.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.says(t, "SIGHUP does not end the gateway")
	if got := mustRun(t, data, "gateway", "status", "-o", "json", "--jq",
		".answers"); strings.TrimSpace(got) != "true" {
		t.Errorf("%q", got)
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.says(t, "stopped")
	if err := s.ended(t); err != nil {
		t.Error(err)
	}

	signal.Ignore(syscall.SIGHUP) // a process that is started inherits it
	s = serve(t, data)
	signal.Reset(syscall.SIGHUP)
	if err := s.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, data, "gateway", "status", "-o", "json", "--jq",
		".answers"); strings.TrimSpace(got) != "true" {
		t.Errorf("%q", got)
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.ended(t); err != nil {
		t.Error(err)
	}
}
