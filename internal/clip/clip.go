// Package clip shortens texts for messages.
package clip

import "strings"

// Bytes returns the first n bytes of a longer text, without an incomplete character at their end, and three dots.
func Bytes(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "..."
	}
	return s
}

// Runes shortens a text to at most n characters, the last of which is an ellipsis if the text is longer.
func Runes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
