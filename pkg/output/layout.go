package output

import (
	"bytes"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/pkg/api"
)

// Parts of a table line: a cell is a blank, its text and a blank; between cells stands a bar.
const (
	bar      = "│"
	rule     = "─"
	cross    = "┼"
	ellipsis = "…"
	cellPad  = 3 // two blanks and a bar, for every column but the last, which has no bar
)

// tcell is a value of a table that has to outlive its row: decoded text, controls still in it.
type tcell struct {
	text []byte
	null bool
}

// tableText decodes a cell for people: doubles readable, decimals without the zeros that the gateway pads them with.
func tableText(dst []byte, c api.Cell, col *column, raw bool) ([]byte, error) {
	if raw {
		return appendText(dst, c)
	}
	from := len(dst)
	dst, err := appendReadable(dst, c, col.class)
	if err == nil && col.class == classDecimal {
		if t := dst[from:]; paddedDecimal(t) && validNumber(t) && !bytes.ContainsAny(t, "eE") {
			t = trimZeros(t, 1)
			dst = dst[:from+len(bytes.TrimSuffix(t, []byte(".")))]
		}
	}
	return dst, err
}

// paddedDecimal reports whether a decimal has the ten places, or more, that internal tables pad every value to [L]. Shorter
// fractions were declared by someone: 1.50 is a price and stays one.
func paddedDecimal(t []byte) bool {
	at := bytes.IndexByte(t, '.')
	return at > 0 && len(t)-at-1 >= 10
}

func printable(t []byte) bool {
	for _, c := range t {
		if c < ' ' || c > 0x7e {
			return false
		}
	}
	return true
}

// textWidth is the number of terminal cells that the sanitised text takes on its widest line; with lines false a line feed is
// shown as ↵ and everything is one line.
func textWidth(t []byte, lines bool) int {
	if printable(t) {
		return len(t)
	}
	if !lines {
		return displaywidth.Bytes(Sanitize(nil, t))
	}
	widest := 0
	for line := range bytes.SplitSeq(t, []byte("\n")) {
		widest = max(widest, displaywidth.Bytes(Sanitize(nil, line)))
	}
	return widest
}

// looksNumeric accepts what is written like a plain number: no leading zeros, which codes and telephone numbers have.
func looksNumeric(t []byte) bool {
	return validNumber(t) || string(t) == "NaN" || string(t) == "Infinity" || string(t) == "-Infinity"
}

// measure is what a sample tells of one column.
type measure struct {
	header  int
	natural int
	least   int // of the cells, to see whether they vary
	word    int // the longest stretch without a blank
	cells   int
	numeric bool
}

func (m *measure) add(t []byte, lines bool) {
	w := textWidth(t, lines)
	m.natural = max(m.natural, w)
	if m.cells == 0 || w < m.least {
		m.least = w
	}
	for rest := t; len(rest) > 0 && m.word < w; {
		var part []byte
		part, rest, _ = bytes.Cut(rest, []byte(" "))
		m.word = max(m.word, min(textWidth(part, lines), w))
	}
	m.numeric = (m.cells == 0 || m.numeric) && looksNumeric(t)
	m.cells++
}

// right reports whether the column is aligned to the right.
func (m *measure) right(c class) bool {
	return c.number() || c == classOther && m.cells > 0 && m.numeric
}

// headroom is added to a width for the rows beyond the sample: numbers grow, and text that varies will do so further on.
func (m *measure) headroom(right bool, c class) int {
	switch {
	case c == classBool || m.cells == 0:
		return 0
	case right && m.natural < 10:
		return 3
	case m.least < m.natural:
		return 2
	}
	return 0
}

// narrowest is the width below which a column is not readable: numbers and short values are never wrapped, text needs room
// for its words, such as a UUID, and its heading.
func (m *measure) narrowest(right bool) int {
	if right {
		return m.natural
	}
	return min(m.natural, max(min(m.header, 20), min(m.word, 36), 14))
}

// total is the width of a table line.
func total(widths []int) int {
	sum := -1
	for _, w := range widths {
		sum += w + cellPad
	}
	return sum
}

// fit narrows the widest columns until the line fits. ok is false when it cannot without going below the narrowest widths.
func fit(natural, narrowest []int, width int) (widths []int, ok bool) {
	widths = append([]int(nil), natural...)
	if total(widths) <= width {
		return widths, true
	}
	if total(narrowest) > width {
		return widths, false
	}
	for limit := maxOf(natural); total(widths) > width; limit-- {
		for i := range widths {
			if widths[i] > limit && limit >= narrowest[i] {
				widths[i] = limit
				if total(widths) <= width {
					break
				}
			}
		}
	}
	return widths, true
}

func maxOf(ns []int) int {
	m := 0
	for _, n := range ns {
		m = max(m, n)
	}
	return m
}

// elide chooses the columns to show of a table that is too wide: the first ones that fit and the last, with room for a column
// of dots between. It returns their indices; the gap comes before the last.
func elide(narrowest []int, width int) []int {
	last := len(narrowest) - 1
	used := total([]int{1, min(narrowest[last], width/3)})
	var show []int
	for i := 0; i < last; i++ {
		if used += min(narrowest[i], width/2) + cellPad; used > width && len(show) > 0 {
			break
		}
		show = append(show, i)
	}
	return append(show, last)
}

// wrap cuts text into lines of at most width cells, never within a grapheme. mark tells how a line goes on: ↵ at a line feed of the
// text, … at a cut. Beyond limit lines the rest is dropped and cut is true.
type wrapped struct {
	text string
	mark string
}

func wrap(t []byte, width, limit int) (lines []wrapped, cut bool) {
	width = max(width, 1)
	parts := bytes.Split(t, []byte("\n"))
	for n, part := range parts {
		s := string(Sanitize(nil, part))
		for {
			if len(lines) == limit {
				lines[limit-1].mark = ellipsis
				return lines, true
			}
			head, rest := cutAt(s, width)
			mark := ""
			if rest != "" {
				mark = ellipsis
			} else if n < len(parts)-1 {
				mark = "↵"
			}
			lines = append(lines, wrapped{head, mark})
			if s = rest; s == "" {
				break
			}
		}
	}
	return lines, false
}

// cutAt splits s after as many graphemes as fit into width, at least one.
func cutAt(s string, width int) (head, rest string) {
	if len(s) <= width || displaywidth.String(s) <= width {
		return s, ""
	}
	g := displaywidth.StringGraphemes(s)
	used, at := 0, 0
	for g.Next() {
		if used += g.Width(); used > width && at > 0 {
			break
		}
		at += len(g.Value())
	}
	if space := strings.LastIndexByte(s[:at], ' ') + 1; space > at*2/3 { // between words when that leaves the line well filled
		at = space
	}
	return s[:at], s[at:]
}
