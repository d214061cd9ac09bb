package translate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// Options are the inputs of a translation besides the statement.
type Options struct {
	// Table prints the text in FROM for a table, with all its columns in order, hidden ones included.
	Table func(t *analyze.Table) (string, error)
	// Catalog, Schema and User are the values of current_catalog and similar.
	Catalog, Schema, User string
	// Param prints the value of a ?, with the type passed to the analysis. Nil if there are no parameters.
	Param func(i int) string
}

// Statement is a translated statement.
type Statement struct {
	SQL string
	// Columns are the columns of the result. They have other names in the text.
	Columns []analyze.Column
	// Zones are the time zones in which the instants of the columns are displayed, "" for UTC. It is nil if all are
	// UTC.
	Zones []string

	fields map[*analyze.Field]string
}

// Names maps generated column names, without quotes, to the users' names.
func (s *Statement) Names() map[string]string {
	out := map[string]string{}
	for f, ref := range s.fields {
		if i := strings.LastIndex(ref, `"~`); i >= 0 && f.Name != "" {
			out[strings.Trim(ref[i:], `"`)] = f.Name
		}
	}
	return out
}

// Unsupported is the error for a construct that is valid in Trino and not supported by this package.
type Unsupported struct {
	At  trinosql.Pos
	Msg string
}

func (e *Unsupported) Error() string {
	if e.At.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d:%d: %s", e.At.Line, e.At.Col, e.Msg)
}

// Query translates an analysed query. The error is an *Unsupported or one of Options.Table.
func Query(q *trinosql.Query, a *analyze.Analysis, o Options) (s *Statement, err error) {
	p := newPrinter(a, o)
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			s, err = nil, f.err
		}
	}()
	p.query(q)
	return &Statement{SQL: sliced(p.text.String()), Columns: a.Output, Zones: p.outputZones(q), fields: p.fields}, nil
}

// failure carries an error up to Query.
type failure struct{ err error }

// printer writes one statement.
type printer struct {
	a    *analyze.Analysis
	o    Options
	text strings.Builder
	made int // number of generated names

	fields  map[*analyze.Field]string            // the references of columns
	lambdas map[*trinosql.Lambda][]string        // the names of the parameters
	named   map[*trinosql.NamedQuery]*namedQuery // of WITH
	literal map[trinosql.Expr]string             // temporary replacements of expressions
	columns []string                             // the column names of the query being written
	tried   *tried                               // the TRY being written
	// the text of keys of GROUP BY that are not columns, by analyze.Analysis.Key
	grouped    map[int]string
	outGrouped []map[int]string // grouped of the outer queries that have such keys
	inGroups   bool             // whether rows are grouped in the current SELECT
	own        string           // the reference of a column of the current SELECT
	zones      *zones           // nil until needed
}

// namedQuery is a query of WITH.
type namedQuery struct {
	name    string
	columns []string
	depth   string // of a recursive query: the column that counts the steps
	ref     string // its reference in the step
}

func newPrinter(a *analyze.Analysis, o Options) *printer {
	return &printer{a: a, o: o, fields: map[*analyze.Field]string{}, lambdas: map[*trinosql.Lambda][]string{},
		named: map[*trinosql.NamedQuery]*namedQuery{}, literal: map[trinosql.Expr]string{}}
}

// put writes texts.
func (p *printer) put(texts ...string) {
	for _, s := range texts {
		p.text.WriteString(s)
	}
}

// name generates a unique name: ~r1 in quotes.
func (p *printer) name(letter string) string {
	p.made++
	return `"~` + letter + strconv.Itoa(p.made) + `"`
}

// list calls write n times, and writes commas between.
func (p *printer) list(n int, write func(i int)) {
	for i := range n {
		if i > 0 {
			p.put(", ")
		}
		write(i)
	}
}

// allNotNull writes the condition that no operand is NULL.
func (p *printer) allNotNull(args []operand) {
	for i, a := range args {
		if i > 0 {
			p.put(" AND ")
		}
		a.write()
		p.put(" IS NOT NULL")
	}
}

// capture returns what write writes.
func (p *printer) capture(write func()) string {
	outer := p.text
	p.text = strings.Builder{}
	defer func() { p.text = outer }()
	write()
	return p.text.String()
}

const noPatterns = "DuckDB has no row pattern recognition"

// keyword is the place of the keyword of a node.
type keyword struct{ trinosql.Node }

func (k keyword) Pos() trinosql.Pos { return k.Node.(interface{ Clause() trinosql.Pos }).Clause() }

// refuse ends the translation with an *Unsupported.
func (p *printer) refuse(n trinosql.Node, format string, args ...any) {
	e := &Unsupported{Msg: fmt.Sprintf(format, args...)}
	if n != nil {
		e.At = n.Pos()
	}
	panic(failure{e})
}
