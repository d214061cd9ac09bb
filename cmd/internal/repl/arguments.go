package repl

import (
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// split splits the arguments of a command at blanks outside of quotes. The quotes stay.
func split(text string) []string {
	var out []string
	var word strings.Builder
	quote := rune(0)
	for _, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ' ' || r == '\t' || r == '\n':
			if word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
			continue
		}
		word.WriteRune(r)
	}
	if word.Len() > 0 {
		out = append(out, word.String())
	}
	return out
}

// unquoted removes the quotes of arguments; two quotes inside of quotes are one. Of names as in SQL it removes single
// quotes only.
func unquoted(args []string, sql bool) ([]string, error) {
	out := make([]string, len(args))
	for i, arg := range args {
		var word strings.Builder
		quote := byte(0)
		for at := 0; at < len(arg); at++ {
			c := arg[at]
			switch {
			case c == quote && at+1 < len(arg) && arg[at+1] == quote:
				if at++; sql && quote == '"' {
					word.WriteByte(c)
				}
				word.WriteByte(c)
				continue
			case c == quote:
				quote = 0
			case quote == 0 && (c == '\'' || c == '"'):
				quote = c
			default:
				word.WriteByte(c)
				continue
			}
			if sql && c == '"' {
				word.WriteByte(c)
			}
		}
		if quote != 0 {
			return nil, exitcode.Usagef("the quote in %s is not closed",
				arg).WithHint("write a %c within a value twice, or use the other quotes", quote)
		}
		out[i] = word.String()
	}
	return out, nil
}
