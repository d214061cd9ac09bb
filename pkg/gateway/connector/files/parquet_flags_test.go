package files

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRunsOfFlags reads files of pyarrow whose booleans are encoded as runs, in pages of both forms, alone, with NULL, in lists and in groups. The values
// are those of the loops that wrote them.
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

// TestLZ4IsRefused: it was read as zeros.
func TestLZ4IsRefused(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, dir).Table(t.Context(), rootSchema, "lz4"); err == nil || !strings.Contains(err.Error(), "lz4.parquet: it is compressed with LZ4") {
		t.Errorf("%v", err)
	}
}
