package cmd

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// process prepares dig as a process of its own on the given data directory: the test binary under the name dig, see
// TestMain. process is a dig of its own process, which is killed when the test ends.
func process(t *testing.T, data string, args ...string) *exec.Cmd {
	t.Helper()
	return processIn(t.Context(), t, data, args...)
}

func processIn(ctx context.Context, t *testing.T, data string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, exe)
	c.Args = append([]string{"dig"}, args...)
	c.Dir = t.TempDir()
	c.Env = []string{"HOME=" + c.Dir, "DIG_DATA_DIR=" + data, "DIG_CONFIG_DIR=" + filepath.Join(c.Dir, "config"),
		"PATH=" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE")}
	return c
}

func mustRun(t *testing.T, data string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := processIn(ctx, t, data, args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("dig %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

func count(t *testing.T, data, table string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(mustRun(t, data, "query", "execute", "--no-header", "-o", "csv", "--sql",
		`SELECT count(*) FROM peaka."table".`+table)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func writeNumbers(t *testing.T, rows int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("n,label\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,row number %d\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "numbers.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func needLocal(t *testing.T) {
	t.Helper()
	if !local().Available {
		t.Skip("needs the local engine, which this build has not")
	}
}

// TestTwentyProcesses: on one data directory, ten processes that import and ten that query all succeed.
func TestTwentyProcesses(t *testing.T) {
	needLocal(t)
	data, file := t.TempDir(), writeNumbers(t, 1000)
	mustRun(t, data, "table", "create", "numbers", "--column", "n:bigint", "--column", "label:varchar")
	var wg sync.WaitGroup
	for i := range 20 {
		args := []string{"table", "import", "numbers", file}
		if i%2 == 1 {
			args = []string{"query", "execute", "-o", "csv", "--sql",
				`SELECT count(*) % 1000 AS rest FROM peaka."table".numbers`}
		}
		c := process(t, data, args...)
		wg.Go(func() {
			var errs bytes.Buffer // where one that has waited for a while says so
			c.Stderr = &errs
			out, err := c.Output()
			if err != nil {
				t.Errorf("dig %s: %v\n%s", strings.Join(args, " "), err, errs.String())
			} else if args[0] == "query" && string(out) != "rest\n0\n" {
				t.Errorf("a query saw part of an import: %q", out)
			}
		})
	}
	wg.Wait()
	if n := count(t, data, "numbers"); n != 10_000 {
		t.Errorf("%d rows, want 10000", n)
	}
}

// TestKillDuringImport kills imports at random moments: afterwards the table opens and holds all rows of a file or
// none.
func TestKillDuringImport(t *testing.T) {
	needLocal(t)
	const rows, rounds = 100_000, 20
	data, file := t.TempDir(), writeNumbers(t, rows)
	mustRun(t, data, "table", "create", "numbers", "--column", "n:bigint", "--column", "label:varchar")
	start := time.Now()
	mustRun(t, data, "table", "import", "numbers", file)
	took := time.Since(start)
	have, killed, seed := rows, 0, uint64(1)
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range rounds {
		c := process(t, data, "table", "import", "numbers", file)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(took))))
		_ = c.Process.Kill()
		if c.Wait() != nil {
			killed++
		}
		switch n := count(t, data, "numbers"); n {
		case have:
		case have + rows:
			have = n
		default:
			t.Fatalf("round %d: %d rows, want %d or %d", i, n, have, have+rows)
		}
	}
	t.Logf("%d of %d imports were killed before they ended; %d rows stored", killed, rounds, have)
	if killed == 0 {
		t.Error("no import was killed: the test shows nothing")
	}
	left, err := filepath.Glob(filepath.Join(data, "projects", "*", "*", "import*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
