// Package shell quotes words for a POSIX shell.
package shell

import "strings"

// Quote quotes a word so that a shell reads it literally; words that need no quotes are returned unchanged.
func Quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
