package translate

import (
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// TestTemplates reads the files of functions: each line is about a signature that exists, and each rule is there.
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
		if l.rule != "" && rules[l.rule] == nil {
			t.Errorf("%s: no rule %s", key, l.rule)
		}
	}
	t.Logf("%d of %d signatures", len(m), len(known))
}
