package term

import (
	"fmt"
	"unicode/utf8"
)

// Sanitize appends s to dst with everything neutralized that could control a terminal or disguise text: C0 characters
// become their pictures (ESC is ␛, line feed ↵), C1 characters and the Unicode controls of direction and line
// become <U+202E>, invalid UTF-8 becomes U+FFFD. Text of one line stays one line.
func Sanitize[T ~string | ~[]byte](dst []byte, s T) []byte { return sanitize(dst, s, false) }

// SanitizeText is Sanitize for text of several lines, such as a message: line feeds and tabs are kept.
func SanitizeText[T ~string | ~[]byte](dst []byte, s T) []byte { return sanitize(dst, s, true) }

func sanitize[T ~string | ~[]byte](dst []byte, s T, lines bool) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= ' ' && c < 0x7f:
			dst = append(dst, c)
			i++
		case c < ' ':
			switch {
			case lines && (c == '\n' || c == '\t'):
				dst = append(dst, c)
			case c == '\n':
				dst = append(dst, "↵"...)
			default:
				dst = utf8.AppendRune(dst, 0x2400+rune(c))
			}
			i++
		case c == 0x7f:
			dst = append(dst, "␡"...)
			i++
		default:
			end := min(i+utf8.UTFMax, len(s))
			r, n := utf8.DecodeRuneInString(string(s[i:end]))
			if steers(r) {
				dst = fmt.Appendf(dst, "<U+%04X>", r)
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			i += n
		}
	}
	return dst
}

// steers reports non-ASCII control characters: C1, the marks, embeddings, overrides and isolates of direction, the
// separators of lines and paragraphs, the byte order mark and the invisible tags.
func steers(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xa0,
		r == 0x061c, r == 0x200e, r == 0x200f,
		r >= 0x2028 && r <= 0x202e,
		r >= 0x2066 && r <= 0x206f,
		r == 0xfeff,
		r >= 0xfff9 && r <= 0xfffb,
		r >= 0xe0000 && r < 0xe0020:
		return true
	}
	return false
}
