package trinosql

import "strings"

// jsonFunc reads JSON_EXISTS, JSON_VALUE or JSON_QUERY.
func (p *parser) jsonFunc() (Expr, error) {
	f := &JSONFunc{node: p.begin(), Name: wordText[p.tok.word]}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	if err = p.jsonInvocation(f, nil); err != nil {
		return nil, err
	}
	if f.Name != "JSON_EXISTS" && p.isWord(wReturning) {
		if f.Returning, f.Format, err = p.jsonReturning(f.Name == "JSON_QUERY"); err != nil {
			return nil, err
		}
	}
	if f.Name == "JSON_QUERY" {
		if err = p.jsonWrapper(f); err != nil {
			return nil, err
		}
	}
	if err = p.jsonBehaviours(f); err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&f.node)
	return f, err
}

// jsonBehaviours reads what a function does ON EMPTY and ON ERROR.
func (p *parser) jsonBehaviours(f *JSONFunc) error {
	for {
		b, on, err := p.jsonBehaviour(f.Name)
		switch {
		case err != nil || b == nil:
			return err
		case on == wEmpty && f.Empty == nil && f.Error == nil && f.Name != "JSON_EXISTS":
			f.Empty = b
		case on == wError && f.Error == nil:
			f.Error = b
		default:
			return p.unexpected("')'")
		}
	}
}

func (p *parser) jsonWrapper(f *JSONFunc) error {
	if p.isWord(wWith) || p.isWord(wWithout) {
		f.Wrapper = wordText[p.tok.word]
		p.advance()
		if f.Wrapper == "WITH" {
			f.Wrapper = "WITH UNCONDITIONAL"
			if p.take(wConditional) {
				f.Wrapper = "WITH CONDITIONAL"
			} else {
				p.take(wUnconditional)
			}
		}
		p.take(wArray)
		if err := p.want(wWrapper); err != nil {
			return err
		}
	}
	if p.isWord(wKeep) || p.isWord(wOmit) {
		f.Quotes = wordText[p.tok.word]
		p.advance()
		if err := p.want(wQuotes); err != nil {
			return err
		}
		if p.isWord(wOn) && p.peekWord(1, wScalar) {
			p.advance()
			p.advance()
			f.OnString = true
			return p.want(wString)
		}
	}
	return nil
}

// jsonInput reads a value with FORMAT JSON [ENCODING e] after it.
func (p *parser) jsonInput() (*JSONInput, error) {
	in := &JSONInput{node: p.begin()}
	var err error
	if in.X, err = p.expression(); err != nil {
		return nil, err
	}
	if in.Format, err = p.jsonFormat(); err != nil {
		return nil, err
	}
	p.done(&in.node)
	return in, nil
}

func (p *parser) jsonFormat() (string, error) {
	if !p.isWord(wFormat) || !p.peekWord(1, wJSON) {
		return "", nil
	}
	p.advance()
	p.advance()
	if !p.take(wEncoding) {
		return "JSON", nil
	}
	switch w := p.tok.word; w {
	case wUtf8, wUtf16, wUtf32:
		p.advance()
		return "JSON " + wordText[w], nil
	}
	return "", p.unexpected("'UTF16'", "'UTF32'", "'UTF8'")
}

func (p *parser) jsonReturning(format bool) (Type, string, error) {
	p.advance()
	t, err := p.dataType()
	if err != nil || !format {
		return t, "", err
	}
	f, err := p.jsonFormat()
	return t, f, err
}

// jsonBehaviour reads NULL ON EMPTY and similar; nil when none comes next.
func (p *parser) jsonBehaviour(name string) (*JSONBehaviour, word, error) {
	b := &JSONBehaviour{node: p.begin()}
	switch w := p.tok.word; {
	case w == wNull || w == wError:
		b.Kind = wordText[w]
		p.advance()
	case w == wDefault && name == "JSON_VALUE":
		b.Kind = "DEFAULT"
		p.advance()
		var err error
		if b.Value, err = p.expression(); err != nil {
			return nil, 0, err
		}
	case w == wEmpty && name == "JSON_QUERY":
		p.advance()
		switch {
		case p.take(wArray):
			b.Kind = "EMPTY ARRAY"
		case p.take(wObject):
			b.Kind = "EMPTY OBJECT"
		default:
			return nil, 0, p.unexpected("'ARRAY'", "'OBJECT'")
		}
	case name == "JSON_EXISTS" && (w == wTrue || w == wFalse):
		b.Kind = wordText[w]
		p.advance()
	case name == "JSON_EXISTS" && w == wNone && strings.EqualFold(p.textOf(p.tok), "unknown"):
		b.Kind = "UNKNOWN"
		p.advance()
	default:
		return nil, 0, nil
	}
	if err := p.want(wOn); err != nil {
		return nil, 0, err
	}
	on := p.tok.word
	if on != wError && (on != wEmpty || name == "JSON_EXISTS") {
		return nil, 0, p.unexpected("'EMPTY'", "'ERROR'")
	}
	p.advance()
	p.done(&b.node)
	return b, on, nil
}

// jsonNulls reads NULL ON NULL or ABSENT ON NULL.
func (p *parser) jsonNulls() (string, error) {
	w := p.tok.word
	if (w != wNull && w != wAbsent) || !p.peekWord(1, wOn) {
		return "", nil
	}
	p.advance()
	return wordText[w], p.want(wOn, wNull)
}

func (p *parser) jsonObject() (Expr, error) {
	o := &JSONObject{node: p.begin()}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	for !p.isSym(sRParen) && !p.isWord(wReturning) && !((p.isWord(wNull) || p.isWord(wAbsent)) && p.peekWord(1, wOn)) {
		m := &JSONMember{node: p.begin()}
		if p.isWord(wKey) && startsExpression(p.peek(1)) && !p.peekSym(1, sLParen) {
			p.advance()
			if m.Key, err = p.expression(); err == nil {
				err = p.want(wValue)
			}
		} else if m.Key, err = p.expression(); err == nil {
			if !p.isSym(sColon) && !p.isWord(wValue) {
				return nil, p.unexpected("':'", "'VALUE'")
			}
			m.Colon = p.isSym(sColon)
			p.advance()
		}
		if err != nil {
			return nil, err
		}
		if m.Value, err = p.jsonInput(); err != nil {
			return nil, err
		}
		p.done(&m.node)
		o.Members = append(o.Members, m)
		if !p.takeSym(sComma) {
			break
		}
	}
	if len(o.Members) > 0 {
		if o.Nulls, err = p.jsonNulls(); err != nil {
			return nil, err
		}
		if (p.isWord(wWith) || p.isWord(wWithout)) && p.peekWord(1, wUnique) {
			o.Unique = wordText[p.tok.word]
			p.advance()
			p.advance()
			p.take(wKeys)
		}
	}
	if p.isWord(wReturning) {
		if o.Returning, o.Format, err = p.jsonReturning(true); err != nil {
			return nil, err
		}
	}
	err = p.wantSym(sRParen)
	p.done(&o.node)
	return o, err
}

func (p *parser) jsonArray() (Expr, error) {
	a := &JSONArray{node: p.begin()}
	p.advance()
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	for !p.isSym(sRParen) && !p.isWord(wReturning) {
		v, err := p.jsonInput()
		if err != nil {
			return nil, err
		}
		a.Values = append(a.Values, v)
		if !p.takeSym(sComma) {
			break
		}
	}
	if len(a.Values) > 0 {
		if a.Nulls, err = p.jsonNulls(); err != nil {
			return nil, err
		}
	}
	if p.isWord(wReturning) {
		if a.Returning, a.Format, err = p.jsonReturning(true); err != nil {
			return nil, err
		}
	}
	err = p.wantSym(sRParen)
	p.done(&a.node)
	return a, err
}
