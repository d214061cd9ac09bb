package sqltext

import "testing"

func TestEnclosed(t *testing.T) {
	for text, want := range map[string]bool{"a = 1": true, "(a = 1) OR (b = 2)": true, "a = ')'": true,
		`")" = 1`: true, "a = 1 -- )": true, "a IN (SELECT b FROM t)": true, "a = 1) OR (b = 2": false, "a = 1)": false,
		"(a = 1": false, "a = 1; b = 2": false, "": false, " -- a": false, "/* a */": false} {
		if got := Enclosed(text, false); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
