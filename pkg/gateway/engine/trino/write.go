package trino

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// written is a statement as the cluster gets it: each table is replaced by what it stands for, so that no name is left
// that the cluster would look up in a session. A saved query, and the rows of a source, become queries of WITH before
// those of the statement: they have names that no text has, and see none of the others' names.
type written struct {
	e     *Engine
	of    *engine.Statement
	text  string
	marks []mark
}

// mark is the place in the text of a node.
type mark struct {
	out int
	at  trinosql.Pos
	in  *engine.Relation // the saved query whose text has the node, nil for the statement's own
}

// place is where an offset of the text is in the texts as typed.
func (w *written) place(offset int) (at trinosql.Pos, in *engine.Relation) {
	i, found := slices.BinarySearchFunc(w.marks, offset, func(m mark, o int) int { return m.out - o })
	if !found {
		i--
	}
	if i < 0 {
		return trinosql.Pos{}, nil
	}
	for i+1 < len(w.marks) && w.marks[i+1].out == w.marks[i].out { // the innermost node
		i++
	}
	return w.marks[i].at, w.marks[i].in
}

// explain gives an error of the cluster the place in the text as typed.
func (w *written) explain(ctx context.Context, err error) error {
	err = fault(ctx, w.e.masked(err))
	var e *engine.Error
	if !errors.As(err, &e) || ctx.Err() != nil {
		return err
	}
	if e.Line > 0 {
		at, in := w.place(offset(w.text, e.Line, e.Col))
		e.Line, e.Col = at.Line, at.Col
		if in != nil {
			return w.of.Inside(in, err)
		}
	}
	switch e.Kind {
	case engine.KindUnknownTable, engine.KindUnknownSchema, engine.KindUnknownColumn:
		// The names were found when the statement was analysed.
		return errors.Join(err, engine.ErrOutdated)
	}
	return w.of.ExplainValue(err)
}

// writer writes a statement with the saved queries in it.
type writer struct {
	p       *project
	ctx     context.Context
	prefix  string // begins the names of this writer
	named   map[*engine.Relation]*trinosql.NamedQuery
	entries []*trinosql.NamedQuery
	text    map[*trinosql.Query]piece // of the entries
	used    map[*engine.Relation][]int
	stages  bool           // rows of a source that are too many may be put into a file
	ends    []func() error // removes such files
	aliases int
}

// piece is a part of a text, with the places in it.
type piece struct {
	text  string
	marks []mark
}

// write writes a statement.
func (p *project) write(ctx context.Context, x *engine.Statement) (*written, error) {
	return p.newWriter(ctx, x).all(x)
}

func (p *project) newWriter(ctx context.Context, x *engine.Statement) *writer {
	return &writer{p: p, ctx: ctx, prefix: freshPrefix(x), named: map[*engine.Relation]*trinosql.NamedQuery{},
		text: map[*trinosql.Query]piece{}, used: usedColumns(x)}
}

// all writes the statement of the writer.
func (w *writer) all(x *engine.Statement) (*written, error) {
	of, in, q := x, (*engine.Relation)(nil), *x.Query
	if r, whole := wholeView(x); r != nil { // the cluster would not keep the order of a query in FROM
		of, in, q = r.View, r, *whole
	}
	if err := w.prepare(of); err != nil {
		return nil, err
	}
	if len(w.entries) > 0 {
		with := &trinosql.With{}
		if q.With != nil {
			*with = *q.With
		}
		with.Queries = slices.Concat(w.entries, with.Queries)
		q.With = with
	}
	out, err := w.query(of, in, &q)
	if err != nil {
		return nil, err
	}
	return &written{e: w.p.e, of: x, text: out.text, marks: out.marks}, nil
}

// wholeView returns the saved query of which a statement reads all columns and the first rows, and its text with the
// limit of the statement.
func wholeView(x *engine.Statement) (*engine.Relation, *trinosql.Query) {
	body, ok := x.Query.Body.(*trinosql.Select)
	if !ok || x.Query.With != nil || x.Query.Routines != nil || len(x.Query.OrderBy) > 0 || x.Query.Offset != nil ||
		x.Query.WithTies || len(body.From) != 1 || len(body.Items) != 1 || body.Where != nil || body.GroupBy != nil ||
		body.Having != nil || body.Distinct || body.Windows != nil {
		return nil, nil
	}
	star, isStar := body.Items[0].(*trinosql.SelectStar)
	ref, isTable := body.From[0].(*trinosql.TableRef)
	if !isStar || !isTable || star.Target != nil || star.Columns != nil || ref.PeriodKind != "" {
		return nil, nil
	}
	use := x.Analysis.Tables[ref]
	if use == nil || use.Table == nil {
		return nil, nil
	}
	r, limit := x.Relations[use.Table], x.Query.Limit
	if _, isNumber := limit.(*trinosql.IntLit); limit != nil && !isNumber || r == nil || r.View == nil ||
		r.View.Query.Routines != nil || limit != nil && r.View.Query.Limit != nil {
		return nil, nil
	}
	q := *r.View.Query
	if limit != nil {
		q.Limit = limit
	}
	return r, &q
}

// freshPrefix begins no name in the texts of a statement.
func freshPrefix(x *engine.Statement) string {
	prefix := "~"
	look := func(x *engine.Statement) {
		trinosql.Inspect(x.Query, func(n trinosql.Node) bool {
			if id, ok := n.(*trinosql.Ident); ok {
				for strings.HasPrefix(id.Name, prefix) {
					prefix += "~"
				}
			}
			return true
		})
	}
	look(x)
	for _, r := range x.Reads() {
		if r.View != nil {
			look(r.View)
		}
	}
	return prefix
}

// prepare writes the entries for the tables of a statement.
func (w *writer) prepare(x *engine.Statement) error {
	for _, r := range x.Named() {
		if w.named[r] != nil || r.Base != nil {
			continue
		}
		var body piece
		var err error
		columns := make([]int, len(r.Table.Columns))
		for i := range columns {
			columns[i] = i
		}
		switch {
		case r.View != nil:
			if err = w.prepare(r.View); err == nil && r.View.Query.Routines != nil {
				err = &engine.Error{Kind: engine.KindUnsupported, Err: engine.ErrNotSupported,
					Message: "WITH FUNCTION is not supported in a saved query on a cluster"}
			}
			if err == nil {
				body, err = w.query(r.View, r, r.View.Query)
			}
		default:
			if columns = w.used[r]; len(columns) == 0 { // the rows are only counted
				columns = []int{0}
			}
			body.text, err = w.rows(r, columns)
		}
		if err != nil {
			return x.InRelation(r, err)
		}
		n := &trinosql.NamedQuery{Name: w.name(), Query: &trinosql.Query{}}
		for _, i := range columns {
			if r.View != nil && repeated(r.Table.Columns) { // those of its text
				break
			}
			n.Columns = append(n.Columns, &trinosql.Ident{Name: r.Table.Columns[i].Name, Quoted: true})
		}
		w.named[r], w.text[n.Query] = n, body
		w.entries = append(w.entries, n)
	}
	return nil
}

// repeated reports whether columns have one name.
func repeated(columns []analyze.TableColumn) bool {
	seen := map[string]bool{}
	for _, c := range columns {
		if name := strings.ToLower(c.Name); seen[name] {
			return true
		} else {
			seen[name] = true
		}
	}
	return false
}

// name is a new name.
func (w *writer) name() *trinosql.Ident {
	w.aliases++
	return &trinosql.Ident{Name: fmt.Sprint(w.prefix, w.aliases), Quoted: true}
}

// text1 writes the text of one query: a statement, or a saved one.
type text1 struct {
	*writer
	x     *engine.Statement
	in    *engine.Relation
	marks []mark

	owner   map[*analyze.Field]trinosql.Node        // the reference that a column is of, if it gets a name
	alias   map[trinosql.Node]*trinosql.Ident       // the names of references that have none
	stars   map[*trinosql.SelectStar]*analyze.Field // a column of the table that a star names
	bare    map[trinosql.Node]bool                  // references that get no name: they have one, or cannot have any
	counts  map[*trinosql.Param]bool                // of LIMIT, OFFSET and FETCH
	pattern map[trinosql.Node]bool                  // expressions in which a qualifier is a variable of a pattern
}

func (w *writer) query(x *engine.Statement, in *engine.Relation, q *trinosql.Query) (piece, error) {
	t := &text1{writer: w, x: x, in: in, owner: map[*analyze.Field]trinosql.Node{},
		alias: map[trinosql.Node]*trinosql.Ident{}, stars: map[*trinosql.SelectStar]*analyze.Field{},
		bare: map[trinosql.Node]bool{}, counts: map[*trinosql.Param]bool{}, pattern: map[trinosql.Node]bool{}}
	t.look()
	out := &trinosql.Writer{Override: t.override}
	text, err := out.Print(func() { out.Write(q) })
	var refused *trinosql.Unsupported
	if errors.As(err, &refused) {
		err = engine.Placed(refused.At, &engine.Error{Kind: engine.KindUnsupported, Message: refused.Msg, Err: err})
	}
	return piece{text, t.marks}, err
}

// look finds out about the nodes what their parents decide.
func (t *text1) look() {
	a := t.x.Analysis
	trinosql.Inspect(t.x.Query, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Aliased:
			t.bare[n.Relation] = true
		case *trinosql.TableArg:
			if n.Table != nil {
				t.bare[n.Table] = true
			}
		case *trinosql.Query:
			for _, x := range []trinosql.Expr{n.Limit, n.Offset} {
				if p, ok := x.(*trinosql.Param); ok {
					t.counts[p] = true
				}
			}
		case *trinosql.RowPatterns:
			trinosql.Inspect(n, func(n trinosql.Node) bool { t.pattern[n] = true; return true })
		case *trinosql.TableRef:
			use := a.Tables[n]
			if use == nil || use.Table == nil || t.bare[n] {
				break
			}
			t.alias[n] = t.name()
			for _, f := range use.Fields {
				t.owner[f] = n
			}
		}
		return true
	})
	for _, s := range a.Selects {
		for _, item := range s.Items {
			if item.Star != nil && item.Star.Target != nil && item.Source != nil {
				t.stars[item.Star] = item.Source
			}
		}
	}
}

func (t *text1) override(w *trinosql.Writer, n trinosql.Node) bool {
	switch n := n.(type) {
	case *trinosql.Query:
		if e, ok := t.text[n]; ok {
			for _, m := range e.marks {
				t.marks = append(t.marks, mark{w.Len() + m.out, m.at, m.in})
			}
			w.Put(e.text)
			return true
		}
	case *trinosql.TableRef:
		t.mark(w, n)
		return t.table(w, n)
	case *trinosql.TableBody:
		t.mark(w, n)
		use := t.x.Analysis.Tables[n]
		if use == nil || use.Table == nil {
			return false
		}
		r := t.relation(use)
		if e := t.named[r]; e != nil {
			w.Put("TABLE ", sqltext.Quote(e.Name.Name))
		} else {
			w.Put(t.p.base(r.Base))
		}
		return true
	case *trinosql.Deref:
		t.mark(w, n)
		ref := t.x.Analysis.Columns[n]
		if ref == nil || t.pattern[n] || t.owner[ref.Field] == nil {
			return false
		}
		w.Put(sqltext.Quote(t.alias[t.owner[ref.Field]].Name, ref.Field.Name))
		return true
	case *trinosql.SelectStar:
		t.mark(w, n)
		f := t.stars[n]
		if f == nil || t.owner[f] == nil {
			return false
		}
		w.Put(sqltext.Quote(t.alias[t.owner[f]].Name), ".*")
		if n.Columns != nil {
			names := make([]string, len(n.Columns))
			for i, c := range n.Columns {
				names[i] = c.Name
			}
			w.Put(" AS (", sqltext.List(names), ")")
		}
		return true
	case *trinosql.Param:
		t.mark(w, n)
		if v := t.x.Params[n.Index]; t.counts[n] {
			w.Put(v.Text)
		} else {
			w.Put(literal(v))
		}
		return true
	case *trinosql.Current:
		t.mark(w, n)
		value, ok := map[string]string{"CURRENT_CATALOG": t.x.Catalog, "CURRENT_SCHEMA": t.x.Schema,
			"CURRENT_USER": t.x.User}[n.What]
		if ok {
			w.Put(literal(engine.Param{Type: types.Of(types.Varchar), Text: value}))
		}
		return ok
	}
	t.mark(w, n)
	return false
}

// mark notes the place of a node in the text.
func (t *text1) mark(w *trinosql.Writer, n trinosql.Node) {
	if at := n.Pos(); at.Line > 0 {
		t.marks = append(t.marks, mark{w.Len(), at, t.in})
	}
}

func (t *text1) relation(use *analyze.TableUse) *engine.Relation {
	r := t.x.Relations[use.Table]
	if r == nil {
		trinosql.Fail(engine.Defect("the statement reads a table that was not resolved"))
	}
	return r
}

// table writes a reference to a table.
func (t *text1) table(w *trinosql.Writer, n *trinosql.TableRef) bool {
	use := t.x.Analysis.Tables[n]
	switch {
	case use == nil:
		trinosql.Fail(engine.Defect("the statement reads a table that was not analysed"))
	case n.PeriodKind != "":
		trinosql.Refuse(n, "FOR %s AS OF is not supported: the gateway names no versions of a table", n.PeriodKind)
	case use.Table == nil: // a query of WITH
		return false
	}
	r := t.relation(use)
	if e := t.named[r]; e != nil {
		w.Put(sqltext.Quote(e.Name.Name))
	} else {
		w.Put("(", t.p.base(r.Base), ")")
	}
	if id := t.alias[n]; id != nil {
		w.Put(" AS ", sqltext.Quote(id.Name))
	}
	return true
}

// literal writes a value.
func literal(p engine.Param) string {
	text := p.Text
	switch p.Type.Kind {
	case types.Boolean:
		return text
	case types.Timestamp, types.TimestampTZ:
		if i := strings.IndexAny(text, "T "); i >= 0 {
			text = text[:i] + " " + text[i+1:]
		}
	}
	return "CAST(" + sqltext.Literal(text) + " AS " + p.Type.Signature() + ")"
}
