//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// dialectDuck is the Query.Dialect of DuckDB's own SQL; any other is Trino's.
const dialectDuck = "duckdb"

// fault is an error about a place of the text that is being worked on.
type fault struct {
	pos int
	e   engine.Error
}

func (f *fault) Error() string { return f.e.Message }
func (f *fault) Unwrap() error { return &f.e }

// translation is a statement ready for DuckDB.
type translation struct {
	original string
	layers   []edited // in the order they were applied
	text     string
	tree     *tree
	params   int
	trino    *trinoText      // of a statement in Trino's dialect, nil when it goes through DuckDB's tree
	doubled  map[string]bool // names that saved queries give to two columns
	columns  outColumns      // of a text that becomes a table or a view, where some have one name
}

// place gives an error the line and column of the text the user wrote.
func (t *translation) place(err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return err
	}
	e := f.e
	e.Line, e.Col = lineCol(t.original, t.origin(f.pos))
	return &e
}

func (t *translation) origin(pos int) int {
	for _, l := range slices.Backward(t.layers) {
		pos = l.origin(pos)
	}
	return pos
}

// layer applies edits to the current text.
func (t *translation) layer(edits []edit) {
	if len(edits) == 0 {
		return
	}
	l := apply(t.text, edits)
	t.layers = append(t.layers, l)
	t.text = l.text
}

// translate checks a statement, makes the names in it known to DuckDB and rewrites what DuckDB would read otherwise.
// named gives every column a name, as a view or a table needs it.
func (s *statement) translate(ctx context.Context, sql, dialect string, named bool) (*translation, error) {
	if dialect != dialectDuck {
		t := &translation{original: sql}
		return t, s.translateTrinoInto(ctx, t, named)
	}
	return s.translateDuck(ctx, sql)
}

// translateDuck checks a statement of DuckDB's own dialect by its tree.
func (s *statement) translateDuck(ctx context.Context, sql string) (*translation, error) {
	t := &translation{original: sql, text: sql}
	if err := s.work(ctx, t); err != nil {
		return nil, t.place(err)
	}
	return t, nil
}

func (s *statement) work(ctx context.Context, t *translation) error {
	if len(t.text) > maxText {
		return &engine.Error{Kind: engine.KindLimit, Message: fmt.Sprintf("Query text length (%d) exceeds the maximum length (%d)", len(t.text), maxText)}
	}
	if !validText(t.text) {
		return &engine.Error{Kind: engine.KindSyntax, Message: "the statement is not valid UTF-8 text"}
	}
	tokens, err := lex(t.text)
	if err != nil {
		return err
	}
	if tokens, err = single(tokens); err != nil {
		return err
	}
	if err := bounds(tokens); err != nil {
		return err
	}
	t.text = t.text[:tokens[len(tokens)-1].end] // what follows is white space, comments and semicolons
	if shown, ok, err := s.show(ctx, tokens); err != nil {
		return err
	} else if ok {
		t.layer([]edit{{0, len(t.text), shown}})
		t.tree, err = s.parse(ctx, t.text, ownText)
		return err
	}
	if err := selectOnly(tokens); err != nil {
		return err
	}
	if t.tree, err = s.parse(ctx, t.text, duckText); err != nil {
		return err
	}
	t.params = t.tree.params
	edits, err := s.nameEdits(ctx, tokens, t.tree)
	if err != nil {
		return err
	}
	t.doubled = map[string]bool{}
	for _, cols := range s.doubled {
		maps.Copy(t.doubled, cols.doubled)
	}
	final := t.tree
	if len(edits) > 0 {
		t.layer(edits)
		// The text that runs is not the text that was checked: check it too.
		if final, err = s.parse(ctx, t.text, duckText); err != nil {
			return err
		}
	}
	for _, ref := range final.tables {
		if final != t.tree && (len(ref.parts) != 3 || !s.seen[engine.FullName(ref.parts)]) {
			return &engine.Error{Kind: engine.KindInternal, Message: "the engine could not rewrite the statement safely"}
		}
	}
	return nil
}

// nameEdits resolves every table of a statement and completes its name to three parts.
func (s *statement) nameEdits(ctx context.Context, tokens []token, tr *tree) ([]edit, error) {
	var (
		edits  []edit
		absent error
	)
	for _, ref := range tr.tables {
		n := engine.FullName(ref.parts)
		info, isInfo := infoName(ref.parts)
		i, ok := slices.BinarySearchFunc(tokens, ref.pos, func(t token, pos int) int { return t.pos - pos })
		if !ok || !chainIs(tokens[i:], ref.parts) {
			return nil, errorAt(ref.pos, engine.KindUnsupported, "the name %s stands where the engine cannot follow it", n)
		}
		if isInfo {
			want := tr.narrowOnce(ref, s.boundHere())
			if s.seen[info] { // by a saved query: both share the rows that are gathered
				want = everything()
			}
			if err := s.infoTable(ctx, info, want); err != nil {
				return nil, replace(err, ref.pos)
			}
			s.seen[info] = true
			edits = append(edits, edit{ref.pos, tokens[i+2*len(ref.parts)-2].end, info.Quoted()})
			continue
		}
		if err := s.spelled(ctx, tokens[i:], ref.parts); err != nil {
			return nil, replace(err, ref.pos)
		}
		if err := s.resolve(ctx, n, tr.narrow(ref, s.boundHere())); err != nil {
			if err = replace(err, ref.pos); len(s.chain) == 0 || !isUnknown(err) {
				return nil, err
			}
			if absent == nil { // a saved query that goes round in a circle is told before what it does not find
				absent = err
			}
			continue
		}
		if at := s.shown(n); at != n {
			edits = append(edits, edit{ref.pos, tokens[i+2*len(ref.parts)-2].end, at.Quoted()})
			continue
		}
		if len(ref.parts) < 3 {
			prefix := sqltext.Quote(n.Catalog) + "."
			if len(ref.parts) < 2 {
				prefix += sqltext.Quote(n.Schema) + "."
			}
			edits = append(edits, edit{ref.pos, ref.pos, prefix})
		}
	}
	if absent != nil {
		return nil, absent
	}
	for _, c := range tr.longColumns { // peaka.information_schema.tables.table_name: the table is now known by its last name
		i, ok := slices.BinarySearchFunc(tokens, c.pos, func(t token, pos int) int { return t.pos - pos })
		if n := engine.FullName(c.parts[:min(3, len(c.parts))]); ok && len(c.parts) == 4 && s.shown(n) != n && chainIs(tokens[i:], c.parts) {
			edits = append(edits, edit{c.pos, tokens[i+2].pos, ""}) // the catalog has another name now
			continue
		}
		if k := len(c.parts) - 3; ok && strings.EqualFold(c.parts[k], infoSchema) && chainIs(tokens[i:], c.parts) {
			edits = append(edits, edit{c.pos, tokens[i+2*k+2].pos, ""})
		}
	}
	return edits, nil
}

// isUnknown reports whether an error says that a name stands for nothing.
func isUnknown(err error) bool {
	var e *engine.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case engine.KindUnknownCatalog, engine.KindUnknownSchema, engine.KindUnknownTable, engine.KindUnknownColumn:
		return true
	}
	return false
}

// replace gives an error that has no place yet the place of a name.
func replace(err error, pos int) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Line != 0 {
		return err
	}
	f := &fault{pos: pos, e: *e}
	f.e.Err = err
	return f
}

// chainIs reports whether the tokens begin with the given names joined by dots.
func chainIs(tokens []token, parts []string) bool {
	for i, p := range parts {
		if i > 0 {
			if len(tokens) == 0 || !tokens[0].is(".") {
				return false
			}
			tokens = tokens[1:]
		}
		if len(tokens) == 0 || !tokens[0].isName() && tokens[0].kind != tokString || !strings.EqualFold(tokens[0].name(), p) {
			return false
		}
		tokens = tokens[1:]
	}
	return true
}

// name is the name a token stands for; DuckDB lets a text literal stand for a table.
func (t token) name() string {
	if t.kind == tokString && len(t.text) >= 2 && t.text[0] == '\'' {
		return strings.ReplaceAll(t.text[1:len(t.text)-1], `''`, `'`)
	}
	return t.text
}

// single takes the semicolons off the end of a statement and refuses a second one.
func single(tokens []token) ([]token, error) {
	for len(tokens) > 0 && tokens[len(tokens)-1].is(";") {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return nil, syntaxAt(0, "mismatched input '<EOF>'. Expecting: <query>")
	}
	for _, t := range tokens {
		if t.is(";") {
			return nil, syntaxAt(t.pos, "mismatched input ';'. Expecting: <EOF>")
		}
	}
	return tokens, nil
}

// textMode says who wrote a text and in which dialect.
type textMode int

const (
	duckText textMode = iota // a user, in DuckDB's SQL
	ownText                  // the engine
)

// parse has DuckDB parse a text, without running it, and checks the tree.
func (s *statement) parse(ctx context.Context, sql string, mode textMode) (*tree, error) {
	var out struct {
		Error      bool   `json:"error"`
		Type       string `json:"error_type"`
		Message    string `json:"error_message"`
		Position   string `json:"position"`
		Statements []struct {
			Node map[string]any `json:"node"`
		} `json:"statements"`
	}
	err := s.c.query(ctx, `SELECT json_serialize_sql(?::VARCHAR, skip_default := true)::VARCHAR`, []any{sql},
		func(v []*string) error { return decodeTree(*v[0], &out) })
	var d *duckError
	if errors.As(err, &d) && d.Type != "" && !d.fatal() {
		return nil, syntaxAt(d.Pos, "%s", d.Message)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case out.Error:
		d := parseDuckError(bindings.ErrorTypeInvalid, out.Message)
		pos := d.Pos
		if out.Position != "" {
			_, _ = fmt.Sscan(out.Position, &pos)
		}
		return nil, syntaxAt(pos, "%s", d.Message)
	case len(out.Statements) != 1:
		return nil, syntaxAt(-1, "expected one statement, found %d", len(out.Statements))
	}
	g := guard{allowed: s.p.functions.allowed, known: s.p.functions.refused, own: mode == ownText, out: &tree{root: out.Statements[0].Node}}
	if err := g.walk(g.out.root, nil); err != nil {
		return nil, err
	}
	if mode != ownText {
		if err := bounded(g.out.root); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(g.out.tables, func(a, b tableRef) int { return a.pos - b.pos })
	return g.out, nil
}
