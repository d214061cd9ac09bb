// Package shell writes words for a POSIX shell.
package shell

import "strings"

// Quote writes a word so that a shell reads it as it is; what needs no quotes gets none.
func Quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
