package native

import "testing"

// TestDollarQuoted: a text in dollars is found where the engine finds one, and nowhere else; what is in it is not checked.
func TestDollarQuoted(t *testing.T) {
	for text, want := range map[string]int{
		"$$a$$ b": 5, "$$$$": 4, "$a1$ x $ $a1$ y": 13, "$é$x$é$": 9,
		"$1$ || x || $1$": 0, "$a$ x": 0, "$a b$ x $a b$": 0, "$1": 0, "$": 0,
	} {
		if got := dollarQuoted(text); got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
}
