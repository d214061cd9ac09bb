package output

import (
	"bytes"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
)

// Parts of a table line: a cell is a blank, its text and a blank; cells are separated by a bar.
const (
	bar      = "│"
	rule     = "─"
	cross    = "┼"
	ellipsis = "…"
	cellPad  = 3 // two blanks and a bar per column; the last one has no bar
)

// tcell is a table value that must outlive its row: decoded text, with control characters.
type tcell struct {
	text []byte
	null bool
}

// Readable appends the text of a cell as tables show it to people.
func Readable(dst []byte, c api.Cell, col *cell.Column) ([]byte, error) {
	return tableText(dst, c, col, false)
}

// tableText decodes a cell for display: doubles readable, decimals without the zeros with which the gateway pads
// them, times without zeros at the end of their seconds.
func tableText(dst []byte, c api.Cell, col *cell.Column, raw bool) ([]byte, error) {
	if raw {
		return cell.AppendText(dst, c)
	}
	from := len(dst)
	dst, err := cell.AppendReadable(dst, c, col.Class)
	if err == nil && col.Class == cell.ClassDecimal {
		if t := dst[from:]; paddedDecimal(t) && cell.ValidNumber(t) && !bytes.ContainsAny(t, "eE") {
			t = cell.TrimZeros(t, 1)
			dst = dst[:from+len(bytes.TrimSuffix(t, []byte(".")))]
		}
	}
	if err == nil && len(col.Type) > 3 && col.Type[:4] == "time" {
		dst = cell.TrimFraction(dst, from)
	}
	return dst, err
}

// paddedDecimal reports whether a decimal has the ten decimal places, or more, to which internal tables pad every value
// [L]. Shorter fractions were declared explicitly: 1.50 is a price and is not changed.
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

// textWidth returns the number of terminal cells of the sanitized text on its widest line; with lines false a line feed
// is shown as ↵ and everything is one line.
func textWidth(t []byte, lines bool) int {
	if printable(t) {
		return len(t)
	}
	if !lines {
		return displaywidth.Bytes(term.Sanitize(nil, t))
	}
	width := 0
	for line := range bytes.SplitSeq(t, []byte("\n")) {
		width = max(width, displaywidth.Bytes(term.Sanitize(nil, line)))
	}
	return width
}

// looksNumeric accepts text that looks like a number. Leading zeros are not accepted: codes and telephone numbers have
// them.
func looksNumeric(t []byte) bool {
	return cell.ValidNumber(t) || string(t) == "NaN" || string(t) == "Infinity" || string(t) == "-Infinity"
}

// measure holds the properties of one column in a sample.
type measure struct {
	header  int
	natural int
	least   int // smallest width of a cell, to detect whether the widths vary
	word    int // the longest run without a blank
	cells   int
	numeric bool
	widths  []int32 // number of cells per width, the last one for all greater widths

	breaking float64   // the cost of a value that does not fit, in addition to the share that is not visible
	lost     []float64 // see losses
}

const widest = 256 // the maximum width that a sample distinguishes; no terminal fits several such columns

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

// right reports whether the column is right-aligned.
func (m *measure) right(c cell.Class) bool {
	return c.Number() || c == cell.ClassOther && m.cells > 0 && m.numeric
}

// headroom returns what is added to a width for the rows after the sample: numbers may grow, and the width of text that
// varies may vary further.
func (m *measure) headroom(right bool, c cell.Class) int {
	switch {
	case c == cell.ClassBool || m.cells == 0:
		return 0
	case right && m.natural < 10:
		return 3
	case m.least < m.natural:
		return 2
	}
	return 0
}

// narrowest returns the width below which a column is unreadable: numbers and short values are never wrapped, text
// needs space for its words, such as a UUID, and its heading.
func (m *measure) narrowest(right bool) int {
	if right {
		return m.natural
	}
	return min(m.natural, max(min(m.header, 20), min(m.word, 36), 14))
}
