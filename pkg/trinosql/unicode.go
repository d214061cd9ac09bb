package trinosql

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape undoes the escapes of a U&'...' literal: \0041, \+01F600 and the doubled escape. why is Trino's message if
// it cannot.
func unescape(s, escape string) (value, why string) {
	e, n := utf8.DecodeRuneInString(escape)
	if n == 0 || n != len(escape) {
		return "", "Empty Unicode escape character"
	}
	if strings.ContainsRune("+\"' \t\r\n", e) || e >= '0' && e <= '9' || e|0x20 >= 'a' && e|0x20 <= 'f' {
		return "", "Invalid Unicode escape character: " + escape
	}
	var b strings.Builder
	for s != "" {
		at := strings.Index(s, escape)
		if at < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:at])
		s = s[at+n:]
		if strings.HasPrefix(s, escape) {
			b.WriteString(escape)
			s = s[n:]
			continue
		}
		size := 4
		if strings.HasPrefix(s, "+") {
			s, size = s[1:], 6
		}
		if len(s) < size {
			return "", "Incomplete escape sequence: " + s
		}
		if i := strings.IndexFunc(s[:size], func(r rune) bool {
			return !strings.ContainsRune("0123456789abcdefABCDEF",
				r)
		}); i >= 0 {
			r, _ := utf8.DecodeRuneInString(s[i:])
			return "", "Invalid hexadecimal digit: " + string(r)
		}
		code, err := strconv.ParseUint(s[:size], 16, 32)
		if err != nil {
			return "", "Invalid escaped character: " + s[:size]
		}
		if code > utf8.MaxRune {
			return "", "Invalid escaped character: " + s[:size]
		}
		if code >= 0xD800 && code <= 0xDFFF {
			return "", "Invalid escaped character: " + s[:size] +
				". Escaped character is a surrogate. Use '\\+123456' instead."
		}
		b.WriteRune(rune(code))
		s = s[size:]
	}
	return b.String(), ""
}
