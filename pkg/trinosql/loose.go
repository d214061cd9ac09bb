package trinosql

import "slices"

// ExtraKind is a kind of construct that Trino's grammar does not have.
type ExtraKind uint8

// The kinds of an Extra.
const (
	ColonCast     ExtraKind = iota // x::type, also with [] behind the type; Node is the *Cast
	ILike                          // x ILIKE pattern; Node is the *LikeExpr
	TrailingComma                  // a comma behind the last element of a list
	LeadingFrom                    // FROM t [SELECT a] WHERE ...; Node is the *Select
	LateOffset                     // LIMIT n OFFSET m; Node is the *Query
	StarChanges                    // * EXCLUDE (a) REPLACE (x AS b); Node is the *SelectStar
	Summarize                      // SUMMARIZE query or table; Node is the *Query, of a table with a *TableBody
	BareFilter                     // FILTER (condition); Words is the place of the WHERE that lacks
	DottedWord                     // a reserved word behind a dot, as in peaka.table.x; Words is the word
	DescribeRows                   // DESCRIBE query or file; Node is the *Query, of a file with a *TableBody
)

// Extra is a construct beyond Trino's grammar.
type Extra struct {
	Kind ExtraKind
	Node Node
	Span [2]int // of the node, without parentheses around it
	// Words is the text of the construct itself: the colons, ILIKE, the comma, FROM with its tables, LIMIT with its
	// number, EXCLUDE and REPLACE with their lists, SUMMARIZE, DESCRIBE.
	Words [2]int
	// More is the text of SELECT with its list behind a FROM, of OFFSET with its number behind a LIMIT, and of the
	// brackets behind the type of a cast; empty if there is none.
	More    [2]int
	Exclude [][]*Ident
	Replace []*SelectExpr
	Named   bool // of Summarize and DescribeRows: a table or a file is named
}

type extraKey struct {
	kind ExtraKind
	at   int
}

// ParseLoose is ParseFiles for a grammar that has more than Trino's: the constructs of the kinds of Extra, which it
// returns in the order of the text. The tree is that of the text without them, except for the casts.
func ParseLoose(text, catalog string) (Statement, []*Extra, error) {
	p := newParser(text)
	p.files, p.loose = catalog, map[extraKey]*Extra{}
	p.dottedWords()
	s, err := p.whole()
	if err != nil {
		return nil, nil, err
	}
	var list []*Extra
	for _, e := range p.loose {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *Extra) int { return a.Words[0] - b.Words[0] })
	return s, list, nil
}

// extra records a construct. One that is read again, because a trial has failed, replaces the earlier one.
func (p *parser) extra(e Extra) { p.loose[extraKey{e.Kind, e.Words[0]}] = &e }

// dottedWords makes names of the reserved words that follow a name and a dot without a blank: no clause begins there.
func (p *parser) dottedWords() {
	for i := 2; i < len(p.tokens); i++ {
		name, dot, word := p.tokens[i-2], p.tokens[i-1], &p.tokens[i]
		if isName(name) && dot.sym == sDot && word.kind == kIdent && !isName(*word) && name.end == dot.from.Offset &&
			dot.end == word.from.Offset {
			word.word = wNone
			p.extra(Extra{Kind: DottedWord, Words: [2]int{word.from.Offset, word.end}})
		}
	}
}

// upTo is the text from a token to the previous one.
func (p *parser) upTo(from token) [2]int { return [2]int{from.from.Offset, p.tokens[p.i-1].end} }

// another reads the comma between the elements of a list, and reports whether another element follows.
func (p *parser) another() bool {
	comma := p.tok
	if !p.takeSym(sComma) {
		return false
	}
	if p.loose != nil && p.listEnds() {
		p.extra(Extra{Kind: TrailingComma, Words: p.upTo(comma)})
		return false
	}
	return true
}

// listEnds reports whether the current token is what follows a list, and begins no element of it.
func (p *parser) listEnds() bool {
	switch p.tok.word {
	case wFrom, wSelect, wWhere, wGroup, wHaving, wOrder, wUnion, wIntersect, wExcept:
		return true
	}
	return p.tok.kind == kEOF || p.isSym(sRParen) || p.isSym(sRBracket) || p.beginsClause()
}

// exactly is expressions without a comma behind the last one.
func (p *parser) exactly() ([]Expr, error) {
	list, err := p.expressions()
	if err == nil && p.tokens[p.i-1].sym == sComma {
		err = p.unexpected("<expression>")
	}
	return list, err
}

// colonCast reads ::type behind a value.
func (p *parser) colonCast(x Expr) (Expr, error) {
	c := &Cast{node: since(x), X: x}
	colons := p.tok
	p.advance()
	p.advance()
	e := Extra{Kind: ColonCast, Node: c, Words: p.upTo(colons)}
	var err error
	if c.Type, err = p.dataType(); err != nil {
		return nil, err
	}
	brackets := p.tok
	for p.isSym(sLBracket) && p.peekSym(1, sRBracket) {
		p.advance()
		p.advance()
		e.More = p.upTo(brackets)
	}
	p.done(&c.node)
	e.Span = [2]int{c.from, c.end}
	p.extra(e)
	return c, nil
}

// ilike reads ILIKE and its pattern behind a value.
func (p *parser) ilike(n node, not bool, x Expr) (Expr, error) {
	l := &LikeExpr{node: n, Not: not, X: x}
	word := p.tok
	p.advance()
	e := Extra{Kind: ILike, Node: l, Words: p.upTo(word)}
	var err error
	if l.Pattern, err = p.value(0); err == nil && p.take(wEscape) {
		l.Escape, err = p.value(0)
	}
	p.done(&l.node)
	p.extra(e)
	return l, err
}

// fromFirst reads a query that begins with FROM.
func (p *parser) fromFirst() (QueryBody, error) {
	s := &Select{node: p.begin()}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	e := Extra{Kind: LeadingFrom, Node: s}
	first := p.tok
	p.advance()
	err := p.from(s)
	if err != nil {
		return nil, err
	}
	e.Words = p.upTo(first)
	if first = p.tok; p.take(wSelect) {
		if err = p.selectItems(s); err != nil {
			return nil, err
		}
		e.More = p.upTo(first)
	} else {
		s.Items = []SelectItem{&SelectStar{node: s.node}}
	}
	if err = p.selectClauses(s); err == nil {
		p.extra(e)
	}
	return s, err
}

// lateOffset reads OFFSET behind LIMIT, whose keyword the query knows.
func (p *parser) lateOffset(q *Query) (err error) {
	if p.loose == nil || q.Limit == nil && !q.LimitAll || !p.isWord(wOffset) {
		return nil
	}
	e := Extra{Kind: LateOffset, Node: q, Words: [2]int{q.keyword.Offset, p.tokens[p.i-1].end}}
	first := p.tok
	p.advance()
	if q.Offset, err = p.rowCount(); err != nil {
		return err
	}
	if !p.take(wRow) {
		p.take(wRows)
	}
	e.More = p.upTo(first)
	p.extra(e)
	return nil
}

// starChanges reads EXCLUDE and REPLACE behind a star.
func (p *parser) starChanges(s *SelectStar) (err error) {
	if p.loose == nil {
		return nil
	}
	e := Extra{Kind: StarChanges, Node: s}
	first := p.tok
	if p.says("EXCLUDE") && (p.peekSym(1, sLParen) || isName(p.peek(1))) {
		p.advance()
		column := func() error {
			name, err := p.qualified()
			e.Exclude = append(e.Exclude, name)
			return err
		}
		if p.isSym(sLParen) {
			err = p.enclosed(func() error { return p.listed(column) })
		} else {
			err = column()
		}
	}
	if err == nil && p.says("REPLACE") && p.peekSym(1, sLParen) {
		p.advance()
		err = p.enclosed(func() error { return p.listed(func() error { return p.replacement(&e) }) })
	}
	if err != nil || p.tok.from == first.from {
		return err
	}
	e.Words = p.upTo(first)
	p.extra(e)
	return nil
}

// replacement reads expression AS column.
func (p *parser) replacement(e *Extra) error {
	x := &SelectExpr{node: p.begin()}
	var err error
	if x.Expr, err = p.expression(); err != nil {
		return err
	}
	if err = p.want(wAs); err != nil {
		return err
	}
	x.Alias, err = p.name()
	p.done(&x.node)
	e.Replace = append(e.Replace, x)
	return err
}

// describable reports whether a token begins what SUMMARIZE and DESCRIBE take.
func (p *parser) describable(t token) bool {
	return p.beginsQuery(t) || t.sym == sLParen || isName(t) || t.kind == kString && p.files != ""
}

// describeRows reads SUMMARIZE or DESCRIBE with a query, a table or a file.
func (p *parser) describeRows(kind ExtraKind) (Statement, error) {
	word := p.tok
	p.advance()
	e := Extra{Kind: kind, Words: p.upTo(word)}
	var q *Query
	var err error
	if e.Named = !p.beginsQuery(p.tok) && !p.isSym(sLParen); e.Named {
		q = &Query{node: p.begin()}
		table := &TableBody{node: q.node}
		if p.tok.kind == kString {
			var file Relation
			if file, err = p.file(); err == nil {
				table.Name = file.(*TableRef).Name
			}
		} else {
			table.Name, err = p.qualified()
		}
		p.done(&table.node)
		p.done(&q.node)
		q.Body = table
	} else {
		q, err = p.query()
	}
	e.Node = q
	p.extra(e)
	return q, err
}
