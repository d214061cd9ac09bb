package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// windows is how many processes TestWindows runs at once; forty with DIG_TEST_WINDOWS=40.
func windows(t *testing.T) int {
	t.Helper()
	text := os.Getenv("DIG_TEST_WINDOWS")
	if text == "" {
		return 12
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 8 {
		t.Fatalf("DIG_TEST_WINDOWS=%q is not a number from 8", text)
	}
	return n
}

// desk is one project and those that work on it.
type desk struct {
	t    *testing.T
	data string
	rows int // of a file

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

// times are what the runs of a kind took: waiting for the data that others have, computing, and the rest, which is that of the processors and the disk.
func (d *desk) times(what string) string {
	of := func(all []time.Duration) string {
		if len(all) == 0 {
			return "none"
		}
		all = slices.Sorted(slices.Values(all))
		at := func(share float64) time.Duration { return all[int(share*float64(len(all)-1))].Round(time.Millisecond) }
		return fmt.Sprintf("%v, %v, %v", at(0.5), at(0.9), at(1))
	}
	return fmt.Sprintf("%d times; half, nine of ten and all: waited within %s; computed within %s; took within %s", len(d.took[what]), of(d.waited[what]), of(d.cpu[what]), of(d.took[what]))
}

func newDesk(t *testing.T, rows int, seed uint64) *desk {
	return &desk{t: t, data: t.TempDir(), rows: rows, r: rand.New(rand.NewPCG(seed, seed)), took: map[string][]time.Duration{},
		waited: map[string][]time.Duration{}, cpu: map[string][]time.Duration{}, labels: map[string]bool{}}
}

// thinking is for how long at most a window does nothing between two statements: as people do, and so that windows wait for each other and not
// for a processor. A statement computes for about a quarter of a second.
func thinking(windows int) time.Duration {
	return max(time.Second, time.Duration(windows-12)*1400*time.Millisecond/time.Duration(runtime.NumCPU()))
}

func (d *desk) query(ctx context.Context, what, sql string) (string, bool) {
	return d.run(ctx, what, "query", "execute", "--no-header", "-o", "csv", "--sql", sql)
}

// long runs what takes long, one after the other, until done is closed: imports of large files, and refreshes of a materialized query and of a cache.
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
func (d *desk) importOne(ctx context.Context, label string) {
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
	if _, killed := d.run(ctx, "import", "table", "import", "numbers", path); !killed {
		d.mu.Lock()
		d.labels[label] = true
		d.mu.Unlock()
	}
}

// stopped starts a query that nobody reads after its first bytes, and stops its process if asked to.
func (d *desk) stopped(signal bool) *exec.Cmd {
	c := process(d.t, d.data, "query", "execute", "-o", "csv", "--sql",
		`SELECT a.n, b.y, 'some text to make the row wider' AS t FROM peaka."table".numbers a, UNNEST(sequence(1, 200)) b(y)`)
	stalled(d.t, c)
	if signal {
		if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
			d.t.Error(err)
		}
	}
	return c
}

// TestWindows: half of the windows on a project are stopped behind a pager, one computes for seconds, one after the other imports large files and
// refreshes what is stored, and the others import into one table and query it, while some are killed. Nothing is refused, every answer is of whole imports, and so are the data at the end.
func TestWindows(t *testing.T) {
	t.Parallel()
	needLocal(t)
	n, rounds := windows(t), 3
	d, think := newDesk(t, 1000, uint64(n)), thinking(n)
	mustRun(t, d.data, "table", "create", "numbers", "--column", "n:bigint", "--column", "label:varchar")
	d.importOne(t.Context(), "first")
	mustRun(t, d.data, "table", "create", "large", "--column", "n:bigint", "--column", "label:varchar")
	mustRun(t, d.data, "query", "create", "stored", "--sql", `SELECT n % 1000 AS m, count(*) AS c FROM peaka."table".large GROUP BY 1`)
	mustRun(t, d.data, "query", "materialize", "stored", "--no-schedule", "--wait")
	mustRun(t, d.data, "cache", "create", "sample", "shop", "orders", "--full-every", "P1D", "--wait")
	var wg sync.WaitGroup
	var held []*exec.Cmd
	for i := range n / 2 {
		held = append(held, d.stopped(i%2 == 0))
	}
	defer func() {
		for _, c := range held {
			_ = c.Process.Kill()
		}
	}()
	alone := newDesk(t, d.rows, 0)
	mustRun(t, alone.data, "table", "create", "numbers", "--column", "n:bigint", "--column", "label:varchar")
	wg.Go(func() { // what the same takes at the same time where nobody else is
		for k := range 2 * rounds {
			time.Sleep(alone.within(think / 4))
			alone.importOne(t.Context(), fmt.Sprint("alone", k))
			alone.query(t.Context(), "query", `SELECT count(*), count(DISTINCT label) FROM peaka."table".numbers`)
		}
	})
	wg.Go(func() { // reads the stored rows for seconds
		out, _ := d.query(t.Context(), "long query", `SELECT count(DISTINCT (a.n * 31 + b.y * c.z) % 7) FROM peaka."table".numbers a, UNNEST(sequence(1, 200)) b(y), UNNEST(sequence(1, 300)) c(z)`)
		if strings.TrimSpace(out) != "7" {
			t.Errorf("the long query answered %q", out)
		}
	})
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		d.long(done, think/8)
	}()
	for i := range n - n/2 - 2 {
		wg.Go(func() {
			for k := range rounds {
				time.Sleep(d.within(think))
				ctx, cancel := context.WithCancel(t.Context())
				if (i+k)%4 == 3 { // this one is killed, at any moment
					time.AfterFunc(d.within(300*time.Millisecond), cancel)
				}
				if i%3 == 0 {
					d.importOne(ctx, fmt.Sprintf("w%dr%d", i, k))
				} else {
					out, killed := d.query(ctx, "query", `SELECT count(*), count(DISTINCT label) FROM peaka."table".numbers`)
					var rows, files int
					if _, err := fmt.Sscanf(out, "%d,%d", &rows, &files); !killed && (err != nil || rows != files*d.rows || files == 0) {
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
	for what := range d.took {
		t.Logf("%d windows: %s: %s; on a project of its own: %s", n, what, d.times(what), alone.times(what))
	}
	stored := map[string]string{}
	for _, line := range strings.Fields(mustRun(t, d.data, "query", "execute", "--no-header", "-o", "csv", "--sql", `SELECT label, count(*) FROM peaka."table".numbers GROUP BY label`)) {
		label, rows, _ := strings.Cut(line, ",")
		stored[label] = rows
	}
	for label, told := range d.labels {
		rows := stored[label]
		if rows != strconv.Itoa(d.rows) && (told || rows != "") {
			t.Errorf("import %s, told to be stored %v: %q rows", label, told, rows)
		}
		delete(stored, label)
	}
	if len(stored) > 0 {
		t.Errorf("nobody imported %v", stored)
	}
	for _, c := range held {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	mustRun(t, d.data, "table", "create", "last", "--column", "n:bigint")
	for pattern, most := range map[string]int{"readers.*": 1, "spill-*/*": 0, "snapshots": 0, "moving": 0, "data.duckdb.wal": 0} {
		left, err := filepath.Glob(filepath.Join(d.data, "projects", "*", pattern))
		if err != nil || len(left) > most {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

// TestStoppedReaderReadsOn: a window whose reader goes on after others have changed what it reads gets all of its rows, as they were.
func TestStoppedReaderReadsOn(t *testing.T) {
	t.Parallel()
	needLocal(t)
	data, file := t.TempDir(), writeNumbers(t, 1000)
	mustRun(t, data, "table", "create", "numbers", "--column", "n:bigint", "--column", "label:varchar")
	mustRun(t, data, "table", "import", "numbers", file)
	c := process(t, data, "query", "execute", "-o", "csv", "--no-header", "--sql", `SELECT a.n, b.y, 'some text to make the row wider' AS t FROM peaka."table".numbers a, UNNEST(sequence(1, 400)) b(y)`)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, c)
	head := make([]byte, 1000)
	if _, err := io.ReadFull(out, head); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	mustRun(t, data, "table", "import", "numbers", file)
	mustRun(t, data, "table", "delete", "numbers", "--yes")
	if err := c.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v", err)
	}
	if n := bytes.Count(append(head, rest...), []byte("\n")); n != 400_000 {
		t.Errorf("%d rows, want 400000", n)
	}
}

// TestServingComesAndGoes: commands that run while a gateway starts to serve the data directory, and while it stops, are done by one or the
// other. None fails, and no import is lost or stored twice.
func TestServingComesAndGoes(t *testing.T) {
	t.Parallel()
	needLocal(t)
	d := newDesk(t, 100, 1)
	mustRun(t, d.data, "table", "create", "numbers", "--column", "n:bigint", "--column", "label:varchar")
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-done:
					return
				default:
				}
				if i == 0 {
					d.importOne(t.Context(), fmt.Sprint("k", k))
				} else if out, _ := d.query(t.Context(), "query", `SELECT count(*) % 100 FROM peaka."table".numbers`); out != "0\n" {
					t.Errorf("%q", out)
				}
			}
		})
	}
	for range 3 {
		s := process(t, d.data, "gateway", "serve", "--quiet")
		out, err := s.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		begin(t, s)
		if _, err := out.Read(make([]byte, 100)); err != nil {
			t.Error(err)
		}
		time.Sleep(300 * time.Millisecond)
		if err := s.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if code := exits(t, s); code != 0 {
			t.Errorf("exit code %d", code)
		}
		time.Sleep(200 * time.Millisecond)
	}
	close(done)
	wg.Wait()
	t.Logf("%d imports, %d queries", len(d.took["import"]), len(d.took["query"]))
	if n := count(t, d.data, "numbers"); n != len(d.took["import"])*d.rows {
		t.Errorf("%d rows of %d imports", n, len(d.took["import"]))
	}
}
