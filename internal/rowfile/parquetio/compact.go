package parquetio

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
)

// The types of values in Thrift's compact protocol.
const (
	isTrue   = 1
	isFalse  = 2
	isByte   = 3
	isInt16  = 4
	isInt32  = 5
	isInt64  = 6
	isDouble = 7
	isBinary = 8
	isList   = 9
	isSet    = 10
	isMap    = 11
	isStruct = 12
)

// deepest is how many structures and lists of metadata may be within each other; those of Parquet need ten.
const deepest = 32

var (
	errThrift = errors.New("its structure is damaged")
	errTooBig = errors.New("it is larger than the place that it is in")
)

// rule says what is done with the fields of a structure, and with those of each element of a list of structures.
type rule struct {
	drop    []int16                                // fields that are left out
	read    []int16                                // fields that are left out after the rules have seen them
	within  map[int16]*rule                        // of fields that are structures or lists of them
	integer func(id int16, v int64) (int64, error) // may replace the value of a field
	text    func(id int16, v []byte) error         // looks at a text
	list    func(id int16, n int) error            // looks at the length of a list
	end     func() error                           // is called after the last field
}

// compact copies a structure of Thrift's compact protocol without the fields that are dropped. Nothing is allocated by
// a length that the input does not have.
type compact struct {
	in   *bufio.Reader
	left int64 // bytes that may still be read
	out  []byte
	mute int // fields around that are left out
}

func (c *compact) readByte() (byte, error) {
	if c.left--; c.left < 0 {
		return 0, errTooBig
	}
	b, err := c.in.ReadByte()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

func (c *compact) uvarint() (uint64, error) {
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		b, err := c.readByte()
		if err != nil {
			return 0, err
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
	return 0, errThrift
}

func (c *compact) varint() (int64, error) {
	u, err := c.uvarint()
	return int64(u>>1) ^ -int64(u&1), err
}

func (c *compact) emit(b ...byte) {
	if c.mute == 0 {
		c.out = append(c.out, b...)
	}
}

func (c *compact) emitUvarint(v uint64) {
	if c.mute == 0 {
		c.out = binary.AppendUvarint(c.out, v)
	}
}

func (c *compact) emitVarint(v int64) { c.emitUvarint(uint64(v)<<1 ^ uint64(v>>63)) }

func (c *compact) structure(r *rule, depth int) error {
	if depth > deepest {
		return errThrift
	}
	if r == nil {
		r = &rule{}
	}
	var id, written int16
	for {
		head, err := c.readByte()
		if err != nil {
			return err
		}
		if head == 0 {
			c.emit(0)
			if r.end != nil && c.mute == 0 {
				return r.end()
			}
			return nil
		}
		if delta := int16(head >> 4); delta != 0 {
			id += delta
		} else {
			v, err := c.varint()
			if err != nil || v < math.MinInt16 || v > math.MaxInt16 {
				return errors.Join(err, errThrift)
			}
			id = int16(v)
		}
		typ := head & 15
		dropped, from := slices.Contains(r.drop, id), len(c.out)
		if dropped {
			c.mute++
		} else if delta := id - written; delta > 0 && delta < 16 && id > written {
			c.emit(byte(delta)<<4 | typ)
		} else {
			c.emit(typ)
			c.emitVarint(int64(id))
		}
		if err := c.value(r, id, typ, depth); err != nil {
			return err
		}
		switch {
		case dropped:
			c.mute--
		case slices.Contains(r.read, id) && c.mute == 0:
			c.out = c.out[:from]
		default:
			written = id
		}
	}
}

// value copies the value of a field.
func (c *compact) value(r *rule, id int16, typ byte, depth int) error {
	switch typ {
	case isTrue, isFalse: // the header is the value
		return nil
	case isInt16, isInt32, isInt64:
		v, err := c.varint()
		if err == nil && r.integer != nil && c.mute == 0 {
			v, err = r.integer(id, v)
		}
		c.emitVarint(v)
		return err
	case isBinary:
		text, err := c.bytes(c.mute == 0)
		if err == nil && r.text != nil && c.mute == 0 {
			err = r.text(id, text)
		}
		return err
	case isStruct:
		return c.structure(r.within[id], depth+1)
	case isList, isSet:
		return c.elements(r, id, depth)
	}
	return c.plain(typ, depth)
}

// bytes copies a text, and returns it if it is kept.
func (c *compact) bytes(kept bool) ([]byte, error) {
	n, err := c.uvarint()
	if err != nil {
		return nil, err
	}
	if n > uint64(max(c.left, 0)) {
		return nil, errTooBig
	}
	c.left -= int64(n)
	if !kept {
		_, err := io.CopyN(io.Discard, c.in, int64(n))
		return nil, err
	}
	c.emitUvarint(n)
	at := len(c.out)
	for n > 0 { // in pieces, for a length that is larger than the file
		piece := min(n, 64<<10)
		c.out = append(c.out, make([]byte, piece)...)
		if _, err := io.ReadFull(c.in, c.out[len(c.out)-int(piece):]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		n -= piece
	}
	return c.out[at:], nil
}

func (c *compact) elements(r *rule, id int16, depth int) error {
	head, err := c.readByte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	c.emit(head)
	if n == 15 {
		if n, err = c.uvarint(); err != nil {
			return err
		}
		c.emitUvarint(n)
	}
	if n > uint64(max(c.left, 0)) {
		return errTooBig
	}
	if r.list != nil && c.mute == 0 {
		if err := r.list(id, int(n)); err != nil {
			return err
		}
	}
	for range n {
		typ := head & 15
		if typ == isStruct {
			err = c.structure(r.within[id], depth+1)
		} else {
			err = c.plain(typ, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plain copies a value that no rule is about.
func (c *compact) plain(typ byte, depth int) error {
	if depth > deepest {
		return errThrift
	}
	switch typ {
	case isTrue, isFalse, isByte:
		b, err := c.readByte()
		c.emit(b)
		return err
	case isInt16, isInt32, isInt64:
		v, err := c.varint()
		c.emitVarint(v)
		return err
	case isDouble:
		for range 8 {
			b, err := c.readByte()
			if err != nil {
				return err
			}
			c.emit(b)
		}
		return nil
	case isBinary:
		_, err := c.bytes(c.mute == 0)
		return err
	case isStruct:
		return c.structure(nil, depth+1)
	case isList, isSet:
		return c.elements(&rule{}, 0, depth+1)
	case isMap:
		n, err := c.uvarint()
		if err != nil {
			return err
		}
		c.emitUvarint(n)
		if n == 0 {
			return nil
		}
		types, err := c.readByte()
		c.emit(types)
		if n > uint64(max(c.left, 0)) {
			err = errTooBig
		}
		for i := uint64(0); i < n && err == nil; i++ {
			if err = c.plain(types>>4, depth+1); err == nil {
				err = c.plain(types&15, depth+1)
			}
		}
		return err
	}
	return errThrift
}
