package api

import (
	"encoding/binary"
	"math/bits"
)

// template is the common part of the rows of a result: the bytes around their values. Nearly every row has the layout
// of the previous one, so these bytes are compared instead of parsed, and only the values are scanned.
//
// That skips no validation: the constant bytes were parsed once, the values between them are scanned in full, and
// replacing a valid value by another leaves the row valid.
type template struct {
	live     bool
	straight bool       // the values are in the order of the columns, one each
	around   []constant // before each value, and after the last
	copies   [][2]int

	// If the layout keeps changing, learning does not pay off: after two consecutive misses, the general parser handles
	// a growing number of rows (up to 63) before the next attempt.
	penalty, rest int
}

// constant is a piece of the layout, and the column of the value after it; -1 if it ends the row.
type constant struct {
	text       string
	head, mask uint64 // the first eight bytes of text, and a mask of those that exist
	tail       uint64 // the last eight bytes, if there are that many
	column     int
}

// learn stores the layout of the row just parsed and placed; row starts at index base of the window.
func (t *template) learn(row []byte, base int, l *layout, columns int) {
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
	t.live, t.straight = true, straight(l.columns, columns)
}

func straight(order []int, columns int) bool {
	for i, c := range order {
		if i != c {
			return false
		}
	}
	return len(order) == columns
}

func newConstant(text string, column int) constant {
	c := constant{text: text, column: column}
	for i := range min(len(text), 8) {
		c.head |= uint64(text[i]) << (8 * i)
		c.mask |= 0xff << (8 * i)
		c.tail |= uint64(text[len(text)-1-i]) << (56 - 8*i)
	}
	return c
}

// is compares the constant with b[i:j], which has the same length.
func (c *constant) is(b []byte, i, j int) bool {
	if (binary.LittleEndian.Uint64(b[i:])^c.head)&c.mask != 0 {
		return false
	}
	switch n := len(c.text); {
	case n <= 8:
		return true
	case n <= 16:
		return binary.LittleEndian.Uint64(b[j-8:]) == c.tail
	}
	return string(b[i:j]) == c.text
}

func (t *template) missed() {
	t.live = false
	t.rest = t.penalty
	t.penalty = min(2*t.penalty+1, 63)
}

// match reads the row at b[i] if it has the learned layout, and stores its values in row. It returns sound; short if
// the window ends before the row does; or differs, which says nothing about the validity of the row. Columns without a
// value in this layout keep the NULL that the general parser gave them.
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
		if !c.is(b, i, j) {
			return i, differs
		}
		if c.column < 0 {
			i = j
			break
		}
		p := b[j : j+17 : j+17]
		switch p[0] {
		case '"':
			// Branches on the length are cheaper than arithmetic here, because the processor predicts them.
			if m := marks(binary.LittleEndian.Uint64(p[1:9])); m != 0 {
				i = j + 1 + bits.TrailingZeros64(m)>>3
			} else if m := marks(binary.LittleEndian.Uint64(p[9:17])); m != 0 {
				i = j + 9 + bits.TrailingZeros64(m)>>3
			} else {
				i = scanPlain(b, j+17)
			}
			if b[i] != '"' {
				i = 0
			}
			i++ // at most j, which is not an end of a value, unless there was a quote
		case 'n':
			if i = 0; binary.LittleEndian.Uint32(p) == 'n'|'u'<<8|'l'<<16|'l'<<24 {
				i = j + 4
			}
		default:
			i = 0
		}
		if i <= j || i > end { // another layout, or the window ends
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

// scanPlain returns the index of the first byte of b[i:] that marks finds; 0 if there is none.
func scanPlain(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := marks(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	return 0
}

// marks sets the high bit of every byte of x that is not ASCII, a control character, a quote or a backslash. The lowest
// mark is exact, higher ones may come from borrows. Bytes of 0x80 and more need no separate test: after the exclusive
// or with a quote or a backslash they are still at least 0x80, and subtracting one keeps the high bit in at least one
// of the two cases.
func marks(x uint64) uint64 {
	return ((x - lows*0x20) | ((x ^ lows*'"') - lows) | ((x ^ lows*'\\') - lows)) & highs
}
