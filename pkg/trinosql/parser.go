package trinosql

import "strings"

// MaxDepth bounds how deep expressions, queries, relations and types nest.
const MaxDepth = 500

// maxChain bounds the operators of one chain such as a + b + c, whose tree is as deep as the chain is long.
const maxChain = 20_000

const tooLarge = "statement is too large (stack overflow while parsing)"

type parser struct {
	lex    lexer
	tokens []token
	i      int
	tok    token // tokens[i]
	depth  int
	params int
	// parens holds the results of trying to read a query at an opening parenthesis, so that each is tried once.
	parens map[int]tried
	// far is the error furthest in the text of the failed trials.
	far *Error
	// wrapped is the expression in the last parentheses.
	wrapped Expr
	// files is the catalog of the files that are named by a string instead of a table name; "" if that is an error, as
	// in Trino.
	files string
	// loose collects what of ParseLoose's grammar is not Trino's; nil for Trino's alone.
	loose map[extraKey]*Extra
}

type tried struct {
	query  *Query
	next   int // the token after the query
	params int
	err    error
}

// Parse reads one statement. A semicolon at its end is not part of it and is rejected, as in Trino; Split removes it.
func Parse(text string) (Statement, error) { return ParseFiles(text, "") }

// ParseFiles is Parse, where a string may name a table: FROM 'sales.csv' refers to the table that FileTable
// names, in catalog.
func ParseFiles(text, catalog string) (Statement, error) {
	p := newParser(text)
	p.files = catalog
	return p.whole()
}

// whole reads one statement up to the end.
func (p *parser) whole() (Statement, error) {
	s, err := p.statement()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, p.furthest(err)
	}
	return s, nil
}

// ParseType reads one data type.
func ParseType(text string) (Type, error) {
	p := newParser(text)
	t, err := p.dataType()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, p.furthest(err)
	}
	return t, nil
}

func newParser(text string) *parser {
	p := &parser{lex: lexer{text: text, line: 1}}
	p.tokens = make([]token, 0, len(text)/4+2)
	for {
		t := p.lex.next()
		p.tokens = append(p.tokens, t)
		if t.kind == kEOF {
			break
		}
	}
	p.tok = p.tokens[0]
	return p
}

// furthest is the most useful error: that of an abandoned trial if it got further.
func (p *parser) furthest(err error) error {
	e, ok := err.(*Error)
	if ok && p.far != nil && p.far.At.Offset > e.At.Offset {
		return p.far
	}
	return err
}

func (p *parser) end() error {
	if p.tok.kind != kEOF {
		return p.unexpected("<EOF>")
	}
	return nil
}

func (p *parser) advance() {
	if p.i < len(p.tokens)-1 {
		p.i++
	}
	p.tok = p.tokens[p.i]
}

// back returns to an earlier token.
func (p *parser) back(i int) { p.i, p.tok = i, p.tokens[i] }

// peek is the token n places ahead.
func (p *parser) peek(n int) token {
	if p.i+n < len(p.tokens) {
		return p.tokens[p.i+n]
	}
	return p.tokens[len(p.tokens)-1]
}

func (p *parser) isWord(w word) bool           { return p.tok.word == w }
func (p *parser) isSym(s symbol) bool          { return p.tok.sym == s }
func (p *parser) peekWord(n int, w word) bool  { return p.peek(n).word == w }
func (p *parser) peekSym(n int, s symbol) bool { return p.peek(n).sym == s }

// take consumes a word if it comes next.
func (p *parser) take(w word) bool {
	if p.tok.word != w {
		return false
	}
	p.advance()
	return true
}

func (p *parser) takeSym(s symbol) bool {
	if p.tok.sym != s {
		return false
	}
	p.advance()
	return true
}

// want consumes words that must come next.
func (p *parser) want(ws ...word) error {
	for _, w := range ws {
		if !p.take(w) {
			return p.unexpected("'" + wordText[w] + "'")
		}
	}
	return nil
}

func (p *parser) wantSym(s symbol) error {
	if !p.takeSym(s) {
		return p.unexpected("'" + symbolText[s] + "'")
	}
	return nil
}

// deeper counts a level of nesting; the caller returns to the depth before with defer p.shallower().
func (p *parser) deeper() error {
	if p.depth++; p.depth > MaxDepth {
		return p.fail(p.tok.from, tooLarge)
	}
	return nil
}

func (p *parser) shallower() { p.depth-- }

// begin starts a node at the current token; done ends it after the previous token.
func (p *parser) begin() node { return node{at: p.tok.from, from: p.tok.from.Offset} }

// since starts a node where another one starts.
func since(x Node) node {
	from, _ := x.Span()
	return node{at: x.Pos(), from: from}
}

// over starts a node that spans from x; its place is that of the current token, an operator.
func (p *parser) over(x Node) node {
	from, _ := x.Span()
	return node{at: p.tok.from, from: from}
}

func (p *parser) done(n *node) {
	if p.i > 0 {
		n.end = p.tokens[p.i-1].end
	}
}

// startOf is the place of the first character of a node, which differs from its Pos if it is an operator expression.
func (p *parser) startOf(x Node) Pos {
	from, _ := x.Span()
	for lo, hi := 0, len(p.tokens); lo < hi; {
		m := (lo + hi) / 2
		switch at := p.tokens[m].from; {
		case at.Offset == from:
			return at
		case at.Offset < from:
			lo = m + 1
		default:
			hi = m
		}
	}
	return x.Pos()
}

// isName reports whether a token can be a name.
func isName(t token) bool {
	return t.kind == kQuoted || t.kind == kIdent && !(t.word > wNone && t.word < lastReserved)
}

func (p *parser) name() (*Ident, error) {
	if !isName(p.tok) {
		return nil, p.unexpected("<identifier>")
	}
	id := &Ident{node: p.begin()}
	text := p.lex.text[p.tok.from.Offset:p.tok.end]
	if p.tok.kind == kQuoted {
		id.Quoted = true
		text = strings.ReplaceAll(text[1:len(text)-1], `""`, `"`)
		if text == "" {
			return nil, p.fail(p.tok.from, "Zero-length delimited identifier not allowed")
		}
	}
	id.Name = text
	p.advance()
	p.done(&id.node)
	return id, nil
}

func (p *parser) names() ([]*Ident, error) {
	var list []*Ident
	for {
		id, err := p.name()
		if err != nil {
			return nil, err
		}
		list = append(list, id)
		if !p.takeSym(sComma) {
			return list, nil
		}
	}
}

// nameList reads (a, b).
func (p *parser) nameList() ([]*Ident, error) {
	if err := p.wantSym(sLParen); err != nil {
		return nil, err
	}
	list, err := p.names()
	if err != nil {
		return nil, err
	}
	return list, p.wantSym(sRParen)
}

// qualified reads a.b.c.
func (p *parser) qualified() ([]*Ident, error) {
	id, err := p.name()
	if err != nil {
		return nil, err
	}
	list := []*Ident{id}
	for p.isSym(sDot) && isName(p.peek(1)) {
		p.advance()
		if id, err = p.name(); err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return list, nil
}

// text reads a string literal.
func (p *parser) text() (*StringLit, error) {
	lit := &StringLit{node: p.begin()}
	raw := p.lex.text[p.tok.from.Offset:p.tok.end]
	switch p.tok.kind {
	case kString:
		lit.Value = strings.ReplaceAll(raw[1:len(raw)-1], "''", "'")
		p.advance()
	case kUnicode:
		at := p.tok.from
		body := strings.ReplaceAll(raw[3:len(raw)-1], "''", "'")
		p.advance()
		escape := `\`
		if p.take(wUescape) {
			if p.tok.kind != kString {
				return nil, p.unexpected("<string>")
			}
			raw := p.lex.text[p.tok.from.Offset:p.tok.end]
			escape = strings.ReplaceAll(raw[1:len(raw)-1], "''", "'")
			p.advance()
		}
		value, why := unescape(body, escape)
		if why != "" {
			return nil, p.fail(at, "%s", why)
		}
		lit.Value = value
	default:
		return nil, p.unexpected("<string>")
	}
	p.done(&lit.node)
	return lit, nil
}
