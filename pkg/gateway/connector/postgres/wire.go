package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// wire is the format in which the values of a column are sent: the server's binary format if that is fast and exact,
// and otherwise the text that psql prints.
type wire uint8

const (
	wirePrinted wire = iota // as printed by psql
	wireText                // the binary form is the text, or the bytes of a bytea
	wireChar                // the text with spaces at its end
	wireBool
	wireInt2
	wireInt4
	wireInt8
	wireFloat4
	wireFloat8
	wireNumeric // of up to 18 digits
	wireDate
	wireTime
	wireTimestamp
	wireUUID
	wireJSON
	wireJSONB
)

// format returns the protocol's code for the format: 0 for text, 1 for binary.
func (w wire) format() int16 {
	if w == wirePrinted {
		return 0
	}
	return 1
}

// size returns the number of bytes of a value, 0 if that varies.
func (w wire) size() int {
	switch w {
	case wireBool:
		return 1
	case wireInt2:
		return 2
	case wireInt4, wireFloat4, wireDate:
		return 4
	case wireInt8, wireFloat8, wireTime, wireTimestamp:
		return 8
	case wireUUID:
		return 16
	}
	return 0
}

var pow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18}

const (
	epochDays   = 10_957 // from 1970-01-01 to 2000-01-01, the server's epoch
	epochMicros = epochDays * 86_400 * 1_000_000
)

var errWire = errors.New("the server sent a value in an unexpected format")

// put decodes one value, never NULL, into a column of the engine.
func (c *column) put(v engine.Vector, row int, b []byte) error {
	if n := c.wire.size(); n > 0 && n != len(b) {
		return errWire
	}
	switch c.wire {
	case wireBool:
		return v.Int(row, int64(b[0]))
	case wireInt2:
		return v.Int(row, int64(int16(binary.BigEndian.Uint16(b))))
	case wireInt4:
		return v.Int(row, int64(int32(binary.BigEndian.Uint32(b))))
	case wireInt8, wireTime:
		return v.Int(row, int64(binary.BigEndian.Uint64(b)))
	case wireFloat4:
		return v.Float(row, float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
	case wireFloat8:
		return v.Float(row, math.Float64frombits(binary.BigEndian.Uint64(b)))
	case wireDate:
		switch n := int32(binary.BigEndian.Uint32(b)); n {
		case math.MaxInt32:
			return v.Bytes(row, []byte("infinity"))
		case math.MinInt32:
			return v.Bytes(row, []byte("-infinity"))
		default:
			return v.Int(row, int64(n)+epochDays)
		}
	case wireTimestamp:
		switch n := int64(binary.BigEndian.Uint64(b)); {
		case n == math.MaxInt64:
			return v.Bytes(row, []byte("infinity"))
		case n == math.MinInt64:
			return v.Bytes(row, []byte("-infinity"))
		case n >= math.MaxInt64-epochMicros: // the last 29 years of the server's calendar
			return fmt.Errorf("a timestamp after the year 294246 does not fit in a %s", c.Type)
		default:
			return v.Int(row, n+epochMicros)
		}
	case wireNumeric:
		n, err := c.numeric(b)
		if err != nil {
			return err
		}
		return v.Int(row, n)
	case wireChar:
		return v.Bytes(row, bytes.TrimRight(b, " "))
	case wireJSONB:
		if len(b) == 0 || b[0] != 1 { // the version of the format
			return errWire
		}
		return v.Bytes(row, connector.JSON(b[1:]))
	case wireJSON:
		return v.Bytes(row, connector.JSON(b))
	}
	return v.Bytes(row, b)
}

// numeric decodes a numeric of up to 18 digits as an integer without the point. On the wire it consists of groups of
// four decimal digits.
func (c *column) numeric(b []byte) (int64, error) {
	if len(b) < 8 {
		return 0, errWire
	}
	groups, weight, sign := int(binary.BigEndian.Uint16(b)), int(int16(binary.BigEndian.Uint16(b[2:]))),
		binary.BigEndian.Uint16(b[4:])
	switch sign {
	case 0, 0x4000:
	case 0xc000:
		return 0, c.misfit("NaN")
	case 0xd000:
		return 0, c.misfit("Infinity")
	case 0xf000:
		return 0, c.misfit("-Infinity")
	default:
		return 0, errWire
	}
	if b = b[8:]; len(b) != 2*groups {
		return 0, errWire
	}
	var n int64
	for i := range groups {
		d := int64(binary.BigEndian.Uint16(b[2*i:]))
		exp := (weight-i)*4 + c.scale
		for ; exp < 0 && d != 0; exp++ {
			if d%10 != 0 {
				return 0, errWire // more decimal places than the column has
			}
			d /= 10
		}
		if d == 0 {
			continue
		}
		if exp > 18 {
			return 0, errWire
		}
		n += d * pow10[max(exp, 0)]
	}
	if sign != 0 {
		n = -n
	}
	return n, nil
}

func (c *column) misfit(text string) error {
	return fmt.Errorf("%s does not fit in a %s; use a view that casts the column to text", text, c.Type)
}
