package translate

import "testing"

// TestTemplates reads the files of functions.
func TestTemplates(t *testing.T) {
	m, err := readTemplates()
	if err != nil {
		t.Fatal(err)
	}
	for key, l := range m {
		if l.rule != "" && rules[l.rule] == nil {
			t.Errorf("%s: no rule %s", key, l.rule)
		}
	}
}
