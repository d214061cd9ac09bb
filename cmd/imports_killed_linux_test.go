//go:build cgo

package cmd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestImportsWhileServeIsKilled: a gateway that serves, or only its worker, is killed and started again while other
// processes import. Each import succeeds, and its rows are stored once. A copy of the stopped directory has them too.
// DIG_TEST_SERVE_KILLS is the number of kills, in place of a few.
func TestImportsWhileServeIsKilled(t *testing.T) {
	needLocal(t)
	if testing.Short() {
		t.Skip("takes some time")
	}
	kills := 10
	if n, err := strconv.Atoi(os.Getenv("DIG_TEST_SERVE_KILLS")); err == nil {
		kills = n
	}
	data, files := t.TempDir(), t.TempDir()
	sizes := []int{5, 2000, 60_000}
	var want [3]int
	for w := range want {
		mustRun(t, data, "table", "create", fmt.Sprint("t", w), "--column", "k:varchar")
	}
	var over atomic.Bool
	var all sync.WaitGroup
	for w := range want {
		all.Go(func() {
			for n := 0; !over.Load() && !t.Failed(); n++ {
				rows := sizes[n%len(sizes)]
				var b strings.Builder
				b.WriteString("k\n")
				for i := range rows {
					fmt.Fprintf(&b, "%d-%d\n", n, i)
				}
				path := filepath.Join(files, fmt.Sprintf("%d-%d.csv", w, n))
				if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
					t.Error(err)
					return
				}
				c := process(t, data, "table", "import", fmt.Sprint("t", w), path)
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("import %d of %d rows: %v\n%s", n, rows, err, out)
				}
				want[w] += rows
			}
		})
	}
	r := rand.New(rand.NewPCG(1, 0))
	for i := 0; i < kills && !t.Failed(); {
		s := process(t, data, "gateway", "serve", "--quiet")
		var said bytes.Buffer
		s.Stderr = &said
		if err := s.Start(); err != nil {
			t.Error(err)
			break
		}
		pause := func() { time.Sleep(time.Duration(300+r.IntN(1500)) * time.Millisecond) }
		kill := func(pids ...int) {
			for _, pid := range pids {
				if syscall.Kill(pid, syscall.SIGKILL) == nil && i < kills {
					i++
				}
			}
		}
		pause()
		if r.IntN(2) == 0 {
			kill(children(s.Process.Pid)...)
			pause()
		}
		kill(append([]int{s.Process.Pid}, children(s.Process.Pid)...)...)
		_ = s.Wait()
	}
	over.Store(true)
	all.Wait()
	copied := filepath.Join(t.TempDir(), "copy")
	if out, err := exec.Command("cp", "-r", data, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	total := 0
	for w, n := range want {
		table := fmt.Sprint("t", w)
		if got := count(t, data, table); got != n {
			t.Errorf("%s has %d rows, want %d", table, got, n)
		}
		out := mustRun(t, copied, "sql", "--no-header", "-o", "csv", "SELECT count(DISTINCT k) FROM "+table)
		if got := strings.TrimSpace(out); got != fmt.Sprint(n) {
			t.Errorf("%s has %s different rows in the copy, want %d", table, got, n)
		}
		total += n
	}
	t.Logf("%d kills, %d rows", kills, total)
}
