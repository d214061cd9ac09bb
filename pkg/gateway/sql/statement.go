package sql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Statement is a query that is analysed, with all its names resolved.
type Statement struct {
	Query    *trinosql.Query
	Analysis *analyze.Analysis
	Params   []Param // the values of ?, by index
	Columns  []analyze.Column
	Origins  []engine.TableName // the table that each column of the result is an unchanged copy of
	Simple   bool               // it nests deeply and joins nothing: it is planned faster without an optimizer

	Catalog, Schema, User string // the values of current_catalog and similar

	relations map[*analyze.Table]*Relation
	divisions []trinosql.Pos // whose divisor may be zero
}

// Param is the value of a ?, or one that the text of the gateway itself has for it.
type Param struct {
	Type *types.Type
	Text string // of a varchar the value, of other types in the form of a literal of the type without its quotes
}

// Relation is what a table of the analysis stands for.
func (x *Statement) Relation(t *analyze.Table) *Relation { return x.relations[t] }

// Relations are the tables that the statement itself names.
func (x *Statement) Relations() []*Relation {
	return slices.SortedFunc(maps.Values(x.relations), func(a, b *Relation) int { return a.Name.Compare(b.Name) })
}

// Read parses and analyses a statement. SHOW, DESCRIBE and EXPLAIN become queries over their answers.
func (s *Session) Read(ctx context.Context, text string) (*Statement, error) {
	tree, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	return s.read(ctx, tree)
}

func (s *Session) read(ctx context.Context, tree trinosql.Statement) (*Statement, error) {
	switch tree := tree.(type) {
	case *trinosql.Query:
		return s.query(ctx, tree)
	case *trinosql.Show:
		return s.show(ctx, tree)
	case *trinosql.Explain:
		return s.explain(ctx, tree)
	default:
		return nil, notAllowed(tree)
	}
}

func (s *Session) query(ctx context.Context, query *trinosql.Query) (*Statement, error) {
	size, err := limits.Tree(query)
	if err != nil {
		return nil, err
	}
	r, err := s.analysed(ctx, query)
	if err != nil {
		return nil, err
	}
	if !s.describes {
		if err := r.catalog.read(query, r.analysis, r.values); err != nil {
			return nil, err
		}
	}
	return &Statement{Query: query, Analysis: r.analysis, Params: r.params, Columns: r.analysis.Output, Origins: originsOf(query, r.analysis),
		Simple: size.PlainPlan(), Catalog: s.defaults.Catalog, Schema: s.defaults.Schema, User: s.Query.Props["user"],
		relations: r.catalog.relations, divisions: divisions(query)}, nil
}

// analysed is a query and its analysis.
type analysed struct {
	analysis *analyze.Analysis
	catalog  *catalog
	values   []string // parameters, and values of the gateway's own forms
	params   []Param
}

func (s *Session) analysed(ctx context.Context, query *trinosql.Query) (*analysed, error) {
	r := &analysed{catalog: &catalog{s: s, ctx: ctx, relations: map[*analyze.Table]*Relation{}}}
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

// divisions are the places of the divisions of a query whose divisor may be zero.
func divisions(query *trinosql.Query) (places []trinosql.Pos) {
	trinosql.Inspect(query, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Binary:
			if (n.Op == "/" || n.Op == "%") && mayBeZero(n.R) {
				places = append(places, n.Pos())
			}
		case *trinosql.Func:
			if len(n.Name) == 1 && n.Name[0].Lower() == "mod" && len(n.Args) == 2 && mayBeZero(n.Args[1]) {
				places = append(places, n.Pos())
			}
		}
		return true
	})
	return places
}

func mayBeZero(x trinosql.Expr) bool {
	switch x := x.(type) {
	case *trinosql.IntLit:
		return strings.Trim(x.Text, "0_") == ""
	case *trinosql.DecimalLit:
		return strings.Trim(x.Text, "0_.") == ""
	case *trinosql.DoubleLit:
		return false
	}
	return true
}

// DivisionHint tells where a query divides, for an error that has no position; empty if it does not.
func (x *Statement) DivisionHint() string {
	const most = 3
	var at []string
	for _, p := range x.divisions[:min(len(x.divisions), most)] {
		at = append(at, fmt.Sprintf("line %d:%d", p.Line, p.Col))
	}
	switch {
	case len(at) == 0:
		return ""
	case len(x.divisions) > most:
		at = append(at, fmt.Sprintf("%d more places", len(x.divisions)-most))
	}
	return "the statement divides at " + strings.Join(at, ", ") + "; x / nullif(y, 0) is NULL where y is 0"
}

// parse parses one statement.
func (s *Session) parse(sql string) (trinosql.Statement, error) {
	if err := limits.Text(sql); err != nil {
		return nil, err
	}
	parts := trinosql.Split(sql)
	text := ""
	switch {
	case len(parts) > 1:
		return nil, Placed(trinosql.Pos{Line: 1, Col: 1}, semicolonIn(sql, parts[0]))
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
	if e.Unsupported {
		return nil, Placed(e.At, &engine.Error{Kind: engine.KindUnsupported, Message: e.Msg + " on zone local", Err: err})
	}
	out := &engine.Error{Kind: engine.KindSyntax, Message: e.Msg, Err: err}
	if strings.HasPrefix(e.Msg, "mismatched input ''") && strings.Contains(e.Msg, "'UNNEST'") && byteAt(text, e.At) == '\'' {
		out.Hint = "a file is read as a table only for a statement that a command runs in its own process: not by a gateway that is served, and not in a saved query"
	} else {
		out.Hint = trinosql.SyntaxHint(text, e.At.Offset)
	}
	return nil, Placed(e.At, out)
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
	e.Line = 1 + strings.Count(sql[:at], "\n")
	e.Col = 1 + utf8.RuneCountInString(sql[strings.LastIndexByte(sql[:at], '\n')+1:at])
	return e
}

// notAllowed is the error for a statement that is not a query.
func notAllowed(tree trinosql.Statement) error {
	kind := "Describe"
	switch tree := tree.(type) {
	case *trinosql.Other:
		kind = tree.Kind
	}
	return Placed(tree.Pos(), &engine.Error{Kind: engine.KindNotAllowed, Message: fmt.Sprintf("Statement type '%s' is not allowed", kind)})
}

// Placed gives an error a position, if it has none yet.
func Placed(at trinosql.Pos, e *engine.Error) error {
	if e.Line == 0 && at.Line > 0 {
		e.Line, e.Col = at.Line, at.Col
	}
	return e
}

// analysisError is the error of an analysis, or of the name that ended it.
func (c *catalog) analysisError(err error) error {
	var e *analyze.Error
	if errors.As(err, &e) && c.err != nil {
		return placeError(c.err, e.At)
	}
	return Fault(err)
}

// ErrNotSupported is wrapped by the error for what is valid in Trino and not supported by the engine.
var ErrNotSupported = errors.New("not supported on zone local")

// Fault converts an *analyze.Error to an error of the engine's contract.
func Fault(err error) error {
	var e *analyze.Error
	if !errors.As(err, &e) {
		return err
	}
	kind := engine.KindValue
	switch e.Kind {
	case "SYNTAX_ERROR":
		kind = engine.KindSyntax
	case "COLUMN_NOT_FOUND":
		kind = engine.KindUnknownColumn
	case "NOT_SUPPORTED":
		kind = engine.KindUnsupported
	case "FUNCTION_NOT_FOUND":
		if !strings.HasPrefix(e.Msg, "Unexpected parameters") {
			kind = engine.KindUnsupported
		}
	}
	out := &engine.Error{Kind: kind, Message: e.Msg, Hint: e.Hint, Err: err}
	if e.Unsupported {
		out.Kind, out.Err = engine.KindUnsupported, errors.Join(err, ErrNotSupported)
	}
	return Placed(e.At, out)
}

// placeError gives an error a position, if it has none yet.
func placeError(err error, at trinosql.Pos) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Line != 0 {
		return err
	}
	placed := *e
	placed.Err = err
	return Placed(at, &placed)
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
			out[i] = (&Relation{Name: out[i]}).Shown()
		}
		i++
	}
	return out
}

// WireType is the name of a type in replies. The length of varchar is omitted, and the precision of times with microseconds.
func WireType(t *types.Type) string {
	switch t.Kind {
	case types.Varchar:
		return "varchar"
	case types.Time:
		if t.N == 6 {
			return "time"
		}
	case types.Timestamp:
		if t.N == 6 {
			return "timestamp"
		}
	case types.TimestampTZ:
		if t.N == 6 {
			return "timestamp with time zone"
		}
	case types.Array:
		return "array(" + WireType(t.Args[0]) + ")"
	case types.Map:
		return "map(" + WireType(t.Args[0]) + ", " + WireType(t.Args[1]) + ")"
	case types.Row:
		fields := make([]string, len(t.Args))
		for i, f := range t.Args {
			fields[i] = FieldName(t.FieldName(i)) + WireType(f)
		}
		return "row(" + strings.Join(fields, ", ") + ")"
	}
	return t.String()
}

// FieldName is the name of a field within the name of a row type: quoted unless it is a plain identifier.
func FieldName(s string) string {
	if s == "" {
		return ""
	}
	plain := strings.TrimLeftFunc(s, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }) == ""
	if !plain || unicode.IsDigit(rune(s[0])) {
		return sqltext.Quote(s) + " "
	}
	return s + " "
}

// IsUnknown reports whether an error is about a name that does not exist.
func IsUnknown(err error) bool {
	var e *engine.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case engine.KindUnknownCatalog, engine.KindUnknownSchema, engine.KindUnknownTable, engine.KindUnknownColumn, engine.KindNoFile:
		return true
	}
	return false
}
