// Package sqltext reads and writes SQL text without parsing it: it finds tokens, statements and clauses, and quotes
// names and values.
package sqltext

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Part is one statement of a text, with the 0-based line and column of its start.
type Part struct {
	Text      string
	Line, Col int
}

// Scan calls f with every token of a text: a word, a quoted piece, or a single character. White space and comments are
// skipped. nested means that comments nest, as in zone local's engine and not in others. A quote or comment that does
// not end extends to the end of the text; the gateway reports it.
func Scan(sql string, nested bool, f func(from, to int)) {
	for i := 0; i < len(sql); {
		n, token := 1, true
		switch c := sql[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			token = false
		case strings.HasPrefix(sql[i:], "--"):
			if n = strings.IndexByte(sql[i:], '\n'); n < 0 {
				n = len(sql) - i
			}
			token = false
		case strings.HasPrefix(sql[i:], "/*"):
			n, token = commentLength(sql[i:], nested), false
		case c == '\'' || c == '"':
			n = quoteLength(sql[i:], c, false)
		case c == '$':
			n = dollarLength(sql[i:])
		case wordByte(c):
			for n < len(sql)-i && wordByte(sql[i+n]) {
				n++
			}
			if n == 1 && (c == 'e' || c == 'E') && strings.HasPrefix(sql[i+1:], "'") {
				n += quoteLength(sql[i+1:], '\'', true)
			}
		}
		if token {
			f(i, i+n)
		}
		i += n
	}
}

// Split splits a text at its semicolons and omits parts without a statement.
func Split(sql string, nested bool) []Part {
	var parts []Part
	from, some := 0, false // of the current part
	end := func(to int) {
		if some {
			from += leading(sql[from:to])
			line, col := PositionOf(sql, from)
			parts = append(parts, Part{strings.TrimRight(sql[from:to], " \t\r\n\f\v"), line - 1, col - 1})
		}
		some = false
	}
	Scan(sql, nested, func(at, to int) {
		if sql[at] == ';' {
			end(at)
			from = to
			return
		}
		some = true
	})
	end(len(sql))
	return parts
}

// TrimEnd removes one semicolon at the end of a text, with the white space and comments around it: the hosted zones do
// not accept one. Several statements are returned unchanged.
func TrimEnd(sql string, nested bool) string {
	before, end, semicolon := 0, 0, false // ends of the last two tokens
	Scan(sql, nested, func(from, to int) { before, end, semicolon = end, to, sql[from] == ';' })
	if !semicolon || before == 0 {
		return sql
	}
	return sql[:before]
}

// Limit limits a statement to n rows. LIMIT is appended at the end, where it preserves the order of the rows; a
// statement with its own limit becomes a subquery, with its first line on the second line of the text (wrapped is 1).
func Limit(sql string, n int64, nested bool) (limited string, wrapped int) {
	if parts := Split(sql, nested); len(parts) == 1 { // without the semicolon
		sql = sql[:strings.LastIndex(sql, parts[0].Text)+len(parts[0].Text)]
	}
	depth, own := 0, false
	Scan(sql, nested, func(from, to int) {
		switch word := sql[from:to]; {
		case word == "(":
			depth++
		case word == ")":
			depth--
		case depth == 0 && (strings.EqualFold(word, "limit") || strings.EqualFold(word, "fetch") ||
			strings.EqualFold(word, "offset")):
			own = true
		}
	})
	if own {
		return fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT %d", sql, n), 1
	}
	return fmt.Sprintf("%s\nLIMIT %d", sql, n), 0
}

// Clauses returns the positions at which the given words of the outermost statement start; -1 for missing ones.
func Clauses(sql string, nested bool) map[string]int {
	at := map[string]int{"limit": -1, "offset": -1, "fetch": -1, "order": -1, "by": -1}
	depth := 0
	Scan(sql, nested, func(from, to int) {
		switch word := strings.ToLower(sql[from:to]); word {
		case "(":
			depth++
		case ")":
			depth--
		default:
			if _, wanted := at[word]; wanted && depth == 0 {
				at[word] = from
			}
		}
	})
	return at
}

// leading returns the length of the white space before a part, so that it starts with its first comment or word.
func leading(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n\f\v")) }

// WordStart reports whether a word that is not a number may start with a byte.
func WordStart(c byte) bool { return wordByte(c) && (c < '0' || c > '9') }

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' ||
		c >= utf8.RuneSelf
}

func quoteLength(s string, q byte, escapes bool) int {
	if n := QuotedLength(s, q, escapes); n >= 0 {
		return n
	}
	return len(s)
}

// QuotedLength returns the length of the quoted piece at the start of a text, -1 if it does not end. A doubled quote is
// a literal quote; escapes means that a backslash escapes too.
func QuotedLength(s string, q byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == q && i+1 < len(s) && s[i+1] == q:
			i++
		case s[i] == q:
			return i + 1
		}
	}
	return -1
}

func commentLength(s string, nested bool) int {
	depth := 1
	for i := 2; i+1 < len(s); i++ {
		switch {
		case s[i] == '*' && s[i+1] == '/':
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		case nested && s[i] == '/' && s[i+1] == '*':
			depth++
			i++
		}
	}
	return len(s)
}

// dollarLength returns the length of $tag$ text $tag$, and 1 for anything else.
func dollarLength(s string) int {
	n := strings.IndexByte(s[1:], '$')
	if n < 0 {
		return 1
	}
	tag := s[:n+2]
	for i := 1; i < len(tag)-1; i++ {
		if !wordByte(tag[i]) || i == 1 && tag[i] >= '0' && tag[i] <= '9' {
			return 1
		}
	}
	end := strings.Index(s[len(tag):], tag)
	if end < 0 {
		return len(s)
	}
	return len(tag) + end + len(tag)
}
