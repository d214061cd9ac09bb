package trinosql

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// String is the text of a tree: one line, keywords in upper case, no more parentheses than needed. Parsing it gives an
// equal tree.
func String(n Node) string { return new(printer).of(n) }

// Writer writes a tree in another way than String does, such as in another dialect: what both write alike is written
// once, here.
type Writer struct {
	p *printer
	// Override writes a node, or returns false for the usual form, in which it is called for the nodes below. It is
	// called for statements, bodies of queries, items of select lists and ORDER BY, relations, expressions, types and
	// names.
	Override func(w *Writer, n Node) bool
	// Quoted writes a name; quoted reports whether it had quotes. nil: in Trino's form.
	Quoted func(name string, quoted bool) string
	// Text writes a string literal. nil: in Trino's form.
	Text func(text string) string

	usual Node // is not to be overridden
}

// Unsupported is the error for a construct that a dialect does not have.
type Unsupported struct {
	At  Pos // zero for none
	Msg string
}

func (e *Unsupported) Error() string {
	if e.At.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d:%d: %s", e.At.Line, e.At.Col, e.Msg)
}

// failure carries an error up to Print.
type failure struct{ err error }

// Fail ends Print with an error.
func Fail(err error) { panic(failure{err}) }

// Refuse ends Print with an *Unsupported.
func Refuse(n Node, format string, args ...any) {
	e := &Unsupported{Msg: fmt.Sprintf(format, args...)}
	if n != nil {
		e.At = n.Pos()
	}
	Fail(e)
}

// Print returns what write writes, or the error of Fail or Refuse.
func (w *Writer) Print(write func()) (text string, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			text, err = "", r.err
		default:
			panic(r)
		}
	}()
	return w.Capture(write), nil
}

// Capture returns what write writes, without writing it.
func (w *Writer) Capture(write func()) string {
	outer := w.p
	w.p = &printer{w: w}
	defer func() { w.p = outer }()
	write()
	return w.p.String()
}

// Len is the length of what is written so far.
func (w *Writer) Len() int { return w.p.Len() }

// String is the text of a node.
func (w *Writer) String(n Node) string { return w.Capture(func() { w.p.node(n) }) }

// Put writes text unchanged, nodes as Write does, lists of expressions with commas between, and what functions write.
func (w *Writer) Put(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			w.p.put(part)
		case []Expr:
			w.p.exprs(part)
		case Node:
			w.Write(part)
		case func():
			part()
		default:
			panic(fmt.Sprintf("a %T cannot be written", part))
		}
	}
}

// Join calls write n times, and writes a separator between.
func (w *Writer) Join(separator string, n int, write func(i int)) {
	for i := range n {
		if i > 0 {
			w.Put(separator)
		}
		write(i)
	}
}

// Write writes a node, an operator in parentheses.
func (w *Writer) Write(n Node) {
	if x, ok := n.(Expr); ok {
		w.p.expr(x, precPrimary)
		return
	}
	w.p.node(n)
}

// Usual writes a node in the usual form.
func (w *Writer) Usual(n Node) {
	w.usual = n
	w.Write(n)
}

// Fill writes a template, with nodes for $1 and so on.
func (w *Writer) Fill(template string, nodes ...Expr) {
	from := 0
	for i := 0; i+1 < len(template); i++ {
		if template[i] == '$' && digit(template[i+1]) {
			w.Put(template[from:i], nodes[template[i+1]-'1'])
			from = i + 2
		}
	}
	w.Put(template[from:])
}

// OrderBy writes ORDER BY.
func (w *Writer) OrderBy(items []*SortItem) { w.p.orderBy(items, "") }

func (p *printer) of(n Node) string {
	p.node(n)
	return p.String()
}

func (p *printer) overridden(n Node) bool {
	if p.w == nil || p.w.Override == nil {
		return false
	}
	if p.w.usual == n {
		p.w.usual = nil
		return false
	}
	return p.w.Override(p.w, n)
}

func (p *printer) text(s string) {
	if p.w != nil && p.w.Text != nil {
		p.put(p.w.Text(s))
		return
	}
	p.put(QuoteText(s))
}

func (p *printer) node(n Node) {
	switch n := n.(type) {
	case Statement:
		p.statement(n)
	case Expr:
		p.expr(n, 0)
	case Relation:
		p.relation(n)
	case QueryBody:
		p.body(n)
	case Type:
		p.dataType(n)
	case SelectItem:
		p.selectItem(n)
	case *SortItem:
		p.sortItem(n)
	case *WindowSpec:
		p.window(n)
	default:
		p.put(fmt.Sprintf("<%T>", n))
	}
}

// QuoteName writes a name, in quotes where they are needed.
func QuoteName(name string) string {
	if !plainName(name) || Reserved(name) || ambiguous(lookup(name)) {
		return sqltext.Quote(name)
	}
	return name
}

// QuoteText writes a string literal.
func QuoteText(text string) string { return sqltext.Literal(text) }

func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !namePart(s[i]) || i == 0 && digit(s[i]) {
			return false
		}
	}
	return s != ""
}

// ambiguous words may be names, but have another meaning in some places where a name is allowed.
func ambiguous(w word) bool {
	switch w {
	case wAuto, wExecute, // reserved in some versions of Trino
		wAll, wArray, wAt, wCurrent, wDouble, wGroups, wInterval, wKey, wOver, wPartition, wPosition, wRange, wRow,
		wRows, wSubstring, wTryCast, wUnbounded,
		wAbsent, wReturning, wFilter, wIgnore, wRespect, wLateral, wLimit, wOffset, wFetch, wWindow, wTablesample,
		wMatchRecognize, wAny, wSome,
		wBoth, wLeading, wTrailing, wTime, wTimestamp, wMap:
		return true
	}
	return false
}

type printer struct {
	strings.Builder
	w *Writer // nil for Trino's own form
}

// tight is an expression that is written as an operand of a predicate.
type tight struct{ Expr }

// put writes texts, nodes and lists of expressions.
func (p *printer) put(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			p.WriteString(part)
		case []Expr:
			p.exprs(part)
		case tight:
			p.expr(part.Expr, precConcat)
		case Node:
			p.node(part)
		}
	}
}

func (p *printer) name(id *Ident) {
	if p.w != nil && p.w.Quoted != nil {
		p.put(p.w.Quoted(id.Name, id.Quoted))
		return
	}
	if id.Quoted {
		p.put(sqltext.Quote(id.Name))
		return
	}
	p.put(QuoteName(id.Name))
}

func (p *printer) names(ids []*Ident, sep string) {
	for i, id := range ids {
		if i > 0 {
			p.put(sep)
		}
		p.name(id)
	}
}

func (p *printer) nameList(ids []*Ident) {
	if ids != nil {
		p.put(" (")
		p.names(ids, ", ")
		p.put(")")
	}
}

func (p *printer) exprs(list []Expr) {
	p.each(len(list), func(i int) { p.expr(list[i], 0) })
}

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *Query:
		p.query(s)
	case *Explain:
		p.put("EXPLAIN ")
		if s.Analyze {
			p.put("ANALYZE ")
		}
		if s.Verbose {
			p.put("VERBOSE ")
		}
		var options []string
		if s.Type != "" {
			options = append(options, "TYPE "+s.Type)
		}
		if s.Format != "" {
			options = append(options, "FORMAT "+s.Format)
		}
		if options != nil {
			p.put("(", strings.Join(options, ", "), ") ")
		}
		p.statement(s.Statement)
	case *Show:
		p.show(s)
	case *Describe:
		if s.Output {
			p.put("DESCRIBE OUTPUT ")
		} else {
			p.put("DESCRIBE INPUT ")
		}
		p.name(s.Name)
	case *Other:
		p.put("<", s.Kind, ">")
	}
}

func (p *printer) show(s *Show) {
	p.put("SHOW ", s.What)
	switch {
	case s.What == "STATS":
		p.put(" FOR ")
	case strings.HasPrefix(s.What, "CREATE "):
		p.put(" ")
	case s.What == "GRANTS" && s.Name != nil:
		p.put(" ON ")
	case s.Name != nil:
		p.put(" FROM ")
	}
	if s.Query != nil {
		p.put("(", s.Query, ")")
	}
	p.names(s.Name, ".")
	if s.Like != nil {
		p.put(" LIKE ", QuoteText(s.Like.Value))
		if s.Escape != nil {
			p.put(" ESCAPE ", QuoteText(s.Escape.Value))
		}
	}
}
