package trinosql

import "strings"

func (p *parser) statement() (Statement, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	n := p.begin()
	switch {
	case p.isWord(wExplain):
		return p.explain()
	case p.isWord(wShow):
		return p.show_()
	case p.isWord(wDescribe), p.isWord(wDesc):
		p.advance()
		if (p.isWord(wInput) || p.isWord(wOutput)) && isName(p.peek(1)) {
			d := &Describe{node: n, Output: p.isWord(wOutput)}
			p.advance()
			var err error
			d.Name, err = p.name()
			p.done(&d.node)
			return d, err
		}
		if p.loose != nil && !isName(p.tok) && p.describable(p.tok) {
			p.back(p.i - 1)
			return p.describeRows(DescribeRows)
		}
		s := &Show{node: n, What: "COLUMNS"}
		var err error
		s.Name, err = p.qualified()
		p.done(&s.node)
		return s, err
	case p.says("WITH", "FUNCTION") && isName(p.peek(2)) && !p.peekWord(2, wAs): // and not a query of that name
		routines, err := p.routines()
		if err != nil {
			return nil, err
		}
		q, err := p.query()
		if err != nil {
			return nil, err
		}
		q.Routines, q.at, q.from = routines, n.at, n.from
		return q, nil
	case p.tok.kind == kSymbol && p.isSym(sLParen), p.beginsQuery(p.tok):
		return p.query()
	case p.loose != nil && p.says("SUMMARIZE") && p.describable(p.peek(1)):
		return p.describeRows(Summarize)
	}
	if kind := p.otherKind(); kind != "" {
		o := &Other{node: n, Kind: kind}
		for p.tok.kind != kEOF {
			p.advance()
		}
		p.done(&o.node)
		return o, nil
	}
	return nil, p.unexpected(statementWords...)
}

var statementWords = []string{"'ALTER'", "'ANALYZE'", "'CALL'", "'COMMENT'", "'COMMIT'", "'CREATE'", "'DEALLOCATE'",
	"'DELETE'", "'DENY'", "'DESC'", "'DESCRIBE'", "'DROP'",
	"'EXECUTE'", "'EXPLAIN'", "'GRANT'", "'INSERT'", "'MERGE'", "'PREPARE'", "'REFRESH'", "'RESET'", "'REVOKE'",
	"'ROLLBACK'", "'SET'", "'SHOW'", "'START'", "'TRUNCATE'",
	"'UPDATE'", "'USE'", "<query>"}

// otherKind is the kind of a statement that is not a query, by its first words; "" for none.
func (p *parser) otherKind() string {
	title := func(words ...word) string {
		var b strings.Builder
		for _, w := range words {
			for _, part := range strings.Split(wordText[w], "_") {
				b.WriteString(part[:1] + strings.ToLower(part[1:]))
			}
		}
		return b.String()
	}
	second := p.peek(1).word
	switch w := p.tok.word; w {
	case wInsert, wDelete, wUpdate, wMerge, wAnalyze, wCall, wComment, wCommit, wDeallocate, wDeny, wGrant, wPrepare,
		wRevoke, wRollback, wUse, wExecute:
		return title(w)
	case wTruncate:
		return "TruncateTable"
	case wStart:
		return "StartTransaction"
	case wRefresh:
		return "RefreshMaterializedView"
	case wSet, wReset:
		for words, kind := range map[string]string{"SESSION AUTHORIZATION": "SessionAuthorization", "ROLE": "Role",
			"PATH":      "Path",
			"TIME ZONE": "TimeZone"} {
			if p.ahead(1, strings.Fields(words)...) {
				return title(w) + kind
			}
		}
		return title(w) + "Session"
	case wCreate:
		i := 1
		if p.peekWord(i, wOr) { // OR REPLACE
			i += 2
		}
		kind := p.peek(i).word
		if kind == wTable {
			for j := i + 1; p.peek(j).kind != kEOF; j++ {
				if p.peekWord(j, wAs) && (p.peekWord(j+1, wSelect) || p.peekWord(j+1, wWith) ||
					p.peekWord(j+1, wValues) || p.peekWord(j+1, wTable) || p.peekSym(j+1, sLParen)) {
					return "CreateTableAsSelect"
				}
			}
		}
		if kind == wMaterialized {
			return "CreateMaterializedView"
		}
		if kind == wNone {
			return "Create"
		}
		return "Create" + title(kind)
	case wDrop, wAlter:
		if second == wMaterialized {
			return title(w) + "MaterializedView"
		}
		if second == wNone {
			return title(w)
		}
		return title(w, second)
	}
	return ""
}

func (p *parser) explain() (Statement, error) {
	e := &Explain{node: p.begin()}
	p.advance()
	if p.take(wAnalyze) {
		e.Analyze = true
		e.Verbose = p.take(wVerbose)
	} else if p.isSym(sLParen) && p.peek(1).kind == kIdent && (strings.EqualFold(p.textOf(p.peek(1)), "type") ||
		p.peekWord(1, wFormat)) {
		p.advance()
		for {
			option := strings.ToUpper(p.textOf(p.tok))
			p.advance()
			value := strings.ToUpper(p.textOf(p.tok))
			switch {
			case option == "FORMAT" && (value == "TEXT" || value == "GRAPHVIZ" || value == "JSON"):
				e.Format = value
			case option == "TYPE" && (value == "LOGICAL" || value == "DISTRIBUTED" || value == "VALIDATE" ||
				value == "IO"):
				e.Type = value
			case option == "FORMAT":
				return nil, p.unexpected("'GRAPHVIZ'", "'JSON'", "'TEXT'")
			case option == "TYPE":
				return nil, p.unexpected("'DISTRIBUTED'", "'IO'", "'LOGICAL'", "'VALIDATE'")
			default:
				p.back(p.i - 1)
				return nil, p.unexpected("'FORMAT'", "'TYPE'")
			}
			p.advance()
			if !p.takeSym(sComma) {
				break
			}
		}
		if err := p.wantSym(sRParen); err != nil {
			return nil, err
		}
	}
	var err error
	e.Statement, err = p.statement()
	p.done(&e.node)
	return e, err
}

func (p *parser) textOf(t token) string { return p.lex.text[t.from.Offset:t.end] }

func (p *parser) show_() (Statement, error) {
	s := &Show{node: p.begin()}
	p.advance()
	var err error
	like := true
	from := func(must bool) error {
		if !p.take(wFrom) && !p.take(wIn) {
			if must {
				return p.unexpected("'FROM'", "'IN'")
			}
			return nil
		}
		s.Name, err = p.qualified()
		return err
	}
	catalog := func() error {
		name, err := p.name()
		if err == nil {
			s.Name = []*Ident{name}
		}
		return err
	}
	w := p.tok.word
	switch w {
	case wTables, wFunctions:
		p.advance()
		s.What = wordText[w]
		err = from(false)
	case wSchemas: // of a catalog, which has one name
		p.advance()
		s.What = wordText[w]
		if p.take(wFrom) || p.take(wIn) {
			err = catalog()
		}
	case wColumns:
		p.advance()
		s.What = "COLUMNS"
		err = from(true)
	case wCatalogs, wSession:
		p.advance()
		s.What = wordText[w]
	case wRoles, wCurrent, wRole:
		like = false
		p.advance()
		switch w {
		case wCurrent:
			err = p.want(wRoles)
			s.What = "CURRENT ROLES"
		case wRole:
			err = p.want(wGrants)
			s.What = "ROLE GRANTS"
		default:
			s.What = "ROLES"
		}
		if err == nil && (p.take(wFrom) || p.take(wIn)) {
			err = catalog()
		}
	case wGrants:
		like = false
		p.advance()
		s.What = "GRANTS"
		if p.take(wOn) {
			p.take(wTable)
			s.Name, err = p.qualified()
		}
	case wStats:
		like = false
		p.advance()
		s.What = "STATS"
		if err = p.want(wFor); err != nil {
			break
		}
		if p.takeSym(sLParen) {
			if s.Query, err = p.query(); err == nil {
				err = p.wantSym(sRParen)
			}
		} else {
			s.Name, err = p.qualified()
		}
	case wCreate:
		like = false
		p.advance()
		kind := ""
		if kind, err = p.anyOf("FUNCTION", "MATERIALIZED", "SCHEMA", "TABLE", "VIEW"); err != nil {
			return nil, err
		}
		s.What = "CREATE " + kind
		if kind == "MATERIALIZED" {
			s.What += " VIEW"
			if err = p.want(wView); err != nil {
				return nil, err
			}
		}
		s.Name, err = p.qualified()
	default:
		return nil, p.unexpected("'CATALOGS'", "'COLUMNS'", "'CREATE'", "'CURRENT'", "'FUNCTIONS'", "'GRANTS'",
			"'ROLE'", "'ROLES'", "'SCHEMAS'", "'SESSION'", "'STATS'", "'TABLES'")
	}
	if err != nil {
		return nil, err
	}
	if like && p.take(wLike) {
		if s.Like, err = p.text(); err != nil {
			return nil, err
		}
		if p.take(wEscape) {
			if s.Escape, err = p.text(); err != nil {
				return nil, err
			}
		}
	}
	p.done(&s.node)
	return s, nil
}
