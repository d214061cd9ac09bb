package infer

// Shape is the type that the text of a value suggests.
type Shape uint8

// The shapes.
const (
	Text Shape = iota
	Figure
	Flag
	Date
	Moment
	UUID
)

// Class describes the text of a value.
type Class struct {
	Kind          Shape
	Way           uint8 // of a flag: the bit of its spelling, see flagWay
	Form          Form  // of a Moment
	Exponent      bool  // a number is written with an exponent
	Digits, Scale int32 // of a number, before and after its point
	Exp           int32
}

// The decimal places of a DECIMAL of a table, and its digits before them.
const (
	DecimalPlaces = 10
	DecimalWhole  = 28
)

// Fits reports whether a DECIMAL of a table represents a number.
func (c Class) Fits(s []byte) bool {
	digits, scale, exp := int(c.Digits), int(c.Scale), int(c.Exp)
	for i := len(s) - 1; !c.Exponent && scale > DecimalPlaces && s[i] == '0'; i-- {
		scale-- // trailing zeros do not count
	}
	return max(scale-exp, 0) <= DecimalPlaces && max(digits+exp, 1) <= DecimalWhole
}

// classify determines the type of a text without quotes. Anything that would not come back as the same value is
// text, such as an integer beyond bigint.
func classify(s []byte) Class {
	if len(s) == 0 {
		return Class{}
	}
	switch b := s[0]; {
	case b == '-' || b == '.' || b >= '0' && b <= '9':
		if c := classifyNumber(s); c.Kind != Text {
			return c
		}
		if isDate(s) {
			return Class{Kind: Date}
		}
		if f, ok := timestamp(s); ok {
			return Class{Kind: Moment, Form: f}
		}
	case b == 't' || b == 'f' || b == 'T' || b == 'F':
		if way := flagWay(s); way != 0 {
			return Class{Kind: Flag, Way: way}
		}
	}
	if isLowerUUID(s) {
		return Class{Kind: UUID}
	}
	return Class{}
}

// flagWay returns a bit for each spelling of true and false (lower case, capitalized, upper case), 0 for other texts.
func flagWay(s []byte) uint8 {
	switch string(s) {
	case "true", "false":
		return 1
	case "True", "False":
		return 2
	case "TRUE", "FALSE":
		return 4
	}
	return 0
}

// isLowerUUID accepts a UUID only in the form in which results contain it: in lower case with hyphens.
func isLowerUUID(s []byte) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range s {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// classifyNumber accepts an exponent only where programs write one: after a fraction, or with a sign. 12e5 may also be
// a code.
func classifyNumber(s []byte) Class {
	digits, scale := number(s)
	if digits == 0 {
		t := s
		if t[0] == '-' {
			t = t[1:]
		}
		if len(t) > 1 && t[0] == '.' && allDigits(t[1:]) {
			return Class{Kind: Figure, Digits: 1, Scale: int32(len(t) - 1)} //nolint:gosec // at most 64 MiB
		}
		return scientific(s)
	}
	if scale == 0 && digits > 18 && tooLong(s) {
		return Class{}
	}
	return Class{Kind: Figure, Digits: int32(digits), Scale: int32(scale)} //nolint:gosec // as above
}

// minusZero reports whether a number is a negative zero, whose sign a double preserves and a decimal does not.
func minusZero(s []byte) bool {
	if len(s) < 2 || s[0] != '-' {
		return false
	}
	for _, c := range s[1:] {
		switch {
		case c|0x20 == 'e':
			return true
		case c != '0' && c != '.':
			return false
		}
	}
	return true
}

func allDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// tooLong compares an integer of 19 digits with the limits of a bigint.
func tooLong(s []byte) bool {
	if s[0] == '-' {
		return string(s[1:]) > "9223372036854775808"
	}
	return string(s) > "9223372036854775807"
}

// scientific parses a number with an exponent; one with a larger exponent than any double is classified as text.
func scientific(s []byte) Class {
	at := -1
	for i, c := range s {
		if c|0x20 == 'e' {
			at = i
			break
		}
	}
	if at < 1 || at == len(s)-1 {
		return Class{}
	}
	digits, scale := number(s[:at])
	e := s[at+1:]
	signed, minus := e[0] == '-' || e[0] == '+', e[0] == '-'
	if signed {
		e = e[1:]
	}
	if digits == 0 || !signed && scale == 0 || !allDigits(e) || len(e) > 3 {
		return Class{}
	}
	exp := int32(0)
	for _, c := range e {
		exp = exp*10 + int32(c-'0')
	}
	if exp > 308 {
		return Class{}
	}
	if minus {
		exp = -exp
	}
	//nolint:gosec // as above
	return Class{Kind: Figure, Digits: int32(digits), Scale: int32(scale), Exp: exp, Exponent: true}
}
