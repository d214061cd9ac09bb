package rowfile

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("é", 40)
	names, changed := Names([]string{"a", "", "a", "A", "a_2", "column_2", long, long, "_x", "_id", "__"}, 63,
		strings.ToLower, func(s string) bool { return s == "_id" })
	want := []string{"a", "column_2_2", "a_3", "A_4", "a_2", "column_2", strings.Repeat("é", 31),
		strings.Repeat("é", 30) + "_2", "x", "_id", "column_11"}
	if !slices.Equal(names, want) || len(changed) != 7 {
		t.Errorf("%q\n%q", names, changed)
	}
}

// TestSame compares names as tables do, by strings.EqualFold.
func TestSame(t *testing.T) {
	all := []string{"ς", "σ", "Σ", "K", "\u212a", "k", "ſ", "s", "É", "é", "e", "İ", "i", "ß", "ẞ", "ss", "a_ς", "A_Σ"}
	for _, a := range all {
		for _, b := range all {
			if strings.EqualFold(a, b) && Same(a) != Same(b) {
				t.Errorf("%q and %q: %q, %q", a, b, Same(a), Same(b))
			}
		}
	}
	if Same("ς") != Same("Σ") || Same("ss") == Same("ß") || Same("e") == Same("é") {
		t.Error("names that a table keeps apart are the same, or the other way round")
	}
}
