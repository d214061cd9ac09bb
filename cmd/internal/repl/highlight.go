package repl

import (
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/lineedit"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

var keywords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range trinosql.Keywords() {
		words[w] = true
	}
	return words
})

// Colours of the parts of a statement, as SGR parameters.
const (
	colorKeyword  = "1;34"
	colorFunction = "36"
	colorText     = "32"
	colorNumber   = "35"
	colorComment  = "2"
	colorCommand  = "1;33"
)

// highlight colours a statement or a command.
func highlight(text string) []lineedit.Span {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\n"), `\`) {
		from := strings.IndexByte(text, '\\')
		to := from + 1
		for to < len(text) && text[to] != ' ' && text[to] != '\n' {
			to++
		}
		return []lineedit.Span{{From: from, To: to, Style: colorCommand}}
	}
	var out []lineedit.Span
	last := 0
	gap := func(to int) { // text between tokens: white space and comments
		piece := text[last:to]
		if n := len(piece) - len(strings.TrimLeft(piece, " \t\r\n\f\v")); n < len(piece) {
			out = append(out, lineedit.Span{From: last + n, To: to, Style: colorComment})
		}
	}
	sqltext.Scan(text, false, func(from, to int) {
		gap(from)
		last = to
		if style := styleOf(text, from, to); style != "" {
			out = append(out, lineedit.Span{From: from, To: to, Style: style})
		}
	})
	gap(len(text))
	return out
}

func styleOf(text string, from, to int) string {
	piece := text[from:to]
	switch c := piece[0]; {
	case c == '\'':
		return colorText
	case c >= '0' && c <= '9':
		return colorNumber
	case len(piece) < 2:
		return ""
	}
	follows := to < len(text) && text[to] == '('
	if follows && functions.Named(strings.ToLower(piece)) != nil {
		return colorFunction
	}
	if keywords()[strings.ToUpper(piece)] && (trinosql.Reserved(piece) || commonWords[strings.ToUpper(piece)]) {
		return colorKeyword
	}
	return ""
}

// commonWords are words of the grammar that may also be names, and that are coloured nevertheless.
var commonWords = map[string]bool{"ALL": true, "ANALYZE": true, "ANY": true, "ASC": true, "COLUMNS": true, "DATE": true,
	"DESC": true, "EXPLAIN": true, "FETCH": true, "FILTER": true,
	"FIRST": true, "IF": true, "INTERVAL": true, "LAST": true, "LIMIT": true, "NULLS": true, "OFFSET": true,
	"OVER": true, "PARTITION": true, "RANGE": true, "ROWS": true,
	"SCHEMAS": true, "SHOW": true, "TABLES": true, "TIME": true, "TIMESTAMP": true, "WITHIN": true}
