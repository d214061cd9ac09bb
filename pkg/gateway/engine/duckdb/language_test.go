//go:build cgo

package duckdb

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest/answers"
)

const languageRefused = "testdata/language_refused.txt"

// TestLanguage runs a statement for each form of Trino's language. It is answered as Trino answers it, or refused with
// the name of the form at its place: testdata/language_refused.txt has what is said.
func TestLanguage(t *testing.T) {
	const dir = witnessDir + "/language"
	list, kept := answers.Corpus(t, dir)
	listed := answers.Listed(t, answersDiffer)
	analysed := answers.Listed(t, "../../../trinosql/analyze/testdata/differs.txt")
	p, catalogs := tpchProject(t)
	var refused []string
	same := 0
	for _, s := range list {
		a := kept[s.SQL]
		got, _, err := ask(t, p, catalogs, s.SQL)
		switch {
		case answers.Refused(err):
			if kindOf(err) != engine.KindUnsupported {
				t.Errorf("%s\n\tis refused with the kind %s", s.SQL, kindOf(err))
			}
			place := answers.Told(err)[1]
			refused = append(refused, fmt.Sprintf("# %s (%s)\n%s\n", err, place, strings.ReplaceAll(s.SQL, "\n", `\n`)))
		case listed[s.SQL] != "" || analysed[s.SQL] != "":
		default:
			if why := answers.Unlike(s.SQL, a, got, err); why != "" {
				t.Errorf("%s\n\t%s", s.SQL, why)
			}
			same++
		}
	}
	t.Logf("%d as in Trino, %d refused by name", same, len(refused))
	slices.Sort(refused)
	if text := strings.Join(refused, ""); os.Getenv("DIG_TEST_RENEW") != "" {
		if err := os.WriteFile(languageRefused, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if kept, err := os.ReadFile(languageRefused); err != nil || string(kept) != text {
		t.Errorf("%s differs (%v): DIG_TEST_RENEW=1 writes it\n%s", languageRefused, err, text)
	}
}
