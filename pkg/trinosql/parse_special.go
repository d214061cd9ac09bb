package trinosql

import "strings"

// wordExpression reads an expression that begins with an unquoted word: one of the grammar's own forms, or a name.
func (p *parser) wordExpression() (Expr, error) {
	n := p.begin()
	w := p.tok.word
	open := p.peekSym(1, sLParen)
	simple := func(x Expr) (Expr, error) {
		p.advance()
		p.done(x.base())
		return x, nil
	}
	switch w {
	case wNull:
		return simple(&NullLit{n})
	case wTrue, wFalse:
		return simple(&BoolLit{n, w == wTrue})
	case wCurrentDate, wCurrentUser, wCurrentCatalog, wCurrentSchema, wCurrentPath:
		return simple(&Current{node: n, What: wordText[w]})
	case wCurrentTime, wCurrentTimestamp, wLocaltime, wLocaltimestamp:
		c := &Current{node: n, What: wordText[w]}
		p.advance()
		if p.takeSym(sLParen) {
			if p.tok.kind != kInteger {
				return nil, p.unexpected("<integer>")
			}
			c.Precision = strings.ReplaceAll(p.textOf(p.tok), "_", "")
			p.advance()
			if err := p.wantSym(sRParen); err != nil {
				return nil, err
			}
		}
		p.done(&c.node)
		return c, nil
	case wInterval:
		// Without a field it is a literal of a type called interval, which analysis refuses.
		if next := p.peek(1); next.kind == kString && isIntervalField(p.peek(2).word) || next.kind == kUnicode ||
			(next.sym == sMinus || next.sym == sPlus) && p.peek(2).kind == kString {
			return p.interval()
		}
	case wDouble:
		if p.peekWord(1, wPrecision) && p.peek(2).kind == kString {
			p.advance()
			p.advance()
			text, err := p.text()
			if err != nil {
				return nil, err
			}
			t := &TypedLit{n, "DOUBLE", text.Value}
			p.done(&t.node)
			return t, nil
		}
	case wCase:
		return p.caseExpr()
	case wCast, wTryCast:
		if w == wCast || open {
			return p.cast()
		}
	case wExists:
		p.advance()
		if !p.isSym(sLParen) {
			return nil, p.unexpected("'('")
		}
		e := &Exists{node: n}
		var err error
		e.Query, err = p.parenQuery(true)
		p.done(&e.node)
		return e, err
	case wArray:
		if p.peekSym(1, sLBracket) {
			return p.array()
		}
	case wRow:
		if open {
			return p.row()
		}
	case wPosition:
		if open {
			return p.position()
		}
	case wExtract:
		return p.extract()
	case wTrim:
		return p.trim()
	case wSubstring:
		if open {
			return p.substring()
		}
	case wNormalize:
		return p.normalize()
	case wGrouping:
		return p.grouping()
	case wListagg:
		return p.listagg()
	case wJSONExists, wJSONValue, wJSONQuery:
		return p.jsonFunc()
	case wJSONObject:
		return p.jsonObject()
	case wJSONArray:
		return p.jsonArray()
	}
	if !isName(p.tok) {
		return nil, p.unexpected("<expression>")
	}
	return p.nameExpression()
}

func (p *parser) caseExpr() (Expr, error) {
	c := &Case{node: p.begin()}
	p.advance()
	var err error
	if !p.isWord(wWhen) {
		if c.Operand, err = p.expression(); err != nil {
			return nil, err
		}
	}
	for {
		w := &When{node: p.begin()}
		if err = p.want(wWhen); err != nil {
			return nil, err
		}
		if w.Cond, err = p.expression(); err != nil {
			return nil, err
		}
		if err = p.want(wThen); err != nil {
			return nil, err
		}
		if w.Then, err = p.expression(); err != nil {
			return nil, err
		}
		p.done(&w.node)
		c.Whens = append(c.Whens, w)
		if !p.isWord(wWhen) {
			break
		}
	}
	if p.take(wElse) {
		if c.Else, err = p.expression(); err != nil {
			return nil, err
		}
	}
	err = p.want(wEnd)
	p.done(&c.node)
	return c, err
}

func (p *parser) cast() (Expr, error) {
	c := &Cast{node: p.begin(), Try: p.isWord(wTryCast)}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	if c.X, err = p.expression(); err != nil {
		return nil, err
	}
	if err = p.want(wAs); err != nil {
		return nil, err
	}
	if c.Type, err = p.dataType(); err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&c.node)
	return c, err
}

func (p *parser) array() (Expr, error) {
	a := &Array{node: p.begin()}
	p.advance()
	p.advance()
	var err error
	if !p.isSym(sRBracket) {
		if a.Items, err = p.expressions(); err != nil {
			return nil, err
		}
	}
	err = p.wantSym(sRBracket)
	p.done(&a.node)
	return a, err
}

func (p *parser) row() (Expr, error) {
	r := &Row{node: p.begin()}
	p.advance()
	p.advance()
	var err error
	if r.Items, err = p.expressions(); err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&r.node)
	return r, err
}

// wordInside reports whether a word stands between the parenthesis behind the present token and its end, in no parentheses of its
// own. The FROM of IS DISTINCT FROM does not count.
func (p *parser) wordInside(w word) bool {
	depth := 0
	for i := p.i + 1; i < len(p.tokens); i++ {
		switch t := &p.tokens[i]; {
		case t.sym == sLParen || t.sym == sLBracket:
			depth++
		case t.sym == sRParen || t.sym == sRBracket:
			if depth--; depth == 0 {
				return false
			}
		case t.word == w && depth == 1 && p.tokens[i-1].word != wDistinct:
			return true
		}
	}
	return false
}

// position reads POSITION(sub IN x), or a call of a function of that name.
func (p *parser) position() (Expr, error) {
	if !p.wordInside(wIn) {
		return p.call()
	}
	x := &Position{node: p.begin()}
	p.advance()
	p.advance()
	var err error
	if x.Sub, err = p.nested(); err != nil {
		return nil, err
	}
	if err = p.want(wIn); err != nil {
		return nil, err
	}
	if x.X, err = p.nested(); err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&x.node)
	return x, err
}

// nested reads a value one level deeper.
func (p *parser) nested() (Expr, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	return p.value(0)
}

func (p *parser) extract() (Expr, error) {
	e := &Extract{node: p.begin()}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	if e.Field, err = p.name(); err != nil {
		return nil, err
	}
	if err = p.want(wFrom); err != nil {
		return nil, err
	}
	if e.X, err = p.nested(); err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&e.node)
	return e, err
}

func (p *parser) trim() (Expr, error) {
	t := &Trim{node: p.begin()}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	if w := p.tok.word; (w == wBoth || w == wLeading || w == wTrailing) && (startsExpression(p.peek(1)) || p.peekWord(1, wFrom)) {
		t.Spec = wordText[w]
		p.advance()
	}
	if !p.take(wFrom) {
		if t.X, err = p.nested(); err != nil {
			return nil, err
		}
		switch {
		case p.take(wFrom):
			t.Chars = t.X
			t.X, err = p.nested()
		case t.Spec == "" && p.takeSym(sComma):
			t.Comma = true
			t.Chars, err = p.nested()
		}
	} else {
		t.X, err = p.nested()
	}
	if err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&t.node)
	return t, err
}

// substring reads SUBSTRING(x FROM start FOR length), or a call with commas.
func (p *parser) substring() (Expr, error) {
	if !p.wordInside(wFrom) {
		return p.call()
	}
	s := &Substring{node: p.begin()}
	p.advance()
	p.advance()
	var err error
	if s.X, err = p.nested(); err != nil {
		return nil, err
	}
	if err = p.want(wFrom); err != nil {
		return nil, err
	}
	if s.From, err = p.nested(); err != nil {
		return nil, err
	}
	if p.take(wFor) {
		if s.For, err = p.nested(); err != nil {
			return nil, err
		}
	}
	err = p.wantSym(sRParen)
	p.done(&s.node)
	return s, err
}

func (p *parser) normalize() (Expr, error) {
	x := &Normalize{node: p.begin()}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	if x.X, err = p.nested(); err != nil {
		return nil, err
	}
	if p.takeSym(sComma) {
		switch w := p.tok.word; w {
		case wNfc, wNfd, wNfkc, wNfkd:
			x.Form = wordText[w]
			p.advance()
		default:
			return nil, p.unexpected("'NFC'", "'NFD'", "'NFKC'", "'NFKD'")
		}
	}
	err = p.wantSym(sRParen)
	p.done(&x.node)
	return x, err
}

func (p *parser) grouping() (Expr, error) {
	g := &Grouping{node: p.begin()}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	for !p.isSym(sRParen) {
		var x Expr
		if x, err = p.name(); err != nil {
			return nil, err
		}
		for p.isSym(sDot) {
			d := &Deref{node: since(x), Base: x}
			p.advance()
			if d.Field, err = p.name(); err != nil {
				return nil, err
			}
			p.done(&d.node)
			x = d
		}
		g.Columns = append(g.Columns, x)
		if !p.takeSym(sComma) {
			break
		}
	}
	err = p.wantSym(sRParen)
	p.done(&g.node)
	return g, err
}

func (p *parser) listagg() (Expr, error) {
	l := &Listagg{node: p.begin()}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	l.Distinct, l.All = p.setQuantifier()
	if l.X, err = p.expression(); err != nil {
		return nil, err
	}
	if p.takeSym(sComma) {
		if l.Separator, err = p.text(); err != nil {
			return nil, err
		}
	}
	if p.take(wOn) {
		if err = p.want(wOverflow); err != nil {
			return nil, err
		}
		if p.take(wError) {
			l.Overflow = "ERROR"
		} else {
			if err = p.want(wTruncate); err != nil {
				return nil, err
			}
			l.Overflow = "TRUNCATE"
			if p.tok.kind == kString || p.tok.kind == kUnicode {
				if l.Filler, err = p.text(); err != nil {
					return nil, err
				}
			}
			if !p.isWord(wWith) && !p.isWord(wWithout) {
				return nil, p.unexpected("'WITH'", "'WITHOUT'")
			}
			l.Count = wordText[p.tok.word]
			p.advance()
			if err = p.want(wCount); err != nil {
				return nil, err
			}
		}
	}
	if err = p.wantSym(sRParen); err != nil {
		return nil, err
	}
	if err = p.want(wWithin, wGroup); err != nil {
		return nil, err
	}
	if err = p.wantSym(sLParen); err != nil {
		return nil, err
	}
	if l.Within, err = p.orderBy(); err != nil {
		return nil, err
	}
	if err = p.wantSym(sRParen); err != nil {
		return nil, err
	}
	l.Filter, err = p.filter()
	p.done(&l.node)
	return l, err
}
