//go:build cgo

package duckdb

import (
	"context"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
)

// show answers the statements of Trino that list names, by a SELECT over rows collected here:
//
//	SHOW CATALOGS [LIKE 'p']
//	SHOW SCHEMAS [FROM|IN catalog] [LIKE 'p']
//	SHOW TABLES [FROM|IN [catalog.]schema] [LIKE 'p']
//	SHOW COLUMNS FROM|IN table [LIKE 'p'], DESCRIBE table, DESC table
//
// ok is false when the statement is not one of them.
func (s *statement) show(ctx context.Context, tokens []token) (text string, ok bool, err error) {
	p := &showParser{tokens: tokens}
	switch {
	case p.word("describe", "desc"):
		return s.showColumns(ctx, p)
	case !p.word("show"):
		return "", false, nil
	case p.word("columns"):
		if !p.word("from", "in") {
			return "", true, p.unexpected("'FROM', 'IN'")
		}
		return s.showColumns(ctx, p)
	case p.word("catalogs"):
		return s.showNames(ctx, p, "Catalog", nil)
	case p.word("schemas"):
		return s.showNames(ctx, p, "Schema", p.from())
	case p.word("tables"):
		return s.showNames(ctx, p, "Table", p.from())
	}
	return "", false, nil
}

// showNames lists catalogs, the schemas of a catalog or the tables of a schema.
func (s *statement) showNames(ctx context.Context, p *showParser, what string, from []string) (string, bool, error) {
	like, err := p.like()
	if err != nil {
		return "", true, err
	}
	text, err := s.namesText(ctx, what, from, like)
	return text, true, err
}

// namesText is a SELECT that lists catalogs, the schemas of a catalog or the tables of a schema.
func (s *statement) namesText(ctx context.Context, what string, from []string, like string) (string, error) {
	scope := engine.TableName{Catalog: engine.InternalCatalog, Schema: engine.SchemaTable}
	switch {
	case what == "Schema" && len(from) == 1:
		scope.Catalog = strings.ToLower(from[0])
	case what == "Table" && len(from) == 1:
		scope.Schema = strings.ToLower(from[0])
	case what == "Table" && len(from) == 2:
		scope.Catalog, scope.Schema = strings.ToLower(from[0]), strings.ToLower(from[1])
	case len(from) > 0:
		return "", &engine.Error{Kind: engine.KindSyntax, Message: "mismatched input: too many names"}
	}
	var named []string
	if what != "Catalog" {
		named = []string{scope.Catalog}
	}
	known, err := s.allTables(ctx, named)
	if err != nil {
		return "", err
	}
	names, err := infoschema.Show(what, scope, known)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, n := range names {
		rows = append(rows, []string{n})
	}
	return literalRows([]string{what}, rows, like), nil
}

func (s *statement) showColumns(ctx context.Context, p *showParser) (string, bool, error) {
	at := p.pos()
	parts := p.names()
	if len(parts) == 0 || len(parts) > 3 {
		return "", true, p.unexpected("<identifier>")
	}
	like, err := p.like()
	if err != nil {
		return "", true, err
	}
	text, err := s.columnsText(ctx, engine.FullName(parts), like)
	return text, true, replace(err, at)
}

// columnsText is a SELECT that lists the columns of a table.
func (s *statement) columnsText(ctx context.Context, n engine.TableName, like string) (string, error) {
	cols, err := s.columnsOf(ctx, n)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, c := range cols {
		rows = append(rows, []string{c.Name, c.Type, "", c.Comment})
	}
	return literalRows([]string{"Column", "Type", "Extra", "Comment"}, rows, like), nil
}

// literalRows is a SELECT that returns the rows; like filters by the first column.
func literalRows(cols []string, rows [][]string, like string) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range cols {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`CAST("` + c + `" AS VARCHAR) AS "` + c + `"`)
	}
	b.WriteString(" FROM (VALUES ")
	for i, r := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		for k, v := range r {
			b.WriteString(map[bool]string{true: "(", false: ", "}[k == 0] + sqltext.Literal(v))
		}
		b.WriteString(")")
	}
	if len(rows) == 0 {
		b.WriteString("(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(cols)), ", ") + ")")
	}
	b.WriteString(`) t("` + strings.Join(cols, `", "`) + `") WHERE "` + cols[0] + `" IS NOT NULL`)
	if like != "" {
		b.WriteString(` AND "` + cols[0] + `" LIKE ` + like)
	}
	return b.String()
}

// showParser reads the tokens of a SHOW.
type showParser struct {
	tokens []token
	last   int
}

func (p *showParser) pos() int {
	if len(p.tokens) > 0 {
		return p.tokens[0].pos
	}
	return p.last
}

func (p *showParser) take() token {
	t := p.tokens[0]
	p.tokens, p.last = p.tokens[1:], t.end
	return t
}

func (p *showParser) word(words ...string) bool {
	if len(p.tokens) == 0 || p.tokens[0].kind != tokWord || !slices.Contains(words, p.tokens[0].text) {
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

// like reads an optional LIKE pattern, as a literal, and the end.
func (p *showParser) like() (string, error) {
	pattern := ""
	if p.word("like") {
		if len(p.tokens) == 0 || p.tokens[0].kind != tokString {
			return "", p.unexpected("<string>")
		}
		pattern = sqltext.Literal(p.take().name())
		if p.word("escape") && len(p.tokens) > 0 && p.tokens[0].kind == tokString {
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
	return syntaxAt(p.pos(), "mismatched input '%s'. Expecting: %s", got, want)
}
