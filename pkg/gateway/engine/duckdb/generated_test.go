//go:build cgo

package duckdb

import (
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
	"github.com/dig-cli/dig/pkg/trinosql/witness/generate"
)

// TestGenerated has a Trino, whose address is in DIG_TEST_TRINO, and the engine run DIG_TEST_GENERATED statements, and compares. The seeds
// begin with DIG_TEST_SEED.
func TestGenerated(t *testing.T) {
	base := os.Getenv("DIG_TEST_TRINO")
	n, _ := strconv.Atoi(os.Getenv("DIG_TEST_GENERATED"))
	first, _ := strconv.ParseUint(os.Getenv("DIG_TEST_SEED"), 10, 64)
	if base == "" || n == 0 {
		t.Skip("needs a Trino: make witness")
	}
	p, catalogs := tpchProject(t)
	listed := readListed(t, answersDiffer)
	seeds := make(chan uint64)
	var wait sync.WaitGroup
	var mu sync.Mutex
	equal, refused, known, failed, order := 0, 0, 0, 0, 0
	for range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for seed := range seeds {
				sql := generate.Statement(seed)
				a, err := witness.Run(base, sql)
				if err != nil {
					t.Errorf("seed %d: %s: %v", seed, sql, err)
					continue
				}
				got, text, err := ask(t, p, catalogs, sql)
				mu.Lock()
				if a.Failure != nil {
					failed++
				}
				why := unlike(sql, a, got, err)
				switch {
				case refusedByName(err):
					refused++
				case why == "":
					equal++
				case ofFamily(why) || listed[sql] != "":
					known++
				case a.Failure != nil && err != nil && kindOf(err) == engine.KindValue: // of several errors another one is met first
					order++
					t.Logf("seed %d: %s\n\t%s\n\t%s", seed, sql, text, why)
				default:
					t.Errorf("seed %d: %s\n\t%s\n\t%s", seed, sql, text, why)
				}
				mu.Unlock()
			}
		}()
	}
	for i := range uint64(n) {
		seeds <- first + i
	}
	close(seeds)
	wait.Wait()
	t.Logf("%d statements: %d equal (%d of all fail in Trino), %d refused by name, %d listed, %d fail with another error", n, equal, failed, refused, known, order)
}
