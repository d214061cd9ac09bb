package clip

import "testing"

func TestClip(t *testing.T) {
	for s, want := range map[string][2]string{"": {"", ""}, "abcd": {"abcd", "abcd"}, "abcde": {"abcd...", "abc…"},
		"abcéf": {"abc...", "abc…"}, "éé": {"éé", "éé"}, "ééé": {"éé...", "ééé"}} {
		if got := [2]string{Bytes(s, 4), Runes(s, 4)}; got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
