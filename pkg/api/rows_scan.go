package api

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// fault is the result of a scanner.
type fault uint8

const (
	sound     fault = iota
	short           // the window ends before the token does
	stray           // a byte that is not allowed here
	control         // an unescaped control character in a string
	badEscape       // a backslash not followed by one of "\/bfnrt or u and four hex digits
	badUTF8         // a string that is not UTF-8
	badNumber       // a number outside the JSON grammar
	badWord         // a literal other than null, true, false
	tooDeep         // nested deeper than maxDepth
	differs         // not the learned layout (never reported)
	explained       // described by Rows.why
)

// maxDepth limits the nesting of one value; encoding/json stops at 10,000 for the whole document.
const maxDepth = 1000

// pad is the number of readable bytes after the end of a window, so that 16 bytes can be loaded at a time.
const pad = 24

func (f fault) text(b []byte, at, end int) string {
	switch f {
	case control:
		return fmt.Sprintf("control character 0x%02x in a string", b[at])
	case badEscape:
		return "invalid escape in a string"
	case badUTF8:
		return "a string is not valid UTF-8"
	case badNumber:
		return "malformed number"
	case badWord:
		return fmt.Sprintf("unknown word %q", excerpt(b[at:end]))
	case tooDeep:
		return fmt.Sprintf("value nested deeper than %d levels", maxDepth)
	default:
		return fmt.Sprintf("unexpected %s", found(b[at:end]))
	}
}

// found describes the token at the beginning of b, for error texts.
func found(b []byte) string {
	if len(b) == 0 {
		return "end"
	}
	switch c := b[0]; {
	case c == '{':
		return "object"
	case c == '[':
		return "array"
	case c == '"':
		return "string"
	case c == '-' || '0' <= c && c <= '9':
		return "number"
	default:
		return fmt.Sprintf("%q", excerpt(b))
	}
}

// excerpt returns enough of b to recognize it.
func excerpt(b []byte) string {
	const most = 24
	for i, c := range b {
		if i == most || i > 0 && (c <= ' ' || c == ',' || c == ']' || c == '}') {
			return string(b[:i])
		}
	}
	return string(b)
}

func skipSpace(b []byte, i, end int) int {
	for i < end && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// scanString finds the end of the string with the opening quote at b[i], and validates every byte: no raw control
// characters, valid escapes, valid UTF-8 (encoding/json would silently substitute U+FFFD). b must have pad bytes after
// end. It returns the position after the closing quote, or that of the fault.
func scanString(b []byte, i, end int) (int, fault) {
	var seen uint64
	j := i + 1
	for j < end {
		// Eight bytes at a time; the lowest marked byte is exact, higher marks may come from borrows.
		x := binary.LittleEndian.Uint64(b[j:])
		q, e := x^lows*'"', x^lows*'\\'
		m := ((x-lows*0x20)&^x | (q-lows)&^q | (e-lows)&^e) & highs
		seen |= x
		if m == 0 {
			j += 8
			continue
		}
		j += bits.TrailingZeros64(m) >> 3
		if j >= end {
			break
		}
		switch b[j] {
		case '"':
			if seen&highs != 0 && !utf8.Valid(b[i+1:j]) {
				return i, badUTF8
			}
			return j + 1, sound
		case '\\':
			n, f := scanEscape(b, j, end)
			if f != sound {
				return n, f
			}
			j = n
		default:
			return j, control
		}
	}
	return end, short
}

func scanEscape(b []byte, i, end int) (int, fault) {
	if i+2 > end {
		return end, short
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, sound
	case 'u':
		if i+6 > end {
			return end, short
		}
		if unhex(b[i:i+6]) >= 0 {
			return i + 6, sound
		}
	}
	return i, badEscape
}

// scanValue finds the end of the JSON value at b[i] and validates it.
func scanValue(b []byte, i, end, depth int) (int, fault) {
	if i >= end {
		return end, short
	}
	switch c := b[i]; c {
	case '"':
		return scanString(b, i, end)
	case '{', '[':
		if depth >= maxDepth {
			return i, tooDeep
		}
		return scanNested(b, i, end, depth+1)
	case 'n':
		return scanWord(b, i, end, "null")
	case 't':
		return scanWord(b, i, end, "true")
	case 'f':
		return scanWord(b, i, end, "false")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return scanNumber(b, i, end)
		}
		return i, stray
	}
}

func scanWord(b []byte, i, end int, word string) (int, fault) {
	n := min(len(word), end-i)
	if string(b[i:i+n]) != word[:n] {
		return i, badWord
	}
	if n < len(word) {
		return end, short
	}
	return i + n, sound
}

// scanNumber scans -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?. For a number that reaches the end of the window it
// returns short.
func scanNumber(b []byte, i, end int) (int, fault) {
	j := i
	if b[j] == '-' {
		j++
	}
	k := skipDigits(b, j, end)
	if k < end && (k == j || b[j] == '0' && k > j+1) {
		return i, badNumber
	}
	if k < end && b[k] == '.' {
		j = k + 1
		if k = skipDigits(b, j, end); k < end && k == j {
			return i, badNumber
		}
	}
	if k < end && b[k]|0x20 == 'e' {
		j = k + 1
		if j < end && (b[j] == '+' || b[j] == '-') {
			j++
		}
		if k = skipDigits(b, j, end); k < end && k == j {
			return i, badNumber
		}
	}
	if k >= end {
		return end, short
	}
	return k, sound
}

func skipDigits(b []byte, i, end int) int {
	for i < end && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// scanNested scans the object or array at b[i].
func scanNested(b []byte, i, end, depth int) (int, fault) {
	object := b[i] == '{'
	closing := b[i] + 2 // ASCII: [ ] and { } are two apart
	var f fault
	if i = skipSpace(b, i+1, end); i < end && b[i] == closing {
		return i + 1, sound
	}
	for {
		if object {
			if _, i, f = scanKey(b, i, end); f != sound {
				return i, f
			}
		}
		if i, f = scanValue(b, i, end, depth); f != sound {
			return i, f
		}
		switch i = skipSpace(b, i, end); {
		case i >= end:
			return end, short
		case b[i] == closing:
			return i + 1, sound
		case b[i] != ',':
			return i, stray
		}
		i = skipSpace(b, i+1, end)
	}
}

// scanKey scans a key, its colon, and the white space after it. keyEnd is the end of the key's token.
func scanKey(b []byte, i, end int) (keyEnd, next int, f fault) {
	if i >= end {
		return i, end, short
	}
	if b[i] != '"' {
		return i, i, stray
	}
	keyEnd, f = scanString(b, i, end)
	if f != sound {
		return i, keyEnd, f
	}
	switch i = skipSpace(b, keyEnd, end); {
	case i >= end:
		return keyEnd, end, short
	case b[i] != ':':
		return keyEnd, i, stray
	}
	return keyEnd, skipSpace(b, i+1, end), sound
}
