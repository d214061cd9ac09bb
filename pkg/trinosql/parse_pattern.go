package trinosql

import "strings"

// says reports whether these words come next, reserved or not.
func (p *parser) says(words ...string) bool { return p.ahead(0, words...) }

// ahead is says for the words n tokens ahead.
func (p *parser) ahead(n int, words ...string) bool {
	for i, w := range words {
		if t := p.peek(n + i); t.kind != kIdent || !strings.EqualFold(p.textOf(t), w) {
			return false
		}
	}
	return true
}

// takes consumes words if they come next.
func (p *parser) takes(words ...string) bool {
	if !p.says(words...) {
		return false
	}
	for range words {
		p.advance()
	}
	return true
}

// needs consumes words that must come next.
func (p *parser) needs(words ...string) error {
	for _, w := range words {
		if !p.takes(w) {
			return p.unexpected("'" + w + "'")
		}
	}
	return nil
}

// anyOf consumes the one of some words that must come next.
func (p *parser) anyOf(words ...string) (string, error) {
	var expected []string
	for _, w := range words {
		if p.takes(w) {
			return w, nil
		}
		expected = append(expected, "'"+w+"'")
	}
	return "", p.unexpected(expected...)
}

// listed calls read for each item of a list with commas.
func (p *parser) listed(read func() error) error {
	for {
		if err := read(); err != nil {
			return err
		}
		if !p.another() {
			return nil
		}
	}
}

// enclosed calls read between parentheses.
func (p *parser) enclosed(read func() error) error {
	if err := p.wantSym(sLParen); err != nil {
		return err
	}
	if err := read(); err != nil {
		return err
	}
	return p.wantSym(sRParen)
}

// matchRecognize reads MATCH_RECOGNIZE after its relation, with its alias.
func (p *parser) matchRecognize(r Relation) (Relation, error) {
	m := &MatchRecognize{node: since(r), clause: clause{p.tok.from}, Relation: r,
		Patterns: &RowPatterns{node: p.begin()}}
	p.advance()
	err := p.enclosed(func() (err error) {
		if p.takes("PARTITION", "BY") {
			if m.PartitionBy, err = p.expressions(); err != nil {
				return err
			}
		}
		if p.isWord(wOrder) {
			if m.OrderBy, err = p.orderBy(); err != nil {
				return err
			}
		}
		if m.Patterns.Measures, err = p.measures(); err != nil {
			return err
		}
		if m.Rows, err = p.rowsPerMatch(); err != nil {
			return err
		}
		if err = p.patternClauses(m.Patterns); err != nil {
			return err
		}
		switch {
		case m.Patterns.Pattern == nil:
			return p.unexpected("'PATTERN'")
		case m.Patterns.Define == nil:
			return p.unexpected("'DEFINE'")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.done(&m.node)
	return p.named(m)
}

// named reads the alias of a relation, if there is one.
func (p *parser) named(r Relation) (Relation, error) {
	a := &Aliased{node: since(r), Relation: r}
	var err error
	if a.Alias, err = p.alias(); err != nil || a.Alias == nil {
		return r, err
	}
	if p.isSym(sLParen) {
		a.Columns, err = p.nameList()
	}
	p.done(&a.node)
	return a, err
}

func (p *parser) rowsPerMatch() (string, error) {
	switch {
	case p.takes("ONE"):
		return "ONE", p.needs("ROW", "PER", "MATCH")
	case !p.takes("ALL"):
		return "", nil
	}
	if err := p.needs("ROWS", "PER", "MATCH"); err != nil {
		return "", err
	}
	switch {
	case p.takes("SHOW"):
		return "ALL SHOW", p.needs("EMPTY", "MATCHES")
	case p.takes("OMIT"):
		return "ALL OMIT", p.needs("EMPTY", "MATCHES")
	case p.takes("WITH"):
		return "ALL UNMATCHED", p.needs("UNMATCHED", "ROWS")
	}
	return "ALL", nil
}

// measures reads MEASURES, if it comes next.
func (p *parser) measures() (list []*NamedExpr, err error) {
	if !p.takes("MEASURES") {
		return nil, nil
	}
	err = p.listed(func() error {
		m := &NamedExpr{node: p.begin()}
		if m.Expr, err = p.expression(); err != nil {
			return err
		}
		if err = p.want(wAs); err != nil {
			return err
		}
		m.Name, err = p.name()
		p.done(&m.node)
		list = append(list, m)
		return err
	})
	return list, err
}

// patternClauses reads AFTER MATCH SKIP, INITIAL, PATTERN, SUBSET and DEFINE, each if it is there.
func (p *parser) patternClauses(r *RowPatterns) (err error) {
	if p.takes("AFTER") {
		if err = p.needs("MATCH", "SKIP"); err == nil {
			err = p.skipTo(r)
		}
		if err != nil {
			return err
		}
	}
	if p.says("INITIAL") || p.says("SEEK") {
		r.Search = strings.ToUpper(p.textOf(p.tok))
		p.advance()
	}
	if p.takes("PATTERN") {
		if err = p.enclosed(func() error { r.Pattern, err = p.pattern(); return err }); err != nil {
			return err
		}
	}
	if p.takes("SUBSET") {
		err = p.listed(func() error {
			s := &Subset{node: p.begin()}
			if s.Name, err = p.name(); err != nil {
				return err
			}
			if err = p.wantSym(sEq); err != nil {
				return err
			}
			s.Of, err = p.nameList()
			p.done(&s.node)
			r.Subsets = append(r.Subsets, s)
			return err
		})
		if err != nil {
			return err
		}
	}
	if p.takes("DEFINE") {
		err = p.listed(func() error {
			d := &NamedExpr{node: p.begin()}
			if d.Name, err = p.name(); err != nil {
				return err
			}
			if err = p.want(wAs); err != nil {
				return err
			}
			d.Expr, err = p.expression()
			p.done(&d.node)
			r.Define = append(r.Define, d)
			return err
		})
	}
	p.done(&r.node)
	return err
}

func (p *parser) skipTo(r *RowPatterns) (err error) {
	switch {
	case p.takes("PAST"):
		r.Skip = "PAST LAST ROW"
		return p.needs("LAST", "ROW")
	case !p.takes("TO"):
		return p.unexpected("'PAST'", "'TO'")
	case p.takes("NEXT", "ROW"):
		r.Skip = "TO NEXT ROW"
		return nil
	}
	r.Skip = "TO"
	if (p.says("FIRST") || p.says("LAST")) && isName(p.peek(1)) && !p.says("LAST", "SUBSET") {
		r.Skip += " " + strings.ToUpper(p.textOf(p.tok))
		p.advance()
	}
	r.SkipTo, err = p.name()
	return err
}

// pattern reads alternatives of sequences of patterns.
func (p *parser) pattern() (*Pattern, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	alternatives := &Pattern{node: p.begin(), Kind: "|"}
	for {
		sequence := &Pattern{node: p.begin()}
		for len(sequence.Items) == 0 || p.patternNext() {
			item, err := p.patternPrimary()
			if err != nil {
				return nil, err
			}
			sequence.Items = append(sequence.Items, item)
		}
		p.done(&sequence.node)
		alternatives.Items = append(alternatives.Items, one(sequence))
		if !p.takeSym(sPipe) {
			p.done(&alternatives.node)
			return one(alternatives), nil
		}
	}
}

// one is a pattern, or the only one that it has.
func one(n *Pattern) *Pattern {
	if len(n.Items) == 1 {
		return n.Items[0]
	}
	return n
}

func (p *parser) patternNext() bool {
	switch p.tok.sym {
	case sLParen, sCaret, sDollar:
		return true
	case sLBrace:
		return p.peekSym(1, sMinus)
	}
	return isName(p.tok)
}

func (p *parser) patternPrimary() (n *Pattern, err error) {
	n = &Pattern{node: p.begin()}
	inner := func() error {
		return p.listed(func() error {
			item, err := p.pattern()
			n.Items = append(n.Items, item)
			return err
		})
	}
	switch {
	case p.isSym(sCaret) || p.isSym(sDollar):
		n.Kind = symbolText[p.tok.sym]
		p.advance()
	case p.isSym(sLParen):
		n.Kind = "("
		p.advance()
		if !p.isSym(sRParen) {
			var item *Pattern
			if item, err = p.pattern(); err != nil {
				return nil, err
			}
			n.Items = []*Pattern{item}
		}
		err = p.wantSym(sRParen)
	case p.isSym(sLBrace) && p.peekSym(1, sMinus):
		n.Kind = "{-"
		p.advance()
		p.advance()
		var item *Pattern
		if item, err = p.pattern(); err != nil {
			return nil, err
		}
		n.Items = []*Pattern{item}
		if err = p.wantSym(sMinus); err == nil {
			err = p.wantSym(sRBrace)
		}
	case p.says("PERMUTE") && p.peekSym(1, sLParen):
		n.Kind = "PERMUTE"
		p.advance()
		err = p.enclosed(inner)
	default:
		n.Kind = "NAME"
		n.Name, err = p.name()
	}
	if err == nil {
		n.keyword = p.tok.from
		n.Quantifier, err = p.quantifier()
	}
	p.done(&n.node)
	return n, err
}

// quantifier reads *, +, ?, {n}, {n,m}, {n,} or {,m}, each with a question mark after it if it is reluctant.
func (p *parser) quantifier() (string, error) {
	text := ""
	switch p.tok.sym {
	case sStar, sPlus, sQuestion:
		text = symbolText[p.tok.sym]
		p.advance()
	case sLBrace:
		if p.peekSym(1, sMinus) {
			return "", nil
		}
		from := p.i
		p.advance()
		number := func() bool {
			is := p.tok.kind == kInteger
			if is {
				p.advance()
			}
			return is
		}
		lower := number()
		if comma := p.takeSym(sComma); comma {
			number()
		} else if !lower {
			return "", p.unexpected("','", "<integer>")
		}
		if err := p.wantSym(sRBrace); err != nil {
			return "", err
		}
		for _, t := range p.tokens[from:p.i] {
			text += p.textOf(t)
		}
	default:
		return "", nil
	}
	if p.takeSym(sQuestion) {
		text += "?"
	}
	return text, nil
}
