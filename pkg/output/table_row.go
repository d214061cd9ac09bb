package output

import (
	"bytes"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dustin/go-humanize"
)

// line renders one row, or the heading. If a cell is wider than its column, a terminal wraps it; elsewhere it overflows
// and the following cells give up their padding, so that the columns align again as soon as possible.
func (t *table) line(dst []byte, cells []tcell, style string, header bool) []byte {
	if t.wrapping && t.mustWrap(cells, header) {
		return t.lines(dst, cells, style, header)
	}
	debt := 0
	for at, i := range t.show {
		dst = t.between(dst, at)
		dst = append(dst, ' ')
		text := t.visible(cells[i])
		width := len(text)
		if !printable(text) {
			text = term.Sanitize(nil, text)
			width = displaywidth.Bytes(text)
		}
		pad := t.widths[i] - width
		if pad < 0 {
			debt, pad = debt-pad, 0
		} else if debt > 0 {
			paid := min(pad, debt)
			debt, pad = debt-paid, pad-paid
		}
		last := at == len(t.show)-1
		if t.right[i] {
			dst = blanks(dst, pad)
		}
		dst = t.styled(dst, text, style, cells[i].null)
		if !t.right[i] && !last {
			dst = blanks(dst, pad)
		}
		if !last {
			dst = append(dst, ' ')
		}
	}
	if len(t.show) > 0 && len(t.visible(cells[t.show[len(t.show)-1]])) == 0 {
		dst = trimBlanks(dst)
	}
	return append(dst, '\n')
}

func (t *table) visible(c tcell) []byte {
	if c.null {
		return t.null
	}
	return c.text
}

func (t *table) mustWrap(cells []tcell, header bool) bool {
	for _, i := range t.show {
		text := t.visible(cells[i])
		if printable(text) {
			room := t.widths[i]
			if !header {
				room = t.room(i, text)
			}
			if len(text) > room {
				return true
			}
		} else if bytes.IndexByte(text, '\n') >= 0 || textWidth(text, false) > t.widths[i] {
			return true
		}
	}
	return false
}

// room is the maximum width of a cell: that of its column, or a little more for a number, which would be misread if
// split.
func (t *table) room(i int, text []byte) int {
	const excess = 12
	if t.right[i] && len(text) <= t.widths[i]+excess && printable(text) {
		return max(t.widths[i], len(text))
	}
	return t.widths[i]
}

// lines renders a row with cells of several lines. The blank to the right of a cell holds the continuation mark.
func (t *table) lines(dst []byte, cells []tcell, style string, header bool) []byte {
	parts := make([][]wrapped, len(t.show))
	height := 1
	for at, i := range t.show {
		text := t.visible(cells[i])
		var cut bool
		switch {
		case header:
			parts[at], cut = heading(text, t.widths[i], longWrap)
		case t.right[i]: // a part of a number would be another number
			parts[at], cut = wrap(text, t.room(i, text), max(t.height, longWrap))
		default:
			parts[at], cut = wrap(text, t.widths[i], t.height)
		}
		t.cut = t.cut || cut
		height = max(height, len(parts[at]))
	}
	for n := range height {
		for at, i := range t.show {
			dst = t.between(dst, at)
			dst = append(dst, ' ')
			var p wrapped
			if n < len(parts[at]) {
				p = parts[at][n]
			}
			width := displaywidth.String(p.text)
			pad := max(t.widths[i]-width, 0)
			// A value of several lines is left-aligned, including numbers.
			right := t.right[i] && len(parts[at]) == 1
			if right {
				dst = blanks(dst, pad)
			}
			dst = t.styled(dst, []byte(p.text), style, cells[i].null)
			if !right {
				dst = blanks(dst, pad)
			}
			if p.mark != "" {
				dst = append(t.paint.on(dst, ansiDim), p.mark...)
				dst = t.paint.off(dst)
			} else if width <= t.widths[i] {
				dst = append(dst, ' ')
			}
		}
		dst = append(trimBlanks(dst), '\n')
	}
	return dst
}

// between writes the bar before the column at position at of the line, and the dots of dropped columns.
func (t *table) between(dst []byte, at int) []byte {
	if at == 0 {
		return dst
	}
	dst = append(t.paint.on(dst, ansiDim), bar...)
	if at == t.gap {
		dst = append(append(dst, " … "...), bar...)
	}
	return t.paint.off(dst)
}

func (t *table) styled(dst, text []byte, style string, null bool) []byte {
	if null {
		style = ansiDim
	}
	if style == "" || len(text) == 0 {
		return append(dst, text...)
	}
	return t.paint.off(append(t.paint.on(dst, style), text...))
}

// record renders a row with one line per column.
func (t *table) record(dst []byte, cells []tcell, n int64) []byte {
	names, keys := make([][]byte, len(t.cols)), 0
	for i := range t.cols {
		names[i] = term.Sanitize(nil, t.cols[i].Name)
		keys = max(keys, displaywidth.Bytes(names[i]))
	}
	title := " row " + humanize.Comma(n) + " "
	dst = append(t.paint.on(dst, ansiDim), rule...)
	dst = append(dst, title...)
	for range max(keys+2-1-len(title), 1) {
		dst = append(dst, rule...)
	}
	dst = append(t.paint.off(dst), '\n')
	for i := range t.cols {
		dst = t.field(dst, names[i], keys, cells[i])
	}
	return dst
}

// field renders the line of one column of a record; further lines of the value are below the first.
func (t *table) field(dst, name []byte, keys int, c tcell) []byte {
	dst = append(dst, ' ')
	dst = t.styled(dst, name, ansiBold, false)
	dst = blanks(dst, keys-displaywidth.Bytes(name)+1)
	for n, line := range bytes.Split(t.visible(c), []byte("\n")) {
		if n > 0 {
			dst = blanks(dst, keys+2)
		}
		dst = append(t.paint.on(dst, ansiDim), bar...)
		dst = t.paint.off(dst)
		if len(line) > 0 {
			text := term.Sanitize(nil, line)
			if room := t.o.width() - keys - 4; t.o.Terminal && room >= 20 && len(text) > room {
				text = bytes.ReplaceAll([]byte(Fold(string(text), room)), []byte("\n"), t.goesOn(keys))
			}
			dst = t.styled(append(dst, ' '), text, "", c.null)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// goesOn starts a continuation line of a long value; the dashed bar distinguishes it from a line break in the value.
func (t *table) goesOn(keys int) []byte {
	dst := blanks([]byte{'\n'}, keys+2)
	return append(t.paint.off(append(t.paint.on(dst, ansiDim), "┆"...)), ' ')
}

func blanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// trimBlanks removes padding at the end of a line.
func trimBlanks(dst []byte) []byte {
	for len(dst) > 0 && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// ring keeps the last rows pushed.
type ring struct {
	size  int
	slack int // number of rows that are kept in addition to size
	trim  bool
	kept  [][]tcell
	at    int
}

func newRing(size int, trim bool) *ring { return &ring{size: size, trim: trim} }

// bytes kept of each cell in the last rows of a result on a terminal, which shows no more of it
const keptCell = 16 << 10

func (r *ring) push(cells []tcell) {
	if r.size+r.slack == 0 {
		return
	}
	at := r.at % (r.size + r.slack)
	if at == len(r.kept) {
		r.kept = append(r.kept, make([]tcell, len(cells)))
	}
	slot := r.kept[at]
	for i, c := range cells {
		text := c.text
		if r.trim && len(text) > keptCell {
			text = text[:keptCell]
		}
		slot[i] = tcell{text: append(slot[i].text[:0], text...), null: c.null}
	}
	r.at++
}

// rows returns the kept rows, oldest first.
func (r *ring) rows() [][]tcell {
	if len(r.kept) == 0 {
		return nil
	}
	from := r.at % len(r.kept)
	if r.at <= len(r.kept) {
		from = 0
	}
	return append(append([][]tcell{}, r.kept[from:]...), r.kept[:from]...)
}
