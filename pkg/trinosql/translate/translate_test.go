package translate

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// TestTemplates checks that each line of the function files has a signature that exists, and that each rule exists.
func TestTemplates(t *testing.T) {
	m, err := readTemplates()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range functions.All() {
		known[f.Key] = true
	}
	for key, l := range m {
		if !known[key] {
			t.Errorf("%s: no such signature", key)
		}
		if l.rule != "" && writers.get().rules[l.rule] == nil {
			t.Errorf("%s: no rule %s", key, l.rule)
		}
	}
	t.Logf("%d of %d signatures", len(m), len(known))
}

func TestSliced(t *testing.T) {
	for sql, want := range map[string]string{
		`SELECT "~error"('x')`:                                `SELECT "~error"('x')`,
		`SELECT "~error"('it''s, ' || "~c1")`:                 `SELECT "~error"(array_slice(CAST('it''s, ' || "~c1" AS VARCHAR), 1, -1))`,
		`"~cast"('a', f("~c1", 2), 'bigint') AS "~r1"("~c2")`: `"~cast"('a',array_slice(CAST( f("~c1", 2) AS VARCHAR), 1, -1), 'bigint') AS "~r1"("~c2")`,
		`"~date_of"("~cast"("~c1", 'x'))`:                     `"~date_of"(array_slice(CAST("~cast"(array_slice(CAST("~c1" AS VARCHAR), 1, -1), 'x') AS VARCHAR), 1, -1))`,
		`"~like"("~c1", '%')`:                                 `"~like"("~c1", '%')`,
	} {
		if got := sliced(sql); got != want {
			t.Errorf("%s\n\tis   %s\n\twant %s", sql, got, want)
		} else if again := sliced(got); again != got {
			t.Errorf("%s\n\tagain: %s", got, again)
		}
	}
}

// TestClosed checks that templates have no operators outside of parentheses and CASE, since their results are operands
// of other operators.
func TestClosed(t *testing.T) {
	pieces := regexp.MustCompile(`'(?:[^']|'')*'|"[^"]*"|[A-Za-z_]+|[^\sA-Za-z_]`)
	operators := regexp.MustCompile(`^(?i:[-+*/%|=<>]|and|or|not|is|like|in|between)$`)
	m, err := readTemplates()
	if err != nil {
		t.Fatal(err)
	}
	for key, l := range m {
		if l.wrap != nil { // the text that is in the statement
			l.parts = l.wrap
		}
		text := ""
		for _, p := range l.parts {
			text += p.text + " "
		}
		depth := 0
		for _, w := range pieces.FindAllString(text, -1) {
			switch {
			case w == "(" || w == "[" || strings.EqualFold(w, "CASE"):
				depth++
			case w == ")" || w == "]" || strings.EqualFold(w, "END"):
				depth--
			case depth == 0 && operators.MatchString(w):
				t.Errorf("%s: %s stands outside of parentheses in %s", key, w, text)
			}
		}
	}
}

// TestRefused: a call of a function without a translation is refused with its name.
func TestRefused(t *testing.T) {
	families := map[string]int{}
	for _, f := range functions.All() {
		if l := templates()[f.Key]; l != nil && l.reason == "" || f.Kind == functions.Operator {
			continue
		}
		p := newPrinter(&analyze.Analysis{}, Options{})
		_, err := p.w.Print(func() {
			p.call(&call{bound: &functions.Bound{Function: f, Result: types.Of(types.Bigint)}})
		})
		if err == nil || !strings.HasPrefix(err.Error(), f.Name) || !strings.Contains(err.Error(), "on zone local") {
			t.Errorf("%s: %v", f.Key, err)
		}
		families[f.Plugin]++
	}
	if families["geospatial"] < 80 || families["ml"] < 20 || families["teradata"] < 4 {
		t.Error(families)
	}
}
