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
		// Without a field it is a literal of a type called interval, which analysis rejects.
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

// array reads ARRAY[items] or [items].
func (p *parser) array() (Expr, error) {
	a := &Array{node: p.begin()}
	p.take(wArray)
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

// row reads ROW(a, b). Without arguments, or with a clause that only calls have, it is the call of a function named
// row.
func (p *parser) row() (Expr, error) {
	x, err := p.call()
	f, ok := x.(*Func)
	if err != nil || !ok || len(f.Args) == 0 || f.Distinct || f.All || f.OrderBy != nil || f.Filter != nil ||
		f.Over != nil || f.OverName != nil {
		return x, err
	}
	return &Row{node: f.node, Items: f.Args}, nil
}

// wordInside reports whether a word occurs between the parenthesis after the current token and its end, in no
// parentheses of its own. The FROM of IS DISTINCT FROM does not count.
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
