package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// read parses and analyses a statement. SHOW, DESCRIBE and EXPLAIN become queries over their answers.
func (s *session) read(ctx context.Context, text string) (*engine.Statement, error) {
	tree, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	return s.tree(ctx, tree)
}

func (s *session) tree(ctx context.Context, tree trinosql.Statement) (*engine.Statement, error) {
	switch tree := tree.(type) {
	case *trinosql.Query:
		return s.query(ctx, tree)
	case *trinosql.Show:
		s.guesses = false
		return s.show(ctx, tree)
	case *trinosql.Explain:
		s.guesses = false
		return s.explain(ctx, tree)
	default:
		return nil, notAllowed(tree)
	}
}

func (s *session) query(ctx context.Context, query *trinosql.Query) (*engine.Statement, error) {
	size, err := limits.Tree(query)
	if err != nil {
		return nil, err
	}
	r, err := s.analysed(ctx, query)
	if err != nil {
		return nil, err
	}
	if !s.describes {
		if err := r.catalog.collect(query, r.analysis, r.values); err != nil {
			return nil, err
		}
	}
	return &engine.Statement{Query: query, Analysis: r.analysis, Params: r.params, Columns: r.analysis.Output,
		Origins: originsOf(query, r.analysis),
		Text:    s.Query.SQL, Simple: size.PlainPlan(), Catalog: s.Query.Defaults.Catalog,
		Schema:    s.Query.Defaults.Schema,
		User:      s.Query.Props["user"],
		Relations: r.catalog.read(), Divisions: divisions(query), Casts: casts(query, r.analysis)}, nil
}

// analysed is a query and its analysis.
type analysed struct {
	analysis *analyze.Analysis
	catalog  *catalog
	values   []string // parameters, and values of the gateway's own forms
	params   []engine.Param
}

func (s *session) analysed(ctx context.Context, query *trinosql.Query) (*analysed, error) {
	r := &analysed{catalog: &catalog{s: s, ctx: ctx, relations: map[*analyze.Table]*relation{}}}
	given := s.bindings()
	texts, err := s.ownForms(query, r.catalog)
	if err != nil {
		return nil, err
	}
	r.values = slices.Concat(given, texts)
	if r.analysis, r.params, err = s.analyze(query, r.catalog, r.values, len(given)); err != nil {
		return nil, r.catalog.cycleError(query, err)
	}
	return r, nil
}

// parse parses one statement.
func (s *session) parse(sql string) (trinosql.Statement, error) {
	if err := limits.Text(sql); err != nil {
		return nil, err
	}
	parts := trinosql.Split(sql)
	text := ""
	switch {
	case len(parts) > 1:
		return nil, engine.Placed(trinosql.Pos{Line: 1, Col: 1}, semicolonIn(sql, parts[0]))
	case len(parts) == 1: // positions refer to the whole text
		text = sql[:parts[0].End]
	}
	files := s.Query.Files
	if len(s.chain) > 0 { // in a saved query
		files = ""
	}
	tree, err := trinosql.ParseFiles(text, files)
	var e *trinosql.Error
	if !errors.As(err, &e) {
		return tree, err
	}
	out := &engine.Error{Kind: engine.KindSyntax, Message: e.Msg, Err: err}
	if strings.HasPrefix(e.Msg, "mismatched input ''") && strings.Contains(e.Msg, "'UNNEST'") &&
		byteAt(text, e.At) == '\'' {
		out.Hint = "a file is read as a table only for a statement that a command runs in its own process: not by a " +
			"gateway that is served, and not in a saved query"
	} else {
		out.Hint = trinosql.SyntaxHint(text, e.At.Offset)
	}
	return nil, engine.Placed(e.At, out)
}

func byteAt(text string, p trinosql.Pos) byte {
	if p.Offset < len(text) {
		return text[p.Offset]
	}
	return 0
}

// semicolonIn is the error for a semicolon between two statements.
func semicolonIn(sql string, first trinosql.Part) *engine.Error {
	at := first.End + strings.IndexByte(sql[first.End:], ';')
	e := &engine.Error{Kind: engine.KindSyntax, Message: "mismatched input ';'. Expecting: <EOF>"}
	e.Line, e.Col = sqltext.PositionOf(sql, at)
	return e
}

// notAllowed is the error for a statement that is not a query.
func notAllowed(tree trinosql.Statement) error {
	kind := "Describe"
	switch tree := tree.(type) {
	case *trinosql.Other:
		kind = tree.Kind
	}
	return engine.Placed(tree.Pos(), &engine.Error{Kind: engine.KindNotAllowed,
		Message: fmt.Sprintf("Statement type '%s' is not allowed", kind)})
}

// analysisError is the error of an analysis, or of the name that ended it.
func (c *catalog) analysisError(err error) error {
	var e *analyze.Error
	if errors.As(err, &e) && c.err != nil {
		return engine.PlaceError(c.err, e.At)
	}
	return engine.Fault(err)
}

// originsOf is the table column that each column of the result is an unchanged copy of.
func originsOf(q *trinosql.Query, a *analyze.Analysis) []engine.TableName {
	out := make([]engine.TableName, len(a.Output))
	i := 0
	for _, f := range a.Queries[q].Fields {
		if f.Hidden {
			continue
		}
		if f.Table != nil && i < len(out) {
			out[i] = engine.TableName(*f.Table)
			if out[i] = shownName(out[i]); strings.HasPrefix(out[i].Catalog, engine.FileCatalog) {
				out[i] = engine.TableName{Table: out[i].Table} // a file is in no catalog
			}
		}
		i++
	}
	return out
}

// IsUnknown reports whether an error is about a name that does not exist.
func IsUnknown(err error) bool {
	var e *engine.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case engine.KindUnknownCatalog, engine.KindUnknownSchema, engine.KindUnknownTable, engine.KindUnknownColumn,
		engine.KindNoFile:
		return true
	}
	return false
}
