package names

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// External is a catalog with a connection: the tables of the source and the parametric tables over them.
type External struct {
	G *Service
	C store.Catalog

	memory
	conn    *store.Connection
	made    *[]store.ParametricTable
	schemas *[]string
}

// connection finds the connection of the catalog.
func (e *External) connection(ctx context.Context) (store.Connection, error) {
	conn, err := once(&e.memory, &e.conn, func() (store.Connection, error) {
		return e.G.Store.CatalogConnection(ctx, e.C)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = fault.Unknown(engine.KindUnknownCatalog, "Catalog '%s' cannot be read: its connection was deleted",
			e.C.Name)
	}
	return conn, err
}

// Source opens the source of the catalog.
func (e *External) Source(ctx context.Context) (*sources.Source, error) {
	conn, err := e.connection(ctx)
	if err != nil {
		return nil, err
	}
	return e.G.Sources.Sources.Get(conn, e.G.Sources.OpenSource)
}

func (e *External) Parametric(ctx context.Context) ([]store.ParametricTable, error) {
	id := e.C.ID
	if e.C.SharedFrom != nil {
		id = *e.C.SharedFrom
	}
	return once(&e.memory, &e.made, func() ([]store.ParametricTable, error) {
		return e.G.Store.ParametricTables(ctx, id)
	})
}

// Schemas lists the schemas of the source, and those that only parametric tables have.
func (e *External) Schemas(ctx context.Context) ([]string, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return nil, err
	}
	names, err := once(&e.memory, &e.schemas, func() ([]string, error) { return src.Schemas(ctx) })
	if err != nil {
		return nil, src.Fault(ctx, err)
	}
	made, err := e.Parametric(ctx)
	names = slices.Clone(names)
	for _, m := range made {
		if !slices.Contains(names, m.ToSchema) {
			names = append(names, m.ToSchema)
		}
	}
	return names, err
}

// tables lists one schema: the tables of the source, then parametric ones.
func (e *External) tables(ctx context.Context, src *sources.Source, schema string) ([]connector.Table, error) {
	out, err := src.Connector.Tables(ctx, schema)
	if errors.Is(err, connector.ErrNoSchema) {
		out, err = nil, nil
	}
	if err != nil {
		return nil, src.Fault(ctx, err)
	}
	made, err := e.Parametric(ctx)
	for _, m := range made {
		if m.ToSchema == schema {
			out = append(out, connector.Table{Name: m.ToTable})
		}
	}
	return out, err
}

// Tables lists a schema, or all for "".
func (e *External) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return nil, err
	}
	schemas := []string{schema}
	if schema == "" {
		if schemas, err = e.Schemas(ctx); err != nil {
			return nil, err
		}
	}
	var out []api.Table
	for _, s := range schemas {
		tables, err := e.tables(ctx, src, s)
		if err != nil {
			return nil, err
		}
		for _, n := range tables {
			t := api.Table{CatalogID: e.C.ID, CatalogName: e.C.Name, SchemaName: s, TableName: n.Name,
				IsDynamicTable: n.Dynamic, SupportedCacheTypes: []string{},
				IsCacheable: (src.Typ.Cacheable || e.C.CacheAnything) && !n.Dynamic}
			if t.IsCacheable {
				t.SupportedCacheTypes = []string{states.Full, states.Incremental}
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// Columns describes one table.
func (e *External) Columns(ctx context.Context, schema, table string) ([]Column, error) {
	cols, err := e.ColumnInfos(ctx, schema, table)
	out := make([]Column, len(cols))
	for i, c := range cols {
		out[i] = Column{Primary: c.Primary, ColumnDetail: api.ColumnDetail{ID: strconv.Itoa(i + 1), Name: c.Name,
			DataType: dataType(c.Type), DisplayName: c.Name, IsNotNull: !c.Nullable, IsUnique: c.Unique}}
		if c.Comment != "" {
			out[i].Desc = &c.Comment
		}
	}
	return out, err
}

// Definition is that of a parametric table.
func (e *External) Definition(ctx context.Context, schema, table string) (sql.Query, error) {
	rows, err := e.parametricRows(ctx, engine.TableName{Catalog: e.C.Name, Schema: schema, Table: table})
	return sql.Query{Ask: rows}, err
}

// ForeignKeys are those that the source reports.
func (e *External) ForeignKeys(ctx context.Context) ([]connector.ForeignKey, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return nil, err
	}
	related, ok := src.Connector.(connector.Related)
	if !ok {
		return nil, nil
	}
	keys, err := related.ForeignKeys(ctx)
	return keys, src.Fault(ctx, err)
}

// Statistics are those that the source maintains.
func (e *External) Statistics(ctx context.Context, schema, table string) ([]api.ColumnStatistics, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return nil, err
	}
	stats, err := src.Connector.Statistics(ctx, schema, table)
	if errors.Is(err, connector.ErrNoStatistics) {
		return nil, err
	}
	if errors.Is(err, connector.ErrNoTable) || errors.Is(err, connector.ErrNoSchema) { // a parametric table
		return nil, fault.Data(400, "table %s is a parametric table; request the statistics of the table it reads",
			table)
	}
	return stats, src.Fault(ctx, err)
}

func (e *External) ColumnInfos(ctx context.Context, schema, table string) ([]engine.ColumnInfo, error) {
	made, err := e.Parametric(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range made {
		if m.ToSchema == schema && m.ToTable == table {
			schema, table = m.FromSchema, m.FromTable
			break
		}
	}
	s, err := e.Table(ctx, schema, table)
	if err != nil {
		return nil, err
	}
	return s.Columns(ctx)
}

// Table opens a table of the source itself.
func (e *External) Table(ctx context.Context, schema, table string) (engine.Scanner, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return nil, err
	}
	t, err := src.Table(ctx, schema, table)
	switch {
	case errors.Is(err, connector.ErrNoSchema):
		return nil, noSchema(schema)
	case errors.Is(err, connector.ErrNoTable):
		return nil, engine.UnknownTable(engine.TableName{Catalog: e.C.Name, Schema: schema, Table: table})
	case errors.Is(err, connector.ErrAmbiguous):
		return nil, fault.Unknown(engine.KindUnsupported, "Table '%s.%s.%s' is not one table: %s", e.C.Name,
			schema, table, err)
	case err != nil:
		return nil, src.Fault(ctx, err)
	}
	return scannerOf(t, src), nil
}

// Resolve finds the cache of a table, what a parametric table reads, or a table of the source.
func (e *External) Resolve(ctx context.Context, r Resolver, n engine.TableName) (sql.Source, error) {
	if t, err := r.cached(ctx, e.C.ID, n, func() (string, string, error) {
		ctx, cancel := context.WithTimeout(ctx, spellingTime)
		defer cancel()
		return Spelled(ctx, e, n)
	}); err != nil || t != nil {
		return sql.Source{Base: t}, err
	}
	if rows, err := e.parametricRows(ctx, n); err != nil || rows != nil {
		return sql.Source{Ask: rows}, err
	}
	if as, err := e.mapped(ctx, r); err != nil || as != "" {
		if only, err := e.only(ctx); err != nil || only != "" && !strings.EqualFold(only, n.Schema) {
			return sql.Source{}, cmp.Or(err, noSchema(n.Schema))
		}
		return sql.Source{Base: &engine.TableName{Catalog: as, Schema: n.Schema, Table: n.Table}}, err
	}
	s, err := e.Table(ctx, n.Schema, n.Table)
	if err == nil {
		r.remark(s)
	}
	if err != nil || e.G.Scan == nil || r.Live {
		return sql.Source{Scan: s}, err
	}
	src, err := e.Source(ctx)
	if err != nil {
		return sql.Source{Scan: s}, err
	}
	s, err = e.G.Scan(ctx, ScanOf{Project: r.p.ID, Catalog: e.C.ID, Name: n, Cacheable: src.Typ.Cacheable, Scan: s})
	return sql.Source{Scan: s}, err
}

// mapped is the catalog of the engine that has the tables of the source, "" for none. One that is shared with another
// project is read for that by the gateway.
func (e *External) mapped(ctx context.Context, r Resolver) (string, error) {
	m, ok := e.G.Engine.(engine.Mapper)
	if !ok {
		return "", nil
	}
	conn, err := e.connection(ctx)
	if err != nil || conn.ProjectID != r.p.ID {
		return "", err
	}
	if as := engine.MappedBy(e.G.Engine, conn.ProjectID, conn.ID); as != "" {
		return as, nil
	}
	src, err := e.Source(ctx)
	if err != nil {
		return "", err
	}
	return e.G.Sources.Attach(m, src), nil
}

// only is the only schema of the source that may be read, "" for all.
func (e *External) only(ctx context.Context) (string, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return "", err
	}
	return src.Only(), nil
}

// origin is what a scanner reads: it describes itself, and the errors of a statement that reads it.
type origin interface {
	Describe() string
	Fault(ctx context.Context, err error) error
}

// scanner, scanned and filled add context to errors of a source during a statement.
type scanner struct {
	engine.Scanner
	src origin
}

// scannerOf returns a scanner, which guesses its columns if the source does.
func scannerOf(t engine.Scanner, src origin) engine.Scanner {
	s := scanner{t, src}
	if g, ok := t.(engine.Guesser); ok {
		return guesser{s, g}
	}
	return s
}

// guesser is a scanner of a source that guesses its columns. Its errors need no context: the statement runs again.
type guesser struct {
	scanner
	engine.Guesser
}

// Describe implements engine.Described.
func (s scanner) Describe() string { return s.src.Describe() }

// Remarks are those of the files that the table is read from.
func (s scanner) Remarks() []string {
	if f, ok := s.Scanner.(interface{ Remarks() []string }); ok {
		return f.Remarks()
	}
	return nil
}

// Fault implements engine.Named.
func (s scanner) Fault(ctx context.Context, err error) error { return s.src.Fault(ctx, err) }

func (s scanner) Columns(ctx context.Context) ([]engine.ColumnInfo, error) {
	cols, err := s.Scanner.Columns(ctx)
	return cols, s.src.Fault(ctx, err)
}

func (s scanner) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	b, err := s.Scanner.Scan(ctx, req)
	if err != nil {
		return nil, s.src.Fault(ctx, err)
	}
	f, ok := b.(engine.Filler)
	if !ok {
		return scanned{b, s.src}, nil
	}
	all := filled{scanned{b, s.src}, f}
	if d, ok := b.(engine.Divided); ok {
		return divided{all, d}, nil
	}
	return all, nil
}

// Native implements engine.Native.
func (s scanner) Native(ctx context.Context) ([]engine.NativeFile, error) {
	n, ok := s.Scanner.(engine.Native)
	if !ok {
		return nil, nil
	}
	files, err := n.Native(ctx)
	for i, f := range files {
		files[i].Still = func() error { return s.src.Fault(ctx, f.Still()) }
	}
	return files, s.src.Fault(ctx, err)
}

type scanned struct {
	engine.Batches
	src origin
}

func (s scanned) Next(ctx context.Context) ([][]any, error) {
	rows, err := s.Batches.Next(ctx)
	if err != nil && !fault.IsEOF(err) {
		err = s.src.Fault(ctx, err)
	}
	return rows, err
}

// filled is scanned for a source that writes directly into the engine's columns.
type filled struct {
	scanned
	f engine.Filler
}

func (s filled) Fill(ctx context.Context, cols []engine.Vector, n int) (int, error) {
	n, err := s.f.Fill(ctx, cols, n)
	if err != nil && !fault.IsEOF(err) {
		err = s.src.Fault(ctx, err)
	}
	return n, err
}

// divided is filled for a source that several threads read at once.
type divided struct {
	filled
	d engine.Divided
}

func (s divided) Threads() int { return s.d.Threads() }

func (s divided) Part() engine.Filler { return filled{s.scanned, s.d.Part()} }

// dataType is a type as the service lists it for a column: a varchar has no length.
func dataType(typ string) string {
	if strings.HasPrefix(typ, "varchar(") {
		return "varchar"
	}
	return typ
}
