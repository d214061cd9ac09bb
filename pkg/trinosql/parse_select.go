package trinosql

// startsExpression reports whether a token can begin an expression.
func startsExpression(t token) bool {
	switch t.kind {
	case kString, kUnicode, kBinary, kInteger, kDecimal, kDouble, kQuoted, kDigitIdent, kBackquoted:
		return true
	case kSymbol:
		return t.sym == sLParen || t.sym == sQuestion || t.sym == sMinus || t.sym == sPlus
	case kIdent:
		if t.word == wNone || t.word > lastReserved {
			return true
		}
		switch t.word {
		case wCase, wCast, wCurrentCatalog, wCurrentDate, wCurrentPath, wCurrentSchema, wCurrentTime, wCurrentTimestamp, wCurrentUser, wExists, wExtract, wFalse,
			wGrouping, wJSONArray, wJSONExists, wJSONObject, wJSONQuery, wJSONValue, wListagg, wLocaltime, wLocaltimestamp, wNormalize, wNot, wNull, wTrim, wTrue:
			return true
		}
	}
	return false
}

// setQuantifier reads DISTINCT or ALL. ALL may also be the name that an expression begins with.
func (p *parser) setQuantifier() (distinct, all bool) {
	if p.take(wDistinct) {
		return true, false
	}
	if p.isWord(wAll) && (startsExpression(p.peek(1)) || p.peekSym(1, sStar) && !startsExpression(p.peek(2))) {
		p.advance()
		return false, true
	}
	return false, false
}

func (p *parser) selectBody() (QueryBody, error) {
	s := &Select{node: p.begin()}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	p.advance()
	s.Distinct, s.All = p.setQuantifier()
	var err error
	for {
		item, err := p.selectItem()
		if err != nil {
			return nil, err
		}
		s.Items = append(s.Items, item)
		if !p.takeSym(sComma) {
			break
		}
	}
	if p.take(wFrom) {
		for {
			r, err := p.relation()
			if err != nil {
				return nil, err
			}
			s.From = append(s.From, r)
			if !p.takeSym(sComma) {
				break
			}
		}
	}
	if p.take(wWhere) {
		if s.Where, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if p.isWord(wGroup) {
		if s.GroupBy, err = p.groupBy(); err != nil {
			return nil, err
		}
	}
	if p.take(wHaving) {
		if s.Having, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if p.take(wWindow) {
		for {
			w := &NamedWindow{node: p.begin()}
			if w.Name, err = p.name(); err != nil {
				return nil, err
			}
			if err = p.want(wAs); err != nil {
				return nil, err
			}
			if w.Window, err = p.windowSpec(); err != nil {
				return nil, err
			}
			p.done(&w.node)
			s.Windows = append(s.Windows, w)
			if !p.takeSym(sComma) {
				break
			}
		}
	}
	p.done(&s.node)
	return s, nil
}

func (p *parser) selectItem() (SelectItem, error) {
	n := p.begin()
	if p.takeSym(sStar) {
		s := &SelectStar{node: n}
		p.done(&s.node)
		return s, nil
	}
	x, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.isSym(sDot) && p.peekSym(1, sStar) {
		if !isPrimary(x) {
			return nil, p.unexpected("','", "<expression>")
		}
		p.advance()
		p.advance()
		s := &SelectStar{node: n, Target: x}
		if p.take(wAs) {
			if s.Columns, err = p.nameList(); err != nil {
				return nil, err
			}
		}
		p.done(&s.node)
		return s, nil
	}
	s := &SelectExpr{node: n, Expr: x}
	if s.Alias, err = p.alias(); err != nil {
		return nil, err
	}
	p.done(&s.node)
	return s, nil
}

// isPrimary reports whether an expression is one that a dot can follow.
func isPrimary(x Expr) bool {
	switch x.(type) {
	case *Unary, *Binary, *Compare, *Quantified, *Between, *InList, *InQuery, *LikeExpr, *IsNull, *IsDistinct, *Not, *Logic, *AtTimeZone, *Lambda:
		return false
	}
	return true
}

// alias reads [AS] name, if there is one: a word that is not reserved may begin the next clause instead.
func (p *parser) alias() (*Ident, error) {
	if p.take(wAs) {
		return p.name()
	}
	if !isName(p.tok) || p.beginsClause() {
		return nil, nil
	}
	return p.name()
}

// beginsClause tells a word that is not reserved from a name, by what follows it.
func (p *parser) beginsClause() bool {
	next := p.peek(1)
	switch p.tok.word {
	case wLimit:
		return next.kind == kInteger || next.word == wAll || next.sym == sQuestion
	case wOffset:
		return next.kind == kInteger || next.sym == sQuestion
	case wFetch:
		return next.word == wFirst || next.word == wNext
	case wWindow:
		return isName(next) && p.peekWord(2, wAs) && p.peekSym(3, sLParen)
	case wTablesample:
		return (next.word == wBernoulli || next.word == wSystem) && p.peekSym(2, sLParen)
	case wMatchRecognize:
		return next.sym == sLParen
	}
	return false
}

func (p *parser) groupBy() (*GroupBy, error) {
	g := &GroupBy{node: p.begin()}
	if err := p.want(wGroup, wBy); err != nil {
		return nil, err
	}
	g.Distinct, g.All = p.setQuantifier()
	for {
		e, err := p.groupingElement()
		if err != nil {
			return nil, err
		}
		g.Elements = append(g.Elements, e)
		if !p.takeSym(sComma) {
			p.done(&g.node)
			return g, nil
		}
	}
}

func (p *parser) groupingElement() (*GroupingElement, error) {
	e := &GroupingElement{node: p.begin()}
	var err error
	switch {
	case (p.isWord(wRollup) || p.isWord(wCube)) && p.peekSym(1, sLParen):
		e.Kind = wordText[p.tok.word]
		p.advance()
		p.advance()
		for !p.isSym(sRParen) {
			s := &GroupingSet{node: p.begin(), Bare: true}
			x, err := p.expression()
			if err != nil {
				return nil, err
			}
			s.Exprs = []Expr{x}
			p.done(&s.node)
			e.Sets = append(e.Sets, s)
			if !p.takeSym(sComma) {
				break
			}
		}
		err = p.wantSym(sRParen)
	case p.isWord(wGrouping) && p.peekWord(1, wSets):
		e.Kind = "GROUPING SETS"
		p.advance()
		p.advance()
		if err = p.wantSym(sLParen); err != nil {
			return nil, err
		}
		for {
			s, err := p.groupingSet()
			if err != nil {
				return nil, err
			}
			e.Sets = append(e.Sets, s)
			if !p.takeSym(sComma) {
				break
			}
		}
		err = p.wantSym(sRParen)
	default:
		var s *GroupingSet
		if s, err = p.groupingSet(); err == nil {
			e.Sets = []*GroupingSet{s}
		}
	}
	p.done(&e.node)
	return e, err
}

// groupingSet reads (a, b), () or an expression. Parentheses that begin a longer expression belong to it.
func (p *parser) groupingSet() (*GroupingSet, error) {
	s := &GroupingSet{node: p.begin()}
	if p.isSym(sLParen) && p.peekSym(1, sRParen) {
		p.advance()
		p.advance()
		p.done(&s.node)
		return s, nil
	}
	x, err := p.expression()
	if err != nil {
		return nil, err
	}
	switch r, ok := x.(*Row); {
	case ok && r.Bare:
		s.Exprs = r.Items
	case p.wrapped == x:
		s.Exprs = []Expr{x}
	default:
		s.Exprs, s.Bare = []Expr{x}, true
	}
	p.done(&s.node)
	return s, nil
}

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

// joinKind reads [INNER | LEFT [OUTER] | ...] JOIN, if that is what comes next.
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
	a := &Aliased{node: since(r), Relation: r}
	if a.Alias, err = p.alias(); err != nil {
		return nil, err
	}
	if a.Alias == nil {
		if p.isWord(wMatchRecognize) && p.peekSym(1, sLParen) {
			return nil, p.refuse(p.tok.from, "MATCH_RECOGNIZE")
		}
		return r, nil
	}
	if p.isSym(sLParen) {
		if a.Columns, err = p.nameList(); err != nil {
			return nil, err
		}
	}
	if p.isWord(wMatchRecognize) && p.peekSym(1, sLParen) {
		return nil, p.refuse(p.tok.from, "MATCH_RECOGNIZE")
	}
	p.done(&a.node)
	return a, nil
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
		return nil, p.refuse(n.at, "A table function")
	case p.isWord(wJSONTable):
		return nil, p.refuse(n.at, "JSON_TABLE")
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
