package api

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// CellKind is the JSON type of a cell's token.
type CellKind uint8

// The six JSON types.
const (
	CellNull CellKind = iota
	CellString
	CellNumber
	CellBool
	CellObject
	CellArray
)

func (k CellKind) String() string {
	switch k {
	case CellNull:
		return "null"
	case CellString:
		return "string"
	case CellNumber:
		return "number"
	case CellBool:
		return "bool"
	case CellObject:
		return "object"
	default:
		return "array"
	}
}

// Kind returns the JSON type, from the first byte of the token. An empty Cell counts as null.
func (c Cell) Kind() CellKind {
	if len(c) == 0 {
		return CellNull
	}
	switch c[0] {
	case 'n':
		return CellNull
	case '"':
		return CellString
	case 't', 'f':
		return CellBool
	case '{':
		return CellObject
	case '[':
		return CellArray
	default:
		return CellNumber
	}
}

// IsNull reports whether the cell is SQL NULL, which is not the empty string `""`.
func (c Cell) IsNull() bool { return len(c) == 0 || c[0] == 'n' }

// HasExponent reports whether the text contains an e, as in 1.25E7. It loops over the bytes: numbers are short, so
// calling bytes.IndexByte would cost more.
func (c Cell) HasExponent() bool {
	for _, b := range c {
		if b|0x20 == 'e' {
			return true
		}
	}
	return false
}

// LikeDouble reports whether a text, with or without its quotes, has the form in which the service writes large and
// small doubles: 1.254740786E7, -4.9E-324. Text of another type may have that form, too.
func (c Cell) LikeDouble() bool {
	if n := len(c); n > 2 && c[0] == '"' && c[n-1] == '"' {
		c = c[1 : n-1]
	}
	if len(c) > 0 && c[0] == '-' {
		c = c[1:]
	}
	n := len(c)
	if n < 5 || c[1] != '.' || c[0] < '0' || c[0] > '9' || c[n-1] < '0' || c[n-1] > '9' {
		return false
	}
	for at := n - 2; at >= max(n-5, 3); at-- {
		if c[at] == 'E' {
			return true
		}
	}
	return false
}

// PlainText returns the text of a string without escapes without copying it; it is valid as long as the cell. ok is
// false for a string with escapes and for every other kind; use AppendText for those.
func (c Cell) PlainText() (text []byte, ok bool) {
	n := len(c)
	if n < 2 || c[0] != '"' || c[n-1] != '"' || bytes.IndexByte(c, '\\') >= 0 {
		return nil, false
	}
	return c[1 : n-1], true
}

// AppendPlain appends the text of a string that has no escapes and does not contain the ASCII character but; otherwise,
// and for every other kind, it leaves dst unchanged and ok is false. It checks the text and copies it in one pass, for
// writers of delimited text: a text without escapes has neither quotes nor line breaks, so if it has no delimiter
// either, it can be written unquoted.
func (c Cell) AppendPlain(dst []byte, but byte) (_ []byte, ok bool) {
	n := len(c) - 2
	if n < 0 || c[0] != '"' || c[n+1] != '"' {
		return dst, false
	}
	start := len(dst)
	if cap(dst)-start < n+8 {
		dst = slices.Grow(dst, n+8)
	}
	to := dst[start : start+n+8]
	stop := lows * uint64(but)
	if n < 8 {
		x := c.word()
		if special(x, stop) {
			return dst, false
		}
		binary.LittleEndian.PutUint64(to, x) // bytes beyond the text are discarded
		return dst[:start+n], true
	}
	s := c[1 : 1+n]
	for i := 0; ; i += 8 {
		i = min(i, n-8) // the last eight bytes overlap the previous ones
		x := binary.LittleEndian.Uint64(s[i:])
		if special(x, stop) {
			return dst, false
		}
		binary.LittleEndian.PutUint64(to[i:], x)
		if i == n-8 {
			return dst[:start+n], true
		}
	}
}

// word loads the text of a string of up to seven bytes, and bytes of the token after it.
func (c Cell) word() uint64 {
	switch n := len(c); {
	case n >= 8:
		return binary.LittleEndian.Uint64(c) >> 8
	case n >= 4:
		return (uint64(binary.LittleEndian.Uint32(c)) | uint64(binary.LittleEndian.Uint32(c[n-4:]))<<(8*(n-4))) >> 8
	case n == 3:
		return uint64(c[1])
	}
	return 0
}

// special reports whether x contains a backslash or the byte that stop repeats.
func special(x, stop uint64) bool {
	d, e := x^stop, x^lows*'\\'
	return ((d-lows)&^d|(e-lows)&^e)&highs != 0
}

// AppendText appends the text of the cell to dst: a string without its quotes and escapes, as UTF-8, with surrogate
// pairs combined and a lone surrogate written as U+FFFD (as encoding/json does); any other token verbatim, so NULL
// appends "null" and the caller must check IsNull first. The error names the byte of a malformed string, which a cell
// of Rows never is.
func (c Cell) AppendText(dst []byte) ([]byte, error) {
	if len(c) == 0 {
		return append(dst, "null"...), nil
	}
	if c[0] != '"' {
		return append(dst, c...), nil
	}
	if len(c) < 2 || c[len(c)-1] != '"' {
		return dst, fmt.Errorf("string without a closing quote, %d bytes long", len(c))
	}
	s := c[1 : len(c)-1]
	i := bytes.IndexByte(s, '\\')
	if i < 0 {
		return append(dst, s...), nil
	}
	start := len(dst)
	for {
		dst = append(dst, s[:i]...)
		var n int
		if dst, n = appendEscape(dst, s[i:]); n == 0 {
			return dst[:start], fmt.Errorf("invalid escape at byte %d of a string", len(c)-1-len(s)+i)
		}
		s = s[i+n:]
		if i = bytes.IndexByte(s, '\\'); i < 0 {
			return append(dst, s...), nil
		}
	}
}

// appendEscape decodes the escape at the start of s, and returns its length; 0 for an invalid one.
func appendEscape(dst, s []byte) ([]byte, int) {
	if len(s) < 2 {
		return dst, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return append(dst, s[1]), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
	default:
		return dst, 0
	}
	r := unhex(s)
	if r < 0 {
		return dst, 0
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if pair := utf16.DecodeRune(r, unhex(s[6:])); pair != utf8.RuneError {
		return utf8.AppendRune(dst, pair), 12
	}
	return utf8.AppendRune(dst, utf8.RuneError), 6
}

// unhex parses \uXXXX at the start of s; -1 if s does not start with one.
func unhex(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range s[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
