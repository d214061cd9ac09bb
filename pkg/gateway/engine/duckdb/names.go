//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cycle"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/native"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
)

// nameSpace records what was created in the in-memory catalogs of an instance: catalogs, schemas and views by definition.
//
// The definition of a name can change while statements run: a table gets a cache, a saved query another text. A view that a statement was
// planned with is kept until the statement ends; statements with another definition of the name use a view of another name.
type nameSpace struct {
	mu    sync.Mutex
	made  map[string]bool // statements that attached a catalog or created a schema
	views map[engine.TableName][]*view
}

// view is one definition of a name.
type view struct {
	body  string
	users int // statements that run with it
}

func (n *nameSpace) init() {
	n.made = map[string]bool{}
	n.views = map[engine.TableName][]*view{}
}

// take returns the view of a name with a definition, or an unused one, and counts the caller as a user.
func (n *nameSpace) take(name engine.TableName, body string) (v *view, place int) {
	all := n.views[name]
	place = slices.IndexFunc(all, func(v *view) bool { return v.body == body })
	if place < 0 {
		place = slices.IndexFunc(all, func(v *view) bool { return v.users == 0 })
	}
	if place < 0 {
		place = len(all)
		all = append(all, &view{})
		n.views[name] = all
	}
	all[place].users++
	return all[place], place
}

// free releases the views of a statement.
func (n *nameSpace) free(taken []*view) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, v := range taken {
		v.users--
	}
}

// spelled is called for a name that is quoted and contains capitals.
func (s *statement) spelled(ctx context.Context, tokens []native.Token, parts []string) error {
	c, ok := s.Q.Catalogs.(engine.Spelling)
	if !ok {
		return nil
	}
	written := slices.Clone(parts)
	for i := range written {
		if tokens[2*i].Kind == native.TokWord {
			written[i] = engine.LowerASCII(written[i])
		}
	}
	if n := engine.WrittenName(written); n != n.Fold() {
		return c.Spelled(ctx, n)
	}
	return nil
}

// view defines the name n as the query body.
func (s *statement) view(ctx context.Context, n engine.TableName, body string) error {
	if strings.HasPrefix(n.Catalog, "~") || naming.Reserved[n.Catalog] || n.Schema == infoschema.Schema || n.Schema == "pg_catalog" {
		return &engine.Error{Kind: engine.KindUnsupported, Message: "the name " + n.String() + " is reserved by the engine"}
	}
	under := n
	if s.Q.Variant != "" {
		under.Catalog = "~" + s.Q.Variant + " " + n.Catalog
	}
	at, err := s.putView(ctx, under, body)
	if err == nil && at != n {
		s.under[n] = at
	}
	return err
}

// shown is the name of a table in the statement: the one that users write, unless that currently has another definition.
func (s *statement) shown(n engine.TableName) engine.TableName {
	if at, ok := s.under[n]; ok {
		return at
	}
	return n
}

// putView creates the view of a name and returns the name of the view. It exists until the statement is closed.
func (s *statement) putView(ctx context.Context, n engine.TableName, body string) (engine.TableName, error) {
	ns := &s.c.in.names
	ns.mu.Lock()
	defer ns.mu.Unlock()
	v, place := ns.take(n, body)
	s.views = append(s.views, v)
	if place > 0 {
		n.Catalog = fmt.Sprintf("~%d %s", place, n.Catalog)
	}
	if v.body == body {
		return n, nil
	}
	v.body = "" // until it is created
	catalog := `ATTACH IF NOT EXISTS ':memory:' AS ` + sqltext.Quote(n.Catalog)
	schema := `CREATE SCHEMA IF NOT EXISTS ` + sqltext.Quote(n.Catalog, n.Schema)
	for _, made := range [...]string{catalog, schema} {
		if !ns.made[made] {
			if _, err := s.c.exec(ctx, made); err != nil {
				return n, err
			}
			ns.made[made] = true
		}
	}
	if _, err := s.c.exec(ctx, `CREATE OR REPLACE VIEW `+n.Quoted()+` AS `+body); err != nil {
		return n, err
	}
	v.body = body
	return n, nil
}

// resolve makes a name usable in a statement: it looks up its definition and creates a view for it.
func (s *statement) resolve(ctx context.Context, n engine.TableName, want narrow.Narrowing) error {
	if s.seen[n] {
		s.scans.widen(n, want)
		return s.weigh(n)
	}
	if err := cycle.Check(s.Chain, n); err != nil {
		return err
	}
	if err := s.Absent[n]; err != nil {
		return err
	}
	if err := s.define(ctx, n, want); err != nil {
		if trino.IsUnknown(err) {
			s.Absent[n] = err
		}
		return err
	}
	s.seen[n], s.seen[s.shown(n)] = true, true
	return s.weigh(n)
}

// weigh adds to the weight of the current text the number of saved queries that a name expands to.
func (s *statement) weigh(n engine.TableName) error {
	s.Weight += s.weights[n]
	return limits.Saved(s.Weight)
}

func (s *statement) define(ctx context.Context, n engine.TableName, want narrow.Narrowing) error {
	switch {
	case n.Catalog == engine.SampleCatalog:
		if o, ok := s.Q.Catalogs.(engine.Overrides); ok {
			if t, err := o.Override(ctx, n); err != nil || t != nil {
				if err == nil {
					err = s.stored(ctx, n, t.Schema, t.Table)
				}
				return err
			}
		}
		return s.sample(ctx, n)
	case n.Catalog == engine.InternalCatalog && (n.Schema == engine.SchemaTable || n.Schema == engine.SchemaBI):
		stored, err := s.c.storedAs(ctx, n.Schema, n.Table)
		if err != nil {
			return err
		}
		return s.stored(ctx, n, n.Schema, stored)
	case s.Q.Catalogs == nil:
		return engine.UnknownTable(n)
	}
	src, err := s.Q.Catalogs.Lookup(ctx, n)
	if err != nil {
		return err
	}
	switch {
	case src.SQL != "" || src.Ask != nil:
		q, err := trino.Asked(engine.Query{SQL: src.SQL, Ask: src.Ask})
		if err != nil {
			return err
		}
		return s.saved(ctx, n, q)
	case src.Stored != nil:
		return s.stored(ctx, n, src.Stored.Schema, src.Stored.Table)
	case src.Scan != nil:
		return s.scan(ctx, n, src.Scan, want)
	}
	return engine.UnknownTable(n)
}

func (s *statement) stored(ctx context.Context, n engine.TableName, schema, table string) error {
	if !s.c.hasStored(schema, table) {
		return engine.UnknownTable(n)
	}
	err := s.view(ctx, n, `SELECT * FROM `+naming.StoredTable(schema, table))
	if err != nil && !s.c.hasStored(schema, table) {
		return engine.UnknownTable(n) // dropped in the meantime
	}
	return err
}

// whereIn converts the position of an error to one in the text of a view: DuckDB reports it for the statement that creates the view.
func (s *statement) whereIn(ctx context.Context, body string, err error) error {
	const head = "EXPLAIN "
	var d, placed *faults.Error
	if !errors.As(err, &d) {
		return err
	}
	if _, again := s.c.exec(ctx, head+body); !errors.As(again, &placed) || placed.Message != d.Message || placed.Pos < len(head) {
		return err
	}
	at := *placed
	at.Pos -= len(head)
	return &at
}

// saved expands a saved query, whose text is processed like every statement: guard, names, dialect.
func (s *statement) saved(ctx context.Context, n engine.TableName, q engine.Query) error {
	s.Chain = append(s.Chain, n)
	defer func() { s.Chain = s.Chain[:len(s.Chain)-1] }()
	outer, untyped := s.Weight, s.Untyped
	s.Weight, s.Untyped = 1, q.Untyped
	defer func() { s.weights[n], s.Weight, s.Untyped = s.Weight, outer, untyped }()
	t, err := s.translate(ctx, q.SQL, "", true)
	if err == nil && t.params > 0 {
		err = &engine.Error{Kind: engine.KindBinding, Message: "a saved query cannot have parameters"}
	}
	if err == nil {
		if err = s.view(ctx, n, t.Text); err != nil {
			err = t.explain(s.whereIn(ctx, t.Text, err))
		}
		if t.columns.Doubled != nil {
			s.doubled[n], s.doubled[s.shown(n)] = t.columns, t.columns
		}
	}
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Kind == engine.KindCycle || e.Kind == engine.KindTimeout || s.Weight > limits.MaxSaved {
		return e
	}
	return e.In(n, err)
}
