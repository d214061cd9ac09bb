// Package friendly rewrites SQL as it is typed in other systems to Trino's: FROM without SELECT, x::type, ILIKE,
// EXCLUDE and REPLACE behind a star, COLUMNS, GROUP BY ALL, names of the select list in WHERE, SUMMARIZE and others.
//
// A statement that is valid in Trino is not changed. Of another one only what Trino does not accept is changed, and
// each place of what is sent is known in the text as typed.
package friendly

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// Column is a column of a query.
type Column struct{ Name, Type string }

// Options are what a rewriting depends on.
type Options struct {
	// Files is the catalog of the files that a statement may name, as for trinosql.ParseFiles.
	Files string
	// Columns returns the columns of a query, which selects no rows. Their types are wanted if types is true.
	Columns func(ctx context.Context, sql string, types bool) ([]Column, error)
	// Hidden returns the columns that SUMMARIZE leaves out, and one that it leaves out if it has no values, "" for
	// none; nil if it leaves out none.
	Hidden func(columns []Column) (hidden []string, empty string)
}

// ColumnsError is the error of a query for columns.
type ColumnsError struct {
	Query *sqltext.Text // its places are those of the typed statement
	Err   error
}

func (e *ColumnsError) Error() string { return e.Err.Error() }
func (e *ColumnsError) Unwrap() error { return e.Err }

// Error is what is wrong with a statement, with the place in the typed text.
type Error struct {
	Fault trinosql.Error
	Hint  string
}

func (e *Error) Error() string { return e.Fault.Error() }

// Limits of a rewriting, for names of a select list that stand for each other.
const (
	maxRenames = 1000
	maxBytes   = 1 << 20 // besides 16 times those of the statement
)

// Rewrite rewrites one statement, without a semicolon. It returns nil for one that stays as it is: one of Trino's, and
// one that is not understood, which the gateway reports. An *Error has the place in the typed text.
func Rewrite(ctx context.Context, typed string, o Options) (*sqltext.Text, error) {
	tree, strict := trinosql.ParseFiles(typed, o.Files)
	r := &rewriter{o: o, text: sqltext.NewText(typed), typed: len(typed), known: map[asked][]Column{}}
	for n := 0; ; n++ {
		var extras []*trinosql.Extra
		var err error
		if n > 0 || strict != nil {
			tree, extras, err = trinosql.ParseLoose(r.text.String(), o.Files)
		}
		if err != nil {
			if r.text.String() == typed && !further(err, strict) {
				return nil, nil
			}
			return nil, r.unread(err)
		}
		edits, err := r.edits(ctx, tree, extras)
		if err != nil {
			return nil, err
		}
		if len(edits) == 0 {
			break
		}
		r.text = r.text.Edit(edits...)
	}
	if r.text.String() == typed {
		return nil, nil
	}
	if _, err := trinosql.ParseFiles(r.text.String(), o.Files); err != nil {
		return nil, r.unread(err)
	}
	return r.text, nil
}

// Knows reports whether a text has what Rewrite knows and Trino's grammar does not.
func Knows(text, files string) bool {
	_, strict := trinosql.ParseFiles(text, files)
	_, extras, err := trinosql.ParseLoose(text, files)
	return strict != nil && (len(extras) > 0 || further(err, strict))
}

// rewriter rewrites one statement step by step.
type rewriter struct {
	o       Options
	text    *sqltext.Text // so far
	typed   int           // bytes of the statement
	renames int           // steps that replaced names of a select list
	known   map[asked][]Column
	extras  map[trinosql.Node]*trinosql.Extra
}

// further reports whether a text is read beyond the place where Trino's grammar ends: it has what is read here only.
func further(err, strict error) bool {
	var loose, first *trinosql.Error
	return errors.As(err, &loose) && errors.As(strict, &first) && loose.At.Offset > first.At.Offset
}

// unread is the error of a text that is not read.
func (r *rewriter) unread(err error) error {
	var e *trinosql.Error
	if !errors.As(err, &e) {
		return err
	}
	return r.fail(e.At.Offset, "%s", e.Msg)
}

// fail is an error at an offset of the text.
func (r *rewriter) fail(at int, format string, args ...any) *Error {
	line, col := r.text.PositionAt(at)
	return &Error{Fault: trinosql.Error{At: trinosql.Pos{Offset: r.text.Original(at), Line: line, Col: col},
		Msg: fmt.Sprintf(format, args...)}}
}

// edits are those of the next step: what needs only the text, then what needs columns, from the inside out.
func (r *rewriter) edits(ctx context.Context, tree trinosql.Statement, extras []*trinosql.Extra) ([]sqltext.Edit,
	error) {
	edits, err := r.plain(extras)
	if len(edits) > 0 || err != nil {
		return edits, err
	}
	if edits = r.moves(extras); len(edits) > 0 {
		return edits, nil
	}
	r.extras = map[trinosql.Node]*trinosql.Extra{}
	for _, e := range extras {
		r.extras[e.Node] = e
	}
	if edits, err = r.below(ctx, tree, nil); len(edits) > 0 || err != nil {
		return edits, err
	}
	for _, e := range extras {
		switch e.Kind {
		case trinosql.Summarize:
			return r.summary(ctx, e)
		case trinosql.DescribeRows:
			return r.description(ctx, e)
		}
	}
	return nil, nil
}

// plain are the edits for casts, ILIKE, commas and reserved words behind a dot.
func (r *rewriter) plain(extras []*trinosql.Extra) ([]sqltext.Edit, error) {
	var quotes, ends, starts, words []sqltext.Edit
	var calls []call
	for _, e := range extras {
		at, end := e.Words[0], e.Words[1]
		switch e.Kind {
		case trinosql.DottedWord:
			quotes = append(quotes, sqltext.Words(at, at, `"`), sqltext.Words(end, end, `"`))
		case trinosql.TrailingComma:
			words = append(words, sqltext.Edit{From: at, To: end})
		case trinosql.BareFilter:
			ends = append(ends, sqltext.Words(at, end, "WHERE ")) // before the start of a cast
		case trinosql.ColonCast:
			c := e.Node.(*trinosql.Cast)
			_, before := c.X.Span()
			typ, _ := c.Type.Span()
			if r.blank(before, at) && r.blank(end, typ) {
				at, end = before, typ
			}
			words = append(words, sqltext.Words(at, end, " AS "))
			name, err := r.typeName(c.Type)
			if err != nil {
				return nil, err
			}
			if depth := strings.Count(r.text.String()[e.More[0]:e.More[1]], "["); depth > 0 {
				starts = append(starts, sqltext.Words(typ, typ, strings.Repeat("array(", depth)))
				words = append(words, sqltext.Words(e.More[0], e.More[1], strings.Repeat(")", depth)))
			}
			if name != "" {
				_, nameEnd := c.Type.(*trinosql.NamedType).Name.Span()
				words = append(words, sqltext.Words(typ, nameEnd, name))
			}
			calls = append(calls, call{e.Span[0], e.Span[1], "CAST("})
		case trinosql.ILike:
			l := e.Node.(*trinosql.LikeExpr)
			words = append(words, sqltext.Words(at, end, "LIKE"))
			for _, x := range []trinosql.Expr{l.X, l.Pattern} {
				from, to := x.Span()
				calls = append(calls, call{from, to, "lower("})
			}
			if s, ok := l.Escape.(*trinosql.StringLit); l.Escape != nil && (!ok || strings.ToLower(s.Value) !=
				strings.ToUpper(s.Value)) {
				from, _ := l.Escape.Span()
				return nil, r.fail(from, "the escape character of ILIKE is a text that is no letter")
			}
		}
	}
	slices.SortStableFunc(calls, call.around)
	for _, c := range calls {
		starts = append(starts, sqltext.Words(c.from, c.from, c.begin))
		ends = append(ends, sqltext.Words(c.to, c.to, ")"))
	}
	return slices.Concat(quotes, ends, starts, words), nil // at one place what ends comes before what begins
}

// call is a call that is written around an expression.
type call struct {
	from, to int
	begin    string
}

// around sorts a call before one within it. That of ILIKE is around a cast of the same text.
func (c call) around(other call) int {
	return cmp.Or(c.from-other.from, other.to-c.to, strings.Compare(other.begin, c.begin))
}

// typeNames are names of types of other systems.
var typeNames = map[string]string{"text": "varchar", "string": "varchar", "bpchar": "char", "bool": "boolean",
	"int1": "tinyint", "int2": "smallint", "int4": "integer", "int8": "bigint", "long": "bigint",
	"hugeint": "decimal(38,0)", "float": "double", "float4": "real", "float8": "double", "datetime": "timestamp",
	"timestamptz": "timestamp with time zone", "timetz": "time with time zone", "bytea": "varbinary",
	"blob": "varbinary"}

// typeName is the name in Trino of a type that has another one behind ::, else "".
func (r *rewriter) typeName(t trinosql.Type) (string, error) {
	named, ok := t.(*trinosql.NamedType)
	if !ok {
		return "", nil
	}
	name := named.Name.Lower()
	switch from, _ := t.Span(); {
	case name != "numeric" && name != "decimal" && name != "dec":
		return typeNames[name], nil
	case len(named.Params) == 0:
		return "", r.fail(from, "%s needs its digits, such as decimal(18,2): without them Trino rounds to whole "+
			"numbers", name)
	}
	return "decimal", nil
}

// blank reports whether there is only white space between two offsets.
func (r *rewriter) blank(from, to int) bool {
	return from <= to && strings.TrimSpace(r.text.String()[from:to]) == ""
}

// moves are the edits for clauses in another order, of those that contain no other.
func (r *rewriter) moves(extras []*trinosql.Extra) []sqltext.Edit {
	var edits []sqltext.Edit
	for _, e := range extras {
		if e.Kind != trinosql.LeadingFrom && e.Kind != trinosql.LateOffset {
			continue
		}
		from, to := e.Node.Span()
		inner := true
		for _, other := range extras {
			moved := other.Kind == trinosql.LeadingFrom || other.Kind == trinosql.LateOffset
			if at := other.Words[0]; moved && other != e && at >= from && at < to {
				inner = false
			}
		}
		if !inner {
			continue
		}
		if e.More[1] == 0 {
			edits = append(edits, sqltext.Words(from, from, "SELECT * "))
			continue
		}
		gap := e.More[0]
		if r.blank(e.Words[1], gap) {
			gap = e.Words[1]
		}
		edits = append(edits, sqltext.Edit{From: e.Words[0], To: e.Words[0], With: []sqltext.EditPart{
			copyOf(e.More[0], e.More[1]), words(" ")}}, sqltext.Edit{From: gap, To: e.More[1]})
	}
	return edits
}
