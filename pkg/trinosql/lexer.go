package trinosql

import (
	"strings"
	"unicode/utf8"
)

// Pos is a place in the text of a statement.
type Pos struct {
	Offset int // in bytes, from 0
	Line   int // from 1
	Col    int // in characters, from 1
}

type kind uint8

const (
	kEOF kind = iota
	kIdent
	kQuoted
	kString
	kUnicode // U&'...'
	kBinary  // X'...'
	kDollar  // $$...$$, the text of a routine in another language
	kInteger
	kDecimal
	kDouble
	kSymbol
	kDigitIdent // 1abc, which is an error where a name may be
	kBackquoted // `abc`, likewise
	kBad        // a character that begins no token
)

// token is a token of the text, which is neither white space nor a comment.
type token struct {
	kind kind
	word word   // of an unquoted identifier
	sym  symbol // of kSymbol
	from Pos
	end  int // byte offset after the token
}

type symbol uint8

const (
	sNone symbol = iota
	sEq
	sNeq
	sLt
	sLte
	sGt
	sGte
	sPlus
	sMinus
	sStar
	sSlash
	sPercent
	sConcat
	sQuestion
	sSemicolon
	sDot
	sComma
	sLParen
	sRParen
	sLBracket
	sRBracket
	sLBrace
	sRBrace
	sArrow    // ->
	sFatArrow // =>
	sColon
	sPipe
	sDollar
	sCaret
)

var symbolText = [...]string{sEq: "=", sNeq: "<>", sLt: "<", sLte: "<=", sGt: ">", sGte: ">=", sPlus: "+", sMinus: "-",
	sStar: "*", sSlash: "/", sPercent: "%",
	sConcat: "||", sQuestion: "?", sSemicolon: ";", sDot: ".", sComma: ",", sLParen: "(", sRParen: ")", sLBracket: "[",
	sRBracket: "]", sLBrace: "{", sRBrace: "}",
	sArrow: "->", sFatArrow: "=>", sColon: ":", sPipe: "|", sDollar: "$", sCaret: "^"}

// lexer cuts a text into tokens.
type lexer struct {
	text string
	at   int // byte offset
	line int // of at, from 1
	bol  int // byte offset of the line's first byte
	wide int // bytes of the line so far that continue a character
	// comment, if not nil, is called with the offsets of each comment.
	comment func(from, end int)
}

func (l *lexer) pos() Pos { return Pos{l.at, l.line, l.at - l.bol - l.wide + 1} }

// skip advances over n bytes, counting lines and characters.
func (l *lexer) skip(n int) {
	for end := l.at + n; l.at < end; l.at++ {
		switch c := l.text[l.at]; {
		case c == '\n':
			l.line++
			l.bol, l.wide = l.at+1, 0
		case c >= 0x80 && c < 0xC0:
			l.wide++
		}
	}
}

// blank skips white space and comments. A bracketed comment without an end is not a comment: its slash is a symbol, as
// in Trino.
func (l *lexer) blank() {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			l.skip(1)
		case c == '-' && strings.HasPrefix(l.text[l.at:], "--"):
			n := strings.IndexAny(l.text[l.at:], "\r\n")
			if n < 0 {
				n = len(l.text) - l.at
			}
			l.noted(n)
		case c == '/' && strings.HasPrefix(l.text[l.at:], "/*"):
			n := strings.Index(l.text[l.at+2:], "*/")
			if n < 0 {
				return
			}
			l.noted(n + 4)
		default:
			return
		}
	}
}

func (l *lexer) noted(n int) {
	if l.comment != nil {
		l.comment(l.at, l.at+n)
	}
	l.skip(n)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
func namePart(c byte) bool {
	return letter(c) || digit(c) || c == '_'
}

// next is the token at the current offset.
func (l *lexer) next() token {
	l.blank()
	t := token{from: l.pos()}
	rest := l.text[l.at:]
	if rest == "" {
		t.end = l.at
		return t
	}
	n := 0
	switch c := rest[0]; {
	case (c == 'x' || c == 'X') && strings.HasPrefix(rest[1:], "'"):
		if n = quoted(rest[1:]); n > 0 {
			t.kind, n = kBinary, n+1
		}
	case (c == 'u' || c == 'U') && strings.HasPrefix(rest[1:], "&'"):
		if n = quoted(rest[2:]); n > 0 {
			t.kind, n = kUnicode, n+2
		}
	case c == '\'':
		t.kind, n = kString, quoted(rest)
	case c == '"':
		t.kind, n = kQuoted, quoted(rest)
	case c == '`':
		t.kind, n = kBackquoted, quoted(rest)
	case strings.HasPrefix(rest, "$$"):
		if end := strings.Index(rest[2:], "$$"); end >= 0 {
			t.kind, n = kDollar, end+4
		}
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		t.kind, n = number(rest)
	}
	if n == 0 {
		if c := rest[0]; letter(c) || c == '_' {
			for n = 1; n < len(rest) && namePart(rest[n]); n++ {
			}
			t.kind, t.word = kIdent, lookup(rest[:n])
		} else if t.sym, n = operator(rest); n > 0 {
			t.kind = kSymbol
		} else {
			t.kind = kBad
			_, n = utf8.DecodeRuneInString(rest)
		}
	}
	l.skip(n)
	t.end = l.at
	return t
}

// quoted returns the length of the text that begins with a quote; 0 if it has no end. A doubled quote does not end it.
func quoted(s string) int {
	q := s[0]
	for i := 1; i < len(s); i++ {
		if s[i] != q {
			continue
		}
		if i+1 < len(s) && s[i+1] == q {
			i++
			continue
		}
		return i + 1
	}
	return 0
}

// digits is the length of a run of digits of a base, with single underscores between them.
func digits(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) {
		switch {
		case in(s[n]):
			n++
		case s[n] == '_' && n > 0 && n+1 < len(s) && in(s[n+1]):
			n += 2
		default:
			return n
		}
	}
	return n
}

// number is the longest number, or name that begins with a digit, at the start of s, as ANTLR would choose it.
func number(s string) (kind, int) {
	k, n := kInteger, 0
	if len(s) > 2 && s[0] == '0' {
		var in func(byte) bool
		switch s[1] | 0x20 {
		case 'x':
			in = func(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
		case 'o':
			in = func(c byte) bool { return c >= '0' && c <= '7' }
		case 'b':
			in = func(c byte) bool { return c == '0' || c == '1' }
		}
		if in != nil {
			if d := based(s[2:], in); d > 0 {
				n = 2 + d
			}
		}
	}
	if n == 0 {
		n = digits(s, digit)
		if n < len(s) && s[n] == '.' {
			k = kDecimal
			n++
			n += digits(s[n:], digit)
		}
		if e := exponent(s[n:]); e > 0 && !strings.Contains(s[:n], "_") {
			k, n = kDouble, n+e
		}
	}
	if digit(s[0]) { // the longer match wins
		m := 0
		for m < len(s) && namePart(s[m]) {
			m++
		}
		if m > n {
			return kDigitIdent, m
		}
	}
	return k, n
}

// based is like digits, but an underscore may come first.
func based(s string, in func(byte) bool) int {
	if len(s) > 1 && s[0] == '_' && in(s[1]) {
		return 1 + digits(s[1:], in)
	}
	return digits(s, in)
}

func exponent(s string) int {
	if s == "" || s[0]|0x20 != 'e' {
		return 0
	}
	n := 1
	if n < len(s) && (s[n] == '+' || s[n] == '-') {
		n++
	}
	from := n
	for n < len(s) && digit(s[n]) {
		n++
	}
	if n == from {
		return 0
	}
	return n
}

func operator(s string) (symbol, int) {
	if len(s) > 1 {
		switch s[:2] {
		case "<>", "!=":
			return sNeq, 2
		case "<=":
			return sLte, 2
		case ">=":
			return sGte, 2
		case "||":
			return sConcat, 2
		case "->":
			return sArrow, 2
		case "=>":
			return sFatArrow, 2
		}
	}
	switch s[0] {
	case '=':
		return sEq, 1
	case '<':
		return sLt, 1
	case '>':
		return sGt, 1
	case '+':
		return sPlus, 1
	case '-':
		return sMinus, 1
	case '*':
		return sStar, 1
	case '/':
		return sSlash, 1
	case '%':
		return sPercent, 1
	case '?':
		return sQuestion, 1
	case ';':
		return sSemicolon, 1
	case '.':
		return sDot, 1
	case ',':
		return sComma, 1
	case '(':
		return sLParen, 1
	case ')':
		return sRParen, 1
	case '[':
		return sLBracket, 1
	case ']':
		return sRBracket, 1
	case '{':
		return sLBrace, 1
	case '}':
		return sRBrace, 1
	case ':':
		return sColon, 1
	case '|':
		return sPipe, 1
	case '$':
		return sDollar, 1
	case '^':
		return sCaret, 1
	}
	return sNone, 0
}
