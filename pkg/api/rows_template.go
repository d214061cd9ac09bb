package api

// template is what the rows of a result have in common: the bytes around their values. Nearly every row has the layout of the
// row before it, so these bytes are compared instead of parsed, and only the values are looked at.
//
// That loses no check: the constant bytes were parsed once, the values between them are scanned in full, and a sound value
// in the place of another leaves the row sound.
type template struct {
	live   bool
	around [][]byte // before each value, and behind the last
	column []int    // of each value
	copies [][2]int
	bytes  []byte // backing of around

	// Rows whose layout keeps changing are not worth learning: after a miss that follows a miss, the general parser does
	// ever more rows (up to 63) by itself before the next attempt.
	penalty, rest int
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
	t.bytes = append(t.bytes[:0], row...)
	t.around, t.column = t.around[:0], append(t.column[:0], l.columns...)
	t.copies = l.copies
	from := 0
	for _, s := range l.slots {
		to := s.at - base
		t.around = append(t.around, t.bytes[from:to])
		from = to + len(s.value)
	}
	t.around = append(t.around, t.bytes[from:])
	t.live = true
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
	for s, lit := range t.around {
		if end-i < len(lit) {
			if string(b[i:end]) == string(lit[:end-i]) {
				return end, short
			}
			return i, differs
		}
		if string(b[i:i+len(lit)]) != string(lit) {
			return i, differs
		}
		i += len(lit)
		if s == len(t.column) {
			break
		}
		n, f := scanValue(b, i, end, 0)
		if f != sound {
			if f != short {
				f = differs
			}
			return n, f
		}
		row[t.column[s]] = Cell(b[i:n:n])
		i = n
	}
	for _, c := range t.copies {
		row[c[1]] = row[c[0]]
	}
	t.penalty = 0
	return i, sound
}
