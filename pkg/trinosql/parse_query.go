package trinosql

// query reads a whole query, WITH included.
func (p *parser) query() (*Query, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	n := p.begin()
	var with *With
	if p.isWord(wWith) {
		var err error
		if with, err = p.with(); err != nil {
			return nil, err
		}
	}
	q, err := p.queryNoWith()
	if err != nil {
		return nil, err
	}
	if with != nil {
		q.With, q.at, q.from = with, n.at, n.from
	}
	return q, nil
}

func (p *parser) with() (*With, error) {
	w := &With{node: p.begin()}
	p.advance()
	w.Recursive = p.take(wRecursive)
	for {
		q := &NamedQuery{node: p.begin()}
		var err error
		if q.Name, err = p.name(); err != nil {
			return nil, err
		}
		if p.isSym(sLParen) {
			if q.Columns, err = p.nameList(); err != nil {
				return nil, err
			}
		}
		if err = p.want(wAs); err != nil {
			return nil, err
		}
		if err = p.wantSym(sLParen); err != nil {
			return nil, err
		}
		if q.Query, err = p.query(); err != nil {
			return nil, err
		}
		if err = p.wantSym(sRParen); err != nil {
			return nil, err
		}
		p.done(&q.node)
		w.Queries = append(w.Queries, q)
		if !p.another() {
			p.done(&w.node)
			return w, nil
		}
	}
}

func (p *parser) queryNoWith() (*Query, error) {
	q := &Query{node: p.begin()}
	var err error
	if q.Body, err = p.queryTerm(); err != nil {
		return nil, err
	}
	if p.isWord(wOrder) {
		if q.OrderBy, err = p.orderBy(); err != nil {
			return nil, err
		}
	}
	if p.take(wOffset) {
		if q.Offset, err = p.rowCount(); err != nil {
			return nil, err
		}
		if !p.take(wRow) {
			p.take(wRows)
		}
	}
	q.keyword = p.tok.from
	switch {
	case p.take(wLimit):
		if p.take(wAll) {
			q.LimitAll = true
		} else if q.Limit, err = p.rowCount(); err != nil {
			return nil, err
		}
	case p.take(wFetch):
		q.Fetch = true
		if !p.take(wFirst) && !p.take(wNext) {
			return nil, p.unexpected("'FIRST'", "'NEXT'")
		}
		if !p.isWord(wRow) && !p.isWord(wRows) {
			if q.Limit, err = p.rowCount(); err != nil {
				return nil, err
			}
		}
		if !p.take(wRow) && !p.take(wRows) {
			return nil, p.unexpected("'ROW'", "'ROWS'")
		}
		if !p.take(wOnly) {
			if err = p.want(wWith, wTies); err != nil {
				return nil, err
			}
			q.WithTies = true
		}
	}
	if q.Offset == nil && !q.Fetch {
		if err = p.lateOffset(q); err != nil {
			return nil, err
		}
	}
	p.done(&q.node)
	return q, nil
}

func (p *parser) rowCount() (Expr, error) {
	if p.tok.kind == kInteger || p.isSym(sQuestion) {
		return p.primaryBase()
	}
	return nil, p.unexpected("'?'", "<integer>")
}

// queryTerm reads set operations; INTERSECT binds tighter than UNION and EXCEPT.
func (p *parser) queryTerm() (QueryBody, error) {
	left, err := p.intersect()
	for n := 0; err == nil && (p.isWord(wUnion) || p.isWord(wExcept)); n++ {
		if n > maxChain {
			return nil, p.fail(p.tok.from, tooLarge)
		}
		left, err = p.setOp(left, p.intersect)
	}
	return left, err
}

func (p *parser) intersect() (QueryBody, error) {
	left, err := p.queryPrimary()
	for n := 0; err == nil && p.isWord(wIntersect); n++ {
		if n > maxChain {
			return nil, p.fail(p.tok.from, tooLarge)
		}
		left, err = p.setOp(left, p.queryPrimary)
	}
	return left, err
}

func (p *parser) setOp(left QueryBody, operand func() (QueryBody, error)) (QueryBody, error) {
	s := &SetOp{node: p.over(left), Op: wordText[p.tok.word], Left: left}
	p.advance()
	if p.take(wAll) {
		s.All = true
	} else {
		s.Distinct = p.take(wDistinct)
	}
	var err error
	if p.takes("CORRESPONDING") {
		s.Corresponding = true
		if p.take(wBy) {
			if s.By, err = p.nameList(); err != nil {
				return nil, err
			}
		}
	}
	s.Right, err = operand()
	p.done(&s.node)
	return s, err
}

func (p *parser) queryPrimary() (QueryBody, error) {
	switch {
	case p.isWord(wSelect):
		return p.selectBody()
	case p.isWord(wFrom) && p.loose != nil:
		return p.fromFirst()
	case p.isWord(wValues):
		v := &Values{node: p.begin()}
		p.advance()
		var err error
		v.Rows, err = p.expressions()
		p.done(&v.node)
		return v, err
	case p.isWord(wTable):
		t := &TableBody{node: p.begin()}
		p.advance()
		var err error
		t.Name, err = p.qualified()
		p.done(&t.node)
		return t, err
	case p.isSym(sLParen):
		b := &SubqueryBody{node: p.begin()}
		if err := p.deeper(); err != nil {
			return nil, err
		}
		defer p.shallower()
		q, err := p.parenQuery(false)
		if err != nil {
			return nil, err
		}
		b.Query = q
		p.done(&b.node)
		return b, nil
	}
	return nil, p.unexpected("'('", "'SELECT'", "'TABLE'", "'VALUES'")
}

// parenQuery reads (query) at an opening parenthesis; WITH is read only where the grammar has it. Each parenthesis is
// tried as a query once: the result is stored.
func (p *parser) parenQuery(with bool) (*Query, error) {
	at := p.i
	if t, ok := p.parens[at]; ok {
		if t.err != nil {
			return nil, t.err
		}
		if t.query.With == nil || with {
			p.back(t.next)
			p.params = t.params
			return t.query, nil
		}
	}
	p.advance()
	var q *Query
	var err error
	if with {
		q, err = p.query()
	} else {
		q, err = p.queryNoWith()
	}
	if err == nil {
		err = p.wantSym(sRParen)
	}
	if p.parens == nil {
		p.parens = map[int]tried{}
	}
	if err != nil && !with && p.tokens[at+1].word == wWith {
		return nil, err // it may be valid where WITH is accepted
	}
	p.parens[at] = tried{q, p.i, p.params, err}
	return q, err
}

// beginsQuery reports whether a token is the first word of a query.
func (p *parser) beginsQuery(t token) bool {
	switch t.word {
	case wSelect, wWith, wValues, wTable:
		return true
	}
	return t.word == wFrom && p.loose != nil
}

// queryAhead reports whether a query can begin after the parenthesis at token i.
func (p *parser) queryAhead(i int) bool {
	for limit := i + MaxDepth + 2; i+1 < len(p.tokens) && i < limit; {
		i++
		if p.tokens[i].sym == sLParen {
			continue
		}
		return p.beginsQuery(p.tokens[i])
	}
	return false
}

// tryParenQuery reads (query) if there is one at the opening parenthesis. Otherwise it returns nil and consumes
// nothing.
func (p *parser) tryParenQuery() (*Query, error) {
	if !p.queryAhead(p.i) {
		return nil, nil
	}
	at, params, depth := p.i, p.params, p.depth
	q, err := p.parenQuery(true)
	if err == nil {
		return q, nil
	}
	if e, ok := err.(*Error); ok && e.Msg == tooLarge {
		return nil, err
	}
	if p.beginsQuery(p.tokens[at+1]) {
		return nil, err // nothing else begins like this
	}
	if e, ok := err.(*Error); ok && (p.far == nil || e.At.Offset > p.far.At.Offset) {
		p.far = e
	}
	p.back(at)
	p.params, p.depth = params, depth
	return nil, nil
}

func (p *parser) orderBy() ([]*SortItem, error) {
	if err := p.want(wOrder, wBy); err != nil {
		return nil, err
	}
	var list []*SortItem
	err := p.listed(func() error {
		s, err := p.sortItem()
		list = append(list, s)
		return err
	})
	return list, err
}

func (p *parser) sortItem() (*SortItem, error) {
	s := &SortItem{node: p.begin()}
	var err error
	if s.Expr, err = p.expression(); err != nil {
		return nil, err
	}
	if p.take(wDesc) {
		s.Desc = true
	} else {
		s.Asc = p.take(wAsc)
	}
	if p.take(wNulls) {
		s.Nulls, err = p.anyOf("FIRST", "LAST")
	}
	p.done(&s.node)
	return s, err
}
