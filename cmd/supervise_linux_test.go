//go:build cgo

package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// unending are statements that neither the engine's interrupt nor its limit of memory ends in time.
var unending = []struct{ name, sql string }{
	{"long needle", "SELECT strpos(rpad('a', 1000000, 'a'), rpad('a', 500000, 'a') || 'b')"},
	{"text of rows",
		`SELECT sum(length(upper(reverse(s || CAST(i AS varchar))))) FROM (SELECT rpad('x', 1000000, 'x') AS s),
		UNNEST(sequence(1, 10000)) t(i), UNNEST(sequence(1, 2)) u(j)`},
	{"another needle", "SELECT replace(rpad('c', 1000000, 'c'), rpad('c', 500000, 'c') || 'd', '')"},
}

// children are the processes that a process has started.
func children(pid int) []int {
	var all []int
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		raw, _ := os.ReadFile(path)
		for _, f := range strings.Fields(string(raw)) {
			if n, err := strconv.Atoi(f); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// resident is the memory of processes in MiB.
func resident(pids ...int) (sum int64) {
	for _, pid := range pids {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if f := strings.Fields(string(raw)); len(f) > 1 {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			sum += n * int64(os.Getpagesize()) >> 20
		}
	}
	return sum
}

// TestSupervised: statements that cannot be ended are, with the process that runs them. Other projects are answered
// again, no row that was acknowledged is lost, the memory of all processes together stays bounded, and the same
// statement is refused with the reason.
func TestSupervised(t *testing.T) {
	needLocal(t)
	const engineMiB, projects = 128, 2
	data := t.TempDir()
	mustRun(t, data, "project", "create", "other")
	mustRun(t, data, "table", "create", "kept", "--column", "n:bigint")
	s := process(t, data, "gateway", "serve", "--quiet", "--print-key", "--max-statement-time", "500ms",
		"--max-overrun", "500ms", "--memory", fmt.Sprint(engineMiB, "MiB"))
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
	g := served{s, make(chan string, 1000), ""}
	go lines(errs, g.lines)
	cl, err := api.New(api.Options{BaseURL: base, Key: key, Timeout: 30 * time.Second,
		Transport: &http.Transport{DisableCompression: true}})
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Trim(strings.TrimSpace(mustRun(t, data, "project", "list", "--jq",
		`.[] | select(.name == "other") | .id`, "-o", "json")), `"`)

	stop := make(chan struct{})
	var beside sync.WaitGroup
	var peak int64
	acked := 0
	beside.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			peak = max(peak, resident(append(children(s.Process.Pid), s.Process.Pid)...))
		}
	})
	beside.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			_, err := cl.Tables.Import(context.Background(), "localdev", "kept", api.ImportRequest{ContainsHeader: true,
				Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"}}}, "n.csv",
				bytes.NewBufferString(fmt.Sprintf("n\n%d\n", n)))
			if err == nil {
				acked++
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	for _, u := range unending {
		before := children(s.Process.Pid)
		err := drain(cl, other, u.sql)
		var limit *api.Error // on a slow machine it may be reached before the part that cannot be ended
		for again := 0; again < 20 && errors.As(err, &limit) && limit.Kind == api.KindTimeout; again++ {
			err = drain(cl, other, u.sql)
		}
		if err == nil {
			t.Errorf("%s came to its end", u.name)
		} else {
			t.Logf("%s: %v", u.name, err)
		}
		g.says(t, "replaced")
		answered := false
		for end := time.Now().Add(atMost); !answered && time.Now().Before(end); {
			if answered = drain(cl, "localdev", "SELECT 1") == nil; !answered {
				time.Sleep(20 * time.Millisecond)
			}
		}
		after := children(s.Process.Pid)
		if !answered || len(before) != 1 || len(after) != 1 || before[0] == after[0] {
			t.Errorf("%s: other projects are answered: %v; processes before %v, after %v", u.name,
				answered, before, after)
		}
		if err := drain(cl, other, u.sql); err == nil || !strings.Contains(err.Error(),
			"together with the process that ran it, because") {
			t.Errorf("%s again: %v", u.name, err)
		}
	}
	if err := drain(cl, other, "SELECT 2"); err == nil || !strings.Contains(err.Error(),
		"a statement of this project") {
		t.Errorf("a project with %d such statements: %v", len(unending), err)
	}
	close(stop)
	beside.Wait()
	if n := count(t, data, "kept"); acked == 0 || n < acked {
		t.Errorf("%d of %d acknowledged rows are there", n, acked)
	}
	// The process may have a hard limit and what is added between two looks; the one that was killed and its successor
	// do not overlap.
	if bound := int64(projects*engineMiB + 1024 + 512 + 512); peak > bound {
		t.Errorf("all processes had %d MiB, more than %d", peak, bound)
	}
	t.Logf("%d rows acknowledged, at most %d MiB", acked, peak)
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := g.ended(t); err != nil {
		t.Error(err)
	}
}

// TestReplacedProcess: a process that serves and dies is replaced under the same address and key; one whose supervisor
// is killed dies with it, and makes room for the next gateway.
func TestReplacedProcess(t *testing.T) {
	needLocal(t)
	data := t.TempDir()
	key := filepath.Join(t.TempDir(), "key")
	s := serve(t, data, "--key-file", key)
	before, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	old := children(s.Process.Pid)
	if len(old) != 1 {
		t.Fatalf("processes: %v", old)
	}
	if err := syscall.Kill(old[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.says(t, "replaced")
	if got := mustRun(t, data, "gateway", "status", "-o", "json", "--jq",
		".answers"); strings.TrimSpace(got) != "true" {
		t.Errorf("%q", got)
	}
	if after, err := os.ReadFile(key); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the key was written again: %v", err)
	}
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.ended(t)
	next := serve(t, data)
	if got := mustRun(t, data, "query", "execute", "SELECT 1 AS n", "-o", "csv"); got != "n\n1\n" {
		t.Errorf("%q", got)
	}
	// A signal that the process that serves gets alone is an orderly end of both.
	if err := syscall.Kill(children(next.Process.Pid)[0], syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	next.says(t, "stopped")
	if err := next.ended(t); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(data, "gateway.sock")); err == nil {
		t.Error("the socket is still there")
	}
}

// TestStuckCommand: a statement in the process of a command does not keep it from its end, by a time limit, a signal or
// for its memory, and nothing is left behind.
func TestStuckCommand(t *testing.T) {
	t.Parallel()
	needLocal(t)
	data := t.TempDir()
	for _, c := range []struct {
		name, sql string
		args      []string
		signal    os.Signal
		code      int
		says      string
	}{
		{"time limit", unending[0].sql, []string{"--timeout", "500ms"}, nil, exitcode.MaxTime,
			"did not finish within 500ms"},
		{"interrupt", unending[0].sql, nil, os.Interrupt, exitcode.Interrupted, "interrupted"},
		{"memory", unending[1].sql, nil, nil, exitcode.Failed, "of memory, more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := process(t, data, append([]string{"query", "execute", c.sql, "-o", "csv", "--out", "rows.csv"},
				c.args...)...)
			var said bytes.Buffer
			cmd.Stderr = &said
			begin(t, cmd)
			if c.signal != nil {
				busyProject(t, data, cmd)
				_ = cmd.Process.Signal(c.signal)
			}
			if code := exits(t, cmd); code != c.code || !strings.Contains(said.String(), c.says) {
				t.Errorf("exit code %d: %s", code, said.String())
			}
			left, err := os.ReadDir(cmd.Dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range left {
				if strings.Contains(f.Name(), "rows") {
					t.Errorf("left behind: %s", f.Name())
				}
			}
			if got := mustRun(t, data, "query", "execute", "SELECT 1 AS n", "-o", "csv"); got != "n\n1\n" {
				t.Errorf("the project is still held: %q", got)
			}
		})
	}
}

// busyProject waits until a process has used the engine for a while.
func busyProject(t *testing.T, data string, c *exec.Cmd) {
	t.Helper()
	for end := time.Now().Add(atMost); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
		if f := strings.Fields(string(raw)); len(f) > 13 {
			if ticks, _ := strconv.Atoi(f[13]); ticks > 60 { // hundredths of a second of its own
				return
			}
		}
	}
	t.Fatal("the statement never ran")
}
