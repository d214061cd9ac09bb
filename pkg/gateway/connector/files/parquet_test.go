package files

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRunsOfFlags reads files of pyarrow whose booleans are encoded as runs, in pages of both forms, alone, with NULL,
// in lists and in groups. The values are those of the loops that wrote them.
func TestRunsOfFlags(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"flags1", "flags2"} {
		rows, err := readAll(t, dir, table, "b", "l", "s", "r")
		if err != nil || len(rows) != 300 {
			t.Fatalf("%s: %d rows, %v", table, len(rows), err)
		}
		for i, row := range rows {
			want := []any{i/29%2 == 0, nil, fmt.Sprintf(`{"x":%v}`, i > 100), i >= 20}
			if i%11 == 5 && i%2 == 1 {
				want[0] = nil
			}
			if i%50 != 3 {
				want[1] = "[" + strings.Join(slices.Repeat([]string{fmt.Sprint(i/27%2 == 0)}, i%3), ",") + "]"
			}
			if got := fmt.Sprint(row...); got != fmt.Sprint(want...) {
				t.Errorf("%s, row %d: %v, want %v", table, i, got, want)
			}
		}
	}
}

// TestHalfPrecision reads a file of pyarrow with numbers of two bytes, alone and in lists.
func TestHalfPrecision(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readAll(t, dir, "half", "h", "l")
	want := "[[0 [1.5]] [-0 <nil>] [1 []] [-2.5 [-0.25,null]] [65504 <nil>] [6.103515625e-05 <nil>] " +
		"[5.960464477539063e-08 <nil>] [+Inf <nil>] [-Inf <nil>] [NaN <nil>] [<nil> <nil>] [0.333251953125 <nil>]]"
	if got := fmt.Sprint(rows); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}
