package output

import (
	"bytes"

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
	width := 0
	for line := range bytes.SplitSeq(t, []byte("\n")) {
		width = max(width, displaywidth.Bytes(Sanitize(nil, line)))
	}
	return width
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
	widths  []int32 // how many cells are that wide, the last for those of more

	breaking float64   // what it costs that a value does not fit, beside what is not seen of it
	lost     []float64 // see losses
}

const widest = 256 // that a sample tells apart; no terminal has room for several such columns

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
	if m.widths == nil {
		m.widths = make([]int32, widest)
	}
	m.widths[min(w, widest-1)]++
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
