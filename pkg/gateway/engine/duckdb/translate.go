//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/native"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
)

// translation is a statement ready for DuckDB.
type translation struct {
	native.Source
	tree    *native.Tree
	params  int
	trino   *trino.Text     // of a statement in Trino's dialect, nil when it goes through DuckDB's tree
	doubled map[string]bool // names that saved queries give to two columns
	columns naming.Columns  // of a text that becomes a table or a view, if some of them have the same name
}

// translate checks a statement, makes the names in it known to DuckDB and rewrites what DuckDB would read otherwise.
// If named is set, every column gets a name, as a view or a table needs it.
func (s *statement) translate(ctx context.Context, sql, dialect string, named bool) (*translation, error) {
	if dialect != trino.DialectDuck {
		t := &translation{Source: native.Source{Original: sql}}
		return t, s.translateInto(ctx, t, named)
	}
	return s.translateDuck(ctx, sql)
}

// translateInto translates a statement of Trino's dialect. If named is set, the columns of the text have the names and types of the
// result, as a stored table needs it.
func (s *statement) translateInto(ctx context.Context, t *translation, named bool) error {
	x, err := s.Translate(ctx, t.Original)
	if err != nil {
		return err
	}
	t.trino, t.Text = x, x.SQL
	if named {
		if err := x.KeepsZones(); err != nil {
			return err
		}
		t.Text, t.columns = x.Named()
	}
	return nil
}

// translateDuck checks a statement of DuckDB's own dialect by its tree.
func (s *statement) translateDuck(ctx context.Context, sql string) (*translation, error) {
	t := &translation{Source: native.Source{Original: sql, Text: sql}}
	if err := s.work(ctx, t); err != nil {
		return nil, t.Placed(err)
	}
	return t, nil
}

func (s *statement) work(ctx context.Context, t *translation) error {
	if err := limits.Length(t.Text); err != nil {
		return err
	}
	tokens, err := native.Lex(t.Text)
	if err != nil {
		return err
	}
	if tokens, err = native.Single(tokens); err != nil {
		return err
	}
	if err := native.Bounds(tokens); err != nil {
		return err
	}
	t.Text = t.Text[:tokens[len(tokens)-1].End] // what follows is white space, comments and semicolons
	if shown, ok, err := s.show(ctx, tokens); err != nil {
		return err
	} else if ok {
		t.Layer([]native.Edit{{End: len(t.Text), New: shown}})
		t.tree, err = s.parse(ctx, t.Text, true)
		return err
	}
	if err := native.SelectOnly(tokens); err != nil {
		return err
	}
	if t.tree, err = s.parse(ctx, t.Text, false); err != nil {
		return err
	}
	t.params = t.tree.Params
	edits, err := s.nameEdits(ctx, tokens, t.tree)
	if err != nil {
		return err
	}
	edits = append(edits, native.Guarded(tokens)...)
	t.doubled = map[string]bool{}
	for _, cols := range s.doubled {
		maps.Copy(t.doubled, cols.Doubled)
	}
	final := t.tree
	if len(edits) > 0 {
		t.Layer(edits)
		// The text that runs is not the text that was checked: check it too.
		if final, err = s.parse(ctx, t.Text, false); err != nil {
			return err
		}
	}
	for _, ref := range final.Tables {
		if final != t.tree && (len(ref.Parts) != 3 || !s.seen[engine.FullName(ref.Parts)]) {
			return &engine.Error{Kind: engine.KindInternal, Message: "the engine could not rewrite the statement safely"}
		}
	}
	return nil
}

// nameEdits resolves every table of a statement and completes its name to three parts.
func (s *statement) nameEdits(ctx context.Context, tokens []native.Token, tr *native.Tree) ([]native.Edit, error) {
	var (
		edits  []native.Edit
		absent error
	)
	for _, ref := range tr.Tables {
		n := engine.FullName(ref.Parts)
		info, isInfo := naming.InfoTable(ref.Parts)
		i, ok := slices.BinarySearchFunc(tokens, ref.Pos, func(t native.Token, pos int) int { return t.Pos - pos })
		if !ok || !native.ChainIs(tokens[i:], ref.Parts) {
			return nil, native.ErrorAt(ref.Pos, engine.KindUnsupported, "the engine cannot resolve the name %s at this position", n)
		}
		if isInfo {
			want := tr.NarrowOnce(ref, s.BoundHere())
			if s.seen[info] { // by a saved query: both share the rows that are gathered
				want = narrow.Everything()
			}
			if err := s.infoTable(ctx, info, want); err != nil {
				return nil, native.PlaceName(err, ref.Pos)
			}
			s.seen[info] = true
			edits = append(edits, native.Edit{Pos: ref.Pos, End: tokens[i+2*len(ref.Parts)-2].End, New: info.Quoted()})
			continue
		}
		if err := s.spelled(ctx, tokens[i:], ref.Parts); err != nil {
			return nil, native.PlaceName(err, ref.Pos)
		}
		if err := s.resolve(ctx, n, tr.Narrow(ref, s.BoundHere())); err != nil {
			if err = native.PlaceName(err, ref.Pos); len(s.Chain) == 0 || !trino.IsUnknown(err) {
				return nil, err
			}
			if absent == nil { // a saved query with a cycle is reported before the names that it does not find
				absent = err
			}
			continue
		}
		if at := s.shown(n); at != n {
			edits = append(edits, native.Edit{Pos: ref.Pos, End: tokens[i+2*len(ref.Parts)-2].End, New: at.Quoted()})
			continue
		}
		if len(ref.Parts) < 3 {
			prefix := sqltext.Quote(n.Catalog) + "."
			if len(ref.Parts) < 2 {
				prefix += sqltext.Quote(n.Schema) + "."
			}
			edits = append(edits, native.Edit{Pos: ref.Pos, End: ref.Pos, New: prefix})
		}
	}
	if absent != nil {
		return nil, absent
	}
	for _, c := range tr.LongColumns { // peaka.information_schema.tables.table_name: the table is now known by its last name
		i, ok := slices.BinarySearchFunc(tokens, c.Pos, func(t native.Token, pos int) int { return t.Pos - pos })
		if n := engine.FullName(c.Parts[:min(3, len(c.Parts))]); ok && len(c.Parts) == 4 && s.shown(n) != n && native.ChainIs(tokens[i:], c.Parts) {
			edits = append(edits, native.Edit{Pos: c.Pos, End: tokens[i+2].Pos, New: ""}) // the catalog has another name in the rewritten text
			continue
		}
		if k := len(c.Parts) - 3; ok && strings.EqualFold(c.Parts[k], infoschema.Schema) && native.ChainIs(tokens[i:], c.Parts) {
			edits = append(edits, native.Edit{Pos: c.Pos, End: tokens[i+2*k+2].Pos, New: ""})
		}
	}
	return edits, nil
}

// explain converts an error of the statement to one of the contract.
func (t *translation) explain(err error) error {
	if t.trino != nil {
		err = faults.Translated(err)
		var e *engine.Error
		if errors.As(err, &e) && e.Hint == "" && faults.DividesByZero(e) {
			e.Hint = t.trino.DivisionHint()
		}
		return err
	}
	var d *faults.Error
	if !errors.As(err, &d) {
		return t.Placed(err)
	}
	return d.Explain(t, err)
}

// Ambiguous implements Statement.
func (t *translation) Ambiguous(name string) bool { return t.doubled[name] }

// parse has DuckDB parse a text, without running it, and checks the tree. own is set for a text of the engine.
func (s *statement) parse(ctx context.Context, sql string, own bool) (*native.Tree, error) {
	var told string
	err := s.c.query(ctx, `SELECT json_serialize_sql(?::VARCHAR, skip_default := true)::VARCHAR`, []any{sql},
		func(v []*string) error { told = *v[0]; return nil })
	var d *faults.Error
	if errors.As(err, &d) && d.Type != "" && !d.Fatal() {
		return nil, native.SyntaxAt(d.Pos, "%s", d.Message)
	}
	if err != nil {
		return nil, err
	}
	return native.ReadTree(told, s.p.functions, own)
}
