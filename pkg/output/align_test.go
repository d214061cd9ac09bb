package output

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/cell/celltest"
)

// TestTerminalTablesAlign draws random tables: every line has its bars in the same cells and none is wider than the
// terminal.
func TestTerminalTablesAlign(t *testing.T) {
	pieces := []string{"word ", "x", "日本", "😀", "👩‍👩‍👧", "e\u0301", "\n", "\t", "\x1b[1m", "\u202e",
		"longer-than-most ", ".", "a b "}
	drawn := 0
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 400 {
		var fields []celltest.Field
		for i := range 1 + r.IntN(12) {
			fields = append(fields, celltest.Field{strings.Repeat("c", 1+r.IntN(9)) + fmt.Sprint(i), "varchar"})
		}
		var rows [][]*string
		for range r.IntN(120) {
			row := make([]*string, len(fields))
			for i := range row {
				var b strings.Builder
				for range r.IntN(1 + i*3) {
					b.WriteString(pieces[r.IntN(len(pieces))])
				}
				if r.IntN(8) > 0 {
					row[i] = celltest.Text(b.String())
				}
			}
			rows = append(rows, row)
		}
		o := Options{Terminal: true, Width: 30 + r.IntN(150), MaxRows: int64(r.IntN(30) - 1)}
		got := render(t, fields, rows, o)
		if strings.HasPrefix(got, rule) {
			continue // vertical
		}
		drawn++
		var bars []int
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, " ⋮") {
				continue
			}
			if w := displaywidth.String(line); w > o.Width {
				t.Fatalf("table %d: %d cells of %d:\n%s\n%s", n, w, o.Width, line, got)
			}
			var at []int
			for i, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '│' || r == '┼' }) {
				w := displaywidth.String(part)
				if i > 0 {
					w += at[i-1] + 1
				}
				at = append(at, w)
			}
			at = at[:max(len(at)-1, 0)]
			for i := range min(len(at), len(bars)) {
				if at[i] != bars[i] {
					t.Fatalf("table %d: bar %d at %d, not %d:\n%s\n%s", n, i, at[i], bars[i], line, got)
				}
			}
			if len(at) > len(bars) {
				bars = at
			}
		}
	}
	if drawn < 200 {
		t.Errorf("only %d tables", drawn)
	}
}
