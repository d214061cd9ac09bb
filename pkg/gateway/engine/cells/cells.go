// Package cells parses the values of the types of internal tables, and explains why a string is invalid.
package cells

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/api"
)

// Cell is a value in 128 bits, the low half first: an integer, days or microseconds since 1970, a decimal without its
// point, a UUID with its first bit inverted. This is DuckDB's representation. Strings are passed separately.
type Cell struct {
	Lo uint64
	Hi int64
}

// Fault is the reason why a string is not a value of a type.
type Fault uint8

// The faults.
const (
	None Fault = iota
	faultSyntax
	faultRange  // a number that is too large
	faultField  // a month 13, an hour 25
	faultPlaces // digits that the column cannot represent
	faultZone   // an offset from UTC in a column without time zone
	faultUTF8
)

// Digits reports whether a decimal with more digits could have the value.
func (f Fault) Digits() bool { return f == faultRange || f == faultPlaces }

// Parser parses a value. The rules are Postgres' where it does not guess or round: white space around a value other
// than a string is ignored, and what could not be read back unchanged is rejected.
type Parser func(b []byte) (Cell, Fault)

// ParserOf returns the parser of a type's values; nil for strings, which are stored unchanged.
func ParserOf(typ string) Parser {
	switch typ {
	case "bigint":
		return parseBigint
	case "boolean":
		return parseBoolean
	case "timestamp":
		return parseTimestamp
	case "time":
		return parseTime
	case "date":
		return parseDate
	case "uuid":
		return parseUUID
	}
	if precision, scale, ok := api.DecimalOf(typ); ok {
		limit := powerOfTen(precision)
		return func(b []byte) (Cell, Fault) { return parseDecimal(b, scale, limit) }
	}
	return nil
}

// Parse parses one value; the reason is empty if it fits.
func Parse(typ, value string) (Cell, string) {
	var v Cell
	f := CheckText([]byte(value))
	if parse := ParserOf(typ); f == None && parse != nil {
		v, f = parse([]byte(value))
	}
	return v, f.Reason(typ, value)
}

// Reason formats a fault like Postgres if Postgres has the same error.
func (f Fault) Reason(typ, value string) string {
	if len(value) > 200 {
		value = value[:200] + "..."
	}
	_, places, decimal := api.DecimalOf(typ)
	pg := typ
	if decimal {
		pg = "numeric" + strings.TrimPrefix(typ, "decimal")
	} else {
		places = 6
	}
	switch f {
	case faultSyntax:
		return fmt.Sprintf(`invalid input syntax for type %s: "%s"`, pg, value)
	case faultRange:
		return fmt.Sprintf(`value "%s" is out of range for type %s`, value, pg)
	case faultField:
		return fmt.Sprintf(`date/time field value out of range: "%s"`, value)
	case faultPlaces:
		return fmt.Sprintf(`value "%s" has more than %d decimal places, which type %s cannot keep`, value, places, pg)
	case faultZone:
		return fmt.Sprintf(`value "%s" has an offset from UTC, which type %s cannot keep`, value, pg)
	case faultUTF8:
		return `invalid byte sequence for encoding "UTF8"`
	}
	return ""
}

// CheckText checks for characters that no string may contain.
func CheckText(b []byte) Fault {
	if !utf8.Valid(b) {
		return faultUTF8
	}
	return None
}

// trim removes ASCII white space from both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') }

func parseBigint(b []byte) (Cell, Fault) {
	b = trim(b)
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return Cell{}, faultSyntax
	}
	var n uint64
	over := false
	for _, c := range b {
		if !isDigit(c) {
			return Cell{}, faultSyntax
		}
		if n > (math.MaxUint64-9)/10 {
			over = true
		}
		n = n*10 + uint64(c-'0')
	}
	limit := uint64(math.MaxInt64)
	if neg {
		limit++
	}
	if over || n > limit {
		return Cell{}, faultRange
	}
	if neg {
		n = -n
	}
	return Cell{Lo: n}, None
}

// parseBoolean accepts the words of Postgres and their unambiguous prefixes, in any case.
func parseBoolean(b []byte) (Cell, Fault) {
	b = trim(b)
	if len(b) == 1 && (b[0] == '0' || b[0] == '1') {
		return Cell{Lo: uint64(b[0] - '0')}, None
	}
	begins := func(word string, least int) bool {
		if len(b) < least || len(b) > len(word) {
			return false
		}
		for i, c := range b {
			if c|0x20 != word[i] {
				return false
			}
		}
		return true
	}
	switch {
	case begins("true", 1), begins("yes", 1), begins("on", 2):
		return Cell{Lo: 1}, None
	case begins("false", 1), begins("no", 1), begins("off", 2):
		return Cell{}, None
	}
	return Cell{}, faultSyntax
}

// parseDecimal parses [sign]digits[.digits][e[sign]digits] to an integer of 10^-scale units, less than limit.
func parseDecimal(b []byte, scale int, limit Cell) (Cell, Fault) {
	b = trim(b)
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	digits, end, point := 0, len(b), -1
	for i, c := range b {
		if isDigit(c) {
			digits++
		} else if c == '.' && point < 0 {
			point = i
		} else if (c == 'e' || c == 'E') && digits > 0 {
			end = i
			break
		} else {
			return Cell{}, faultSyntax
		}
	}
	if digits == 0 {
		return Cell{}, faultSyntax
	}
	exp := 0
	if end < len(b) {
		e, f := parseBigint(b[end+1:])
		if f != None || isSpace(b[end+1]) {
			return Cell{}, faultSyntax
		}
		exp = int(max(min(int64(e.Lo), 1000), -1000))
	}
	shift := scale + exp // number of the decimal places that the unit covers
	if point >= 0 {
		shift -= end - point - 1
	}
	// A negative shift removes that many digits from the end, which must be zeros.
	var v Cell
	cut := -shift
	seen := 0
	for _, c := range b[:end] {
		if c == '.' {
			continue
		}
		seen++
		if shift < 0 && seen > digits-cut {
			if c != '0' {
				return Cell{}, faultPlaces
			}
			continue
		}
		if !v.timesTen(uint64(c - '0')) {
			return Cell{}, faultRange
		}
	}
	if v != (Cell{}) {
		for ; shift > 0; shift-- {
			if !v.timesTen(0) {
				return Cell{}, faultRange
			}
		}
	}
	if v.Hi > limit.Hi || (v.Hi == limit.Hi && v.Lo >= limit.Lo) {
		return Cell{}, faultRange
	}
	if neg {
		v.Lo = -v.Lo
		v.Hi = ^v.Hi
		if v.Lo == 0 {
			v.Hi++
		}
	}
	return v, None
}

// powerOfTen is 10^n, for at most 38.
func powerOfTen(n int) Cell {
	v := Cell{Lo: 1}
	for range n {
		v.timesTen(0)
	}
	return v
}

// timesTen multiplies an unsigned value by ten and adds a digit; false if it does not fit in 127 bits.
func (v *Cell) timesTen(digit uint64) bool {
	carry, lo := bits.Mul64(v.Lo, 10)
	over, hi := bits.Mul64(uint64(v.Hi), 10)
	lo, c := bits.Add64(lo, digit, 0)
	hi, c2 := bits.Add64(hi, carry, c)
	v.Lo, v.Hi = lo, int64(hi)
	return over == 0 && c2 == 0 && hi <= math.MaxInt64
}

// parseUUID accepts the same forms as Postgres: hexadecimal digits in either case, a hyphen after any group of four,
// optional braces.
func parseUUID(b []byte) (Cell, Fault) {
	b = trim(b)
	if len(b) > 2 && b[0] == '{' {
		if b[len(b)-1] != '}' {
			return Cell{}, faultSyntax
		}
		b = b[1 : len(b)-1]
	}
	var hi, lo uint64
	n := 0
	for i, c := range b {
		var d byte
		switch {
		case isDigit(c):
			d = c - '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			d = c | 0x20 - 'a' + 10
		case c == '-' && n > 0 && n < 32 && n%4 == 0 && b[i-1] != '-':
			continue
		default:
			return Cell{}, faultSyntax
		}
		hi, lo = hi<<4|lo>>60, lo<<4|uint64(d)
		n++
	}
	if n != 32 {
		return Cell{}, faultSyntax
	}
	return Cell{Lo: lo, Hi: int64(hi ^ 1<<63)}, None // DuckDB inverts the first bit, so that the order is right
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
