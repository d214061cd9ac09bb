package api

import (
	"encoding/binary"
	"math/bits"
)

// template is what the rows of a result have in common: the bytes around their values. Nearly every row has the layout of the
// row before it, so these bytes are compared instead of parsed, and only the values are looked at.
//
// That loses no check: the constant bytes were parsed once, the values between them are scanned in full, and a sound value
// in the place of another leaves the row sound.
type template struct {
	live   bool
	around []constant // before each value, and behind the last
	copies [][2]int
	bytes  []byte // backing of around

	// Rows whose layout keeps changing are not worth learning: after a miss that follows a miss, the general parser does
	// ever more rows (up to 63) by itself before the next attempt.
	penalty, rest int
}

// constant is a piece of the layout, and the column of the value behind it; -1 if it ends the row.
type constant struct {
	text       string
	word, mask uint64 // text of up to eight bytes, to compare it in one go; mask 0: longer
	column     int
}

// learn takes the layout of the row just parsed and placed; row begins at index base of the window.
func (t *template) learn(row []byte, base int, l *layout) {
	t.live = false
	if t.rest > 0 {
		t.rest--
		return
	}
	if !l.once {
		return
	}
	text := string(row)
	t.around = t.around[:0]
	t.copies = l.copies
	from := 0
	for i, s := range l.slots {
		to := s.at - base
		t.around = append(t.around, newConstant(text[from:to], l.columns[i]))
		from = to + len(s.value)
	}
	t.around = append(t.around, newConstant(text[from:], -1))
	t.live = true
}

func newConstant(text string, column int) constant {
	c := constant{text: text, column: column}
	if len(text) > 0 && len(text) <= 8 {
		for i := len(text) - 1; i >= 0; i-- {
			c.word = c.word<<8 | uint64(text[i])
			c.mask = c.mask<<8 | 0xff
		}
	}
	return c
}

func (t *template) missed() {
	t.live = false
	t.rest = t.penalty
	t.penalty = min(2*t.penalty+1, 63)
}

// match reads the row at b[i] if it has the learned layout, and puts its values into row. It ends with sound; with short if
// the window ends before the row does; with differs, which says nothing about the row. Columns without a value in this layout
// keep the NULL that the general parser gave them.
func (t *template) match(b []byte, i, end int, row []Cell) (int, fault) {
	around := t.around
	for k := range around {
		c := &around[k]
		j := i + len(c.text)
		if j > end {
			if string(b[i:end]) == c.text[:end-i] {
				return end, short
			}
			return i, differs
		}
		if c.mask != 0 {
			if (binary.LittleEndian.Uint64(b[i:])^c.word)&c.mask != 0 {
				return i, differs
			}
		} else if string(b[i:j]) != c.text {
			return i, differs
		}
		if c.column < 0 {
			i = j
			break
		}
		i = scanPlain(b, j)
		if i <= j || i > end {
			var f fault
			if i, f = scanValue(b, j, end, 0); f != sound {
				if f != short {
					f = differs
				}
				return i, f
			}
		}
		row[c.column] = Cell(b[j:i:i])
	}
	for _, c := range t.copies {
		row[c[1]] = row[c[0]]
	}
	t.penalty = 0
	return i, sound
}

// scanPlain finds the end of a string of ASCII characters without escapes that begins at b[i], or of null. It answers 0 if
// something else is there. It does not care where the window ends: an answer behind that, or close before, is none.
func scanPlain(b []byte, i int) int {
	if b[i] != '"' {
		if binary.LittleEndian.Uint32(b[i:]) == 'n'|'u'<<8|'l'<<16|'l'<<24 {
			return i + 4
		}
		return 0
	}
	for j := i + 1; j+16 <= len(b); j += 16 {
		x, y := binary.LittleEndian.Uint64(b[j:]), binary.LittleEndian.Uint64(b[j+8:])
		// Marked is every byte that is not ASCII, a control character, a quote or a backslash. The lowest mark is exact.
		m := (x | (x - lows*0x20) | ((x ^ lows*'"') - lows) | ((x ^ lows*'\\') - lows)) & highs
		n := (y | (y - lows*0x20) | ((y ^ lows*'"') - lows) | ((y ^ lows*'\\') - lows)) & highs
		if m|n == 0 {
			continue
		}
		if m == 0 {
			m = n
			j += 8
		}
		if j += bits.TrailingZeros64(m) >> 3; b[j] == '"' {
			return j + 1
		}
		return 0
	}
	return 0
}
