package trinosql

import (
	"encoding/hex"
	"strings"
)

// primaryBase reads a primary expression without the subscripts and fields after it.
func (p *parser) primaryBase() (Expr, error) {
	n := p.begin()
	raw := p.textOf(p.tok)
	var x Expr
	switch p.tok.kind {
	case kInteger:
		x = &IntLit{n, strings.ReplaceAll(raw, "_", "")}
	case kDecimal:
		x = &DecimalLit{n, strings.ReplaceAll(raw, "_", "")}
	case kDouble:
		x = &DoubleLit{n, raw}
	case kString, kUnicode:
		return p.text()
	case kBinary:
		digits := strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \r\n\t", r) {
				return -1
			}
			return r
		}, raw[2:len(raw)-1])
		value, err := hex.DecodeString(digits)
		switch {
		case len(digits)%2 != 0:
			return nil, p.fail(n.at, "Binary literal must contain an even number of digits")
		case err != nil:
			return nil, p.fail(n.at, "Binary literal can only contain hexadecimal digits")
		}
		x = &BinaryLit{n, value}
	case kSymbol:
		switch p.tok.sym {
		case sQuestion:
			x = &Param{n, p.params}
			p.params++
		case sLParen:
			return p.parenthesis()
		case sLBracket:
			return p.array()
		default:
			return nil, p.unexpected("<expression>")
		}
	case kIdent:
		return p.wordExpression()
	case kQuoted:
		return p.nameExpression()
	default:
		return nil, p.unexpected("<expression>")
	}
	p.advance()
	p.done(x.base())
	return x, nil
}

// parenthesis reads (x, y) -> body, (query), (a, b) or (x).
func (p *parser) parenthesis() (Expr, error) {
	n := p.begin()
	if params, ok := p.lambdaAhead(); ok {
		return p.lambda(n, params)
	}
	if p.peekSym(1, sRParen) {
		p.advance()
		p.advance()
		return nil, p.unexpected("'->'")
	}
	q, err := p.tryParenQuery()
	if err != nil {
		return nil, err
	}
	if q != nil {
		s := &Subquery{n, q}
		p.done(&s.node)
		return s, nil
	}
	p.advance()
	list, err := p.exactly()
	if err != nil {
		return nil, err
	}
	if err = p.wantSym(sRParen); err != nil {
		return nil, err
	}
	if len(list) > 1 {
		r := &Row{node: n, Items: list, Bare: true}
		p.done(&r.node)
		return r, nil
	}
	x := list[0]
	x.base().from = n.from
	p.done(x.base())
	p.wrapped = x
	return x, nil
}

// lambdaAhead reports whether (a, b) -> or () -> begins here, and the number of names in the parentheses.
func (p *parser) lambdaAhead() (names int, ok bool) {
	i := 1
	for isName(p.peek(i)) {
		names++
		i++
		if !p.peekSym(i, sComma) {
			break
		}
		i++
	}
	return names, p.peekSym(i, sRParen) && p.peekSym(i+1, sArrow)
}

func (p *parser) lambda(n node, names int) (Expr, error) {
	l := &Lambda{node: n}
	var err error
	p.advance()
	if names > 0 {
		if l.Params, err = p.names(); err != nil {
			return nil, err
		}
	}
	if err = p.wantSym(sRParen); err != nil {
		return nil, err
	}
	if err = p.wantSym(sArrow); err != nil {
		return nil, err
	}
	l.Body, err = p.expression()
	p.done(&l.node)
	return l, err
}

// nameExpression reads an expression that begins with a name: a lambda, a typed literal, a call or a column.
func (p *parser) nameExpression() (Expr, error) {
	n := p.begin()
	switch next := p.peek(1); {
	case next.sym == sArrow:
		id, err := p.name()
		if err != nil {
			return nil, err
		}
		p.advance()
		l := &Lambda{node: n, Params: []*Ident{id}}
		l.Body, err = p.expression()
		p.done(&l.node)
		return l, err
	case next.kind == kString || next.kind == kUnicode:
		id, err := p.name()
		if err != nil {
			return nil, err
		}
		text, err := p.text()
		if err != nil {
			return nil, err
		}
		if strings.EqualFold(id.Name, "x") {
			return nil,
				p.fail(id.Pos(), "Spaces are not allowed between 'X' and the starting quote of a binary literal")
		}
		t := &TypedLit{n, strings.ToUpper(id.Name), text.Value}
		p.done(&t.node)
		return t, nil
	}
	// a.b.c( is a call, a.b.c a column with fields
	i := 1
	for p.peekSym(i, sDot) && isName(p.peek(i+1)) {
		i += 2
	}
	if p.peekSym(i, sLParen) {
		return p.call()
	}
	if (p.says("RUNNING") || p.says("FINAL")) && isName(p.peek(1)) {
		for i = 2; p.peekSym(i, sDot) && isName(p.peek(i+1)); {
			i += 2
		}
		if p.peekSym(i, sLParen) {
			mode := strings.ToUpper(p.textOf(p.tok))
			p.advance()
			x, err := p.call()
			if f, ok := x.(*Func); ok && f != nil {
				f.Mode, f.at, f.from = mode, n.at, n.from
			}
			return x, err
		}
	}
	id, err := p.name()
	if err == nil && p.isWord(wOver) && (p.peekSym(1, sLParen) || isName(p.peek(1)) && (p.peekSym(2, sComma) ||
		p.peekWord(2, wFrom) || p.peekWord(2, wAs))) {
		f := &Func{node: n, Name: []*Ident{id}, Measure: true}
		err = p.overClause(f)
		p.done(&f.node)
		return f, err
	}
	return id, err
}

// call reads name(arguments) and the clauses after it.
func (p *parser) call() (Expr, error) {
	f := &Func{node: p.begin()}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	var err error
	if f.Name, err = p.qualified(); err != nil {
		return nil, err
	}
	if err = p.wantSym(sLParen); err != nil {
		return nil, err
	}
	switch {
	case p.takeSym(sStar):
		f.Star = true
	case p.isSym(sRParen):
	case isName(p.tok) && p.peekSym(1, sDot) && p.peekSym(2, sStar):
		f.Star = true
		if f.Label, err = p.name(); err != nil {
			return nil, err
		}
		p.advance()
		p.advance()
	default:
		if !p.isWord(wOrder) {
			f.Distinct, f.All = p.setQuantifier()
			if f.Args, err = p.exactly(); err != nil {
				return nil, err
			}
		}
		if p.isWord(wOrder) {
			if f.OrderBy, err = p.orderBy(); err != nil {
				return nil, err
			}
		}
	}
	if err = p.wantSym(sRParen); err != nil {
		return nil, err
	}
	if f.Filter, err = p.filter(); err != nil {
		return nil, err
	}
	if (p.isWord(wIgnore) || p.isWord(wRespect)) && p.peekWord(1, wNulls) {
		f.Nulls = wordText[p.tok.word]
		p.advance()
		p.advance()
		if !p.isWord(wOver) {
			return nil, p.unexpected("'OVER'")
		}
	}
	if p.isWord(wOver) && (p.peekSym(1, sLParen) || isName(p.peek(1)) || f.Nulls != "") {
		err = p.overClause(f)
	}
	p.done(&f.node)
	return f, err
}

// overClause reads OVER, which comes next.
func (p *parser) overClause(f *Func) (err error) {
	f.keyword = p.tok.from
	p.advance()
	if p.isSym(sLParen) {
		f.Over, err = p.windowSpec()
	} else {
		f.OverName, err = p.name()
	}
	return err
}

func (p *parser) filter() (Expr, error) {
	if !p.isWord(wFilter) || !p.peekSym(1, sLParen) {
		return nil, nil
	}
	p.advance()
	p.advance()
	if at := p.tok.from.Offset; p.loose != nil && !p.isWord(wWhere) {
		p.extra(Extra{Kind: BareFilter, Words: [2]int{at, at}})
	} else if err := p.want(wWhere); err != nil {
		return nil, err
	}
	x, err := p.expression()
	if err != nil {
		return nil, err
	}
	return x, p.wantSym(sRParen)
}

func (p *parser) windowSpec() (*WindowSpec, error) {
	w := &WindowSpec{node: p.begin()}
	err := p.wantSym(sLParen)
	if err != nil {
		return nil, err
	}
	w.at = p.tok.from
	if isName(p.tok) && !(p.isWord(wPartition) && p.peekWord(1, wBy)) && !p.frameAhead() {
		if w.Base, err = p.name(); err != nil {
			return nil, err
		}
	}
	if p.isWord(wPartition) {
		if err = p.want(wPartition, wBy); err != nil {
			return nil, err
		}
		if w.PartitionBy, err = p.expressions(); err != nil {
			return nil, err
		}
	}
	if p.isWord(wOrder) {
		w.keyword = p.tok.from
		if w.OrderBy, err = p.orderBy(); err != nil {
			return nil, err
		}
	}
	if p.isWord(wRange) || p.isWord(wRows) || p.isWord(wGroups) || p.says("MEASURES") {
		if w.Frame, err = p.frame(); err != nil {
			return nil, err
		}
	}
	err = p.wantSym(sRParen)
	p.done(&w.node)
	return w, err
}

// frameAhead distinguishes the frame unit ROWS, RANGE or GROUPS, and MEASURES, from a window of that name.
func (p *parser) frameAhead() bool {
	if w := p.tok.word; w != wRange && w != wRows && w != wGroups && !p.says("MEASURES") {
		return false
	}
	next := p.peek(1)
	unit := p.says("MEASURES") && (next.word == wRange || next.word == wRows || next.word == wGroups)
	return next.sym != sRParen && next.word != wPartition && next.word != wOrder && !unit
}

func (p *parser) frame() (*Frame, error) {
	f := &Frame{node: p.begin()}
	patterns := &RowPatterns{node: f.node}
	var err error
	if patterns.Measures, err = p.measures(); err != nil {
		return nil, err
	}
	if f.Kind, err = p.anyOf("GROUPS", "RANGE", "ROWS"); err != nil {
		return nil, err
	}
	if p.take(wBetween) {
		if f.Start, err = p.frameBound(); err != nil {
			return nil, err
		}
		if err = p.want(wAnd); err != nil {
			return nil, err
		}
		f.End, err = p.frameBound()
	} else {
		f.Start, err = p.frameBound()
	}
	if err == nil {
		err = p.patternClauses(patterns)
	}
	if !patterns.empty() {
		f.Patterns = patterns
	}
	p.done(&f.node)
	return f, err
}

func (p *parser) frameBound() (*FrameBound, error) {
	b := &FrameBound{node: p.begin()}
	switch {
	case p.isWord(wUnbounded) && (p.peekWord(1, wPreceding) || p.peekWord(1, wFollowing)):
		p.advance()
		b.Kind = "UNBOUNDED " + wordText[p.tok.word]
		p.advance()
	case p.isWord(wCurrent) && p.peekWord(1, wRow):
		p.advance()
		p.advance()
		b.Kind = "CURRENT ROW"
	default:
		var err error
		if b.Value, err = p.expression(); err != nil {
			return nil, err
		}
		if !p.isWord(wPreceding) && !p.isWord(wFollowing) {
			return nil, p.unexpected("'FOLLOWING'", "'PRECEDING'")
		}
		b.Kind = wordText[p.tok.word]
		p.advance()
	}
	p.done(&b.node)
	return b, nil
}
