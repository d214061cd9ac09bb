//go:build cgo

package duckdb

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestKeptPlans: a statement that is run again by a plan of before returns what is stored now, what time it is now, and
// another random number.
func TestKeptPlans(t *testing.T) {
	p := tableProject(t, t.TempDir())
	ask := func(text string) string {
		t.Helper()
		got, err := rows(t, p, sql.Query{SQL: text})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return got
	}
	makeTable(t, p, engine.SchemaTable, "e", engine.ColumnDef{Name: "word", Type: "varchar"},
		engine.ColumnDef{Name: "n", Type: "bigint"})
	for i := range 20 {
		mustImport(t, p, "e", fmt.Sprintf("word,n\n%s,%d\n", strings.Repeat("w", i+1), 300*i))
		for range 2 { // planned, and by that plan
			want := fmt.Sprintf("%d|%s|%d", i+1, strings.Repeat("w", i+1), 300*i)
			if got := ask(`SELECT count(*), max(word), max(n) FROM e WHERE n < 10000`); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
			if got := ask(`SELECT word, count(*) FROM e GROUP BY word HAVING word = '` + strings.Repeat("w",
				i+1) + `'`); got != strings.Repeat("w", i+1)+"|1" {
				t.Fatalf("%d: %s", i, got)
			}
		}
	}
	for _, text := range []string{`SELECT current_timestamp(6)`, `SELECT localtimestamp(6)`, `SELECT localtime(6)`,
		`SELECT now() - INTERVAL '1' DAY`, `SELECT to_unixtime(now())`, `SELECT random()`, `SELECT uuid()`,
		`SELECT random(1000000000)`, `SELECT current_timestamp(6) FROM e LIMIT 1`} {
		first := ask(text)
		time.Sleep(2 * time.Millisecond)
		if second := ask(text); second == first {
			t.Errorf("%s: %s twice", text, first)
		}
	}
	soon := time.Now().Add(500 * time.Millisecond)
	text := fmt.Sprintf(`SELECT count(*) FROM e WHERE now() > from_unixtime(%f) OR n < 0`,
		float64(soon.UnixMicro())/1e6)
	before := ask(text)
	if time.Now().Before(soon) && before != "0" {
		t.Errorf("%s rows before the time", before)
	}
	time.Sleep(time.Until(soon) + 5*time.Millisecond)
	if after := ask(text); after != "20" {
		t.Errorf("%s rows after the time", after)
	}
}

// TestKeptPlansBesideWriters: while rows are added in one transaction each, every statement sees whole transactions,
// and all that was stored before it began.
func TestKeptPlansBesideWriters(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "e", engine.ColumnDef{Name: "n", Type: "bigint"})
	const each, times = 50, 30
	var mu sync.Mutex
	stored := 0
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for over := false; !over; {
				select {
				case <-done:
					over = true
				default:
				}
				mu.Lock()
				least := stored
				mu.Unlock()
				got, err := rows(t, p, sql.Query{SQL: `SELECT count(*), coalesce(max(n), -1) FROM e`})
				count, most, _ := strings.Cut(got, "|")
				n, _ := strconv.Atoi(count)
				if m, _ := strconv.Atoi(most); err != nil || n < least || n%each != 0 || n > 0 && m != 1000*n/each {
					t.Errorf("%q, %v; %d were stored", got, err, least)
					return
				}
			}
		})
	}
	for i := 1; i <= times; i++ {
		mustImport(t, p, "e", "n\n"+strings.Repeat(fmt.Sprintf("%d\n", 1000*i), each))
		mu.Lock()
		stored = each * i
		mu.Unlock()
	}
	close(done)
	all.Wait()
}
