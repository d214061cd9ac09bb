package cmd

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// desk is one project and those that work on it.
type desk struct {
	t    *testing.T
	data string
	rows int // of a file
	*record
}

// record is what was done at the desks of one load.
type record struct {
	mu     sync.Mutex
	r      *rand.Rand
	took   map[string][]time.Duration
	waited map[string][]time.Duration // of that, for the data that other processes had
	cpu    map[string][]time.Duration // of that, computing
	labels map[string]bool            // of the imports, and whether they were told to be stored
}

func (d *desk) within(most time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Duration(d.r.Int64N(int64(most)))
}

// run runs a statement of its own. Every one must succeed unless it is killed.
func (d *desk) run(ctx context.Context, what string, args ...string) (out string, killed bool) {
	c := processIn(ctx, d.t, d.data, append(args, "--debug")...)
	var errs bytes.Buffer
	c.Stderr = &errs
	began := time.Now()
	raw, err := c.Output()
	took := time.Since(began)
	if ctx.Err() != nil && err != nil {
		return "", true
	}
	if err != nil {
		d.t.Errorf("dig %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.took[what] = append(d.took[what], took)
	d.waited[what] = append(d.waited[what], waits(d.t, errs.String()))
	d.cpu[what] = append(d.cpu[what], c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	return string(raw), false
}

// waits is the sum of the waits for other processes that --debug tells.
func waits(t *testing.T, notes string) (sum time.Duration) {
	t.Helper()
	for line := range strings.Lines(notes) {
		if rest, ok := strings.CutPrefix(line, "debug: waited "); ok {
			text, _, _ := strings.Cut(rest, " ")
			d, err := time.ParseDuration(text)
			if err != nil {
				t.Error(err)
			}
			sum += d
		}
	}
	return sum
}

// times are what the runs of a kind took: waiting for the data that others have, computing, and the rest, which is that
// of the processors and the disk.
func (d *desk) times(what string) string {
	of := func(all []time.Duration) string {
		if len(all) == 0 {
			return "none"
		}
		all = slices.Sorted(slices.Values(all))
		at := func(share float64) time.Duration { return all[int(share*float64(len(all)-1))].Round(time.Millisecond) }
		return fmt.Sprintf("%v, %v, %v", at(0.5), at(0.9), at(1))
	}
	var waited, took time.Duration
	for i := range d.took[what] {
		waited, took = waited+d.waited[what][i], took+d.took[what][i]
	}
	return fmt.Sprintf("%d times, %.0f %% of the time waiting; half, nine of ten and all: waited within %s; computed "+
		"within %s; took within %s", len(d.took[what]), 100*waited.Seconds()/max(took.Seconds(), 1e-9),
		of(d.waited[what]), of(d.cpu[what]), of(d.took[what]))
}

func newDesk(t *testing.T, rows int, seed uint64) *desk {
	return &desk{t: t, data: t.TempDir(), rows: rows, record: &record{r: rand.New(rand.NewPCG(seed, seed)),
		took:   map[string][]time.Duration{},
		waited: map[string][]time.Duration{}, cpu: map[string][]time.Duration{}, labels: map[string]bool{}}}
}

// another is a desk with a project of its own; what is done there counts as done at d.
func (d *desk) another() *desk {
	return &desk{t: d.t, data: d.t.TempDir(), rows: d.rows, record: d.record}
}

// furnish makes what load needs of a project; whole also what its long work needs.
func (d *desk) furnish(whole bool) {
	mustRun(d.t, d.data, "table", "create", "numbers", "--column", "n:bigint", "--column", "label:varchar")
	d.importAs(d.t.Context(), "first import", "first")
	if !whole {
		return
	}
	mustRun(d.t, d.data, "table", "create", "large", "--column", "n:bigint", "--column", "label:varchar")
	mustRun(d.t, d.data, "query", "create", "stored", "--sql",
		`SELECT n % 1000 AS m, count(*) AS c FROM peaka."table".large GROUP BY 1`)
	mustRun(d.t, d.data, "query", "materialize", "stored", "--no-schedule", "--wait")
	mustRun(d.t, d.data, "cache", "create", "sample", "shop", "orders", "--full-every", "P1D", "--wait")
}

// thinking is for how long at most a window does nothing between two statements: as people do, and so that windows wait
// for each other and not for a processor. A statement computes for about a quarter of a second.
func thinking(windows int) time.Duration {
	return max(time.Second, time.Duration(windows-12)*1400*time.Millisecond/time.Duration(runtime.NumCPU()))
}

func (d *desk) query(ctx context.Context, what, sql string) (string, bool) {
	return d.run(ctx, what, "query", "execute", "--no-header", "-o", "csv", "--sql", sql)
}

// long runs what takes long, one after the other, until done is closed: imports of large files, and refreshes of a
// materialized query and of a cache.
func (d *desk) long(done <-chan struct{}, think time.Duration) {
	const rows = 200_000
	var b strings.Builder
	b.WriteString("n,label\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,some text %d\n", i, i%1000)
	}
	imported := 0
	for k := 0; ; k++ {
		select {
		case <-done:
			if n := count(d.t, d.data, "large"); n != imported*rows {
				d.t.Errorf("%d rows of %d large imports", n, imported)
			}
			return
		case <-time.After(d.within(think)):
		}
		switch k % 3 {
		case 0:
			path := filepath.Join(d.t.TempDir(), fmt.Sprintf("large%d.csv", k))
			if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
				d.t.Error(err)
				return
			}
			d.run(d.t.Context(), "large import", "table", "import", "large", path, "--again")
			imported++
		case 1:
			d.run(d.t.Context(), "materialized query", "materialized", "refresh", "stored", "--wait")
		case 2:
			d.run(d.t.Context(), "cache refresh", "cache", "refresh", "sample", "shop", "orders", "--full", "--wait")
		}
	}
}

// importOne imports a file whose rows have a label of their own.
func (d *desk) importOne(ctx context.Context, label string) { d.importAs(ctx, "import", label) }

func (d *desk) importAs(ctx context.Context, what, label string) {
	var b strings.Builder
	b.WriteString("n,label\n")
	for i := range d.rows {
		fmt.Fprintf(&b, "%d,%s\n", i, label)
	}
	path := filepath.Join(d.t.TempDir(), label+".csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		d.t.Error(err)
		return
	}
	d.mu.Lock()
	d.labels[label] = false
	d.mu.Unlock()
	if _, killed := d.run(ctx, what, "table", "import", "numbers", path); !killed {
		d.mu.Lock()
		d.labels[label] = true
		d.mu.Unlock()
	}
}

// stopped starts a query that nobody reads after its first bytes, and stops its process if asked to.
func (d *desk) stopped(signal bool) *exec.Cmd {
	c := process(d.t, d.data, "query", "execute", "-o", "csv", "--sql",
		`SELECT a.n, b.y, 'some text to make the row wider' AS t FROM peaka."table".numbers a, UNNEST(sequence(1, `+
			`200)) b(y)`)
	stalled(d.t, c)
	if signal {
		if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
			d.t.Error(err)
		}
	}
	return c
}

// counted is what windows ask again and again: the rows of an import are there together.
const counted = `SELECT count(*), count(DISTINCT label) FROM peaka."table".numbers`

// hold stops half of n windows behind a pager, each at the desk that it is given. They end with the test at the latest.
func (d *desk) hold(n int, at func(window int) *desk) (held []*exec.Cmd) {
	for i := range n / 2 {
		held = append(held, at(i).stopped(i%2 == 0))
	}
	return held
}

// work has the other windows work for some rounds: one computes for seconds, one after the other imports large files
// and refreshes what is stored, and the others import into a table and query it, while some are killed.
func (d *desk) work(n, rounds int, think time.Duration, at func(window int) *desk) {
	t := d.t
	var wg sync.WaitGroup
	wg.Go(func() { // reads the stored rows for seconds
		out, _ := at(n-2).query(t.Context(), "long query", `SELECT count(DISTINCT (a.n * 31 + b.y * c.z) % 7) FROM `+
			`peaka."table".numbers a, UNNEST(sequence(1, 200)) b(y), UNNEST(sequence(1, 300)) c(z)`)
		if strings.TrimSpace(out) != "7" {
			t.Errorf("the long query answered %q", out)
		}
	})
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		at(n-1).long(done, think/8)
	}()
	for i := range n - n/2 - 2 {
		wg.Go(func() {
			w := at(n/2 + i)
			for k := range rounds {
				time.Sleep(d.within(think))
				ctx, cancel := context.WithCancel(t.Context())
				if (i+k)%4 == 3 { // this one is killed, at any moment
					time.AfterFunc(d.within(300*time.Millisecond), cancel)
				}
				if i%3 == 0 {
					w.importOne(ctx, fmt.Sprintf("w%dr%d", i, k))
				} else {
					out, killed := w.query(ctx, "query", counted)
					var rows, files int
					if _, err := fmt.Sscanf(out, "%d,%d", &rows, &files); !killed &&
						(err != nil || rows != files*d.rows || files == 0) {
						t.Errorf("a query saw part of an import, or none: %q", out)
					}
				}
				cancel()
			}
		})
	}
	wg.Wait()
	close(done)
	<-ended
}
