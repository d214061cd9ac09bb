package cmd

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
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

// TestWindows: many windows work on one project. Nothing is refused, every answer is of whole imports, and so are the
// data at the end.
func TestWindows(t *testing.T) {
	t.Parallel()
	needLocal(t)
	n, rounds := windows(t), 3
	d, think := newDesk(t, 1000, uint64(n)), thinking(n)
	d.furnish(true)
	alone := newDesk(t, d.rows, 0)
	alone.furnish(false)
	var wg sync.WaitGroup
	wg.Go(func() { // what the same takes at the same time where nobody else is
		for k := range 2 * rounds {
			time.Sleep(alone.within(think / 4))
			alone.importOne(t.Context(), fmt.Sprint("alone", k))
			alone.query(t.Context(), "query", counted)
		}
	})
	one := func(int) *desk { return d }
	held := d.hold(n, one)
	d.work(n, rounds, think, one)
	wg.Wait()
	for what := range d.took {
		t.Logf("%d windows: %s: %s; on a project of its own: %s", n, what, d.times(what), alone.times(what))
	}
	stored := map[string]string{}
	for _, line := range strings.Fields(mustRun(t, d.data, "query", "execute", "--no-header", "-o", "csv", "--sql",
		`SELECT label, count(*) FROM peaka."table".numbers GROUP BY label`)) {
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
	for pattern, most := range map[string]int{"readers.*": 1, "spill-*/*": 0, "snapshots": 0, "moving": 0,
		"data.duckdb.wal": 0} {
		left, err := filepath.Glob(filepath.Join(d.data, "projects", "*", pattern))
		if err != nil || len(left) > most {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

// TestWindowsApart says what sharing a project costs: the same windows work on one project, and at the same time,
// because other programs use the processors as well, each on a project of its own. It asserts no times, and runs only
// with DIG_TEST_WINDOWS.
func TestWindowsApart(t *testing.T) {
	needLocal(t)
	if os.Getenv("DIG_TEST_WINDOWS") == "" {
		t.Skip("measures, and takes minutes: DIG_TEST_WINDOWS=40")
	}
	n, rounds := windows(t), 3
	think := 2 * thinking(n)
	shared, apart := newDesk(t, 1000, 1), newDesk(t, 1000, 1)
	shared.furnish(true)
	own := make([]*desk, n)
	for i := range own {
		own[i] = apart.another()
		own[i].furnish(i == n-1)
	}
	one, each := func(int) *desk { return shared }, func(i int) *desk { return own[i] }
	shared.hold(n, one)
	apart.hold(n, each)
	var wg sync.WaitGroup
	wg.Go(func() { shared.work(n, rounds, think, one) })
	wg.Go(func() { apart.work(n, rounds, think, each) })
	wg.Wait()
	for _, what := range slices.Sorted(maps.Keys(shared.took)) {
		t.Logf("%s on one project: %s", what, shared.times(what))
		t.Logf("%s on projects of their own: %s", what, apart.times(what))
	}
}

// TestStoppedReaderReadsOn: a window whose reader goes on after others have changed what it reads gets all of its rows,
// as they were.
func TestStoppedReaderReadsOn(t *testing.T) {
	t.Parallel()
	needLocal(t)
	data, file := t.TempDir(), writeNumbers(t, 1000)
	mustRun(t, data, "table", "create", "numbers", "--column", "n:bigint", "--column", "label:varchar")
	mustRun(t, data, "table", "import", "numbers", file)
	c := process(t, data, "query", "execute", "-o", "csv", "--no-header", "--sql", `SELECT a.n, b.y, 'some text to `+
		`make the row wider' AS t FROM peaka."table".numbers a, UNNEST(sequence(1, 400)) b(y)`)
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

// TestServingComesAndGoes: commands that run while a gateway starts to serve the data directory, and while it stops,
// are done by one or the other. None fails, and no import is lost or stored twice.
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
