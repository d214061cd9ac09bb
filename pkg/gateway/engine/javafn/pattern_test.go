package javafn

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestBacktrackingAgrees compares the two matchers: a lookahead that always matches turns a linear pattern into a
// backtracking one.
func TestBacktrackingAgrees(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "b", "1", " ", "é", "\n", "😀", "-"}
	if _, err := compilePattern(`(?P<y>a)`); err == nil {
		t.Error("a group in Python's syntax is accepted")
	}
	for _, p := range []string{`a+`, `(a)|(b)`, `(?<x>[ab]+)(1)?`, `\d+`, `\w+`, `[^a-c\s]+`, `(?i)A(b?)`, `^a|1$`,
		`(?s).a`, `(?:a|é)(-)`, `[\]a]+`, `(😀+)(a)?`, `a*`, `(b|)`} {
		linear, err := compilePattern(p)
		if err != nil || linear.linear == nil {
			t.Fatalf("%s: %v", p, err)
		}
		back, err := compilePattern("(?:" + p + ")(?=)")
		if err != nil || back.back == nil || back.groups() != linear.groups() || back.group("x") != linear.group("x") {
			t.Fatalf("%s: %v, %+v", p, err, back)
		}
		for range 300 {
			var text strings.Builder
			for range rnd.IntN(12) {
				text.WriteString(letters[rnd.IntN(len(letters))])
			}
			for _, n := range []int{1, -1} {
				want, _ := linear.find(text.String(), n)
				got, err := back.find(text.String(), n)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s in %q: %v, %v; want %v", p, text.String(), got, err, want)
				}
			}
		}
	}
}

// TestBacktrackingEnds checks that matching that would take very long ends with an error.
func TestBacktrackingEnds(t *testing.T) {
	p, err := compilePattern(`(a+)+(?=b)`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.find(strings.Repeat("a", 50), 1); err == nil || !strings.Contains(err.Error(), "takes more than") {
		t.Error(err)
	}
}

// TestPatternsRefused checks that patterns which the library parses differently from Java are rejected.
func TestPatternsRefused(t *testing.T) {
	for _, p := range []string{
		`a++(?=b)`, `[a-z&&[^b]](?=c)`, `[a[bc]](?=d)`, `\h(?=a)`, `\Qa\E(?=b)`, `\k<none>(?=a)`, `(?=`, `(?<=a`,
		`a(?=b)\`, `[a(?=b)`, `(?<x(?=a)`,
		`(?=` + strings.Repeat("a", longPattern) + `)`, `(?=` + strings.Repeat("(", 1000) + strings.Repeat(")", 1000) +
			`)`,
	} {
		if re, err := compilePattern(p); err == nil {
			t.Errorf("%.40s is taken: %+v", p, re)
		}
	}
}
