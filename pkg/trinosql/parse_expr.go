package trinosql

// expression reads an expression of any kind: OR binds loosest, then AND, then NOT.
func (p *parser) expression() (Expr, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	return p.logic(wOr, p.conjunction)
}

func (p *parser) expressions() ([]Expr, error) {
	var list []Expr
	for {
		x, err := p.expression()
		if err != nil {
			return nil, err
		}
		list = append(list, x)
		if !p.another() {
			return list, nil
		}
	}
}

func (p *parser) conjunction() (Expr, error) { return p.logic(wAnd, p.negation) }

func (p *parser) logic(op word, operand func() (Expr, error)) (Expr, error) {
	at := p.tok.from
	first, err := operand()
	if err != nil || !p.isWord(op) {
		return first, err
	}
	l := &Logic{node: node{at: at, from: at.Offset}, Op: wordText[op], Terms: []Expr{first}}
	for p.take(op) {
		x, err := operand()
		if err != nil {
			return nil, err
		}
		l.Terms = append(l.Terms, x)
	}
	p.done(&l.node)
	return l, nil
}

func (p *parser) negation() (Expr, error) {
	if !p.isWord(wNot) {
		return p.predicate()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	n := &Not{node: p.begin()}
	p.advance()
	var err error
	n.X, err = p.negation()
	p.done(&n.node)
	return n, err
}

var comparisons = map[symbol]string{sEq: "=", sNeq: "<>", sLt: "<", sLte: "<=", sGt: ">", sGte: ">="}

// predicate reads a value and at most one comparison or test of it.
func (p *parser) predicate() (Expr, error) {
	x, err := p.value(0)
	if err != nil {
		return nil, err
	}
	n := p.over(x)
	if p.tok.kind == kSymbol {
		op, ok := comparisons[p.tok.sym]
		if !ok {
			return x, nil
		}
		p.advance()
		if (p.isWord(wAll) || p.isWord(wAny) || p.isWord(wSome)) && p.peekSym(1, sLParen) && p.queryAhead(p.i+1) {
			at, params := p.i, p.params
			q := &Quantified{node: n, Op: op, Quantifier: wordText[p.tok.word], X: x}
			p.advance()
			q.Query, err = p.parenQuery(true)
			p.done(&q.node)
			if err != nil || onlyParens(q.Query) == nil {
				return q, err
			}
			p.back(at) // ANY ((query)) is a call of a function
			p.params = params
		}
		c := &Compare{node: n, Op: op, L: x}
		c.R, err = p.value(0)
		p.done(&c.node)
		return c, err
	}
	not := p.take(wNot)
	switch {
	case p.loose != nil && p.says("ILIKE") && startsExpression(p.peek(1)):
		return p.ilike(n, not, x)
	case not && !p.isWord(wBetween) && !p.isWord(wIn) && !p.isWord(wLike):
		return nil, p.unexpected("'BETWEEN'", "'IN'", "'LIKE'")
	case p.take(wBetween):
		b := &Between{node: n, Not: not, X: x}
		if b.Lo, err = p.value(0); err != nil {
			return nil, err
		}
		if err = p.want(wAnd); err != nil {
			return nil, err
		}
		b.Hi, err = p.value(0)
		p.done(&b.node)
		return b, err
	case p.take(wIn):
		return p.in(n, not, x)
	case p.take(wLike):
		l := &LikeExpr{node: n, Not: not, X: x}
		if l.Pattern, err = p.value(0); err != nil {
			return nil, err
		}
		if p.take(wEscape) {
			l.Escape, err = p.value(0)
		}
		p.done(&l.node)
		return l, err
	case p.take(wIs):
		not := p.take(wNot)
		if p.take(wDistinct) {
			if err = p.want(wFrom); err != nil {
				return nil, err
			}
			d := &IsDistinct{node: n, Not: not, L: x}
			d.R, err = p.value(0)
			p.done(&d.node)
			return d, err
		}
		if !p.take(wNull) {
			if not {
				return nil, p.unexpected("'DISTINCT'", "'NULL'")
			}
			return nil, p.unexpected("'DISTINCT'", "'NOT'", "'NULL'")
		}
		i := &IsNull{node: n, Not: not, X: x}
		p.done(&i.node)
		return i, nil
	}
	return x, nil
}

// onlyParens is the query in parentheses that a query consists of, nil for other queries.
func onlyParens(q *Query) *SubqueryBody {
	if q == nil || q.With != nil || len(q.OrderBy) > 0 || q.Offset != nil || q.Limit != nil || q.LimitAll || q.Fetch {
		return nil
	}
	s, _ := q.Body.(*SubqueryBody)
	return s
}

func (p *parser) in(n node, not bool, x Expr) (Expr, error) {
	if p.isSym(sLParen) {
		q, err := p.tryParenQuery()
		if err != nil {
			return nil, err
		}
		if s := onlyParens(q); s != nil { // IN ((query)) is a list of one value
			i := &InList{node: n, Not: not, X: x, List: []Expr{&Subquery{s.node, s.Query}}}
			p.done(&i.node)
			return i, nil
		}
		if q != nil {
			i := &InQuery{node: n, Not: not, X: x, Query: q}
			p.done(&i.node)
			return i, nil
		}
	}
	i := &InList{node: n, Not: not, X: x}
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	if i.List, err = p.expressions(); err != nil {
		return nil, err
	}
	err = p.wantSym(sRParen)
	p.done(&i.node)
	return i, err
}

// Binding powers of the operators between values, loosest first.
const (
	powerConcat = 1
	powerSum    = 2
	powerProd   = 3
	powerSign   = 4
)

func power(s symbol) int {
	switch s {
	case sConcat:
		return powerConcat
	case sPlus, sMinus:
		return powerSum
	case sStar, sSlash, sPercent:
		return powerProd
	}
	return 0
}

// value reads a value expression whose operators bind more tightly than least.
func (p *parser) value(least int) (Expr, error) {
	var left Expr
	var err error
	if p.tok.kind == kSymbol && (p.isSym(sMinus) || p.isSym(sPlus)) {
		if err := p.deeper(); err != nil {
			return nil, err
		}
		u := &Unary{node: p.begin(), Op: symbolText[p.tok.sym]}
		p.advance()
		u.X, err = p.value(powerSign)
		p.shallower()
		p.done(&u.node)
		left = u
	} else {
		left, err = p.zoned()
	}
	for n := 0; err == nil; n++ {
		if p.tok.kind != kSymbol {
			return left, nil
		}
		own := power(p.tok.sym)
		if own == 0 || own <= least || least == powerSign {
			return left, nil
		}
		if n > maxChain {
			return nil, p.fail(p.tok.from, tooLarge)
		}
		b := &Binary{node: p.over(left), Op: symbolText[p.tok.sym], L: left}
		p.advance()
		b.R, err = p.value(own)
		p.done(&b.node)
		left = b
	}
	return nil, err
}

// zoned reads a primary expression with AT TIME ZONE after it.
func (p *parser) zoned() (Expr, error) {
	x, err := p.primary()
	for n := 0; err == nil && p.isWord(wAt) && p.peekWord(1, wTime) && p.peekWord(2, wZone); n++ {
		if n > maxChain {
			return nil, p.fail(p.tok.from, tooLarge)
		}
		z := &AtTimeZone{node: p.over(x), X: x}
		p.advance()
		p.advance()
		p.advance()
		if p.isWord(wInterval) {
			z.Zone, err = p.interval()
		} else {
			z.Zone, err = p.text()
		}
		p.done(&z.node)
		x = z
	}
	return x, err
}

// primary reads an expression without operators, with the subscripts and fields after it.
func (p *parser) primary() (Expr, error) {
	x, err := p.primaryBase()
	for n := 0; err == nil; n++ {
		if n > maxChain {
			return nil, p.fail(p.tok.from, tooLarge)
		}
		switch {
		case p.isSym(sLBracket):
			s := &Subscript{node: since(x), X: x}
			s.at = p.startOf(x)
			p.advance()
			if err = p.deeper(); err != nil {
				return nil, err
			}
			s.Index, err = p.value(0)
			p.shallower()
			if err == nil {
				err = p.wantSym(sRBracket)
			}
			p.done(&s.node)
			x = s
		case p.isSym(sColon) && p.loose != nil && p.peekSym(1, sColon) && p.peek(1).from.Offset == p.tok.end:
			if x, err = p.colonCast(x); err != nil {
				return nil, err
			}
		case p.isSym(sDot) && !p.peekSym(1, sStar):
			d := &Deref{node: since(x), Base: x}
			d.at = p.startOf(x)
			p.advance()
			if d.Field, err = p.name(); err != nil {
				return nil, err
			}
			p.done(&d.node)
			x = d
		default:
			return x, nil
		}
	}
	return nil, err
}

// interval reads INTERVAL [sign] 'value' field [TO field].
func (p *parser) interval() (Expr, error) {
	i := &IntervalLit{node: p.begin()}
	if err := p.want(wInterval); err != nil {
		return nil, err
	}
	if p.takeSym(sMinus) {
		i.Negative = true
	} else {
		p.takeSym(sPlus)
	}
	v, err := p.text()
	if err != nil {
		return nil, err
	}
	i.Value = v.Value
	if i.From, err = p.intervalField(); err != nil {
		return nil, err
	}
	if p.take(wTo) {
		if i.To, err = p.intervalField(); err != nil {
			return nil, err
		}
	}
	p.done(&i.node)
	return i, nil
}

func (p *parser) intervalField() (string, error) {
	switch w := p.tok.word; w {
	case wYear, wMonth, wDay, wHour, wMinute, wSecond:
		p.advance()
		return wordText[w], nil
	}
	return "", p.unexpected("'DAY'", "'HOUR'", "'MINUTE'", "'MONTH'", "'SECOND'", "'YEAR'")
}
