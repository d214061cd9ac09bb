package output

import (
	"bytes"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/term"
)

// wrapped is a line of a value in a cell. The mark shows how it continues: ↵ at a line feed of the text, … at a split.
type wrapped struct {
	text string
	mark string
}

// wrap splits text into lines of at most width cells, never within a grapheme. The last line may be one cell longer,
// since it needs no mark. After limit lines the rest of the text is dropped, and cut is true.
func wrap(t []byte, width, limit int) (lines []wrapped, cut bool) {
	width = max(width, 1)
	parts := bytes.Split(t, []byte("\n"))
	for n, part := range parts {
		s := string(term.Sanitize(nil, part))
		for {
			if len(lines) == limit {
				lines[limit-1].mark = ellipsis
				return lines, true
			}
			head, rest := cutAt(s, width, len(lines) < limit-1)
			if rest != "" && n == len(parts)-1 && displaywidth.String(s) == width+1 {
				head, rest = s, "" // the last character is printed in the cell of the mark
			}
			mark := ""
			if rest != "" {
				mark = ellipsis
			} else if n < len(parts)-1 {
				mark = "↵"
			}
			lines = append(lines, wrapped{head, mark})
			if s = rest; s == "" {
				break
			}
		}
	}
	return lines, false
}

// cutAt splits s after as many graphemes as fit into width, at least one. If words is set, it splits between words,
// unless the line would become much shorter.
func cutAt(s string, width int, words bool) (head, rest string) {
	if len(s) <= width || displaywidth.String(s) <= width {
		return s, ""
	}
	g := displaywidth.StringGraphemes(s)
	used, at := 0, 0
	for g.Next() {
		if used += g.Width(); used > width && at > 0 {
			break
		}
		at += len(g.Value())
	}
	if space := strings.LastIndexByte(s[:at], ' ') + 1; words && space > at*2/3 {
		at = space
	}
	return s[:at], s[at:]
}

// heading splits a name into lines, between its words if it has several; they need no mark.
func heading(name []byte, width, limit int) (lines []wrapped, cut bool) {
	for rest := string(term.Sanitize(nil, name)); ; {
		head, _ := cutAt(rest, width, false)
		if head != rest {
			if at := strings.LastIndexAny(head, "_ ") + 1; at > len(head)/3 {
				head = head[:at]
			}
		}
		rest = rest[len(head):]
		lines = append(lines, wrapped{text: head})
		if rest == "" {
			return lines, false
		}
		if len(lines) == limit {
			lines[limit-1].mark = ellipsis
			return lines, true
		}
	}
}

// Fold inserts line feeds between the words of a note, so that no line is wider than width.
func Fold(text string, width int) string {
	var out strings.Builder
	used := 0
	for i, word := range strings.Split(text, " ") {
		w := displaywidth.String(word)
		switch {
		case i == 0:
		case used+1+w > width:
			out.WriteByte('\n')
			used = 0
		default:
			out.WriteByte(' ')
			used++
		}
		out.WriteString(word)
		used += w
	}
	return out.String()
}
