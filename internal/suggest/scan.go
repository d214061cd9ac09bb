package suggest

import (
	"math"
	"path"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// token is a piece of the text: a word, a quoted piece or one character.
type token struct {
	text     string
	from, to int
	word     string // of a word or a name in quotes, the name; else ""
	quoted   bool
	depth    int // of parentheses around it; an opening one is inside, a closing one outside
}

// is reports whether a token is one of some words of the grammar, given in lower case.
func (t token) is(words ...string) bool {
	if t.quoted || t.word == "" {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(t.word, w) {
			return true
		}
	}
	return false
}

// scan cuts the statement around the cursor into tokens. before is the number of them that begin before the cursor; ok
// is false inside a comment or a text, where there is nothing to complete.
func scan(text string, at int) (tokens []token, before int, ok bool) {
	depth, last := 0, 0 // last: the end of the previous token
	ok = true
	sqltext.Scan(text, false, func(from, to int) {
		piece := text[from:to]
		if from >= at && last < at {
			ok = ok && !inComment(text[last:from], at-last)
		}
		last = to
		if piece == ";" {
			if to <= at {
				tokens, before, depth = tokens[:0], 0, 0
			} else if before >= 0 && from >= at {
				depth = -1 << 20 // the rest belongs to another statement
			}
			return
		}
		if depth < -1<<19 {
			return
		}
		t := token{text: piece, from: from, to: to}
		switch c := piece[0]; {
		case c == '(':
			depth++
			t.depth = depth
		case c == ')':
			depth--
			t.depth = depth
		default:
			t.depth = depth
			switch {
			case c == '"':
				t.quoted = true
				t.word = strings.ReplaceAll(strings.TrimSuffix(piece[1:], `"`), `""`, `"`)
			case c == '\'' || c == '$' && len(piece) > 1:
				if from < at && (at < to || at == to && !closed(piece)) {
					ok = false
				}
			case wordStart(c):
				t.word = piece
			}
		}
		if from < at {
			before = len(tokens) + 1
		}
		tokens = append(tokens, t)
	})
	if last < at {
		ok = ok && !inComment(text[last:], at-last)
	}
	return tokens, before, ok
}

func wordStart(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

// closed reports whether a quoted piece ends with its quote.
func closed(piece string) bool {
	return len(piece) > 1 && piece[len(piece)-1] == piece[0] && strings.Count(piece, piece[:1])%2 == 0
}

// inComment reports whether a position between two tokens is inside a comment.
func inComment(gap string, at int) bool {
	for i := 0; i < at; {
		switch {
		case strings.HasPrefix(gap[i:], "--"):
			n := strings.IndexByte(gap[i:], '\n')
			if n < 0 || i+n >= at {
				return at >= i+2
			}
			i += n + 1
		case strings.HasPrefix(gap[i:], "/*"):
			n := strings.Index(gap[i+2:], "*/")
			if n < 0 || i+2+n+2 > at {
				return at >= i+2
			}
			i += n + 4
		default:
			i++
		}
	}
	return false
}

// source is a table, a WITH query or a subquery that a statement reads.
type source struct {
	path    []string // of a table; of a file, the name by which a statement calls it
	literal string   // of a file, in its quotes
	alias   string
	columns []Column // of a subquery or a WITH query
	query   bool
	from    int // byte offsets of the parentheses around it: names of it are valid between them
	to      int
}

// sources finds the tables of a statement: names after FROM and JOIN and after the commas between them, with their
// aliases, and WITH queries.
func sources(tokens []token) (reads []source, with map[string][]Column) {
	with = map[string][]Column{}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case t.is("as") && i > 0 && i+1 < len(tokens) && tokens[i+1].text == "(":
			if name := tokens[i-1]; name.word != "" && i > 1 && (tokens[i-2].is("with", "recursive") ||
				tokens[i-2].text == ",") {
				with[strings.ToLower(name.word)] = outputs(tokens[i+2 : closing(tokens, i+1)])
			}
		case t.is("from", "join") && !extracting(tokens, i):
			from, to := around(tokens, i)
			for _, s := range relations(tokens, i+1) {
				s.from, s.to = from, to
				reads = append(reads, s)
			}
		}
	}
	return reads, with
}

// extracting reports whether FROM belongs to EXTRACT, TRIM or SUBSTRING, which take an argument after it.
func extracting(tokens []token, at int) bool {
	d := tokens[at].depth
	for i := at - 1; i >= 0; i-- {
		switch t := tokens[i]; {
		case t.text == "(" && t.depth == d:
			return i > 0 && tokens[i-1].is("extract", "trim", "substring", "overlay")
		case t.depth == d && t.is("select"):
			return false
		}
	}
	return false
}

// around returns the byte offsets of the parentheses around a token; from 0 and to the highest number without any.
func around(tokens []token, at int) (from, to int) {
	d := tokens[at].depth
	to = math.MaxInt
	for i := at - 1; i >= 0; i-- {
		if t := tokens[i]; t.text == "(" && t.depth == d {
			if end := closing(tokens, i); end < len(tokens) {
				to = tokens[end].from
			}
			return t.to, to
		}
	}
	return 0, to
}

// closing returns the index of the parenthesis that closes the one at i, or the number of tokens.
func closing(tokens []token, i int) int {
	for j := i + 1; j < len(tokens); j++ {
		if tokens[j].text == ")" && tokens[j].depth < tokens[i].depth {
			return j
		}
	}
	return len(tokens)
}

// relations reads the names between FROM and the next clause.
func relations(tokens []token, i int) []source {
	var out []source
	for i < len(tokens) {
		var s source
		switch t := tokens[i]; {
		case t.is("lateral", "only"):
			i++
			continue
		case t.text == "(":
			end := closing(tokens, i)
			s.query, s.columns = true, outputs(tokens[i+1:end])
			i = end + 1
		case t.word != "" && (t.quoted || !clause(t)):
			s.path = append(s.path, t.word)
			for i++; i+1 < len(tokens) && tokens[i].text == "." && tokens[i+1].word != ""; i += 2 {
				s.path = append(s.path, tokens[i+1].word)
			}
			if i < len(tokens) && tokens[i].text == "." {
				i++
			}
		case t.text[0] == '\'' && closed(t.text):
			s.literal = t.text
			name := path.Base(strings.ReplaceAll(t.text[1:len(t.text)-1], "''", "'"))
			name, _, _ = strings.Cut(name, ".")
			s.path = []string{name}
			i++
		default:
			return out
		}
		if i < len(tokens) && tokens[i].is("as") {
			i++
		}
		if i < len(tokens) && tokens[i].word != "" && (tokens[i].quoted || !clause(tokens[i]) &&
			!trinosql.Reserved(tokens[i].word)) {
			s.alias = tokens[i].word
			i++
		}
		out = append(out, s)
		if i >= len(tokens) || tokens[i].text != "," {
			return out
		}
		i++
	}
	return out
}

// clause reports whether a word ends the name of a table: the next clause, or a kind of join.
func clause(t token) bool {
	return t.is("where", "group", "having", "order", "limit", "offset", "fetch", "union", "except", "intersect", "join",
		"inner", "left", "right",
		"full", "cross", "natural", "on", "using", "select", "window", "tablesample", "with", "from", "unnest", "for")
}

// outputs returns the names of the columns of a query: the last name of each item of its first SELECT list.
func outputs(tokens []token) []Column {
	start := 0
	for start < len(tokens) && !tokens[start].is("select") {
		start++
	}
	if start == len(tokens) {
		return nil
	}
	depth := tokens[start].depth
	var out []Column
	var last token
	named := func() {
		if last.word != "" && !last.is("end", "null", "true", "false") {
			out = append(out, Column{Name: last.word})
		}
		last = token{}
	}
	for _, t := range tokens[start+1:] {
		switch {
		case t.depth > depth:
			continue
		case t.depth < depth || t.is("from", "where", "group", "union", "order", "limit", "having"):
			named()
			return out
		case t.text == ",":
			named()
		case t.is("distinct", "all"):
		default:
			last = t
		}
	}
	named()
	return out
}
