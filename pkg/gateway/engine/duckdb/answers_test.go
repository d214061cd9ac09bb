//go:build cgo

package duckdb

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest/answers"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// TestAnswers runs the statements that a Trino answered, and compares. DIG_TEST_ANSWERS=file.sql[:part] picks those of
// a file, with a part in their text.
func TestAnswers(t *testing.T) {
	list, kept := answers.Corpus(t, witnessDir)
	file, part, _ := strings.Cut(os.Getenv("DIG_TEST_ANSWERS"), ":")
	p, catalogs := tpchProject(t)
	type count struct{ equal, refused, listed, differ int }
	counts := map[string]*count{}
	reasons := map[string]int{}
	listed := answers.Listed(t, answersDiffer)
	// of these some are made good while a statement is translated
	analysed := answers.Listed(t, "../../../trinosql/analyze/testdata/differs.txt")
	for text := range listed {
		delete(analysed, text)
	}
	maps.Copy(listed, analysed)
	var all count
	for _, s := range list {
		a := kept[s.SQL]
		if a == nil || s.TypesOnly && a.Error == nil || s.Parameters() || file != "" && s.File != file ||
			!strings.Contains(s.SQL, part) {
			continue
		}
		n := counts[s.File]
		if n == nil {
			n = &count{}
			counts[s.File] = n
		}
		got, text, err := ask(t, p, catalogs, s.SQL)
		if why := saysTooMuch(s.SQL, err); why != "" {
			t.Errorf("%s\n\t%s\n\t%s", s.SQL, text, why)
		}
		if answers.Refused(err) && a.Error == nil {
			n.refused++
			reasons[err.Error()]++
			if file != "" {
				t.Logf("%s\n\trefused: %v", s.SQL, err)
			}
			if _, ok := listed[s.SQL]; ok && analysed[s.SQL] == "" {
				t.Errorf("%s\n\tis refused by name, and need not be listed", s.SQL)
			}
			continue
		}
		reason, known := listed[s.SQL]
		why := answers.Unlike(s.SQL, a, got, err)
		switch {
		case why == "" && known && analysed[s.SQL] == "":
			t.Errorf("%s\n\tis answered alike now; it is listed as %q", s.SQL, reason)
		case why == "":
			n.equal++
			// of several errors another one
		case known, ofFamily(why), s.File == "generated.sql" && a.Failure != nil && kindOf(err) == engine.KindValue:
			n.listed++
		default:
			n.differ++
			t.Errorf("%s\n\t%s\n\t%s", s.SQL, text, why)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(counts)) {
		n := counts[f]
		t.Logf("%s: %d equal, %d refused, %d listed, %d differ", f, n.equal, n.refused, n.listed, n.differ)
		all.equal, all.refused, all.listed, all.differ = all.equal+n.equal, all.refused+n.refused, all.listed+n.listed,
			all.differ+n.differ
	}
	t.Logf("%d equal, %d refused by name, %d listed, %d differ", all.equal, all.refused, all.listed, all.differ)
	if file == "" {
		for r, n := range reasons {
			if n > 5 {
				t.Logf("%5d %s", n, r)
			}
		}
	}
}

const answersDiffer = "testdata/answers_differ.txt"

// families are differences of many statements, by what unlike says of them; each has its reason.
var families = []struct{ why, reason string }{
	{`^fails in Trino: NOT_SUPPORTED  ARRAY comparison not supported for arrays with null elements`,
		"arrays with NULL elements are sorted: their NULL comes last"},
	{`^fails in Trino: NOT_SUPPORTED  ROW comparison not supported for fields with null elements`,
		"so are rows with NULL fields"},
	{`^Trino says TYPE_NOT_FOUND  io\.trino\.spi\.TrinoException: line \d+:\d+: Unknown resolvedType`,
		"Trino shows a Java exception inside of its message"},
	{`^fails in Trino: GENERIC_INTERNAL_ERROR .* is not orderable`, "Trino fails with an internal error"},
	{`GENERIC_INTERNAL_ERROR  / by zero`, "the function mod of integers does not check for zero in Trino"},
	{`^Trino says INVALID_\S+ +(Millis overflow|Out of range for timestamp with time zone): .*\n\s+we say ` +
		`+GENERIC_INTERNAL_ERROR  Millis overflow`, "the kind of an overflow is that of most operations"},
	{`^Trino says \S+ +[^\n]*(-?[0-9.]+) [-+*] (-?[0-9.]+)\n\s+we say +\S+ +\S+ (addition|multiplication) overflow`,
		"Trino exchanges the sides of a constant operation"},
}

func ofFamily(why string) bool {
	for _, f := range families {
		if regexp.MustCompile(f.why).MatchString(why) {
			return true
		}
	}
	return false
}

// ask runs a statement and returns its text in DuckDB's language, too.
func ask(t *testing.T, p *project, catalogs sql.Catalogs, statement string) (*answers.Rows, string, error) {
	out, r, err := answers.Ask(t.Context(), p, sql.Query{SQL: statement, Catalogs: catalogs, Defaults: tpchTables,
		Props: map[string]string{"user": "dig"}})
	if r == nil {
		return nil, "", err
	}
	return out, engine.Innermost(r).(interface{ Text() string }).Text(), err
}
