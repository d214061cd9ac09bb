//go:build cgo

package duckdb

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest/answers"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
	"github.com/dig-cli/dig/pkg/trinosql/witness/generate"
)

// trinosFaults are answers of a Trino that no other engine should give, by what is in the statement and what unlike
// says.
var trinosFaults = []struct{ sql, why, reason string }{
	{`count\(DISTINCT (BIGINT )?'?-?[0-9]`, "^no row",
		"beside other aggregates Trino counts a constant once for each row"},
	{`bitwise_right_shift\((SMALL|TINY)INT '-`, "", "Trino computes constants beyond the range of their type"},
	{`atan2\(`, "^no row", "the last digit: Java's own approximation"},
	{`slice\(.*9223372036854775807`, "^no row", "the end of a slice overflows"},
	{`(var|stddev)[a-z_]*\(.*1e300`, "^no row",
		"the digits of a variance depend on the order of the computation: Trino's overflow"},
	{`regexp_like\('a', '\.\+\\B'\)`, `^no row \[.* true false\], but \[.* false false\]$`,
		"listed: what is behind .+ fails at the end of a text"},
	{`to_ieee754_32\(`, "^no row .*/8AAAA==", "the sign of NaN is what the processor computed"},
}

func ofTrinosFaults(sql, why string) bool {
	for _, f := range trinosFaults {
		if regexp.MustCompile(f.sql).MatchString(sql) && regexp.MustCompile(f.why).MatchString(why) {
			return true
		}
	}
	return false
}

// TestGenerated has a Trino, whose address is in DIG_TEST_TRINO, and the engine run DIG_TEST_GENERATED statements, and
// compares. The seeds begin with DIG_TEST_SEED.
func TestGenerated(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("DIG_TEST_GENERATED"))
	first, _ := strconv.ParseUint(os.Getenv("DIG_TEST_SEED"), 10, 64)
	if os.Getenv("DIG_TEST_TRINO") == "" || n == 0 {
		t.Skip("needs a Trino: make witness")
	}
	askBoth(t, func(yield func(string, string) bool) {
		for i := range uint64(n) {
			if !yield(fmt.Sprint("seed ", first+i), generate.Statement(first+i)) {
				return
			}
		}
	})
}

// askBoth has the Trino of DIG_TEST_TRINO and the engine run statements, each with a name, and compares.
func askBoth(t *testing.T, statements iter.Seq2[string, string]) {
	base := os.Getenv("DIG_TEST_TRINO")
	p, catalogs := tpchProject(t)
	listed := answers.Listed(t, answersDiffer)
	todo := make(chan [2]string)
	var wait sync.WaitGroup
	var mu sync.Mutex
	n, equal, refused, known, failed, order, spared, broken := 0, 0, 0, 0, 0, 0, 0, 0
	for range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for s := range todo {
				name, sql := s[0], s[1]
				a, err := witness.Run(base, sql)
				if err != nil {
					t.Errorf("%s: %s: %v", name, sql, err)
					continue
				}
				got, text, err := ask(t, p, catalogs, sql)
				if why := saysTooMuch(sql, err); why != "" {
					t.Errorf("%s: %s\n\t%s\n\t%s", name, sql, text, why)
				}
				mu.Lock()
				if a.Failure != nil {
					failed++
				}
				why := answers.Unlike(sql, a, got, err)
				switch {
				case answers.Refused(err):
					refused++
				case why == "":
					equal++
				case ofFamily(why) || listed[sql] != "" || ofTrinosFaults(sql, why):
					known++
					// of several errors another one is met first
				case a.Failure != nil && err != nil && kindOf(err) == engine.KindValue:
					order++
					t.Logf("%s: %s\n\t%s\n\t%s", name, sql, text, why)
					// a fault of Trino's
				case a.Failure != nil && (a.Failure[0] == "GENERIC_INTERNAL_ERROR" || a.Failure[0] == "COMPILER_ERROR"):
					broken++
				case (a.Failure != nil) != (err != nil) && a.Error == nil &&
					(err == nil || kindOf(err) == engine.KindValue):
					// one fails to compute what the other does not compute: neither tells which operands it needs.
					spared++
					t.Logf("%s: %s\n\t%s\n\t%s", name, sql, text, why)
				default:
					t.Errorf("%s: %s\n\t%s\n\t%s", name, sql, text, why)
				}
				mu.Unlock()
			}
		}()
	}
	for name, sql := range statements {
		n++
		todo <- [2]string{name, sql}
	}
	close(todo)
	wait.Wait()
	t.Logf("%d statements: %d equal (%d of all fail in Trino), %d refused by name, %d listed, %d fail with another "+
		"error, %d fail in one of the two only, %d fail in Trino with an internal error",
		n, equal, failed, refused, known, order, spared, broken)
}

// TestMutated compares calls of the corpus in which one argument is another: NULL, or the empty, zero, a negative or an
// extreme value of its kind. Of each
// function and argument there are up to DIG_TEST_MUTATED statements for each such value.
func TestMutated(t *testing.T) {
	most, _ := strconv.Atoi(os.Getenv("DIG_TEST_MUTATED"))
	if os.Getenv("DIG_TEST_TRINO") == "" || most == 0 {
		t.Skip("needs a Trino: make witness")
	}
	dir := filepath.Join("..", "..", "..", "trinosql", "witness", "testdata")
	corpus, kept := answers.Corpus(t, dir)
	seen := map[string]bool{}
	for _, s := range corpus {
		seen[s.SQL] = true
	}
	count := map[string]int{}
	askBoth(t, func(yield func(string, string) bool) {
		for _, s := range corpus {
			tree, err := trinosql.Parse(s.SQL)
			if a := kept[s.SQL]; err != nil || len(s.SQL) > 300 || a == nil || a.Error != nil || a.Failure != nil ||
				chance().MatchString(s.SQL) {
				continue
			}
			done := false
			trinosql.Inspect(tree, func(n trinosql.Node) bool {
				f, ok := n.(*trinosql.Func)
				if !ok || done {
					return !done
				}
				name := strings.ToLower(f.Name[len(f.Name)-1].Name)
				for i, arg := range f.Args {
					from, to := arg.Span()
					for _, other := range others(s.SQL[from:to]) {
						key := fmt.Sprint(name, len(f.Args), i, other)
						sql := s.SQL[:from] + other + s.SQL[to:]
						if seen[sql] || count[key] >= most || done {
							continue
						}
						seen[sql] = true
						count[key]++
						done = !yield(fmt.Sprint(name, " argument ", i+1), sql)
					}
				}
				return !done
			})
			if done {
				return
			}
		}
	})
}

// chance finds the statements that have another answer each time, or one that depends on how a sort compares, or on
// which of several equal rows are the first.
var chance = late.Regexp(`(?i)\b(rand|random|uuid|shuffle)\(|array_sort\(.*->|\bORDER BY .*\bLIMIT\b`)

// others are values to try in the place of an argument.
func others(arg string) []string {
	switch {
	case arg[0] == '-' || arg[0] >= '0' && arg[0] <= '9':
		return []string{"NULL", "0", "-1", "9223372036854775807", "BIGINT '-9223372036854775808'"}
	case arg[0] == '\'':
		return []string{"NULL", "''"}
	case strings.HasPrefix(strings.ToUpper(arg), "ARRAY"):
		return []string{"NULL", "ARRAY[]", "ARRAY[NULL]"}
	case strings.HasPrefix(strings.ToUpper(arg), "X'"):
		return []string{"NULL", "X''"}
	}
	return []string{"NULL"}
}
