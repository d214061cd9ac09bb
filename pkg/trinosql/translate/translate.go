package translate

import (
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
	tables map[*analyze.Table][][]string
}

// Used reports for each column of a table whether the text refers to it, or seems to.
func (s *Statement) Used(t *analyze.Table) []bool {
	out := make([]bool, len(t.Columns))
	for _, columns := range s.tables[t] {
		for i, c := range columns {
			out[i] = out[i] || strings.Count(s.SQL, c) > 1
		}
	}
	return out
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

// Query translates an analysed query. The error is a *trinosql.Unsupported or one of Options.Table.
func Query(q *trinosql.Query, a *analyze.Analysis, o Options) (*Statement, error) {
	p := newPrinter(a, o)
	s := &Statement{Columns: a.Output, fields: p.fields, tables: p.tables}
	text, err := p.w.Print(func() {
		p.query(q)
		s.Zones = p.outputZones(q)
	})
	if err != nil {
		return nil, err
	}
	s.SQL = sliced(text)
	return s, nil
}

// printer writes one statement.
type printer struct {
	a    *analyze.Analysis
	o    Options
	w    *trinosql.Writer
	made int // number of generated names

	fields  map[*analyze.Field]string            // the references of columns
	tables  map[*analyze.Table][][]string        // the names of the columns of each use
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
	wide       bool             // whether decimals are computed in 128 bits
}

// namedQuery is a query of WITH.
type namedQuery struct {
	name    string
	columns []string
	depth   string // of a recursive query: the column that counts the steps
	ref     string // its reference in the step
}

func newPrinter(a *analyze.Analysis, o Options) *printer {
	p := &printer{a: a, o: o, fields: map[*analyze.Field]string{}, tables: map[*analyze.Table][][]string{},
		lambdas: map[*trinosql.Lambda][]string{},
		named:   map[*trinosql.NamedQuery]*namedQuery{}, literal: map[trinosql.Expr]string{}}
	p.w = &trinosql.Writer{Override: func(_ *trinosql.Writer, n trinosql.Node) bool {
		switch n := n.(type) {
		case trinosql.Expr:
			p.expr(n)
		case *trinosql.Query:
			p.query(n)
		default:
			return false
		}
		return true
	}}
	return p
}

// put writes operands and, as trinosql.Writer does, texts and nodes.
func (p *printer) put(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case operand:
			part.write()
		case *conversion:
			part.write()
		case []operand:
			p.list(len(part), func(i int) { part[i].write() })
		default:
			p.w.Put(part)
		}
	}
}

// name generates a unique name: ~r1 in quotes.
func (p *printer) name(letter string) string {
	p.made++
	return `"~` + letter + strconv.Itoa(p.made) + `"`
}

// list calls write n times, and writes commas between.
func (p *printer) list(n int, write func(i int)) { p.w.Join(", ", n, write) }

// allNotNull writes the condition that no operand is NULL.
func (p *printer) allNotNull(args []operand) {
	p.w.Join(" AND ", len(args), func(i int) { p.put(args[i], " IS NOT NULL") })
}

// capture returns what write writes.
func (p *printer) capture(write func()) string { return p.w.Capture(write) }

const noPatterns = "DuckDB has no row pattern recognition"

// keyword is the place of the keyword of a node.
type keyword struct{ trinosql.Node }

func (k keyword) Pos() trinosql.Pos { return k.Node.(interface{ Clause() trinosql.Pos }).Clause() }

// refuse ends the translation with a *trinosql.Unsupported.
func (p *printer) refuse(n trinosql.Node, format string, args ...any) {
	trinosql.Refuse(n, format, args...)
}
