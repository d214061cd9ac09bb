package lineedit

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/dig-cli/dig/internal/term"
)

// Span is a part of the text with SGR parameters, such as 1;34.
type Span struct {
	From, To int // byte offsets
	Style    string
}

// layout wraps a text at a width, after a prompt on the first line and another on the others, and finds the cell of a
// byte offset.
func layout(text string, at int, prompt, more string, width int, spans []Span, color bool) (rows []string, x, y int) {
	width = max(width, 10)
	var row strings.Builder
	col := 0
	style := ""
	set := func(to string) {
		if !color || to == style {
			return
		}
		if style != "" {
			row.WriteString("\x1b[m")
		}
		if to != "" {
			row.WriteString("\x1b[" + to + "m")
		}
		style = to
	}
	end := func() {
		was := style
		set("")
		rows = append(rows, row.String())
		row.Reset()
		col = 0
		set(was)
	}
	begin := func(p string) {
		was := style
		set("")
		row.WriteString(p)
		col = displaywidth.Options{ControlSequences: true}.String(p)
		set(was)
	}
	begin(prompt)
	pos, span := 0, 0
	g := graphemes.FromString(text)
	for g.Next() {
		c := g.Value()
		for span < len(spans) && spans[span].To <= pos {
			span++
		}
		if span < len(spans) && spans[span].From <= pos {
			set(spans[span].Style)
		} else {
			set("")
		}
		if pos == at {
			x, y = col, len(rows)
		}
		if c == "\n" || c == "\r\n" {
			end()
			begin(more)
			pos += len(c)
			continue
		}
		shown := c
		if c == "\t" {
			shown = "    "
		} else if c[0] < ' ' || c[0] >= 0x7f {
			shown = string(term.Sanitize(nil, c))
		}
		w := displaywidth.String(shown)
		if col+w > width && col > 0 {
			end()
			if pos == at {
				x, y = 0, len(rows)
			}
		}
		row.WriteString(shown)
		col += w
		pos += len(c)
	}
	if col >= width { // the cursor would be outside
		end()
	}
	if at >= pos {
		x, y = col, len(rows)
	}
	set("")
	return append(rows, row.String()), x, y
}
