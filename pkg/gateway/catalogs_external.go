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
	g    *namesService
	c    store.Catalog
	kept *kept
}

// kept is what was looked up about a catalog for one statement or one request, so that each of its tables needs no look of its own.
type kept struct {
	mu   sync.Mutex
	conn *store.Connection
	made *[]store.ParametricTable
}

// once looks something up unless it is known. A nil kept knows nothing.
func once[T any](k *kept, known func(*kept) **T, look func() (T, error)) (T, error) {
	if k == nil {
		return look()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	at := known(k)
	if *at != nil {
		return **at, nil
	}
	v, err := look()
	if err == nil {
		*at = &v
	}
	return v, err
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
	conn, err := once(e.kept, func(k *kept) **store.Connection { return &k.conn }, func() (store.Connection, error) { return e.g.store.CatalogConnection(ctx, e.c) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, unknown(engine.KindUnknownCatalog, "Catalog '%s' cannot be read: its connection was deleted", e.c.Name)
	}
	if err != nil {
		return nil, err
	}
	return e.g.sources.sources.get(conn, e.g.sources.openSource)
}

func (e externalCatalog) parametric(ctx context.Context) ([]store.ParametricTable, error) {
	id := e.c.ID
	if e.c.SharedFrom != nil {
		id = *e.c.SharedFrom
	}
	return once(e.kept, func(k *kept) **[]store.ParametricTable { return &k.made }, func() ([]store.ParametricTable, error) { return e.g.store.ParametricTables(ctx, id) })
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
	out, _, err := e.keyed(ctx, schema, table)
	return out, err
}

// keyed describes one table and names the columns of its primary key.
func (e externalCatalog) keyed(ctx context.Context, schema, table string) ([]api.ColumnDetail, map[string]bool, error) {
	cols, err := e.columns(ctx, schema, table)
	out, primary := make([]api.ColumnDetail, len(cols)), map[string]bool{}
	for i, c := range cols {
		out[i] = api.ColumnDetail{ID: strconv.Itoa(i + 1), Name: c.Name, DataType: c.Type, DisplayName: c.Name, IsNotNull: !c.Nullable, IsUnique: c.Unique}
		if c.Comment != "" {
			out[i].Desc = &c.Comment
		}
		if c.Primary {
			primary[c.Name] = true
		}
	}
	return out, primary, err
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

// external finds a catalog by name, once for each statement.
func (r resolver) external(ctx context.Context, name string) (externalCatalog, error) {
	r.seen.mu.Lock()
	defer r.seen.mu.Unlock()
	lower := strings.ToLower(name)
	if e, ok := r.seen.external[lower]; ok {
		return e, nil
	}
	c, err := r.g.store.CatalogByName(ctx, r.p.ID, lower)
	if errors.Is(err, store.ErrNotFound) {
		return externalCatalog{}, unknown(engine.KindUnknownCatalog, "Catalog '%s' does not exist", name)
	}
	if err != nil {
		return externalCatalog{}, err
	}
	e := externalCatalog{r.g, c, &kept{}}
	r.seen.external[lower] = e
	return e, nil
}

// lookupExternal finds a table of a catalog that stands over a connection.
func (r resolver) lookupExternal(ctx context.Context, n engine.TableName) (engine.Source, error) {
	e, err := r.external(ctx, n.Catalog)
	if err != nil {
		return engine.Source{}, err
	}
	c := e.c
	if t, err := r.cached(ctx, c.ID, n); err != nil || t != nil {
		return engine.Source{Stored: t}, err
	}
	if sql, err := e.parametricSQL(ctx, n); err != nil || sql != "" {
		return engine.Source{SQL: sql, Untyped: true}, err
	}
	s, err := e.table(ctx, n.Schema, n.Table)
	if err != nil || r.g.Scan == nil || r.live {
		return engine.Source{Scan: s}, err
	}
	src, err := e.source(ctx)
	if err != nil {
		return engine.Source{Scan: s}, err
	}
	s, err = r.g.Scan(ctx, scanOf{Project: r.p.ID, Catalog: c.ID, Name: n, Cacheable: src.typ.Cacheable, Scan: s})
	return engine.Source{Scan: s}, err
}

// listExternal names the tables of the catalogs over connections that are wanted. Where all are, one whose source is away does not stop a
// look at the others.
func (r resolver) listExternal(ctx context.Context, wanted func(name string) bool, named bool) ([]engine.TableName, error) {
	all, err := r.g.store.Catalogs(ctx, r.p.ID)
	if err != nil {
		return nil, err
	}
	var out []engine.TableName
	for _, c := range all {
		if !wanted(c.Name) {
			continue
		}
		names, err := externalCatalog{g: r.g, c: c}.all(ctx)
		if err != nil && !named && away(err) {
			err = engine.Omit(ctx, engine.OmittedCatalog, c.Name, err)
		}
		if err != nil {
			return nil, err
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
