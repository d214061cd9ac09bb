package trinosql

func (p *parser) relation() (Relation, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	left, err := p.sampled()
	for n := 0; err == nil; n++ {
		if n > maxChain {
			return nil, p.fail(p.tok.from, tooLarge)
		}
		j := &Join{node: since(left), Left: left}
		switch {
		case p.isWord(wCross):
			p.advance()
			if err = p.want(wJoin); err != nil {
				return nil, err
			}
			j.Kind = "CROSS"
			j.Right, err = p.sampled()
		case p.isWord(wNatural):
			p.advance()
			j.Natural = true
			if _, err = p.joinKind(j); err != nil {
				return nil, err
			}
			j.Right, err = p.sampled()
		default:
			is, kerr := p.joinKind(j)
			if kerr != nil || !is {
				return left, kerr
			}
			if j.Right, err = p.relation(); err != nil {
				return nil, err
			}
			err = p.joinCriteria(j)
		}
		if err != nil {
			return nil, err
		}
		p.done(&j.node)
		left = j
	}
	return left, err
}

// joinKind reads [INNER | LEFT [OUTER] | ...] JOIN, if it comes next.
func (p *parser) joinKind(j *Join) (bool, error) {
	w := p.tok.word
	switch w {
	case wJoin:
		j.Kind = "INNER"
		p.advance()
		return true, nil
	case wInner:
		p.advance()
	case wLeft, wRight, wFull:
		p.advance()
		p.take(wOuter)
	default:
		if j.Natural {
			return false, p.unexpected("'FULL'", "'INNER'", "'JOIN'", "'LEFT'", "'RIGHT'")
		}
		return false, nil
	}
	j.Kind = wordText[w]
	return true, p.want(wJoin)
}

func (p *parser) joinCriteria(j *Join) (err error) {
	switch {
	case p.take(wOn):
		j.On, err = p.expression()
	case p.take(wUsing):
		j.Using, err = p.nameList()
	default:
		err = p.unexpected("'ON'", "'USING'")
	}
	return err
}

func (p *parser) sampled() (Relation, error) {
	r, err := p.aliased()
	if err != nil || !p.isWord(wTablesample) {
		return r, err
	}
	s := &Sampled{node: since(r), Relation: r}
	p.advance()
	switch {
	case p.take(wBernoulli):
		s.Method = "BERNOULLI"
	case p.take(wSystem):
		s.Method = "SYSTEM"
	default:
		return nil, p.unexpected("'BERNOULLI'", "'SYSTEM'")
	}
	if err = p.wantSym(sLParen); err != nil {
		return nil, err
	}
	if s.Percentage, err = p.expression(); err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&s.node)
	return s, err
}

func (p *parser) aliased() (Relation, error) {
	r, err := p.relationPrimary()
	if err != nil {
		return nil, err
	}
	if r, err = p.named(r); err == nil && p.isWord(wMatchRecognize) && p.peekSym(1, sLParen) {
		return p.matchRecognize(r)
	}
	return r, err
}

func (p *parser) relationPrimary() (Relation, error) {
	n := p.begin()
	switch {
	case p.isSym(sLParen):
		q, err := p.tryParenQuery()
		if err != nil {
			return nil, err
		}
		if q != nil {
			s := &SubqueryRel{node: n, Query: q}
			p.done(&s.node)
			return s, nil
		}
		p.advance()
		r := &ParenRel{node: n}
		if r.Relation, err = p.relation(); err != nil {
			return nil, err
		}
		err = p.wantSym(sRParen)
		p.done(&r.node)
		return r, err
	case p.isWord(wUnnest):
		u := &Unnest{node: n}
		p.advance()
		err := p.wantSym(sLParen)
		if err != nil {
			return nil, err
		}
		if u.Exprs, err = p.expressions(); err != nil {
			return nil, err
		}
		if err = p.wantSym(sRParen); err != nil {
			return nil, err
		}
		if p.isWord(wWith) && p.peekWord(1, wOrdinality) {
			p.advance()
			p.advance()
			u.Ordinality = true
		}
		p.done(&u.node)
		return u, nil
	case p.isWord(wLateral) && p.peekSym(1, sLParen):
		l := &Lateral{node: n}
		p.advance()
		var err error
		l.Query, err = p.parenQuery(true)
		p.done(&l.node)
		return l, err
	case p.isWord(wTable) && p.peekSym(1, sLParen):
		return p.tableFunc()
	case p.isWord(wJSONTable):
		return p.jsonTable()
	}
	if p.files != "" && p.tok.kind == kString {
		return p.file()
	}
	if !isName(p.tok) {
		return nil, p.unexpected("'('", "'LATERAL'", "'TABLE'", "'UNNEST'", "<identifier>")
	}
	t := &TableRef{node: n}
	var err error
	if t.Name, err = p.qualified(); err != nil {
		return nil, err
	}
	if p.isWord(wFor) && (p.peekWord(1, wTimestamp) || p.peekWord(1, wVersion)) {
		p.advance()
		t.PeriodKind = wordText[p.tok.word]
		p.advance()
		if err = p.want(wAs, wOf); err != nil {
			return nil, err
		}
		if t.Period, err = p.value(0); err != nil {
			return nil, err
		}
	}
	p.done(&t.node)
	return t, nil
}
