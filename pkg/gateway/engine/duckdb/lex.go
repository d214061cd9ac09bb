//go:build cgo

package duckdb

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// tokenKind classes the tokens of a statement. Comments and white space are not tokens.
type tokenKind uint8

const (
	tokWord   tokenKind = iota // an unquoted identifier or keyword
	tokQuoted                  // "an identifier"
	tokString                  // 'text', with any prefix such as E or X
	tokNumber
	tokParam // ? or $1
	tokOp    // everything else, one token for each of -> => :: <> != <= >= || //
)

// token is a piece of the statement's text, by byte offsets.
type token struct {
	kind     tokenKind
	pos, end int
	text     string // as written; for identifiers the name: unquoted ones in lower case, quoted ones without quotes
}

// is reports whether the token is the given keyword (lower case) or operator.
func (t token) is(s string) bool { return (t.kind == tokWord || t.kind == tokOp) && t.text == s }

func (t token) isName() bool { return t.kind == tokWord || t.kind == tokQuoted }

// lex splits a statement into tokens. It fails only where a quote or a comment does not end.
func lex(sql string) ([]token, error) {
	var out []token
	for i := 0; i < len(sql); {
		c := sql[i]
		start := i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			i++
			continue
		case strings.HasPrefix(sql[i:], "--"):
			n := strings.IndexByte(sql[i:], '\n')
			if n < 0 {
				return out, nil
			}
			i += n + 1
			continue
		case strings.HasPrefix(sql[i:], "/*"):
			n := blockComment(sql[i:])
			if n < 0 {
				return nil, syntaxAt(start, "mismatched input '/*': the comment does not end")
			}
			i += n
			continue
		case c == '\'':
			n := quoted(sql[i:], '\'', false)
			if n < 0 {
				return nil, syntaxAt(start, "mismatched input ''': the text does not end")
			}
			i += n
			out = append(out, token{tokString, start, i, sql[start:i]})
			continue
		case c == '"':
			n := quoted(sql[i:], '"', false)
			if n < 0 {
				return nil, syntaxAt(start, "mismatched input '\"': the quoted name does not end")
			}
			i += n
			out = append(out, token{tokQuoted, start, i, strings.ReplaceAll(sql[start+1:i-1], `""`, `"`)})
			continue
		case isDigit(c) || c == '.' && i+1 < len(sql) && isDigit(sql[i+1]):
			i += number(sql[i:])
			out = append(out, token{tokNumber, start, i, sql[start:i]})
			continue
		case c == '$' && i+1 < len(sql) && (sql[i+1] == '$' || isNameStart(sql[i+1])):
			if n := dollarQuoted(sql[i:]); n > 0 {
				i += n
				out = append(out, token{tokString, start, i, sql[start:i]})
				continue
			}
			i++
			out = append(out, token{tokOp, start, i, "$"})
			continue
		case c == '$' && i+1 < len(sql) && isDigit(sql[i+1]):
			for i++; i < len(sql) && isDigit(sql[i]); i++ {
			}
			out = append(out, token{tokParam, start, i, sql[start:i]})
			continue
		case c == '?':
			i++
			out = append(out, token{tokParam, start, i, "?"})
			continue
		case isNameStart(c):
			for i < len(sql) && (isNameStart(sql[i]) || isDigit(sql[i]) || sql[i] == '$') {
				i++
			}
			word := sql[start:i]
			if i < len(sql) && sql[i] == '\'' && isTextPrefix(word) {
				n := quoted(sql[i:], '\'', strings.EqualFold(word, "e"))
				if n < 0 {
					return nil, syntaxAt(start, "mismatched input ''': the text does not end")
				}
				i += n
				out = append(out, token{tokString, start, i, sql[start:i]})
				continue
			}
			out = append(out, token{tokWord, start, i, strings.ToLower(word)})
			continue
		}
		for _, op := range [...]string{"->>", "->", "=>", "::", "<>", "!=", "<=", ">=", "||", "//"} {
			if strings.HasPrefix(sql[i:], op) {
				i += len(op)
				break
			}
		}
		if i == start {
			_, n := utf8.DecodeRuneInString(sql[i:])
			i += n
		}
		out = append(out, token{tokOp, start, i, sql[start:i]})
	}
	return out, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func isTextPrefix(word string) bool {
	return len(word) == 1 && strings.ContainsAny(word, "eExXbBnN")
}

// quoted measures a quoted piece, in which the quote is doubled; backslash says whether a backslash escapes too.
func quoted(s string, q byte, backslash bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case backslash && s[i] == '\\':
			i++
		case s[i] == q && i+1 < len(s) && s[i+1] == q:
			i++
		case s[i] == q:
			return i + 1
		}
	}
	return -1
}

// blockComment measures a comment, in which comments nest as DuckDB has it.
func blockComment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

func dollarQuoted(s string) int {
	n := strings.IndexByte(s[1:], '$')
	if n < 0 {
		return 0
	}
	tag := s[:n+2]
	for i := 1; i < len(tag)-1; i++ {
		if !isNameStart(tag[i]) && !isDigit(tag[i]) {
			return 0
		}
	}
	end := strings.Index(s[len(tag):], tag)
	if end < 0 {
		return 0
	}
	return len(tag) + end + len(tag)
}

func number(s string) int {
	i := 0
	if len(s) > 2 && s[0] == '0' && strings.IndexByte("xXbBoO", s[1]) >= 0 && (isDigit(s[2]) || isNameStart(s[2])) {
		for i = 2; i < len(s) && (isDigit(s[i]) || isNameStart(s[i]) && s[i] < utf8.RuneSelf); i++ {
		}
		return i
	}
	for i < len(s) && (isDigit(s[i]) || s[i] == '.' || s[i] == '_') {
		i++
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for i = j; i < len(s) && isDigit(s[i]); i++ {
			}
		}
	}
	return i
}

// lineCol turns a byte offset into a 1-based line and column, the column counted in characters.
func lineCol(sql string, pos int) (line, col int) {
	if pos < 0 || pos > len(sql) {
		return 0, 0
	}
	line = 1 + strings.Count(sql[:pos], "\n")
	col = 1 + utf8.RuneCountInString(sql[strings.LastIndexByte(sql[:pos], '\n')+1:pos])
	return line, col
}

// errorAt is an error about a place of a text; translation.place turns the place into one of the user's text.
func errorAt(pos int, kind engine.Kind, format string, args ...any) error {
	return &fault{pos: pos, e: engine.Error{Kind: kind, Message: fmt.Sprintf(format, args...)}}
}

func syntaxAt(pos int, format string, args ...any) error {
	return errorAt(pos, engine.KindSyntax, format, args...)
}
