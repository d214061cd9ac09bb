package trinosql

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
	if w := p.tok.word; (w == wBoth || w == wLeading || w == wTrailing) && (startsExpression(p.peek(1)) ||
		p.peekWord(1, wFrom)) {
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
	} else if t.X, err = p.nested(); err == nil && t.Spec == "" {
		err = p.fail(t.at, "The 'trim' function must have specification, char or both arguments when it takes FROM")
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
		if x, err = p.dotted(); err != nil {
			return nil, err
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

// dotted reads a name with dots.
func (p *parser) dotted() (Expr, error) {
	id, err := p.name()
	if err != nil {
		return nil, err
	}
	x := Expr(id)
	for p.isSym(sDot) {
		d := &Deref{node: since(x), Base: x}
		p.advance()
		if d.Field, err = p.name(); err != nil {
			return nil, err
		}
		p.done(&d.node)
		x = d
	}
	return x, nil
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
