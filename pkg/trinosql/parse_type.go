package trinosql

import "strings"

// dataType reads a type.
func (p *parser) dataType() (Type, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	t, err := p.baseType()
	for n := 0; err == nil && p.isWord(wArray); n++ { // x ARRAY and x ARRAY[3]
		if n > MaxDepth {
			return nil, p.fail(p.tok.from, tooLarge)
		}
		a := &NamedType{node: since(t), Params: []TypeParam{{Type: t}}}
		a.Name = &Ident{node: p.begin(), Name: p.textOf(p.tok)}
		p.advance()
		p.done(&a.Name.node)
		if p.takeSym(sLBracket) {
			if p.tok.kind != kInteger {
				return nil, p.unexpected("<integer>")
			}
			p.advance()
			err = p.wantSym(sRBracket)
		}
		p.done(&a.node)
		t = a
	}
	return t, err
}

func (p *parser) baseType() (Type, error) {
	n := p.begin()
	w := p.tok.word
	open := p.peekSym(1, sLParen)
	switch {
	case w == wRow && open:
		return p.rowType()
	case w == wInterval && isIntervalField(p.peek(1).word):
		i := &IntervalType{node: n}
		p.advance()
		i.From = wordText[p.tok.word]
		p.advance()
		if p.take(wTo) {
			var err error
			if i.To, err = p.intervalField(); err != nil {
				return nil, err
			}
		}
		p.done(&i.node)
		return i, nil
	case w == wTime || w == wTimestamp:
		return p.timeType()
	case w == wDouble && p.peekWord(1, wPrecision):
		t := &NamedType{node: n, Name: &Ident{node: n, Name: "double"}}
		p.advance()
		p.advance()
		p.done(&t.Name.node)
		p.done(&t.node)
		return t, nil
	}
	if !isName(p.tok) {
		return nil, p.unexpected("<type>")
	}
	t := &NamedType{node: n}
	var err error
	if t.Name, err = p.name(); err != nil {
		return nil, err
	}
	switch {
	case p.isSym(sLt) && (w == wArray || w == wMap):
		p.advance()
		if t.Params, err = p.typeParams(w == wMap); err == nil {
			err = p.wantSym(sGt)
		}
	case p.takeSym(sLParen):
		if t.Params, err = p.typeParams(true); err == nil {
			err = p.wantSym(sRParen)
		}
	}
	p.done(&t.node)
	return t, err
}

func isIntervalField(w word) bool {
	switch w {
	case wYear, wMonth, wDay, wHour, wMinute, wSecond:
		return true
	}
	return false
}

func (p *parser) typeParams(several bool) ([]TypeParam, error) {
	var list []TypeParam
	for {
		if p.tok.kind == kInteger {
			list = append(list, TypeParam{Number: strings.ReplaceAll(p.textOf(p.tok), "_", "")})
			p.advance()
		} else {
			t, err := p.dataType()
			if err != nil {
				return nil, err
			}
			list = append(list, TypeParam{Type: t})
		}
		if !several || !p.takeSym(sComma) {
			return list, nil
		}
	}
}

func (p *parser) timeType() (Type, error) {
	t := &TimeType{node: p.begin(), Name: wordText[p.tok.word]}
	p.advance()
	if p.takeSym(sLParen) {
		params, err := p.typeParams(false)
		if err != nil {
			return nil, err
		}
		if err = p.wantSym(sRParen); err != nil {
			return nil, err
		}
		t.Precision = &params[0]
	}
	if (p.isWord(wWith) || p.isWord(wWithout)) && p.peekWord(1, wTime) {
		t.WithZone = p.isWord(wWith)
		p.advance()
		if err := p.want(wTime, wZone); err != nil {
			return nil, err
		}
	}
	p.done(&t.node)
	return t, nil
}

func (p *parser) rowType() (Type, error) {
	r := &RowType{node: p.begin()}
	p.advance()
	p.advance()
	err := p.listed(func() error {
		f, err := p.rowField()
		r.Fields = append(r.Fields, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&r.node)
	return r, err
}

// rowField reads [name] type.
func (p *parser) rowField() (*RowField, error) {
	f := &RowField{node: p.begin()}
	var err error
	if p.fieldNameAhead() {
		if f.Name, err = p.name(); err != nil {
			return nil, err
		}
	}
	f.Type, err = p.dataType()
	p.done(&f.node)
	return f, err
}

// fieldNameAhead reports whether a name and then a type come next, and not a type alone.
func (p *parser) fieldNameAhead() bool {
	if !isName(p.tok) || !isName(p.peek(1)) {
		return false
	}
	switch w, next := p.tok.word, p.peek(1).word; {
	case w == wDouble && next == wPrecision:
		return isName(p.peek(2)) && !p.peekWord(2, wArray) // a field called double of a type called precision
	case w == wInterval && isIntervalField(next):
		return false
	case next == wArray: // bigint ARRAY is a type; a ARRAY(bigint) is a field
		return p.peekSym(2, sLParen) || p.peekSym(2, sLt)
	}
	return true
}
