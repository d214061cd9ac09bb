package trinosql

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// TestLanguage parses the statements of the whole language as Trino does, prints them and parses them again.
func TestLanguage(t *testing.T) {
	const dir = "witness/testdata/language"
	list, err := witness.Statements(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, answers, err := witness.Answers(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		tree, err := Parse(s.SQL)
		if e := answers[s.SQL].Error; e != nil && e[0] == "SYNTAX_ERROR" {
			want, _, _ := strings.Cut("line "+e[1]+": "+e[2], " Expecting: ")
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s\n\twe say    %v\n\tTrino says %s", s.SQL, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s\n\tTrino takes it, we say %v", s.SQL, err)
			continue
		}
		again, err := Parse(String(tree))
		if err != nil || dump(tree) != dump(again) {
			t.Errorf("%s\n\tis printed as %s: %v", s.SQL, String(tree), err)
		}
	}
}
