package trino

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cycle"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// catalog resolves the names of a statement for its analysis. Each name is looked up once, when the analysis reaches it, for
// the whole statement with its saved queries. The error of a lookup is kept, because an analysis only asks whether there is a
// table.
type catalog struct {
	s       *Session
	ctx     context.Context
	written map[analyze.Name]engine.TableName // quoted names that contain capitals
	uses    map[*analyze.Table]*Used
	err     error
}

// Used is the table or query to which a name in a statement resolves.
type Used struct {
	name  engine.TableName
	Table *analyze.Table
	Text  string // the text in FROM

	// Rows of an external source are restricted to those needed before the text is complete.
	scan engine.Scanner
	cols []engine.ColumnInfo
	info bool // a table of information_schema

	Kept *engine.TableName // the table of the project's file that stores the rows

	narrowed bool // the stored table holds only some of the rows

	weight int   // the number of saved queries that it expands to
	saved  *Text // nil except for a saved query
}

func (c *catalog) HasCatalog(string) bool        { return true }
func (c *catalog) HasSchema(string, string) bool { return true }

func (c *catalog) Table(n analyze.Name) (*analyze.Table, bool) {
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
	c.uses[u.Table] = u
	return u.Table, true
}

func (c *catalog) find(n analyze.Name) (*Used, error) {
	s := c.s
	if w, ok := c.written[n]; ok {
		if names, ok := s.Q.Catalogs.(engine.Spelling); ok {
			if err := names.Spelled(c.ctx, w); err != nil {
				return nil, err
			}
		}
	}
	name := engine.TableName(n)
	if u := s.uses[name]; u != nil {
		return u, nil
	}
	if err := cycle.Check(s.Chain, name); err != nil {
		return nil, err
	}
	if err := s.Absent[name]; err != nil {
		return nil, err
	}
	u, err := c.resolve(name)
	if err != nil {
		if IsUnknown(err) {
			err = s.withHint(c.ctx, err, name)
			s.Absent[name] = err
		}
		return nil, err
	}
	u.name, u.Table.Name = name, n
	s.uses[name] = u
	return u, nil
}

// cycleError replaces the error for an unknown name in a saved query with the error for a cycle, if the query is part of a cycle.
func (c *catalog) cycleError(q *trinosql.Query, err error) error {
	if len(c.s.Chain) == 0 || !IsUnknown(err) {
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
func (s *Session) complete(parts []string) engine.TableName { return s.defaults.With(parts) }

// weighUse adds to the weight of the current text the number of saved queries that a name expands to.
func (s *Session) weighUse(u *Used) error {
	s.Weight += u.weight
	return limits.Saved(s.Weight)
}

// resolve finds what a name refers to.
func (c *catalog) resolve(n engine.TableName) (*Used, error) {
	s := c.s
	switch {
	case infoschema.Has(n):
		if n.Catalog == naming.AllCatalogs {
			n.Catalog = engine.InternalCatalog
		}
		cols, err := infoschema.Described(n)
		if err != nil {
			return nil, err
		}
		return &Used{Table: infosOf(cols), cols: cols, info: true}, nil
	case strings.HasPrefix(n.Catalog, "~") || naming.Reserved[n.Catalog] || n.Schema == "pg_catalog":
		return nil, &engine.Error{Kind: engine.KindUnsupported, Message: "the name " + n.String() + " is reserved by the engine"}
	case n.Catalog == engine.SampleCatalog:
		if o, ok := s.Q.Catalogs.(engine.Overrides); ok {
			if t, err := o.Override(c.ctx, n); err != nil || t != nil {
				if err != nil {
					return nil, err
				}
				return s.Store.Kept(c.ctx, n, t.Schema, t.Table)
			}
		}
		body := SampleTables()[n.Table]
		if n.Schema != SampleSchema || body == "" {
			return nil, engine.UnknownTable(n)
		}
		return s.Store.Sampled(c.ctx, n, body)
	case n.Catalog == engine.InternalCatalog && (n.Schema == engine.SchemaTable || n.Schema == engine.SchemaBI):
		stored, err := s.Store.StoredAs(c.ctx, n.Schema, n.Table)
		if err != nil {
			return nil, err
		}
		return s.Store.Kept(c.ctx, n, n.Schema, stored)
	case s.Q.Catalogs == nil:
		return nil, engine.UnknownTable(n)
	}
	src, err := s.Q.Catalogs.Lookup(c.ctx, n)
	switch {
	case err != nil:
		return nil, err
	case src.SQL != "" || src.Ask != nil:
		q, err := Asked(engine.Query{SQL: src.SQL, Ask: src.Ask})
		if err != nil {
			return nil, err
		}
		return c.savedQuery(n, q)
	case src.Stored != nil:
		return s.Store.Kept(c.ctx, n, src.Stored.Schema, src.Stored.Table)
	case src.Scan != nil:
		return c.scanned(n, src.Scan)
	case src.Relay != nil:
		return s.Store.Relayed(c.ctx, n, src.Relay)
	}
	return nil, engine.UnknownTable(n)
}

// scanned is a table with an external source.
func (c *catalog) scanned(n engine.TableName, src engine.Scanner) (*Used, error) {
	cols, err := src.Columns(c.ctx)
	if err != nil {
		if end := faults.Ended(c.ctx, nil); end != nil {
			return nil, end
		}
		return nil, SourceError(n, err)
	}
	return Scanned(infosOf(cols), src, cols), nil
}

// Scanned is a table whose rows are scanned. The names of t's columns are those of cols.
func Scanned(t *analyze.Table, src engine.Scanner, cols []engine.ColumnInfo) *Used {
	return &Used{Table: t, scan: src, cols: cols}
}

// infosOf is a table with column types given by name.
func infosOf(cols []engine.ColumnInfo) *analyze.Table {
	t := &analyze.Table{}
	for _, c := range cols {
		t.Columns = append(t.Columns, analyze.TableColumn{Name: c.Name, Type: InfoType(c.Type), Zone: c.Zone})
	}
	return t
}

// InfoType is the type of a source's column. A type that the engine reads as text is varchar; times have microseconds
// unless the source specifies their precision.
func InfoType(name string) *types.Type {
	name = strings.ToLower(strings.TrimSpace(name))
	switch DuckType(name) {
	case "VARCHAR":
		if t, err := types.Parse(name); err == nil && t.Text() {
			return t
		}
		return types.Of(types.Varchar)
	case "TIME", "TIMESTAMP", "TIMESTAMPTZ":
		if !strings.Contains(name, "(") { // Trino's default would be milliseconds
			base, zone, _ := strings.Cut(name, " ")
			name = strings.TrimSpace(base + "(6) " + zone)
		}
	}
	t, err := types.Parse(name)
	if err != nil {
		return types.Of(types.Varchar)
	}
	return t
}

// savedQuery is a saved query, whose text is translated like every statement.
func (c *catalog) savedQuery(n engine.TableName, q engine.Query) (*Used, error) {
	s := c.s
	s.Chain = append(s.Chain, n)
	outer, untyped := s.Weight, s.Untyped
	s.Weight, s.Untyped = 1, q.Untyped
	x, err := s.Translate(c.ctx, q.SQL)
	weight := s.Weight
	s.Chain, s.Weight, s.Untyped = s.Chain[:len(s.Chain)-1], outer, untyped
	if err != nil {
		return nil, savedError(n, err, weight > limits.MaxSaved)
	}
	return &Used{Table: x.AsTable(), Text: "(" + x.SQL + ")", weight: weight, saved: x}, nil
}

// AsTable is the result of the statement as a table.
func (x *Text) AsTable() *analyze.Table {
	t := &analyze.Table{}
	for i, col := range x.Columns {
		made := analyze.TableColumn{Name: col.Name, Type: col.Type}
		if x.Printed != nil && x.Printed.Zones != nil {
			made.Zone = x.Printed.Zones[i]
		}
		t.Columns = append(t.Columns, made)
	}
	return t
}

// savedError is an error in the text of a saved query, reported for the statement that names it.
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

// read passes the conditions of a statement to its sources, and completes the texts of the tables.
func (c *catalog) read(q *trinosql.Query, a *analyze.Analysis, values []string) error {
	refs := tableRefs(q)
	times := map[*Used]int{}
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
		if u.info && times[u] > 1 { // the rows are collected before the statement runs
			want = narrow.Everything()
		}
		if err := c.readOne(u, want); err != nil {
			return replaceAt(err, r.Pos())
		}
	}
	return nil
}

// readOne adds a table to the statement's connection, or widens its restrictions if it was added before.
func (c *catalog) readOne(u *Used, want narrow.Narrowing) error {
	s := c.s
	switch {
	case u.info:
		n := u.name
		n.Catalog = naming.InfoCatalog + n.Catalog
		if u.Text != "" {
			if !u.narrowed {
				return nil
			}
			want = narrow.Everything() // all references share the rows
		}
		u.narrowed = !want.Empty()
		if err := s.InfoRows(c.ctx, u, n, want); err != nil {
			return err
		}
		u.Text = scanCall(n)
	case u.Text != "":
		s.Store.Widen(u.name, want)
	default:
		if err := s.Store.AddScan(c.ctx, u.name, u.scan, u.cols, want); err != nil {
			return err
		}
		u.Text = scanCall(u.name)
	}
	return nil
}

// text is the text in FROM for a table.
func (c *catalog) text(t *analyze.Table) (string, error) {
	u := c.uses[t]
	if u == nil || u.Text == "" {
		return "", faults.Internal("the table " + t.Name.String() + " is not known to the statement")
	}
	return u.Text, nil
}

func scanCall(n engine.TableName) string {
	return "(" + ScanBody(n) + ")" // with column names inside: identical scans are then read once
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
