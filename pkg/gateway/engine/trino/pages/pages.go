// Package pages decodes the rows of Trino's pages into columns.
package pages

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"

	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Decoder decodes the values of one column.
type Decoder struct {
	Layout *batch.Type
	add    func(d *Decoder, v []byte) error // a value that is not NULL

	n     int
	valid []uint64
	bools []bool
	ints  []int64
	reals []float32
	nums  []float64
	huges []wiretext.Huge
	views []batch.View
	spans [][2]uint64
	kids  []*Decoder
	keep  [][]byte // what views refer to besides the page
}

// New returns a decoder for a type.
func New(t *types.Type) *Decoder {
	d := &Decoder{Layout: &batch.Type{Layout: batch.Text}, add: addText}
	layout := func(l batch.Layout, add func(*Decoder, []byte) error, kids ...*Decoder) *Decoder {
		d.Layout.Layout, d.add, d.kids = l, add, kids
		for _, k := range kids {
			d.Layout.Kids = append(d.Layout.Kids, k.Layout)
		}
		return d
	}
	switch t.Kind {
	case types.Boolean:
		return layout(batch.Bool, func(d *Decoder, v []byte) error {
			d.bools = append(d.bools, string(v) == "true")
			return nil
		})
	case types.Tinyint, types.Smallint, types.Integer, types.Bigint:
		return layout(batch.Int64, addInt)
	case types.Real:
		return layout(batch.Float32, addReal)
	case types.Double:
		return layout(batch.Float64, addDouble)
	case types.Decimal:
		d.Layout.Inner, d.Layout.Scale = batch.Int128, t.Scale
		return layout(batch.Decimal, addDecimal)
	case types.Varbinary:
		return layout(batch.Bytes, addBytes)
	case types.JSON:
		d.Layout.JSON = true
	case types.Array:
		return layout(batch.List, addList, New(t.Args[0]))
	case types.Map: // the keys are texts, as in the object that has them, but bytes as they are elsewhere
		key := types.Of(types.Varchar)
		if t.Args[0].Kind == types.Varbinary {
			key = t.Args[0]
		}
		return layout(batch.Map, addMap, New(key), New(t.Args[1]))
	case types.Row:
		for i := range t.Args {
			d.Layout.Names = append(d.Layout.Names, t.FieldName(i))
			d.kids = append(d.kids, New(t.Args[i]))
		}
		return layout(batch.Struct, addRow, d.kids...)
	}
	return d
}

// Reset forgets the values.
func (d *Decoder) Reset() {
	d.n, d.valid, d.bools, d.ints, d.reals, d.nums = 0, d.valid[:0], d.bools[:0], d.ints[:0], d.reals[:0], d.nums[:0]
	d.huges, d.views, d.spans, d.keep = d.huges[:0], d.views[:0], d.spans[:0], nil
	for _, k := range d.kids {
		k.Reset()
	}
}

// Rows decodes the rows of a page. The batch is valid until the page is overwritten, or Rows is called again.
func Rows(page []byte, decoders []*Decoder) (*batch.Batch, error) {
	for _, d := range decoders {
		d.Reset()
	}
	n := 0
	err := elements(page, func(row []byte) error {
		n++
		i := 0
		err := elements(row, func(v []byte) error {
			if i == len(decoders) {
				return fmt.Errorf("a row has more than %d values", len(decoders))
			}
			i++
			return decoders[i-1].value(v)
		})
		if err == nil && i < len(decoders) {
			err = fmt.Errorf("a row has %d values for %d columns", i, len(decoders))
		}
		return err
	})
	if err != nil {
		return nil, &protocol.UnreachableError{Err: fmt.Errorf("a page cannot be read: %w", err)}
	}
	out := &batch.Batch{Len: n, Keep: [2]any{page, decoders}}
	for _, d := range decoders {
		out.Columns = append(out.Columns, d.vec())
	}
	return out, nil
}

func (d *Decoder) vec() (v batch.Vec) {
	switch d.Layout.Layout {
	case batch.Bool:
		v = batch.Of(d.Layout, d.bools, d.valid)
	case batch.Int64:
		v = batch.Of(d.Layout, d.ints, d.valid)
	case batch.Float32:
		v = batch.Of(d.Layout, d.reals, d.valid)
	case batch.Float64:
		v = batch.Of(d.Layout, d.nums, d.valid)
	case batch.Decimal:
		v = batch.Of(d.Layout, d.huges, d.valid)
	case batch.List, batch.Map, batch.Struct:
		v = batch.Of(d.Layout, d.spans, d.valid)
	default:
		v = batch.Of(d.Layout, d.views, d.valid)
	}
	for _, k := range d.kids {
		v.Kids = append(v.Kids, k.vec())
	}
	return v
}

// value adds a value, which may be null.
func (d *Decoder) value(v []byte) error {
	if d.n%64 == 0 {
		d.valid = append(d.valid, 0)
	}
	d.n++
	if string(v) != "null" {
		d.valid[(d.n-1)/64] |= 1 << ((d.n - 1) % 64)
		return d.add(d, v)
	}
	switch d.Layout.Layout {
	case batch.Bool:
		d.bools = append(d.bools, false)
	case batch.Int64:
		d.ints = append(d.ints, 0)
	case batch.Float32:
		d.reals = append(d.reals, 0)
	case batch.Float64:
		d.nums = append(d.nums, 0)
	case batch.Decimal:
		d.huges = append(d.huges, wiretext.Huge{})
	case batch.List, batch.Map:
		d.spans = append(d.spans, [2]uint64{})
	case batch.Struct:
		for _, k := range d.kids {
			if err := k.value(v); err != nil {
				return err
			}
		}
	default:
		d.views = append(d.views, batch.View{})
	}
	return nil
}

// elements calls f with each element of an array.
func elements(b []byte, f func([]byte) error) error {
	if len(b) < 2 || b[0] != '[' {
		return fmt.Errorf("%.40q is not an array", b)
	}
	for i := 1; ; {
		i = space(b, i)
		if i < len(b) && b[i] == ']' {
			return nil
		}
		end := protocol.Skip(b, i)
		if end < 0 || end >= len(b) {
			return fmt.Errorf("%.40q does not end", b[min(i, len(b)):])
		}
		if err := f(b[i:end]); err != nil {
			return err
		}
		if i = space(b, end); i < len(b) && b[i] == ',' {
			i++
		}
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// text is the value of a string, or the text of anything else. It is a part of the page where that is possible.
func (d *Decoder) text(v []byte) ([]byte, error) {
	if len(v) < 2 || v[0] != '"' {
		return v, nil
	}
	in := v[1 : len(v)-1]
	for _, c := range in {
		if c == '\\' {
			var s string
			if err := json.Unmarshal(v, &s); err != nil {
				return nil, err
			}
			in = []byte(s)
			d.keep = append(d.keep, in)
			break
		}
	}
	return in, nil
}

func addText(d *Decoder, v []byte) error {
	b, err := d.text(v)
	d.views = append(d.views, batch.ViewOf(b))
	return err
}

func addBytes(d *Decoder, v []byte) error {
	b, err := d.text(v)
	if err == nil {
		if b, err = base64.StdEncoding.AppendDecode(nil, b); err == nil {
			d.keep = append(d.keep, b)
		}
	}
	d.views = append(d.views, batch.ViewOf(b))
	return err
}

func addInt(d *Decoder, v []byte) error {
	n, err := strconv.ParseInt(string(v), 10, 64)
	d.ints = append(d.ints, n)
	return err
}

func addReal(d *Decoder, v []byte) error {
	n, err := number(d, v, 32)
	d.reals = append(d.reals, float32(n))
	return err
}

func addDouble(d *Decoder, v []byte) error {
	n, err := number(d, v, 64)
	d.nums = append(d.nums, n)
	return err
}

// number reads a number, or NaN, Infinity or -Infinity as a string.
func number(d *Decoder, v []byte, size int) (float64, error) {
	b, err := d.text(v)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(string(b), size)
}

func addDecimal(d *Decoder, v []byte) error {
	b, err := d.text(v)
	if err != nil {
		return err
	}
	var hi, lo uint64
	negative := false
	for _, c := range b {
		switch {
		case c == '-':
			negative = true
		case c >= '0' && c <= '9':
			over, low := bits.Mul64(lo, 10)
			low, carry := bits.Add64(low, uint64(c-'0'), 0)
			hi, lo = hi*10+over+carry, low
		case c != '.':
			return fmt.Errorf("%.40q is not a decimal", b)
		}
	}
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	d.huges = append(d.huges, wiretext.Huge{Lo: lo, Hi: int64(hi)})
	return nil
}

func addList(d *Decoder, v []byte) error {
	from := d.kids[0].n
	err := elements(v, d.kids[0].value)
	d.spans = append(d.spans, [2]uint64{uint64(from), uint64(d.kids[0].n - from)})
	return err
}

func addRow(d *Decoder, v []byte) error {
	i := 0
	err := elements(v, func(v []byte) error {
		if i == len(d.kids) {
			return fmt.Errorf("%.40q has more than %d fields", v, len(d.kids))
		}
		i++
		return d.kids[i-1].value(v)
	})
	if err == nil && i < len(d.kids) {
		err = fmt.Errorf("%.40q has %d fields instead of %d", v, i, len(d.kids))
	}
	return err
}

func addMap(d *Decoder, v []byte) error {
	if len(v) < 2 || v[0] != '{' {
		return fmt.Errorf("%.40q is not a map", v)
	}
	from := d.kids[0].n
	for i := space(v, 1); v[i] != '}'; {
		colon := protocol.Skip(v, i)
		if colon < 0 || colon >= len(v) || v[colon] != ':' {
			return fmt.Errorf("%.40q is not a map", v)
		}
		end := protocol.Skip(v, colon+1)
		if end < 0 || end >= len(v) {
			return fmt.Errorf("%.40q does not end", v)
		}
		if err := d.kids[0].value(v[i:colon]); err != nil {
			return err
		}
		if err := d.kids[1].value(v[colon+1 : end]); err != nil {
			return err
		}
		if i = end; v[i] == ',' {
			i++
		}
	}
	d.spans = append(d.spans, [2]uint64{uint64(from), uint64(d.kids[0].n - from)})
	return nil
}
