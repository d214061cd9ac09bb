package translate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// Options are what a translation needs beside the statement.
type Options struct {
	// Table prints what stands in FROM for a table: what gives its columns in their order, hidden ones included.
	Table func(t *analyze.Table) (string, error)
	// Catalog, Schema and User are what current_catalog and similar give.
	Catalog, Schema, User string
	// Param prints the value given for ?, of the type that the analysis was told. Nil when there are no parameters.
	Param func(i int) string
}

// Statement is a translated statement.
type Statement struct {
	SQL string
	// Columns are those of the result. In the text they have other names.
	Columns []analyze.Column
	// Zones are the time zones in which the instants of the columns are shown, "" for UTC. It is nil when all are shown in UTC.
	Zones []string

	fields map[*analyze.Field]string
}

// Names are the users' names of the columns whose names in the text the translation made, without quotes.
func (s *Statement) Names() map[string]string {
	out := map[string]string{}
	for f, ref := range s.fields {
		if i := strings.LastIndex(ref, `"~`); i >= 0 && f.Name != "" {
			out[strings.Trim(ref[i:], `"`)] = f.Name
		}
	}
	return out
}

// Unsupported is an error about what Trino would compute and this package does not.
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
	made int // names made so far

	fields  map[*analyze.Field]string            // how a column is referred to
	lambdas map[*trinosql.Lambda][]string        // the parameters' names
	named   map[*trinosql.NamedQuery]*namedQuery // of WITH
	literal map[trinosql.Expr]string             // what an expression is printed as for now
	columns []string                             // the names of the columns of the query that is written
	tried   *tried                               // what TRY is written now
	grouped map[int]string                       // the text of keys of GROUP BY that are not columns, by analyze.Analysis.Key
	gathers bool                                 // whether what is written is of groups of rows
	zones   *zones                               // nil until one is asked for
}

// namedQuery is a query of WITH.
type namedQuery struct {
	name    string
	columns []string
	depth   string // of a recursive one: the column that counts the steps
	ref     string // and what it is called where the step reads it
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

// name makes a name that no other has: ~r1 with quotes.
func (p *printer) name(letter string) string {
	p.made++
	return `"~` + letter + strconv.Itoa(p.made) + `"`
}

// list writes n things with commas between.
func (p *printer) list(n int, write func(i int)) {
	for i := range n {
		if i > 0 {
			p.put(", ")
		}
		write(i)
	}
}

// allGiven writes the condition that no operand is NULL.
func (p *printer) allGiven(args []operand) {
	for i, a := range args {
		if i > 0 {
			p.put(" AND ")
		}
		a.write()
		p.put(" IS NOT NULL")
	}
}

// apart returns what a function writes, without writing it.
func (p *printer) apart(write func()) string {
	outer := p.text
	p.text = strings.Builder{}
	defer func() { p.text = outer }()
	write()
	return p.text.String()
}

// refuse ends the translation.
func (p *printer) refuse(n trinosql.Node, format string, args ...any) {
	e := &Unsupported{Msg: fmt.Sprintf(format, args...)}
	if n != nil {
		e.At = n.Pos()
	}
	panic(failure{e})
}
