// Package native parses, checks and edits statements of DuckDB's own dialect (--dialect duckdb): its tokens, the tree of
// DuckDB's parser, what is allowed in it, and the conditions that can be pushed down to a source.
package native

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// tokenKind is the kind of a token. Comments and white space are not tokens.
type tokenKind uint8

const (
	TokWord   tokenKind = iota // an unquoted identifier or keyword
	tokQuoted                  // "an identifier"
	tokString                  // 'text', with any prefix such as E or X
	tokNumber
	tokParam // ? or $1
	tokOp    // everything else; -> => :: <> != <= >= || // are one token each
)

// Token is a piece of the statement's text, by byte offsets.
type Token struct {
	Kind     tokenKind
	Pos, End int
	text     string // as written; for an identifier its name: in lower case if unquoted, without its quotes if quoted
}

// is reports whether the token is the given keyword (lower case) or operator.
func (t Token) is(s string) bool { return (t.Kind == TokWord || t.Kind == tokOp) && t.text == s }

func (t Token) isName() bool { return t.Kind == TokWord || t.Kind == tokQuoted }

// Lex splits a statement into tokens. It fails only for an unterminated quote or comment.
func Lex(sql string) ([]Token, error) {
	var out []Token
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
				return nil, SyntaxAt(start, "mismatched input '/*': the comment does not end")
			}
			i += n
			continue
		case c == '\'':
			n := sqltext.QuotedLength(sql[i:], '\'', false)
			if n < 0 {
				return nil, SyntaxAt(start, "mismatched input ''': the text does not end")
			}
			i += n
			out = append(out, Token{tokString, start, i, sql[start:i]})
			continue
		case c == '"':
			n := sqltext.QuotedLength(sql[i:], '"', false)
			if n < 0 {
				return nil, SyntaxAt(start, "mismatched input '\"': the quoted name does not end")
			}
			i += n
			out = append(out, Token{tokQuoted, start, i, strings.ReplaceAll(sql[start+1:i-1], `""`, `"`)})
			continue
		case IsDigit(c) || c == '.' && i+1 < len(sql) && IsDigit(sql[i+1]):
			i += number(sql[i:])
			out = append(out, Token{tokNumber, start, i, sql[start:i]})
			continue
		case c == '$' && i+1 < len(sql) && (sql[i+1] == '$' || IsNameStart(sql[i+1])):
			if n := dollarQuoted(sql[i:]); n > 0 {
				i += n
				out = append(out, Token{tokString, start, i, sql[start:i]})
				continue
			}
			i++
			out = append(out, Token{tokOp, start, i, "$"})
			continue
		case c == '$' && i+1 < len(sql) && IsDigit(sql[i+1]):
			for i++; i < len(sql) && IsDigit(sql[i]); i++ {
			}
			out = append(out, Token{tokParam, start, i, sql[start:i]})
			continue
		case c == '?':
			i++
			out = append(out, Token{tokParam, start, i, "?"})
			continue
		case IsNameStart(c):
			for i < len(sql) && (IsNameStart(sql[i]) || IsDigit(sql[i]) || sql[i] == '$') {
				i++
			}
			word := sql[start:i]
			if i < len(sql) && sql[i] == '\'' && isTextPrefix(word) {
				n := sqltext.QuotedLength(sql[i:], '\'', strings.EqualFold(word, "e"))
				if n < 0 {
					return nil, SyntaxAt(start, "mismatched input ''': the text does not end")
				}
				i += n
				out = append(out, Token{tokString, start, i, sql[start:i]})
				continue
			}
			out = append(out, Token{TokWord, start, i, strings.ToLower(word)})
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
		out = append(out, Token{tokOp, start, i, sql[start:i]})
	}
	return out, nil
}

func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

func IsNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func isTextPrefix(word string) bool {
	return len(word) == 1 && strings.ContainsAny(word, "eExXbBnN")
}

// blockComment is the length of a comment, in which comments nest as in DuckDB.
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
		if !IsNameStart(tag[i]) && (i == 1 || !IsDigit(tag[i])) { // $1$ is a parameter, and then something else
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
	if len(s) > 2 && s[0] == '0' && strings.IndexByte("xXbBoO", s[1]) >= 0 && (IsDigit(s[2]) || IsNameStart(s[2])) {
		for i = 2; i < len(s) && (IsDigit(s[i]) || IsNameStart(s[i]) && s[i] < utf8.RuneSelf); i++ {
		}
		return i
	}
	for i < len(s) && (IsDigit(s[i]) || s[i] == '.' || s[i] == '_') {
		i++
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && IsDigit(s[j]) {
			for i = j; i < len(s) && IsDigit(s[i]); i++ {
			}
		}
	}
	return i
}

// LineCol converts a byte offset to a 1-based line and column, the column counted in characters.
func LineCol(sql string, pos int) (line, col int) {
	if pos < 0 || pos > len(sql) {
		return 0, 0
	}
	line = 1 + strings.Count(sql[:pos], "\n")
	col = 1 + utf8.RuneCountInString(sql[strings.LastIndexByte(sql[:pos], '\n')+1:pos])
	return line, col
}

// ErrorAt is an error at a position of a text; translation.place converts it to a position of the user's text.
func ErrorAt(pos int, kind engine.Kind, format string, args ...any) error {
	return &fault{pos: pos, e: engine.Error{Kind: kind, Message: fmt.Sprintf(format, args...)}}
}

func SyntaxAt(pos int, format string, args ...any) error {
	return ErrorAt(pos, engine.KindSyntax, format, args...)
}

// fault is an error at a position of the current text.
type fault struct {
	pos int
	e   engine.Error
}

func (f *fault) Error() string { return f.e.Message }
func (f *fault) Unwrap() error { return &f.e }

// PlaceName gives an error the position of a name, if it has none yet.
func PlaceName(err error, pos int) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Line != 0 {
		return err
	}
	f := &fault{pos: pos, e: *e}
	f.e.Err = err
	return f
}

// ChainIs reports whether the tokens begin with the given names, joined by dots.
func ChainIs(tokens []Token, parts []string) bool {
	for i, p := range parts {
		if i > 0 {
			if len(tokens) == 0 || !tokens[0].is(".") {
				return false
			}
			tokens = tokens[1:]
		}
		if len(tokens) == 0 || !tokens[0].isName() && tokens[0].Kind != tokString || !strings.EqualFold(tokens[0].name(), p) {
			return false
		}
		tokens = tokens[1:]
	}
	return true
}

// name is the name of a token; DuckDB accepts a string literal as a table name.
func (t Token) name() string {
	if t.Kind == tokString && len(t.text) >= 2 && t.text[0] == '\'' {
		return strings.ReplaceAll(t.text[1:len(t.text)-1], `''`, `'`)
	}
	return t.text
}

// Single removes trailing semicolons and rejects a second statement.
func Single(tokens []Token) ([]Token, error) {
	for len(tokens) > 0 && tokens[len(tokens)-1].is(";") {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return nil, SyntaxAt(0, "mismatched input '<EOF>'. Expecting: <query>")
	}
	for _, t := range tokens {
		if t.is(";") {
			return nil, SyntaxAt(t.Pos, "mismatched input ';'. Expecting: <EOF>")
		}
	}
	return tokens, nil
}
