package output

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/term"
)

// Caret returns the line of sql that an error refers to, with a caret under the column. line and col are 1-based, col
// counts characters; a position outside the text yields "". Long lines are cut around the caret, to the width of the
// screen, 0 if it is unknown, and to 80 columns.
func Caret(sql string, line, col, screen int) string {
	lines := strings.Split(strings.ReplaceAll(sql, "\r\n", "\n"), "\n")
	if line < 1 || line > len(lines) || col < 1 {
		return ""
	}
	text := []rune(lines[line-1])
	at := min(col-1, len(text))
	width := 76 // so that the caret stays below its line in 80 columns
	if screen > 0 {
		width = min(width, max(screen-4, 8))
	}
	ahead := displaywidth.String(expand(string(text[at:])))
	from, to := at, at
	for from > 0 && displaywidth.String(expand(string(text[from-1:at]))) <= max(width/2, width-ahead) {
		from--
	}
	before := expand(string(text[from:at]))
	for to < len(text) && displaywidth.String(expand(string(text[at:to+1]))) <= width-displaywidth.String(before) {
		to++
	}
	after := expand(string(text[at:to]))
	if from > 0 {
		before = "…" + before
	}
	if to < len(text) {
		after += "…"
	}
	return before + after + "\n" + strings.Repeat(" ", displaywidth.String(before)) + "^"
}

func expand(s string) string {
	return string(term.Sanitize(nil, strings.ReplaceAll(s, "\t", "    ")))
}
