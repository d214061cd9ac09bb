package agent

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestGrowing: of a text that comes as the whole so far, or in pieces, every character is shown once.
func TestGrowing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 20_000 {
		alphabet := "ab \n"[:1+r.IntN(4)]
		text := make([]byte, 1+r.IntN(40))
		for i := range text {
			text[i] = alphabet[r.IntN(len(alphabet))]
		}
		var g growing
		var shown strings.Builder
		for at := 0; at < len(text); {
			at = min(len(text), at+1+r.IntN(9))
			news, restarted := g.add(string(text[:at]), n%2 == 0, n%3 == 0)
			if restarted {
				t.Fatalf("%q restarts at %d", text, at)
			}
			shown.WriteString(news)
		}
		shown.WriteString(g.end(false))
		if shown.String() != string(text) && n%3 != 0 { // two texts alone that are called pieces are taken for pieces
			t.Fatalf("of %q, the whole each time, %q is shown", text, shown.String())
		}
		if shown.String() != g.text {
			t.Fatalf("%q is shown, %q is kept", shown.String(), g.text)
		}
	}
	for range 20_000 {
		var g growing
		var all, shown strings.Builder
		for i := range 1 + r.IntN(12) {
			p := string(rune('a'+r.IntN(26))) + strings.Repeat("x", r.IntN(4)) + string(rune('A'+i))
			if r.IntN(3) == 0 {
				p = "12"
			}
			if i < 2 {
				p = []string{"7", "7"}[i] // the same twice is both, until more comes
			}
			all.WriteString(p)
			news, restarted := g.add(p, false, true)
			if restarted {
				t.Fatal("a piece restarts")
			}
			shown.WriteString(news)
		}
		shown.WriteString(g.end(true))
		if shown.String() != all.String() {
			t.Fatalf("of the pieces of %q, %q is shown", all.String(), shown.String())
		}
	}
}
