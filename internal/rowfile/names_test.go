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
