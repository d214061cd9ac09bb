// Package jsontext decodes JSON texts with numbers as they are written, writes strings, and finds parts of a text,
// possibly invalid, that a decoder would change, or would take too much time for.
package jsontext

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode decodes the first value of a text; a number is a json.Number.
func Decode(text []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// Deeper returns the position at which arrays and objects nest deeper than a number of levels, or -1.
func Deeper[T string | []byte](text T, levels int) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > levels {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// Unpaired returns the position of the first escape that is half of a surrogate pair, or -1. The decoder of
// encoding/json replaces it by another character.
func Unpaired(text string) int {
	for i := 0; i < len(text); {
		next := strings.IndexByte(text[i:], '\\')
		if next < 0 {
			return -1
		}
		i += next
		switch r, ok := unit(text, i); {
		case !ok:
			i += 2 // the escaped character may be a backslash itself
		case !utf16.IsSurrogate(r):
			i += 6
		default:
			if low, _ := unit(text, i+6); utf16.DecodeRune(r, low) == utf8.RuneError {
				return i
			}
			i += 12
		}
	}
	return -1
}

// unit returns the UTF-16 code unit of the escape at a position.
func unit(text string, at int) (rune, bool) {
	if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[at+2:at+6], 16, 16)
	return rune(n), err == nil
}
