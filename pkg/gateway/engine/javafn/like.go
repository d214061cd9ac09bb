package javafn

import "unicode/utf8"

// like reports whether a text matches a pattern of LIKE. After each % it remembers the last place only, which is enough, so that it takes
// no more steps than the text has characters for each % of the pattern.
func like(s, pattern string) bool {
	si, pi, mark, back := 0, 0, -1, 0
	for si < len(s) {
		if pi < len(pattern) {
			p, pn := utf8.DecodeRuneInString(pattern[pi:])
			c, cn := utf8.DecodeRuneInString(s[si:])
			switch {
			case p == '%':
				mark, back = pi+1, si
				pi++
				continue
			case p == '_' || p == c:
				pi, si = pi+pn, si+cn
				continue
			}
		}
		if mark < 0 {
			return false
		}
		_, n := utf8.DecodeRuneInString(s[back:])
		back += n
		si, pi = back, mark
	}
	for pi < len(pattern) && pattern[pi] == '%' {
		pi++
	}
	return pi == len(pattern)
}
