//go:build cgo

package duckdb

import (
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
	"github.com/dig-cli/dig/pkg/trinosql/witness/generate"
)

// trinosFaults are answers of a Trino that no other engine should give, by what is in the statement and what unlike says.
var trinosFaults = []struct{ sql, why, reason string }{
	{`count\(DISTINCT (BIGINT )?'?-?[0-9]`, "^no row", "beside other aggregates Trino counts a constant once for each row"},
	{`(var|stddev)[a-z_]*\((round\()?-?1e300`, "^no row", "the digits of a variance depend on the order of the computation: Trino's overflow"},
}

func ofTrinosFaults(sql, why string) bool {
	for _, f := range trinosFaults {
		if regexp.MustCompile(f.sql).MatchString(sql) && regexp.MustCompile(f.why).MatchString(why) {
			return true
		}
	}
	return false
}

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
	equal, refused, known, failed, order, spared, broken := 0, 0, 0, 0, 0, 0, 0
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
				case ofFamily(why) || listed[sql] != "" || ofTrinosFaults(sql, why):
					known++
				case a.Failure != nil && err != nil && kindOf(err) == engine.KindValue: // of several errors another one is met first
					order++
					t.Logf("seed %d: %s\n\t%s\n\t%s", seed, sql, text, why)
				case a.Failure != nil && (a.Failure[0] == "GENERIC_INTERNAL_ERROR" || a.Failure[0] == "COMPILER_ERROR"): // a fault of Trino's
					broken++
				case (a.Failure != nil) != (err != nil) && a.Error == nil && (err == nil || kindOf(err) == engine.KindValue):
					// One fails to compute what the other does not compute: neither tells which operands it needs.
					spared++
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
	t.Logf("%d statements: %d equal (%d of all fail in Trino), %d refused by name, %d listed, %d fail with another error, %d fail in one of the two only, %d fail in Trino with an internal error",
		n, equal, failed, refused, known, order, spared, broken)
}
