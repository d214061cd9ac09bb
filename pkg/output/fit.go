package output

import (
	"strings"

	"github.com/dig-cli/dig/internal/cell"
)

// Fitting columns into the width of a terminal. Three methods are tried in turn: narrower columns with wrapped values,
// columns so narrow that values are cut to one line with a mark, and dropping columns.

// The minimum number of cells of a text column in an overview: a useful beginning, or a short one if that makes all
// columns visible.
const (
	usefulText = 8
	scantText  = 6
)

// tight returns the width below which a column of an overview is useless. It has room for complete numbers, for the day
// of a time, for the beginning of a text, and for the longest word of the heading. values is the width of the widest
// cell, without the heading.
func (m *measure) tight(values, text int, right bool, col *cell.Column) int {
	least := text
	switch {
	case right || col.Class == cell.ClassBool:
		least = values
	case col.Time():
		least = min(values, len("2006-01-02"))
	}
	if m.header > 0 {
		word := 0
		for part := range strings.FieldsFuncSeq(col.Name, func(r rune) bool { return r == '_' || r == ' ' }) {
			word = max(word, textWidth([]byte(part), false)+1)
		}
		least = max(least, min(word, m.header, text*3/2))
	}
	return min(least, max(values, m.header))
}

// total returns the width of a table line.
func total(widths []int) int {
	sum := -1
	for _, w := range widths {
		sum += w + cellPad
	}
	return sum
}

// fit narrows columns until the line fits, starting with those where the loss per gained cell is smallest. ok is false
// if it is impossible without going below the minimum widths.
func fit(ms []measure, natural, least []int, width int) (widths []int, ok bool) {
	widths = append([]int(nil), natural...)
	over := total(widths) - width
	if over > 0 && total(least) > width {
		return widths, false
	}
	for over > 0 {
		best, to, price := -1, 0, 0.0
		for i := range widths {
			if widths[i] <= least[i] {
				continue
			}
			t, p := ms[i].cheapest(widths[i], max(least[i], widths[i]-over))
			if best < 0 || p < price || p == price && widths[i] > widths[best] {
				best, to, price = i, t, p
			}
		}
		over -= widths[best] - to
		widths[best] = to
	}
	return widths, true
}

// cheapest returns the width from least to below w with the smallest loss per gained cell, and that loss.
func (m *measure) cheapest(w, least int) (to int, price float64) {
	losses := m.losses()
	to = -1
	for t := w - 1; t >= least; t-- {
		if p := (losses[min(t, widest-1)] - losses[min(w, widest-1)]) / float64(w-t); to < 0 || p <= price {
			to, price = t, p
		}
	}
	return to, price
}

// losses returns the loss of each width: for every value that is wider, the share that is not visible on its first line
// plus a constant for being wrapped, a little for a wrapped heading, and less for the reserve for further rows.
func (m *measure) losses() []float64 {
	if m.lost != nil {
		return m.lost
	}
	m.lost = make([]float64, widest)
	broken, shares := 0.0, 0.0
	for t := widest - 1; t >= 0; t-- {
		if t+1 < widest && m.widths != nil {
			n := float64(m.widths[t+1]) / float64(m.cells)
			broken += n
			shares += n / float64(t+1)
		}
		m.lost[t] = m.breaking*broken + broken - float64(t)*shares
		if t < m.header {
			m.lost[t] += 0.1
		}
		if t < m.natural {
			m.lost[t] += 0.03
		}
	}
	return m.lost
}

// elide selects the columns to show of a table that is too wide: the first ones that fit and the last, with space for a
// column of dots in between. It returns their indices; the gap is before the last.
func elide(least []int, width int) []int {
	last := len(least) - 1
	used := total([]int{1, min(least[last], width/3)})
	var show []int
	for i := 0; i < last; i++ {
		if used += min(least[i], width/2) + cellPad; used > width && len(show) > 0 {
			break
		}
		show = append(show, i)
	}
	return append(show, last)
}

// tight sets widths at which all columns fit, with values cut to one line; ok is false if that is impossible.
func (t *table) tight(ms []measure, natural, values []int) (ok bool) {
	height, least := t.height, make([]int, len(ms))
	for text := usefulText; text >= scantText && !ok; text-- {
		for i := range ms {
			least[i] = ms[i].tight(values[i], text, t.right[i], &t.cols[i])
		}
		t.widths, ok = fit(ms, natural, least, t.o.width())
	}
	if t.height = 1; !ok {
		t.height = height
	}
	return ok
}

// overview drops columns, so that the beginnings of as many as possible are visible. Values have one line.
// values are the widths of the widest cells, without the headings.
func (t *table) overview(ms []measure, natural, values []int) {
	width, tight := t.o.width(), make([]int, len(ms))
	for i := range ms {
		tight[i] = ms[i].tight(values[i], usefulText, t.right[i], &t.cols[i])
	}
	t.height = 1
	t.show = elide(tight, width)
	last := len(t.show) - 1
	if len(t.show) < len(natural) {
		t.gap = last
		width -= 1 + cellPad
	}
	some, wanted, least := make([]measure, last+1), make([]int, last+1), make([]int, last+1)
	for at, i := range t.show {
		some[at], wanted[at], least[at] = ms[i], natural[i], min(tight[i], t.o.width()/2)
	}
	least[last] = min(least[last], t.o.width()/3)
	shown, _ := fit(some, wanted, least, max(width, total(least)))
	for at, i := range t.show {
		t.widths[i] = shown[at]
	}
}
