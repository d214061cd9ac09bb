package phrase

import (
	"slices"
	"testing"
)

func TestCounted(t *testing.T) {
	for want, names := range map[string][]string{
		"": nil, "1 cache (a)": {"a"}, "2 caches (a, b)": {"a", "b"}, "11 caches": slices.Repeat([]string{"a"}, 11),
	} {
		if got := Counted(names, "1 cache", "%d caches"); got != want {
			t.Errorf("%q: %q", want, got)
		}
	}
}

func TestNameAndID(t *testing.T) {
	for want, of := range map[string][2]string{"a (1)": {"a", "1"}, "1": {"", "1"}, "x": {"x", "x"}} {
		if got := NameAndID(of[0], of[1]); got != want {
			t.Errorf("%q: %q", want, got)
		}
	}
}
