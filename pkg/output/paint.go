package output

import "github.com/dig-cli/dig/internal/term"

// paint writes with or without ANSI colours.
type paint bool

const (
	ansiReset = "\x1b[0m"
	ansiBold  = "\x1b[1m"
	ansiDim   = "\x1b[2m"
	ansiKey   = "\x1b[34m"
	ansiText  = "\x1b[32m"
)

func (p paint) on(dst []byte, style string) []byte {
	if p {
		dst = append(dst, style...)
	}
	return dst
}

func (p paint) off(dst []byte) []byte {
	if p {
		dst = append(dst, ansiReset...)
	}
	return dst
}

func (p paint) text(style, s string) string {
	if !p {
		return s
	}
	return style + s + ansiReset
}

// colorJSON colours the keys and strings of a valid document and leaves every other byte unchanged.
func colorJSON(doc []byte) []byte {
	out := make([]byte, 0, len(doc)*3/2)
	for i := 0; i < len(doc); {
		if doc[i] != '"' {
			out = append(out, doc[i])
			i++
			continue
		}
		end := i + 1
		for doc[end] != '"' {
			if doc[end] == '\\' {
				end++
			}
			end++
		}
		end++
		style := ansiText
		next := end
		for next < len(doc) && (doc[next] == ' ' || doc[next] == '\n' || doc[next] == '\t' || doc[next] == '\r') {
			next++
		}
		if next < len(doc) && doc[next] == ':' {
			style = ansiKey
		}
		out = append(out, style...)
		out = term.SanitizeText(out, doc[i:end])
		out = append(out, ansiReset...)
		i = end
	}
	return out
}
