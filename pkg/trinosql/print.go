package trinosql

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// String is the text of a tree: one line, keywords in upper case, no more parentheses than needed. Parsing it gives an
// equal tree.
func String(n Node) string { return new(printer).of(n) }

// Writer writes a tree in another way than String does.
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
}

// String is the text of a tree. It may be called from Override, for the text of a part.
func (w *Writer) String(n Node) string {
	p := &printer{w: w}
	outer := w.p
	w.p = p
	defer func() { w.p = outer }()
	return p.of(n)
}

// Put writes text unchanged.
func (w *Writer) Put(parts ...string) { w.p.put(parts...) }

// Write writes a node, an operator in parentheses.
func (w *Writer) Write(n Node) {
	if x, ok := n.(Expr); ok {
		w.p.expr(x, precPrimary)
		return
	}
	w.p.node(n)
}

// List writes expressions with commas between.
func (w *Writer) List(list []Expr) { w.p.exprs(list) }

// OrderBy writes ORDER BY.
func (w *Writer) OrderBy(items []*SortItem) { w.p.orderBy(items, "") }

func (p *printer) of(n Node) string {
	p.node(n)
	return p.String()
}

func (p *printer) overridden(n Node) bool {
	return p.w != nil && p.w.Override != nil && p.w.Override(p.w, n)
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
	case wAll, wArray, wAt, wCurrent, wDouble, wGroups, wInterval, wKey, wOver, wPartition, wPosition, wRange, wRow,
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

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
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
	for i, x := range list {
		if i > 0 {
			p.put(", ")
		}
		p.expr(x, 0)
	}
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
		p.put("(")
		p.query(s.Query)
		p.put(")")
	}
	p.names(s.Name, ".")
	if s.Like != nil {
		p.put(" LIKE ", QuoteText(s.Like.Value))
		if s.Escape != nil {
			p.put(" ESCAPE ", QuoteText(s.Escape.Value))
		}
	}
}
