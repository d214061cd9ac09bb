package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// sources keeps the open connectors of stored connections, one for each state of a connection.
type sources struct {
	mu   sync.Mutex
	open map[string]*source
}

func (s *sources) get(c store.Connection, open func(store.Connection) (*source, error)) (*source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := c.ID + " " + string(c.Credential[:min(12, len(c.Credential))]) // the nonce of the seal is new with every credential
	if src := s.open[key]; src != nil && src.conn.Name == c.Name {
		return src, nil
	}
	src, err := open(c)
	if err != nil {
		return nil, err
	}
	if s.open == nil {
		s.open = map[string]*source{}
	}
	s.open[key] = src
	return src, nil
}

func (s *sources) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, src := range s.open {
		err = errors.Join(err, src.Close())
	}
	s.open = nil
	return err
}

// fault words a failure of the source: with the connection's name, without its secrets.
func (s *source) fault(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var ee *engine.Error
	if errors.As(err, &ee) {
		return err
	}
	return &engine.Error{Kind: engine.KindSource, Message: fmt.Sprintf("connection %s (%s): %s", s.conn.Name, s.typ.Key, s.typ.Redact(s.cred, err.Error()))}
}

// externalCatalog is a catalog over a connection: the tables of the source and the parametric tables made from them.
type externalCatalog struct {
	g *Gateway
	c store.Catalog
}

func catalogOut(c store.Catalog) api.Catalog {
	out := api.Catalog{ID: c.ID, Name: c.Name, DisplayName: c.DisplayName, CatalogType: c.Type, ConnectionID: &c.ConnectionID}
	if c.SharedFrom != nil {
		out.ConnectionID = nil // it belongs to another project
	}
	return out
}

// source opens what stands behind the catalog.
func (e externalCatalog) source(ctx context.Context) (*source, error) {
	conn, err := e.g.store.CatalogConnection(ctx, e.c)
	if errors.Is(err, store.ErrNotFound) {
		return nil, unknown(engine.KindUnknownCatalog, "Catalog '%s' cannot be read: its connection was deleted", e.c.Name)
	}
	if err != nil {
		return nil, err
	}
	return e.g.sources.get(conn, e.g.openSource)
}

func (e externalCatalog) parametric(ctx context.Context) ([]store.ParametricTable, error) {
	id := e.c.ID
	if e.c.SharedFrom != nil {
		id = *e.c.SharedFrom
	}
	return e.g.store.ParametricTables(ctx, id)
}

// Schemas lists those of the source, and those that only parametric tables have.
func (e externalCatalog) Schemas(ctx context.Context) ([]string, error) {
	src, err := e.source(ctx)
	if err != nil {
		return nil, err
	}
	names, err := src.Schemas(ctx)
	if err != nil {
		return nil, src.fault(ctx, err)
	}
	made, err := e.parametric(ctx)
	for _, m := range made {
		if !slices.Contains(names, m.ToSchema) {
			names = append(names, m.ToSchema)
		}
	}
	return names, err
}

// tables lists one schema: the tables of the source, then parametric ones.
func (e externalCatalog) tables(ctx context.Context, src *source, schema string) ([]connector.Table, error) {
	out, err := src.Connector.Tables(ctx, schema)
	if errors.Is(err, connector.ErrNoSchema) {
		out, err = nil, nil
	}
	if err != nil {
		return nil, src.fault(ctx, err)
	}
	made, err := e.parametric(ctx)
	for _, m := range made {
		if m.ToSchema == schema {
			out = append(out, connector.Table{Name: m.ToTable})
		}
	}
	return out, err
}

// Tables lists one schema.
func (e externalCatalog) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	src, err := e.source(ctx)
	if err != nil {
		return nil, err
	}
	tables, err := e.tables(ctx, src, schema)
	return mapAll(tables, func(n connector.Table) api.Table {
		t := api.Table{CatalogID: e.c.ID, CatalogName: e.c.Name, SchemaName: schema, TableName: n.Name, IsDynamicTable: n.Dynamic,
			IsCacheable: (src.typ.Cacheable || e.c.CacheAnything) && !n.Dynamic, SupportedCacheTypes: []string{}}
		if t.IsCacheable {
			t.SupportedCacheTypes = []string{"FULL_REFRESH", "INCREMENTAL"}
		}
		return t
	}), err
}

// Columns describes one table.
func (e externalCatalog) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	cols, err := e.columns(ctx, schema, table)
	out := make([]api.ColumnDetail, len(cols))
	for i, c := range cols {
		out[i] = api.ColumnDetail{ID: strconv.Itoa(i + 1), Name: c.Name, DataType: c.Type, DisplayName: c.Name, IsNotNull: !c.Nullable}
		if c.Comment != "" {
			out[i].Desc = &c.Comment
		}
	}
	return out, err
}

func (e externalCatalog) columns(ctx context.Context, schema, table string) ([]engine.ColumnInfo, error) {
	made, err := e.parametric(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range made {
		if strings.EqualFold(m.ToSchema, schema) && strings.EqualFold(m.ToTable, table) {
			schema, table = m.FromSchema, m.FromTable
			break
		}
	}
	s, err := e.table(ctx, schema, table)
	if err != nil {
		return nil, err
	}
	return s.Columns(ctx)
}

// table opens a table of the source itself.
func (e externalCatalog) table(ctx context.Context, schema, table string) (engine.Scanner, error) {
	src, err := e.source(ctx)
	if err != nil {
		return nil, err
	}
	t, err := src.Table(ctx, schema, table)
	switch {
	case errors.Is(err, connector.ErrNoSchema):
		return nil, unknown(engine.KindUnknownSchema, "Schema '%s' does not exist in catalog '%s'", schema, e.c.Name)
	case errors.Is(err, connector.ErrNoTable):
		return nil, unknown(engine.KindUnknownTable, "Table '%s.%s.%s' does not exist", e.c.Name, schema, table)
	case errors.Is(err, connector.ErrAmbiguous):
		return nil, unknown(engine.KindUnsupported, "Table '%s.%s.%s' is not one table: %s", e.c.Name, schema, table, err)
	case err != nil:
		return nil, src.fault(ctx, err)
	}
	return scanner{t, src}, nil
}

// lookupExternal finds a table of a catalog that stands over a connection.
func (r resolver) lookupExternal(ctx context.Context, n engine.TableName) (engine.Source, error) {
	c, err := r.g.store.CatalogByName(ctx, r.p.ID, strings.ToLower(n.Catalog))
	if errors.Is(err, store.ErrNotFound) {
		return engine.Source{}, unknown(engine.KindUnknownCatalog, "Catalog '%s' does not exist", n.Catalog)
	}
	if err != nil {
		return engine.Source{}, err
	}
	if t, err := r.cached(ctx, c.ID, n); err != nil || t != nil {
		return engine.Source{Stored: t}, err
	}
	e := externalCatalog{r.g, c}
	if sql, err := e.parametricSQL(ctx, n); err != nil || sql != "" {
		return engine.Source{SQL: sql, Untyped: true}, err
	}
	s, err := e.table(ctx, n.Schema, n.Table)
	if err != nil || r.g.options.Quirks == nil {
		return engine.Source{Scan: s}, err
	}
	src, err := e.source(ctx)
	if err == nil {
		s, err = r.oddScan(ctx, c.ID, n, src, s)
	}
	return engine.Source{Scan: s}, err
}

// listExternal names the tables of all catalogs over connections. A source that cannot be reached is left out and logged, so
// that it does not stop a look at the others.
func (r resolver) listExternal(ctx context.Context) ([]engine.TableName, error) {
	all, err := r.g.store.Catalogs(ctx, r.p.ID)
	if err != nil {
		return nil, err
	}
	var out []engine.TableName
	for _, c := range all {
		names, err := externalCatalog{r.g, c}.all(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.g.log.Warn("catalog left out of a listing", "catalog", c.Name, "error", err.Error())
			continue
		}
		out = append(out, names...)
	}
	return out, nil
}

func (e externalCatalog) all(ctx context.Context) ([]engine.TableName, error) {
	src, err := e.source(ctx)
	if err != nil {
		return nil, err
	}
	schemas, err := e.Schemas(ctx)
	if err != nil {
		return nil, err
	}
	var out []engine.TableName
	for _, s := range schemas {
		tables, err := e.tables(ctx, src, s)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			out = append(out, engine.TableName{Catalog: e.c.Name, Schema: s, Table: t.Name})
		}
	}
	return out, nil
}

// scanner, scanned and filled word the failures of a source in the middle of a statement.
type scanner struct {
	engine.Scanner
	src *source
}

// Fault implements engine.Named.
func (s scanner) Fault(ctx context.Context, err error) error { return s.src.fault(ctx, err) }

func (s scanner) Columns(ctx context.Context) ([]engine.ColumnInfo, error) {
	cols, err := s.Scanner.Columns(ctx)
	return cols, s.src.fault(ctx, err)
}

func (s scanner) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	b, err := s.Scanner.Scan(ctx, req)
	if err != nil {
		return nil, s.src.fault(ctx, err)
	}
	if f, ok := b.(engine.Filler); ok {
		return filled{scanned{b, s.src}, f}, nil
	}
	return scanned{b, s.src}, nil
}

type scanned struct {
	engine.Batches
	src *source
}

func (s scanned) Next(ctx context.Context) ([][]any, error) {
	rows, err := s.Batches.Next(ctx)
	if err != nil && !isEOF(err) {
		err = s.src.fault(ctx, err)
	}
	return rows, err
}

// filled is scanned for a source that writes into the engine's columns itself.
type filled struct {
	scanned
	f engine.Filler
}

func (s filled) Fill(ctx context.Context, cols []engine.Vector, n int) (int, error) {
	n, err := s.f.Fill(ctx, cols, n)
	if err != nil && !isEOF(err) {
		err = s.src.fault(ctx, err)
	}
	return n, err
}
