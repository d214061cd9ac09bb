package prompt

import (
	"slices"
	"testing"
)

// TestNamesOf: an id confirms a deletion only if there is no name, also where it was the argument.
func TestNamesOf(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"people"}, []string{"people"}},
		{[]string{"people", "", "7"}, []string{"people"}},
		{[]string{"", "7"}, []string{"7"}},
		{nil, []string{"7"}},
	} {
		if got := NamesOf("7", c.names...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}
