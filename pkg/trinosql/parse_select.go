package trinosql

// startsExpression reports whether a token can begin an expression.
func startsExpression(t token) bool {
	switch t.kind {
	case kString, kUnicode, kBinary, kInteger, kDecimal, kDouble, kQuoted, kDigitIdent, kBackquoted:
		return true
	case kSymbol:
		return t.sym == sLParen || t.sym == sLBracket || t.sym == sQuestion || t.sym == sMinus || t.sym == sPlus
	case kIdent:
		if t.word == wNone || t.word > lastReserved {
			return true
		}
		switch t.word {
		case wCase, wCast, wCurrentCatalog, wCurrentDate, wCurrentPath, wCurrentSchema, wCurrentTime, wCurrentTimestamp,
			wCurrentUser, wExists, wExtract, wFalse,
			wGrouping, wJSONArray, wJSONExists, wJSONObject, wJSONQuery, wJSONValue, wListagg, wLocaltime,
			wLocaltimestamp, wNormalize, wNot, wNull, wTrim, wTrue:
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
	err := p.selectItems(s)
	if err == nil && p.take(wFrom) {
		err = p.from(s)
	}
	if err == nil {
		err = p.selectClauses(s)
	}
	return s, err
}

func (p *parser) selectItems(s *Select) error {
	s.Distinct, s.All = p.setQuantifier()
	for {
		item, err := p.selectItem()
		if err != nil {
			return err
		}
		s.Items = append(s.Items, item)
		if !p.another() {
			return nil
		}
	}
}

func (p *parser) from(s *Select) error {
	for {
		r, err := p.relation()
		if err != nil {
			return err
		}
		s.From = append(s.From, r)
		if !p.another() {
			return nil
		}
	}
}

// selectClauses reads WHERE and the clauses after it.
func (p *parser) selectClauses(s *Select) (err error) {
	if p.take(wWhere) {
		if s.Where, err = p.expression(); err != nil {
			return err
		}
	}
	if p.isWord(wGroup) {
		if s.GroupBy, err = p.groupBy(); err != nil {
			return err
		}
	}
	if p.take(wHaving) {
		if s.Having, err = p.expression(); err != nil {
			return err
		}
	}
	if p.take(wWindow) {
		for {
			w := &NamedWindow{node: p.begin()}
			if w.Name, err = p.name(); err != nil {
				return err
			}
			if err = p.want(wAs); err != nil {
				return err
			}
			if w.Window, err = p.windowSpec(); err != nil {
				return err
			}
			p.done(&w.node)
			s.Windows = append(s.Windows, w)
			if !p.another() {
				break
			}
		}
	}
	p.done(&s.node)
	return nil
}

func (p *parser) selectItem() (SelectItem, error) {
	n := p.begin()
	if p.takeSym(sStar) {
		s := &SelectStar{node: n}
		p.done(&s.node)
		return s, p.starChanges(s)
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
		return s, p.starChanges(s)
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
	case *Unary, *Binary, *Compare, *Quantified, *Between, *InList, *InQuery, *LikeExpr, *IsNull, *IsDistinct, *Not,
		*Logic, *AtTimeZone, *Lambda:
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

// beginsClause distinguishes a non-reserved keyword from a name by the next tokens.
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
	g.keyword = p.tok.from
	at := p.i
	if g.Distinct, g.All = p.setQuantifier(); g.All && p.beginsClause() { // a column of that name
		p.back(at)
		g.All = false
	}
	if p.isWord(wAll) && (p.peekWord(1, wRollup) || p.peekWord(1, wCube)) {
		p.advance()
		g.All = true
	}
	for {
		e, err := p.groupingElement()
		if err != nil {
			return nil, err
		}
		g.Elements = append(g.Elements, e)
		if !p.another() {
			p.done(&g.node)
			return g, nil
		}
	}
}

func (p *parser) groupingElement() (*GroupingElement, error) {
	e := &GroupingElement{node: p.begin()}
	var err error
	switch {
	case p.isWord(wAuto) && !p.peekSym(1, sDot) && !p.peekSym(1, sLParen):
		e.Kind = "AUTO"
		p.advance()
	case p.isWord(wRollup) || p.isWord(wCube):
		e.Kind = wordText[p.tok.word]
		p.advance()
		if err = p.wantSym(sLParen); err != nil {
			return nil, err
		}
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
