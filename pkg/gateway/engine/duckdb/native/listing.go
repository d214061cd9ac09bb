package native

import (
	"slices"

	"github.com/dig-cli/dig/internal/sqltext"
)

// listing is a statement that lists names.
type listing struct {
	What  string // Catalog, Schema, Table or Column
	Names []string
	At    int // the position of the names
	Like  string
}

// ReadListing parses the statements of Trino that list names:
//
//	SHOW CATALOGS [LIKE 'p']
//	SHOW SCHEMAS [FROM|IN catalog] [LIKE 'p']
//	SHOW TABLES [FROM|IN [catalog.]schema] [LIKE 'p']
//	SHOW COLUMNS FROM|IN table [LIKE 'p'], DESCRIBE table, DESC table
//
// It returns nil for any other statement.
func ReadListing(tokens []Token) (l *listing, err error) {
	p := &showParser{tokens: tokens}
	switch {
	case p.word("describe", "desc"):
		return p.columns()
	case !p.word("show"):
		return nil, nil
	case p.word("columns"):
		if !p.word("from", "in") {
			return nil, p.unexpected("'FROM', 'IN'")
		}
		return p.columns()
	case p.word("catalogs"):
		l = &listing{What: "Catalog"}
	case p.word("schemas"):
		l = &listing{What: "Schema", Names: p.from()}
	case p.word("tables"):
		l = &listing{What: "Table", Names: p.from()}
	default:
		return nil, nil
	}
	l.Like, err = p.like()
	return l, err
}

// columns parses the name of a table.
func (p *showParser) columns() (*listing, error) {
	l := &listing{What: "Column", At: p.pos(), Names: p.names()}
	if len(l.Names) == 0 || len(l.Names) > 3 {
		return nil, p.unexpected("<identifier>")
	}
	var err error
	l.Like, err = p.like()
	return l, err
}

// showParser parses a SHOW.
type showParser struct {
	tokens []Token
	last   int
}

func (p *showParser) pos() int {
	if len(p.tokens) > 0 {
		return p.tokens[0].Pos
	}
	return p.last
}

func (p *showParser) take() Token {
	t := p.tokens[0]
	p.tokens, p.last = p.tokens[1:], t.End
	return t
}

func (p *showParser) word(words ...string) bool {
	if len(p.tokens) == 0 || p.tokens[0].Kind != TokWord || !slices.Contains(words, p.tokens[0].text) {
		return false
	}
	p.take()
	return true
}

func (p *showParser) from() []string {
	if !p.word("from", "in") {
		return nil
	}
	return p.names()
}

func (p *showParser) names() []string {
	var parts []string
	for len(p.tokens) > 0 && p.tokens[0].isName() {
		parts = append(parts, p.take().text)
		if len(p.tokens) == 0 || !p.tokens[0].is(".") {
			break
		}
		p.take()
	}
	return parts
}

// like parses an optional LIKE pattern, as a literal, and the end.
func (p *showParser) like() (string, error) {
	pattern := ""
	if p.word("like") {
		if len(p.tokens) == 0 || p.tokens[0].Kind != tokString {
			return "", p.unexpected("<string>")
		}
		pattern = sqltext.Literal(p.take().name())
		if p.word("escape") && len(p.tokens) > 0 && p.tokens[0].Kind == tokString {
			pattern += ` ESCAPE ` + sqltext.Literal(p.take().name())
		}
	}
	if len(p.tokens) > 0 {
		return "", p.unexpected("<EOF>")
	}
	return pattern, nil
}

func (p *showParser) unexpected(want string) error {
	got := "<EOF>"
	if len(p.tokens) > 0 {
		got = p.tokens[0].text
	}
	return SyntaxAt(p.pos(), "mismatched input '%s'. Expecting: %s", got, want)
}
