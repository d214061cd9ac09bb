package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
)

// TestReadersOfReloads: 16 clients of a served gateway read a table that `table import` replaces and updates by turns.
// Each of them sees the rows of one day, in the answer of a count and in a result that it reads row by row, and never
// those of an earlier day than before. DIG_TEST_RELOAD_READERS is the time to go on for, in place of a few reloads.
func TestReadersOfReloads(t *testing.T) {
	const readers, rows = 16, 3000
	f := newFront(t, "local")
	least, until := 6, time.Now()
	if text := os.Getenv("DIG_TEST_RELOAD_READERS"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		until = until.Add(d)
	}
	day := func(n int) string {
		var b strings.Builder
		b.WriteString("n,day\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%d\n", i, n)
		}
		return f.file("day.csv", b.String())
	}
	f.want(0, "table", "import", "t", day(0), "--create")
	var over atomic.Bool
	var all sync.WaitGroup
	var counted, read, followed atomic.Int64
	for i := range readers {
		all.Go(func() {
			last := 0
			for n := i; !over.Load() && !t.Failed(); n++ {
				ask, done := counts, &counted
				if n%2 == 0 {
					ask, done = wholeDay, &read
				}
				seen, err := ask(f, rows)
				done.Add(1)
				if err != nil || seen < last {
					t.Errorf("reader %d, after day %d: day %d, %v", i, last, seen, err)
				}
				if seen > last {
					followed.Add(1)
				}
				last = seen
			}
		})
	}
	n := 1
	for ; (n <= least || time.Now().Before(until)) && !t.Failed(); n++ {
		args := []string{"table", "import", "t", day(n), "--mode", "replace"}
		if n%2 == 0 {
			args = append(args[:4], "--mode", "upsert", "--key", "n")
		}
		f.want(0, args...)
	}
	over.Store(true)
	all.Wait()
	t.Logf("%d reloads; %d counts, %d results; %d times a reader saw a later day", n-1, counted.Load(), read.Load(),
		followed.Load())
	if followed.Load() == 0 {
		t.Error("no reader ran beside a reload")
	}
}

// answer sends a statement to the gateway and decodes the rows.
func answer(f *front, statement string) (rows [][]int, err error) {
	res, err := f.api.Queries.Execute(f.t.Context(), gateway.DefaultProject,
		api.ExecuteByStatement{Statement: statement}, api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var doc struct{ Data [][]json.Number }
	if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
		return nil, err
	}
	for _, values := range doc.Data {
		row := make([]int, len(values))
		for i, v := range values {
			if row[i], err = strconv.Atoi(v.String()); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// counts returns the day of the rows of a table by one row of counts.
func counts(f *front, want int) (day int, err error) {
	got, err := answer(f, "SELECT count(*), count(DISTINCT n), min(day), max(day) FROM t")
	if err == nil && (len(got) != 1 || got[0][0] != want || got[0][1] != want || got[0][2] != got[0][3]) {
		err = fmt.Errorf("a mixture: %v", got)
	}
	if err != nil {
		return 0, err
	}
	return got[0][2], nil
}

// wholeDay returns the day of the rows of a table by all of them.
func wholeDay(f *front, want int) (day int, err error) {
	got, err := answer(f, "SELECT n, day FROM t")
	if err != nil {
		return 0, err
	}
	seen := map[int]bool{}
	for _, row := range got {
		seen[row[0]] = true
		if row[1] != got[0][1] {
			return 0, fmt.Errorf("a mixture of day %d and %d", got[0][1], row[1])
		}
	}
	if len(got) != want || len(seen) != want {
		return 0, fmt.Errorf("%d rows with %d keys", len(got), len(seen))
	}
	return got[0][1], nil
}
