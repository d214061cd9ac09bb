//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// trinoCatalog tells an analysis what the names of a statement stand for. A name is looked up when the analysis comes to it, once for the
// whole statement with its saved queries. An error of a look-up is kept, because an analysis only asks whether there is a table.
type trinoCatalog struct {
	s       *statement
	ctx     context.Context
	written map[analyze.Name]engine.TableName // names that are quoted and hold capitals
	uses    map[*analyze.Table]*used
	err     error
}

// used is what a name stands for in a statement.
type used struct {
	name  engine.TableName
	table *analyze.Table
	text  string // what stands in FROM

	// Rows that come from elsewhere are told what of them is wanted before text is complete.
	scan engine.Scanner
	cols []engine.ColumnInfo
	info bool // a table of information_schema

	kept *engine.TableName // the table of the project's file that has the rows

	narrowed bool // of that, only some rows were gathered

	weight int        // how many saved queries it stands for
	saved  *trinoText // nil but for a saved query
}

func (c *trinoCatalog) HasCatalog(string) bool        { return true }
func (c *trinoCatalog) HasSchema(string, string) bool { return true }

func (c *trinoCatalog) Table(n analyze.Name) (*analyze.Table, bool) {
	if c.err != nil {
		return nil, false
	}
	u, err := c.find(n)
	if err == nil {
		err = c.s.weighUse(u)
	}
	if err != nil {
		c.err = err
		return nil, false
	}
	c.uses[u.table] = u
	return u.table, true
}

func (c *trinoCatalog) find(n analyze.Name) (*used, error) {
	s := c.s
	if w, ok := c.written[n]; ok {
		if names, ok := s.q.Catalogs.(engine.Spelling); ok {
			if err := names.Spelled(c.ctx, w); err != nil {
				return nil, err
			}
		}
	}
	name := engine.TableName(n)
	if u := s.uses[name]; u != nil {
		return u, nil
	}
	if err := engine.Cycle(s.chain, name); err != nil {
		return nil, err
	}
	if err := s.absent[name]; err != nil {
		return nil, err
	}
	u, err := c.mean(name)
	if err != nil {
		if isUnknown(err) {
			err = c.withHint(err, name)
			s.absent[name] = err
		}
		return nil, err
	}
	u.name, u.table.Name = name, n
	s.uses[name] = u
	return u, nil
}

// circleBehind is the error of a saved query that does not find a name, unless it goes round in a circle, which is told first.
func (c *trinoCatalog) circleBehind(q *trinosql.Query, err error) error {
	if len(c.s.chain) == 0 || !isUnknown(err) {
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
		_, behind := c.find(analyze.Name(c.s.complete(names)))
		var e *engine.Error
		if errors.As(behind, &e) && e.Kind == engine.KindCycle {
			return behind
		}
	}
	return err
}

// complete is the full name of a table in a statement of Trino's dialect.
func (s *statement) complete(parts []string) engine.TableName {
	n := s.p.session
	switch len(parts) {
	case 1:
		n.Table = parts[0]
	case 2:
		n.Schema, n.Table = parts[0], parts[1]
	default:
		n.Catalog, n.Schema, n.Table = parts[0], parts[1], parts[2]
	}
	return n
}

// weighUse counts the saved queries behind a name towards the text that names it.
func (s *statement) weighUse(u *used) error {
	s.weight += u.weight
	return limits.Saved(s.weight)
}

// mean finds out what a name stands for.
func (c *trinoCatalog) mean(n engine.TableName) (*used, error) {
	s := c.s
	switch {
	case n.Schema == infoschema.Schema:
		cols, ok := infoschema.Columns[n.Table]
		if !ok {
			if n.Catalog == naming.AllCatalogs {
				n.Catalog = engine.InternalCatalog
			}
			return nil, unknownTable(n)
		}
		return &used{table: infosOf(cols), cols: cols, info: true}, nil
	case strings.HasPrefix(n.Catalog, "~") || naming.Reserved[n.Catalog] || n.Schema == "pg_catalog":
		return nil, &engine.Error{Kind: engine.KindUnsupported, Message: "the name " + n.String() + " is reserved by the engine"}
	case n.Catalog == engine.SampleCatalog:
		if o, ok := s.q.Catalogs.(engine.Overrides); ok {
			if t, err := o.Override(c.ctx, n); err != nil || t != nil {
				if err != nil {
					return nil, err
				}
				return c.stored(n, t.Schema, t.Table)
			}
		}
		body := sampleTables()[n.Table]
		if n.Schema != sampleSchema || body == "" {
			return nil, unknownTable(n)
		}
		return c.sampled(n, body)
	case n.Catalog == engine.InternalCatalog && (n.Schema == engine.SchemaTable || n.Schema == engine.SchemaBI):
		stored, err := s.c.storedAs(c.ctx, n.Schema, n.Table)
		if err != nil {
			return nil, err
		}
		return c.stored(n, n.Schema, stored)
	case s.q.Catalogs == nil:
		return nil, unknownTable(n)
	}
	src, err := s.q.Catalogs.Lookup(c.ctx, n)
	switch {
	case err != nil:
		return nil, err
	case src.SQL != "" || src.Ask != nil:
		q, err := asked(engine.Query{SQL: src.SQL, Ask: src.Ask})
		if err != nil {
			return nil, err
		}
		return c.savedQuery(n, q)
	case src.Stored != nil:
		return c.stored(n, src.Stored.Schema, src.Stored.Table)
	case src.Scan != nil:
		return c.scanned(n, src.Scan)
	}
	return nil, unknownTable(n)
}

// scanned is a table whose rows come from elsewhere.
func (c *trinoCatalog) scanned(n engine.TableName, src engine.Scanner) (*used, error) {
	cols, err := src.Columns(c.ctx)
	if err != nil {
		if end := faults.Ended(c.ctx, nil); end != nil {
			return nil, end
		}
		return nil, sourceError(n, err)
	}
	return &used{table: infosOf(cols), scan: src, cols: cols}, nil
}

// infosOf is a table of columns whose types are told by name.
func infosOf(cols []engine.ColumnInfo) *analyze.Table {
	t := &analyze.Table{}
	for _, c := range cols {
		t.Columns = append(t.Columns, analyze.TableColumn{Name: c.Name, Type: infoType(c.Type)})
	}
	return t
}

// infoType is the type of a source's column. What the engine takes as text is varchar; times have microseconds.
func infoType(name string) *types.Type {
	name = strings.ToLower(strings.TrimSpace(name))
	switch duckType(name) {
	case "VARCHAR":
		if t, err := types.Parse(name); err == nil && t.Kind == types.Varchar {
			return t
		}
		return types.Of(types.Varchar)
	case "TIME":
		return types.NewTime(types.Time, 6)
	case "TIMESTAMP":
		return types.NewTime(types.Timestamp, 6)
	case "TIMESTAMPTZ":
		return types.NewTime(types.TimestampTZ, 6)
	}
	t, err := types.Parse(name)
	if err != nil {
		return types.Of(types.Varchar)
	}
	return t
}

// savedQuery is a saved query, whose text goes the way of every statement.
func (c *trinoCatalog) savedQuery(n engine.TableName, q engine.Query) (*used, error) {
	s := c.s
	s.chain = append(s.chain, n)
	outer, untyped := s.weight, s.untyped
	s.weight, s.untyped = 1, q.Untyped
	x, err := s.translateTrino(c.ctx, q.SQL)
	weight := s.weight
	s.chain, s.weight, s.untyped = s.chain[:len(s.chain)-1], outer, untyped
	if err != nil {
		return nil, savedError(n, err, weight > limits.MaxSaved)
	}
	u := &used{table: &analyze.Table{}, text: "(" + x.sql + ")", weight: weight, saved: x}
	for i, col := range x.columns {
		made := analyze.TableColumn{Name: col.Name, Type: col.Type}
		if x.printed != nil && x.printed.Zones != nil {
			made.Zone = x.printed.Zones[i]
		}
		u.table.Columns = append(u.table.Columns, made)
	}
	return u, nil
}

// savedError is an error of a saved query's text, seen from the statement that names it.
func savedError(n engine.TableName, err error, heavy bool) error {
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Kind == engine.KindCycle || e.Kind == engine.KindTimeout || heavy {
		return e
	}
	return e.In(n, err)
}

// read tells the sources of a statement what of their rows it wants, and completes the texts of the tables.
func (c *trinoCatalog) read(q *trinosql.Query, a *analyze.Analysis, values []string) error {
	refs := tableRefs(q)
	times := map[*used]int{}
	for _, r := range refs {
		if use := a.Tables[r]; use != nil && use.Table != nil {
			times[c.uses[use.Table]]++
		}
	}
	n := narrow.Of(q, a, values)
	for _, r := range refs {
		use := a.Tables[r]
		if use == nil || use.Table == nil {
			continue
		}
		u := c.uses[use.Table]
		if u.scan == nil && !u.info {
			continue
		}
		want := n.Wants(r)
		if u.info && times[u] > 1 { // the rows are gathered before the statement runs
			want = narrow.Everything()
		}
		if err := c.readOne(u, want); err != nil {
			return replaceAt(err, r.Pos())
		}
	}
	return nil
}

// readOne makes a table known to the statement's connection, or widens what is asked of it when it is already.
func (c *trinoCatalog) readOne(u *used, want narrow.Narrowing) error {
	s := c.s
	switch {
	case u.info:
		n := engine.TableName{Catalog: naming.InfoCatalog, Schema: u.name.Catalog, Table: u.name.Table}
		if u.text != "" {
			if !u.narrowed {
				return nil
			}
			want = narrow.Everything() // all that name it share the rows
		}
		u.narrowed = !want.Empty()
		if err := s.infoRows(c.ctx, n, want); err != nil {
			return err
		}
		u.text = scanCall(n)
	case u.text != "":
		s.scans.widen(u.name, want)
	default:
		if err := s.addScan(c.ctx, u.name, u.scan, u.cols, want); err != nil {
			return err
		}
		u.text = scanCall(u.name)
	}
	return nil
}

// text is what stands in FROM for a table.
func (c *trinoCatalog) text(t *analyze.Table) (string, error) {
	u := c.uses[t]
	if u == nil || u.text == "" {
		return "", faults.Internal("the table " + t.Name.String() + " is not known to the statement")
	}
	return u.text, nil
}

func scanCall(n engine.TableName) string {
	return "(" + scanBody(n) + ")" // with the names of its columns inside: readings that are alike are then read once
}

// tableRefs are the places of a query that name tables, in the order of the text.
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
