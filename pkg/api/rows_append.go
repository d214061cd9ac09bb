package api

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Delimited says how AppendNext writes a row as delimited text.
type Delimited struct {
	Between, End byte   // ASCII: behind each value but the last, and behind that
	Null         []byte // what NULL becomes
	Floats       []bool // for each column: Cell writes its values that have an exponent
	Untold       []bool // the same for values like doubles of columns whose type is not known; nil for none
	// Cell appends a value that is no plain text. Rows count from 1.
	Cell func(dst []byte, row int64, column int, c Cell) ([]byte, error)
}

// AppendNext advances as Next does and appends the row to dst in one pass over its bytes, if the row is in memory as a whole, has
// the layout of the row before it and its columns in order. Otherwise took is false, nothing has happened, and it is for Next to
// go on: also where Cell fails, so that a row is found to be sound before anything is said of its values. Row is not valid behind a
// row that was taken.
//
// Plain text goes as it stands: a string of ASCII without escapes, control characters, Between, and spaces at its ends, neither
// empty nor of the length of Null.
func (r *Rows) AppendNext(dst []byte, d *Delimited) (_ []byte, took bool) {
	w := &r.win
	if !r.template.live || !r.template.straight || r.state != atRow || r.pending || r.closed || w.pos >= w.end || w.buf[w.pos] != ',' {
		return dst, false
	}
	out, n := r.template.append(dst, w.buf, w.pos+1, w.end, r.count+1, d)
	if n == 0 {
		return dst, false
	}
	w.pos = n
	r.count++
	return out, true
}

// append is match with the values written to dst; the index is 0 if the row is not taken.
func (t *template) append(dst, b []byte, i, end int, row int64, d *Delimited) ([]byte, int) {
	o, dst := len(dst), dst[:cap(dst)]
	stop := lows * uint64(d.Between)
	for k := range t.around {
		c := &t.around[k]
		j := i + len(c.text)
		if j > end || !c.is(b, i, j) {
			return nil, 0
		}
		if len(dst)-o < len(d.Null)+32 {
			dst = slices.Grow(dst, len(dst)+4*len(d.Null)+32)
			dst = dst[:cap(dst)]
		}
		if c.column < 0 {
			dst[o] = d.End
			return dst[:o+1], j
		}
		if k > 0 {
			dst[o] = d.Between
			o++
		}
		p, q := b[j:j+17:j+17], dst[o:o+16:o+16]
		switch p[0] {
		case '"':
			// What is written beyond the text is written over.
			n := 0
			x := binary.LittleEndian.Uint64(p[1:9])
			binary.LittleEndian.PutUint64(q, x)
			if m := marks(x) | ((x^stop)-lows)&highs; m != 0 {
				n = bits.TrailingZeros64(m) >> 3
			} else {
				x := binary.LittleEndian.Uint64(p[9:17])
				binary.LittleEndian.PutUint64(q[8:], x)
				if m := marks(x) | ((x^stop)-lows)&highs; m != 0 {
					n = 8 + bits.TrailingZeros64(m)>>3
				} else if dst, n = copyPlain(dst, o, b, j+1, stop); n < 0 {
					return nil, 0
				}
			}
			if i = j + 1 + n; i < end && b[i] == '"' && n > 0 && n != len(d.Null) && p[1] != ' ' && b[i-1] != ' ' && !(d.Floats[k] && Cell(b[j+1:i]).HasExponent()) &&
				!(d.Untold != nil && d.Untold[k] && Cell(b[j+1:i]).LikeDouble()) {
				i++
				o += n
				continue
			}
		case 'n':
			if binary.LittleEndian.Uint32(p) == 'n'|'u'<<8|'l'<<16|'l'<<24 {
				i = j + 4
				o += copy(dst[o:], d.Null)
				continue
			}
		}
		var f fault
		if i, f = scanValue(b, j, end, 0); f != sound {
			return nil, 0
		}
		out, err := d.Cell(dst[:o], row, k, Cell(b[j:i:i]))
		if err != nil {
			return nil, 0
		}
		o, dst = len(out), out[:cap(out)]
	}
	return nil, 0
}

// copyPlain goes on behind the first 16 bytes of the text that begins at b[i], with its copy at dst[o], and tells how long it is; -1
// if it does not end.
func copyPlain(dst []byte, o int, b []byte, i int, stop uint64) ([]byte, int) {
	for n := 16; i+n+8 <= len(b); n += 8 {
		if o+n+8 > len(dst) {
			dst = slices.Grow(dst, len(dst))
			dst = dst[:cap(dst)]
		}
		x := binary.LittleEndian.Uint64(b[i+n:])
		binary.LittleEndian.PutUint64(dst[o+n:], x)
		if m := marks(x) | ((x^stop)-lows)&highs; m != 0 {
			return dst, n + bits.TrailingZeros64(m)>>3
		}
	}
	return dst, -1
}
