package javafn

import (
	"strconv"
	"unicode/utf8"
)

// Wildcards of a parsed LIKE pattern.
const (
	anyText rune = -1 - iota
	anyRune
)

// like reports whether a string matches a pattern of LIKE without an escape character.
func like(s, pattern string) bool {
	tokens := make([]rune, 0, len(pattern))
	for _, c := range pattern {
		tokens = append(tokens, likeToken(c))
	}
	return likeTokens(s, tokens)
}

func likeToken(c rune) rune {
	switch c {
	case '%':
		return anyText
	case '_':
		return anyRune
	}
	return c
}

// likeEscape matches a string against a pattern with an escape character.
func likeEscape(a []string) (string, bool, error) {
	escape, size := utf8.DecodeRuneInString(a[2])
	if size == 0 || size != len(a[2]) || escape > 0xffff { // a surrogate pair in Java
		return "", false, says("Escape string must be a single character")
	}
	const bad = said("Escape character must be followed by '%', '_' or the escape character itself")
	var tokens []rune
	escaped := false
	for _, c := range a[1] {
		switch {
		case escaped:
			if c != '%' && c != '_' && c != escape {
				return "", false, bad
			}
			tokens = append(tokens, c)
			escaped = false
		case c == escape:
			escaped = true
		default:
			tokens = append(tokens, likeToken(c))
		}
	}
	if escaped {
		return "", false, bad
	}
	return strconv.FormatBool(likeTokens(a[0], tokens)), true, nil
}

// likeTokens matches a string against a pattern. Backtracking to the last % only is sufficient, and limits the steps to
// the length of the string for each % of the pattern.
func likeTokens(s string, pattern []rune) bool {
	si, pi, mark, back := 0, 0, -1, 0
	for si < len(s) {
		if pi < len(pattern) {
			c, n := utf8.DecodeRuneInString(s[si:])
			switch p := pattern[pi]; {
			case p == anyText:
				mark, back = pi+1, si
				pi++
				continue
			case p == anyRune || p == c:
				pi, si = pi+1, si+n
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
	for pi < len(pattern) && pattern[pi] == anyText {
		pi++
	}
	return pi == len(pattern)
}
