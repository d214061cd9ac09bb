package api

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Delimited configures how AppendNext writes a row as delimited text.
type Delimited struct {
	Between, End byte   // ASCII: after each value but the last, and after the last
	Null         []byte // representation of NULL
	Floats       []bool // per column: its values with an exponent are written by Cell
	Untold       []bool // the same for values that look like doubles in columns of unknown type; nil for none
	// Cell appends a value that is not plain text. Rows are counted from 1.
	Cell func(dst []byte, row int64, column int, c Cell) ([]byte, error)
}

// AppendReader is Rows, or a wrapper of it that observes how rows are read.
type AppendReader interface {
	RowReader
	OnWait(func(waits bool))
	AppendNext(dst []byte, d *Delimited) ([]byte, bool)
}

// AppendNext advances like Next and appends the row to dst in one pass over its bytes, if the row is completely in
// memory, has the layout of the previous row and its columns in order. Otherwise took is false, nothing has changed,
// and the caller must use Next: this includes the case that Cell fails, so that the row is validated before its values
// are reported. Row is not valid after a row was taken.
//
// Plain text is copied unchanged: a string of ASCII without escapes, control characters, Between, and spaces at its
// ends, neither empty nor of the length of Null.
func (r *Rows) AppendNext(dst []byte, d *Delimited) (_ []byte, took bool) {
	w := &r.win
	if !r.template.live || !r.template.straight || r.state != atRow || r.pending || r.closed || w.pos >= w.end ||
		w.buf[w.pos] != ',' {
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
			// Bytes written beyond the text are overwritten.
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
			if i = j + 1 + n; i < end && b[i] == '"' && n > 0 && n != len(d.Null) && p[1] != ' ' && b[i-1] != ' ' &&
				!(d.Floats[k] && Cell(b[j+1:i]).HasExponent()) &&
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

// copyPlain continues after the first 16 bytes of the text at b[i], with its copy at dst[o], and returns its length; -1
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
