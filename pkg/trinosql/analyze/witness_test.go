package analyze

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// TestWitness compares columns, types and errors with those of Trino. Intended differences are in testdata/differs.txt,
// with the reason.
func TestWitness(t *testing.T) {
	differs := readDiffers(t)
	met := map[string]bool{}
	compare(t, "../witness/testdata", differs, met)
	compare(t, "../witness/testdata/language", differs, met)
	for sql := range differs {
		if !met[sql] {
			t.Errorf("differs.txt: no such statement: %s", sql)
		}
	}
}

func compare(t *testing.T, dir string, differs map[string]string, met map[string]bool) {
	list, err := witness.Statements(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, answers, err := witness.Answers(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal, columns := 0, 0
	for _, s := range list {
		a := answers[s.SQL]
		if tree, err := trinosql.Parse(s.SQL); a == nil || err == nil && !isQuery(tree) {
			continue // the test of the corpus reports what has no answer, TestAnswers compares SHOW
		}
		got, want := ours(s.SQL), theirs(a)
		reason, known := differs[s.SQL]
		met[s.SQL] = true
		switch {
		case got == want && known:
			t.Errorf("%s\n\tis answered alike now; differs.txt says %q", s.SQL, reason)
		case got == want:
			equal++
			if a.Error == nil {
				columns++
			}
		case !known:
			t.Errorf("%s: %s\n\twe say    %s\n\tTrino says %s", s.File, s.SQL, got, want)
		}
	}
	t.Logf("%s: %d statements, %d answered alike, %d of them with columns", dir, len(list), equal, columns)
}

func isQuery(tree trinosql.Node) bool {
	_, ok := tree.(*trinosql.Query)
	return ok
}

func ours(sql string) string {
	a, err := analyze(sql)
	if err == nil {
		var b strings.Builder
		for _, c := range a.Output {
			fmt.Fprintf(&b, "%s %s; ", c.Name, c.Type)
		}
		return b.String()
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Kind + " " + e.Error()
	}
	return "SYNTAX_ERROR " + cut(err.Error())
}

// cut removes the tokens that a parser would have accepted instead.
func cut(message string) string {
	message, _, _ = strings.Cut(message, " Expecting: ")
	return message
}

func theirs(a *witness.Answer) string {
	if a.Error != nil {
		place := ""
		if a.Error[1] != "" {
			place = "line " + a.Error[1] + ": "
		}
		message := place + a.Error[2]
		if a.Error[0] == "SYNTAX_ERROR" {
			message = cut(message)
		}
		return a.Error[0] + " " + message
	}
	var b strings.Builder
	for _, c := range a.Columns {
		fmt.Fprintf(&b, "%s %s; ", c[0], c[1])
	}
	return b.String()
}

func readDiffers(t *testing.T) map[string]string {
	data, err := os.ReadFile("testdata/differs.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	reason := ""
	for _, line := range strings.Split(string(data), "\n") {
		if text, ok := strings.CutPrefix(line, "# "); ok {
			reason = text
		} else if line != "" {
			list[strings.ReplaceAll(line, `\n`, "\n")] = reason
		}
	}
	return list
}
