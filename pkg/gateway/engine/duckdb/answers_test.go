//go:build cgo

package duckdb

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// TestAnswers runs the statements that a Trino answered, and compares. DIG_TEST_ANSWERS=file.sql[:part] picks those of
// a file, with a part in their text.
func TestAnswers(t *testing.T) {
	list, err := witness.Statements(witnessDir)
	if err != nil {
		t.Fatal(err)
	}
	_, answers, err := witness.Answers(witnessDir)
	if err != nil {
		t.Fatal(err)
	}
	file, part, _ := strings.Cut(os.Getenv("DIG_TEST_ANSWERS"), ":")
	p, catalogs := tpchProject(t)
	type count struct{ equal, refused, listed, differ int }
	counts := map[string]*count{}
	reasons := map[string]int{}
	listed := readListed(t, answersDiffer)
	// of these some are made good while a statement is translated
	analysed := readListed(t, "../../../trinosql/analyze/testdata/differs.txt")
	for text := range listed {
		delete(analysed, text)
	}
	maps.Copy(listed, analysed)
	var all count
	for _, s := range list {
		a := answers[s.SQL]
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
		if refusedByName(err) && !refusedByTrino(a) {
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
		why := unlike(s.SQL, a, got, err)
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

// readListed reads the statements that are answered otherwise than Trino answers them, each with the reason above it.
func readListed(t *testing.T, file string) map[string]string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	reason := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "# "); ok {
			reason = text
		} else if line != "" {
			list[strings.ReplaceAll(line, `\n`, "\n")] = reason
		}
	}
	return list
}

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

// refusedByName reports whether a statement is refused because this zone does not do what it asks for.
func refusedByName(err error) bool {
	var e *engine.Error
	return errors.Is(err, engine.ErrNotSupported) || errors.As(err, &e) && strings.Contains(e.Message, "on zone local")
}

func refusedByTrino(a *witness.Answer) bool { return a.Error != nil }

// unlike says what an answer has otherwise than the one of Trino.
func unlike(text string, a *witness.Answer, got *answered, err error) string {
	if refusedByName(err) && a.Error == nil {
		return err.Error()
	}
	if want := cmp.Or(a.Error, a.Failure); want != nil {
		if err == nil {
			return "fails in Trino: " + strings.Join(want[:], " ")
		}
		said := told(err)
		if a.Error == nil && want[1] == "" { // Trino tells no place of what fails while it runs
			said[1] = ""
		}
		if said != *want && !(want[0] == "SYNTAX_ERROR" && said[0] == want[0] &&
			said[1] == want[1]) {
			return "Trino says " + strings.Join(want[:], " ") + "\n\twe say     " + strings.Join(said[:], " ")
		}
		return ""
	}
	if err != nil {
		return "error: " + strings.Join(told2(err), " ")
	}
	if why := otherColumns(a, got); why != "" || a.Rows == nil {
		return why
	}
	got.near = readsTables(text) || hyperbolic().MatchString(text)
	if len(got.rows) != len(a.Rows) {
		return fmt.Sprintf("%d rows, not %d", len(got.rows), len(a.Rows))
	}
	why := otherRows(a.Rows, got)
	if why == "" {
		return ""
	}
	if left := unordered(a.Rows, got); left != "" || ordered(text) {
		return cmp.Or(left, why)
	}
	return ""
}

// hyperbolic finds functions of which Java gives another last digit.
var hyperbolic = late.Regexp(`(?i)\b(cosh|sinh|tanh|atan2)\(`)

func told2(err error) []string { t := told(err); return t[:] }

// told is an error as the corpus has those of Trino: kind, place and message.
func told(err error) [3]string {
	var out [3]string
	var e *engine.Error
	if !errors.As(err, &e) {
		return [3]string{"", "", err.Error()}
	}
	out[0], out[2] = string(e.Kind), e.Message
	if e.Line > 0 {
		out[1] = fmt.Sprintf("%d:%d", e.Line, e.Col)
	}
	var syntax *trinosql.Error
	var names *analyze.Error
	var runs *engine.CodedError
	switch {
	case errors.As(err, &syntax):
		out[0] = "SYNTAX_ERROR"
	case errors.As(err, &names):
		out[0] = names.Kind
	case errors.As(err, &runs):
		out[0] = runs.Code
	case e.Kind == engine.KindSyntax:
		out[0] = "SYNTAX_ERROR"
	case e.Kind == engine.KindUnsupported && !refusedByName(err):
		out[0] = "NOT_SUPPORTED"
	case e.Kind == engine.KindUnknownCatalog, e.Kind == engine.KindUnknownSchema, e.Kind == engine.KindUnknownTable:
		out[0] = strings.ToUpper(strings.TrimPrefix(string(e.Kind), "unknown ")) + "_NOT_FOUND"
	}
	return out
}

type answered struct {
	columns []engine.RowColumn
	rows    [][]any
	near    bool // sums of doubles have other last digits in another order of the rows
}

// ask runs a statement in the new way.
func ask(t *testing.T, p *project, catalogs sql.Catalogs, statement string) (out *answered, text string, err error) {
	r, err := sql.Run(t.Context(), p, sql.Query{SQL: statement, Catalogs: catalogs, Defaults: tpchTables,
		Props: map[string]string{"user": "dig"}})
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	out = &answered{columns: r.Running.Columns()}
	for _, c := range out.columns {
		unnamed(c.Layout)
	}
	_, err = r.Rows(t.Context(), func(row [][]byte) error {
		values := make([]any, len(row))
		for i, v := range row {
			var text *string
			if v != nil {
				s := string(v)
				text = &s
			}
			values[i] = text
		}
		out.rows = append(out.rows, values)
		return nil
	})
	return out, engine.Innermost(r.Running).(interface{ Text() string }).Text(), err
}

// unnamed has rows written as lists, since several of their fields may have one name.
func unnamed(v *batch.Type) {
	v.Names = nil
	for _, k := range v.Kids {
		unnamed(k)
	}
}
