package sql

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cycle"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// catalog resolves the names of a statement for its analysis. Each name is looked up once, when the analysis reaches
// it, for the whole statement with its saved queries. The error of a lookup is kept, because an analysis only asks
// whether there is a table.
type catalog struct {
	s         *session
	ctx       context.Context
	written   map[analyze.Name]engine.TableName // quoted names that contain capitals
	relations map[*analyze.Table]*relation
	err       error
}

func (c *catalog) HasCatalog(string) bool        { return true }
func (c *catalog) HasSchema(string, string) bool { return true }

func (c *catalog) Table(n analyze.Name) (*analyze.Table, bool) {
	if c.err != nil {
		return nil, false
	}
	u, err := c.find(n)
	if err == nil {
		err = c.s.weigh(u)
	}
	if err != nil {
		c.err = err
		return nil, false
	}
	c.relations[u.Table] = u
	return u.Table, true
}

func (c *catalog) find(n analyze.Name) (*relation, error) {
	s := c.s
	if w, ok := c.written[n]; ok {
		if err := s.Query.Catalogs.Spelled(c.ctx, w); err != nil {
			return nil, err
		}
	}
	name := engine.TableName(n)
	if u := s.relations[name]; u != nil {
		return u, nil
	}
	if err := cycle.Check(s.chain, name); err != nil {
		return nil, err
	}
	if err := s.absent[name]; err != nil {
		return nil, err
	}
	u, err := c.resolve(name)
	if err != nil {
		if IsUnknown(err) {
			err = s.withHint(c.ctx, err, name)
			s.absent[name] = err
		}
		return nil, err
	}
	u.Name, u.Shown, u.Table.Name, u.Limit = name, shownName(name), n, -1
	s.relations[name] = u
	return u, nil
}

// cycleError replaces the error for an unknown name in a saved query with the error for a cycle, if the query is part
// of a cycle.
func (c *catalog) cycleError(q *trinosql.Query, err error) error {
	if len(c.s.chain) == 0 || !IsUnknown(err) {
		return err
	}
	for _, parts := range trinosql.Tables(q) {
		names := make([]string, len(parts))
		for i, p := range parts {
			names[i] = p.Lower()
		}
		if len(names) > 3 {
			continue
		}
		_, failed := c.find(analyze.Name(c.s.complete(names)))
		var e *engine.Error
		if errors.As(failed, &e) && e.Kind == engine.KindCycle {
			return failed
		}
	}
	return err
}

// complete is the qualified name of a table in a statement of Trino's dialect.
func (s *session) complete(parts []string) engine.TableName { return s.Query.Defaults.With(parts) }

// weigh adds to the weight of the current text the number of saved queries that a name expands to.
func (s *session) weigh(u *relation) error {
	s.weight += u.weight
	return limits.Saved(s.weight)
}

// resolve finds what a name refers to.
func (c *catalog) resolve(n engine.TableName) (*relation, error) {
	s := c.s
	switch {
	case infoschema.Has(n):
		cols, err := infoschema.Described(shownName(n))
		if err != nil {
			return nil, err
		}
		return &relation{Relation: &engine.Relation{Table: tableOf(cols), Infos: cols}, listed: true}, nil
	case strings.HasPrefix(n.Catalog, "~") || n.Schema == "pg_catalog":
		return nil, &engine.Error{Kind: engine.KindUnsupported, Message: "the name " + n.String() +
			" is reserved by the engine"}
	}
	src, err := s.Query.Catalogs.Lookup(c.ctx, n)
	switch {
	case err != nil:
		return nil, err
	case src.SQL != "" || src.Ask != nil:
		q, err := asked(Query{SQL: src.SQL, Ask: src.Ask})
		if err != nil {
			return nil, err
		}
		return c.savedQuery(n, q)
	case src.Base != nil:
		return c.base(n, *src.Base)
	case src.Scan != nil:
		return c.scanned(n, src.Scan)
	case src.Relay != nil:
		return c.relayed(n, src.Relay)
	}
	return nil, engine.UnknownTable(n)
}

// base is a table that the engine reads by itself, under another name than that of the statement.
func (c *catalog) base(n, as engine.TableName) (*relation, error) {
	t, err := c.s.engine.BaseTable(c.ctx, as)
	if err != nil {
		var e *engine.Error
		if as.Catalog == "" && errors.As(err, &e) && e.Kind == engine.KindUnknownTable {
			// A result that was replaced since its name was resolved: read again, the name has another one.
			err = &engine.Error{Kind: e.Kind, Message: engine.MissingTable(n), Err: engine.ErrOutdated}
		} else if as.Catalog != n.Catalog && IsUnknown(err) {
			err = engine.UnknownTable(n)
		}
		return nil, err
	}
	return &relation{Relation: &engine.Relation{Table: &analyze.Table{Columns: slices.Clone(t.Columns)}, Base: t}}, nil
}

// relayed is a table of another project.
func (c *catalog) relayed(n engine.TableName, src engine.Relay) (*relation, error) {
	res, err := src.Run(c.ctx, nil)
	if err != nil {
		if end := engine.Ended(c.ctx, nil); end != nil {
			return nil, end
		}
		return nil, engine.SourceError(n, err)
	}
	t := &analyze.Table{}
	for _, col := range res.Columns() {
		t.Columns = append(t.Columns, col.TableColumn)
	}
	return &relation{Relation: &engine.Relation{Table: t, Relay: src, Infos: columnInfos(t)}}, res.Close()
}

// scanned is a table with an external source.
func (c *catalog) scanned(n engine.TableName, src engine.Scanner) (*relation, error) {
	cols, err := c.columns(src)
	if err != nil {
		if end := engine.Ended(c.ctx, nil); end != nil {
			return nil, end
		}
		return nil, engine.SourceError(n, err)
	}
	return &relation{Relation: &engine.Relation{Table: tableOf(cols), Scan: src, Infos: cols}}, nil
}

// columns are those of an external source, guessed if it does that and the statement is run again where it was wrong.
func (c *catalog) columns(src engine.Scanner) ([]engine.ColumnInfo, error) {
	g, ok := src.(engine.Guesser)
	if !ok || !c.s.guesses {
		return src.Columns(c.ctx)
	}
	cols, certain, err := g.Guess(c.ctx)
	if !certain {
		c.s.guessed = append(c.s.guessed, g)
	}
	return cols, err
}

// savedQuery is a saved query, whose text is translated like every statement.
func (c *catalog) savedQuery(n engine.TableName, q Query) (*relation, error) {
	s := c.s
	s.chain = append(s.chain, n)
	outer, untyped := s.weight, s.untyped
	s.weight, s.untyped = 1, q.Untyped
	x, err := s.read(c.ctx, q.SQL)
	weight := s.weight
	s.chain, s.weight, s.untyped = s.chain[:len(s.chain)-1], outer, untyped
	if err != nil {
		if weight > limits.MaxSaved {
			return nil, err
		}
		return nil, engine.InSaved(n, err)
	}
	table := &analyze.Table{}
	for _, col := range x.Columns {
		table.Columns = append(table.Columns, analyze.TableColumn{Name: col.Name, Type: col.Type})
	}
	return &relation{Relation: &engine.Relation{Table: table, View: x, Text: q.SQL}, weight: weight}, nil
}

// read are the tables of the statement.
func (c *catalog) read() map[*analyze.Table]*engine.Relation {
	out := map[*analyze.Table]*engine.Relation{}
	for t, r := range c.relations {
		out[t] = r.Relation
	}
	return out
}

// collect notes what each reference to a source needs of it, and collects the rows of information_schema.
func (c *catalog) collect(q *trinosql.Query, a *analyze.Analysis, values []string) error {
	refs := tableRefs(q)
	times := map[*relation]int{}
	for _, r := range refs {
		if use := a.Tables[r]; use != nil && use.Table != nil {
			times[c.relations[use.Table]]++
		}
	}
	n := narrow.Of(q, a, values)
	for _, r := range refs {
		use := a.Tables[r]
		if use == nil || use.Table == nil {
			continue
		}
		u := c.relations[use.Table]
		switch {
		case u.listed:
			want := n.Wants(r)
			if times[u] > 1 {
				want = narrow.Everything()
			}
			if err := c.s.list(c.ctx, u, want); err != nil {
				return engine.PlaceError(err, r.Pos())
			}
		case u.Infos != nil:
			u.need(n.Wants(r))
		}
	}
	return nil
}

// tableRefs are the references to tables in a query, in the order of the text.
func tableRefs(q trinosql.Node) []trinosql.Node {
	var out []trinosql.Node
	trinosql.Inspect(q, func(n trinosql.Node) bool {
		switch n.(type) {
		case *trinosql.TableRef, *trinosql.TableBody:
			out = append(out, n)
		}
		return true
	})
	return out
}
