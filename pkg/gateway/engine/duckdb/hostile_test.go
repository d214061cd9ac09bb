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
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

const (
	hostileDir    = "DIG_TEST_HOSTILE_DIR"
	hostileMemory = 256 << 20 // of the engine
	// MiB: beyond it a served gateway replaces the process
	hostilePeak = (hostileMemory + 1<<30 + 512<<20) >> 20
	hostileTime = time.Second // of a statement
	hostileEnd  = 90 * time.Second
)

// TestHostileRunner is the process that TestHostile gives statements to, by their numbers. It says how each ended and
// how much memory the process had at most.
func TestHostileRunner(t *testing.T) {
	dir := os.Getenv(hostileDir)
	if dir == "" {
		t.Skip("runs as a child only")
	}
	p := testProject(t, testEngine(t, dir, func(o *engine.Options) { o.MemoryLimit = hostileMemory }), "prj")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		n, err := strconv.Atoi(in.Text())
		if err != nil {
			t.Fatal(err)
		}
		debug.FreeOSMemory()
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
		c := hostile[n]
		rows, err := runHostile(p, c.text())
		said := fmt.Sprintf("%d rows", rows)
		if err != nil {
			var e *engine.Error
			if said = "internal " + err.Error(); errors.As(err, &e) {
				said = fmt.Sprintf("%s %s", e.Kind, e.Message)
			}
		}
		status, _ := os.ReadFile("/proc/self/status")
		m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
		peak, _ := strconv.Atoi(string(m[1]))
		fmt.Printf("ended %d %d %.300q\n", n, peak>>10, said)
	}
}

func runHostile(p *project, text string) (int64, error) {
	res, err := sql.Run(context.Background(), p, sql.Query{SQL: text, Timeout: hostileTime})
	if err != nil {
		return 0, err
	}
	defer res.Close()
	return res.Encode(context.Background(), io.Discard, api.Compact, func() {})
}

// TestHostile gives statements that would take all memory, all time or the process itself to a process of their own.
// Each must end, by an error or with its rows, in little memory, and the process must live.
func TestHostile(t *testing.T) {
	var child *exec.Cmd
	var in io.WriteCloser
	var out *bufio.Scanner
	dir := t.TempDir()
	start := func() {
		child = exec.Command(os.Args[0], "-test.run=^TestHostileRunner$")
		child.Env = append(os.Environ(), hostileDir+"="+dir)
		var err error
		if in, err = child.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		pipe, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		out = bufio.NewScanner(pipe)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
	}
	stop := func() { _ = child.Process.Kill(); _ = child.Wait() }
	start()
	defer func() { stop() }()
	for n, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			fmt.Fprintln(in, n)
			late := time.AfterFunc(hostileEnd, func() { _ = child.Process.Kill() })
			defer late.Stop()
			begun := time.Now()
			for out.Scan() {
				var i, peak int
				var said string
				if k, _ := fmt.Sscanf(out.Text(), "ended %d %d %q", &i, &peak, &said); k != 3 {
					continue
				}
				t.Logf("%d MiB, %.1fs: %.200s", peak, time.Since(begun).Seconds(), said)
				most := hostilePeak
				// DuckDB doubles what it gathers, between two looks at the memory
				if c.name == "transform trino" || c.name == "quantile rows" {
					most += 1 << 10
				}
				if peak > most {
					t.Errorf("took %d MiB: %s", peak, said)
				}
				if !strings.Contains(said, c.want) {
					t.Errorf("ended with %s; want %s", said, c.want)
				}
				return
			}
			if late.Stop() {
				t.Errorf("ended the process")
			} else {
				t.Errorf("did not end")
			}
			stop()
			start()
		})
	}
}

// attack is a statement and a part of what is said of it; "" for anything.
type attack struct {
	name string
	text func() string
	want string
}

func stmt(text string) func() string { return func() string { return text } }

// nest is before n times, middle, after n times.
func nest(start, before string, n int, middle, after, end string) func() string {
	return func() string { return start + strings.Repeat(before, n) + middle + strings.Repeat(after, n) + end }
}
