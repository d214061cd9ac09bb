package output

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// TestCaretFits: the caret is below its place, and the line fits into 80 columns, and a narrower screen, wherever the
// place is.
func TestCaretFits(t *testing.T) {
	for _, screen := range []int{0, 20, 40, 60, 80, 200} {
		fits(t, screen)
	}
}

func fits(t *testing.T, screen int) {
	columns := 80
	if screen > 0 {
		columns = min(columns, screen)
	}
	for _, sql := range []string{strings.Repeat("ab ", 100), strings.Repeat("李雷 ", 60), "SELECT 1",
		strings.Repeat("x", 79), "a\t" + strings.Repeat("żółć", 40)} {
		runes := []rune(sql)
		for col := 1; col <= len(runes)+1; col++ {
			line, mark, _ := strings.Cut(Caret(sql, 1, col, screen), "\n")
			if w := displaywidth.String(line); w > columns || w < min(displaywidth.String(expand(sql)), columns-10) {
				t.Fatalf("%.20s, column %d: %d columns: %s", sql, col, w, line)
			}
			rest := line
			for displaywidth.String(rest) > displaywidth.String(line)-(len(mark)-1) {
				_, rest = string([]rune(rest)[0]), string([]rune(rest)[1:])
			}
			want := "" // the end
			if col <= len(runes) {
				want = expand(string(runes[col-1]))
			}
			if !strings.HasPrefix(rest, want) || want == "" && rest != "" {
				t.Fatalf("%.20s, column %d: the caret is below %q, not %q", sql, col, rest, want)
			}
		}
	}
}
