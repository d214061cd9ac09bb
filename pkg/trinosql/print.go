package trinosql

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// String is the text of a tree: one line, keywords in upper case, no more parentheses than needed. Parsing it gives an equal tree.
func String(n Node) string { return new(printer).of(n) }

// Writer writes a tree in another way than String does.
type Writer struct {
	p *printer
	// Override writes a node, or returns false to leave it to the usual form, for which it is asked again about the nodes below. It is asked
	// about statements, bodies of queries, items of select lists and ORDER BY, relations, expressions, types and names.
	Override func(w *Writer, n Node) bool
	// Quoted writes a name, of which quoted says whether it had quotes. Nil is the way of Trino.
	Quoted func(name string, quoted bool) string
	// Text writes a string literal. Nil is the way of Trino.
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

// Put writes text as it is.
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

// QuoteName writes a name so that it is read as itself: quoted where it must be.
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

// ambiguous words may be names, but mean something else in places where a name may stand.
func ambiguous(w word) bool {
	switch w {
	case wAll, wArray, wAt, wCurrent, wDouble, wGroups, wInterval, wKey, wOver, wPartition, wPosition, wRange, wRow, wRows, wSubstring, wTryCast, wUnbounded,
		wAbsent, wReturning, wFilter, wIgnore, wRespect, wLateral, wLimit, wOffset, wFetch, wWindow, wTablesample, wMatchRecognize, wAny, wSome,
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

func (p *printer) query(q *Query) {
	if p.overridden(q) {
		return
	}
	if q.With != nil {
		p.put("WITH ")
		if q.With.Recursive {
			p.put("RECURSIVE ")
		}
		for i, n := range q.With.Queries {
			if i > 0 {
				p.put(", ")
			}
			p.name(n.Name)
			p.nameList(n.Columns)
			p.put(" AS (")
			p.query(n.Query)
			p.put(")")
		}
		p.put(" ")
	}
	p.body(q.Body)
	p.orderBy(q.OrderBy, " ")
	if q.Offset != nil {
		p.put(" OFFSET ")
		p.expr(q.Offset, 0)
	}
	switch {
	case q.Fetch:
		p.put(" FETCH FIRST ")
		if q.Limit != nil {
			p.expr(q.Limit, 0)
			p.put(" ")
		}
		p.put("ROWS ")
		if q.WithTies {
			p.put("WITH TIES")
		} else {
			p.put("ONLY")
		}
	case q.LimitAll:
		p.put(" LIMIT ALL")
	case q.Limit != nil:
		p.put(" LIMIT ")
		p.expr(q.Limit, 0)
	}
}

func (p *printer) body(b QueryBody) {
	if p.overridden(b) {
		return
	}
	switch b := b.(type) {
	case *Select:
		p.selectBody(b)
	case *Values:
		p.put("VALUES ")
		p.exprs(b.Rows)
	case *TableBody:
		p.put("TABLE ")
		p.names(b.Name, ".")
	case *SubqueryBody:
		p.put("(")
		p.query(b.Query)
		p.put(")")
	case *SetOp:
		p.body(b.Left)
		p.put(" ", b.Op, " ")
		if b.All {
			p.put("ALL ")
		}
		if b.Distinct {
			p.put("DISTINCT ")
		}
		p.body(b.Right)
	}
}

func (p *printer) quantifier(distinct, all bool) {
	if distinct {
		p.put("DISTINCT ")
	}
	if all {
		p.put("ALL ")
	}
}

func (p *printer) selectBody(s *Select) {
	p.put("SELECT ")
	p.quantifier(s.Distinct, s.All)
	for i, item := range s.Items {
		if i > 0 {
			p.put(", ")
		}
		p.selectItem(item)
	}
	for i, r := range s.From {
		if i == 0 {
			p.put(" FROM ")
		} else {
			p.put(", ")
		}
		p.relation(r)
	}
	if s.Where != nil {
		p.put(" WHERE ")
		p.expr(s.Where, 0)
	}
	if g := s.GroupBy; g != nil {
		p.put(" GROUP BY ")
		p.quantifier(g.Distinct, g.All)
		for i, e := range g.Elements {
			if i > 0 {
				p.put(", ")
			}
			p.grouping(e)
		}
	}
	if s.Having != nil {
		p.put(" HAVING ")
		p.expr(s.Having, 0)
	}
	for i, w := range s.Windows {
		if i == 0 {
			p.put(" WINDOW ")
		} else {
			p.put(", ")
		}
		p.name(w.Name)
		p.put(" AS ")
		p.window(w.Window)
	}
}

func (p *printer) selectItem(item SelectItem) {
	if p.overridden(item) {
		return
	}
	switch item := item.(type) {
	case *SelectStar:
		if item.Target != nil {
			p.expr(item.Target, precPrimary)
			p.put(".")
		}
		p.put("*")
		if item.Columns != nil {
			p.put(" AS")
			p.nameList(item.Columns)
		}
	case *SelectExpr:
		p.expr(item.Expr, 0)
		if item.Alias != nil {
			p.put(" AS ")
			p.name(item.Alias)
		}
	}
}

func (p *printer) grouping(e *GroupingElement) {
	if e.Kind != "" {
		p.put(e.Kind, " (")
	}
	for i, s := range e.Sets {
		if i > 0 {
			p.put(", ")
		}
		if !s.Bare {
			p.put("(")
		}
		p.exprs(s.Exprs)
		if !s.Bare {
			p.put(")")
		}
	}
	if e.Kind != "" {
		p.put(")")
	}
}

func (p *printer) orderBy(items []*SortItem, before string) {
	for i, s := range items {
		if i == 0 {
			p.put(before, "ORDER BY ")
		} else {
			p.put(", ")
		}
		p.sortItem(s)
	}
}

func (p *printer) sortItem(s *SortItem) {
	if p.overridden(s) {
		return
	}
	p.expr(s.Expr, 0)
	if s.Desc {
		p.put(" DESC")
	}
	if s.Asc {
		p.put(" ASC")
	}
	if s.Nulls != "" {
		p.put(" NULLS ", s.Nulls)
	}
}

func (p *printer) relation(r Relation) {
	if p.overridden(r) {
		return
	}
	switch r := r.(type) {
	case *TableRef:
		p.names(r.Name, ".")
		if r.PeriodKind != "" {
			p.put(" FOR ", r.PeriodKind, " AS OF ")
			p.expr(r.Period, precConcat)
		}
	case *SubqueryRel:
		p.put("(")
		p.query(r.Query)
		p.put(")")
	case *ParenRel:
		p.put("(")
		p.relation(r.Relation)
		p.put(")")
	case *Unnest:
		p.put("UNNEST (")
		p.exprs(r.Exprs)
		p.put(")")
		if r.Ordinality {
			p.put(" WITH ORDINALITY")
		}
	case *Lateral:
		p.put("LATERAL (")
		p.query(r.Query)
		p.put(")")
	case *Aliased:
		p.relation(r.Relation)
		p.put(" AS ")
		p.name(r.Alias)
		p.nameList(r.Columns)
	case *Sampled:
		p.relation(r.Relation)
		p.put(" TABLESAMPLE ", r.Method, " (")
		p.expr(r.Percentage, 0)
		p.put(")")
	case *Join:
		p.relation(r.Left)
		if r.Natural {
			p.put(" NATURAL")
		}
		p.put(" ", r.Kind, " JOIN ")
		p.relation(r.Right)
		if r.On != nil {
			p.put(" ON ")
			p.expr(r.On, 0)
		}
		if r.Using != nil {
			p.put(" USING")
			p.nameList(r.Using)
		}
	}
}
