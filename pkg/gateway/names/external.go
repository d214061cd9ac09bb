package names

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// ExternalCatalog is a catalog with a connection: the tables of the source and the parametric tables over them.
type ExternalCatalog struct {
	G    *Service
	C    store.Catalog
	Kept *Kept
}

// Kept stores the metadata of a catalog during one statement or one request, so that it is looked up once for all
// tables.
type Kept struct {
	mu   sync.Mutex
	conn *store.Connection
	made *[]store.ParametricTable
}

// once calls look unless the value is stored in k. If k is nil, the value is not stored.
func once[T any](k *Kept, known func(*Kept) **T, look func() (T, error)) (T, error) {
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

func CatalogOut(c store.Catalog) api.Catalog {
	out := api.Catalog{ID: c.ID, Name: c.Name, DisplayName: c.DisplayName, CatalogType: c.Type,
		ConnectionID: &c.ConnectionID}
	if c.SharedFrom != nil {
		out.ConnectionID = nil // it belongs to another project
	}
	return out
}

// Source opens the source of the catalog.
func (e ExternalCatalog) Source(ctx context.Context) (*sources.Source, error) {
	conn, err := once(e.Kept, func(k *Kept) **store.Connection { return &k.conn }, func() (store.Connection,
		error) {
		return e.G.Store.CatalogConnection(ctx, e.C)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, fault.Unknown(engine.KindUnknownCatalog, "Catalog '%s' cannot be read: its connection was deleted",
			e.C.Name)
	}
	if err != nil {
		return nil, err
	}
	return e.G.Sources.Sources.Get(conn, e.G.Sources.OpenSource)
}

func (e ExternalCatalog) Parametric(ctx context.Context) ([]store.ParametricTable, error) {
	id := e.C.ID
	if e.C.SharedFrom != nil {
		id = *e.C.SharedFrom
	}
	return once(e.Kept, func(k *Kept) **[]store.ParametricTable { return &k.made }, func() ([]store.ParametricTable,
		error) {
		return e.G.Store.ParametricTables(ctx, id)
	})
}

// Schemas lists the schemas of the source, and those that only parametric tables have.
func (e ExternalCatalog) Schemas(ctx context.Context) ([]string, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return nil, err
	}
	names, err := src.Schemas(ctx)
	if err != nil {
		return nil, src.Fault(ctx, err)
	}
	made, err := e.Parametric(ctx)
	for _, m := range made {
		if !slices.Contains(names, m.ToSchema) {
			names = append(names, m.ToSchema)
		}
	}
	return names, err
}

// tables lists one schema: the tables of the source, then parametric ones.
func (e ExternalCatalog) tables(ctx context.Context, src *sources.Source, schema string) ([]connector.Table, error) {
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

// Tables lists one schema.
func (e ExternalCatalog) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return nil, err
	}
	tables, err := e.tables(ctx, src, schema)
	return each.Map(tables, func(n connector.Table) api.Table {
		t := api.Table{CatalogID: e.C.ID, CatalogName: e.C.Name, SchemaName: schema, TableName: n.Name,
			IsDynamicTable: n.Dynamic,
			IsCacheable:    (src.Typ.Cacheable || e.C.CacheAnything) && !n.Dynamic, SupportedCacheTypes: []string{}}
		if t.IsCacheable {
			t.SupportedCacheTypes = []string{states.Full, states.Incremental}
		}
		return t
	}), err
}

// Columns describes one table.
func (e ExternalCatalog) Columns(ctx context.Context, schema, table string) ([]api.ColumnDetail, error) {
	out, _, err := e.Keyed(ctx, schema, table)
	return out, err
}

// Keyed describes one table and returns the columns of its primary key.
func (e ExternalCatalog) Keyed(ctx context.Context, schema, table string) ([]api.ColumnDetail, map[string]bool, error) {
	cols, err := e.ColumnInfos(ctx, schema, table)
	out, primary := make([]api.ColumnDetail, len(cols)), map[string]bool{}
	for i, c := range cols {
		out[i] = api.ColumnDetail{ID: strconv.Itoa(i + 1), Name: c.Name, DataType: dataType(c.Type),
			DisplayName: c.Name, IsNotNull: !c.Nullable, IsUnique: c.Unique}
		if c.Comment != "" {
			out[i].Desc = &c.Comment
		}
		if c.Primary {
			primary[c.Name] = true
		}
	}
	return out, primary, err
}

func (e ExternalCatalog) ColumnInfos(ctx context.Context, schema, table string) ([]engine.ColumnInfo, error) {
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
func (e ExternalCatalog) Table(ctx context.Context, schema, table string) (engine.Scanner, error) {
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
	return scanner{t, src}, nil
}

// external finds a catalog by name, once for each statement.
func (r Resolver) external(ctx context.Context, name string) (ExternalCatalog, error) {
	r.seen.mu.Lock()
	defer r.seen.mu.Unlock()
	lower := strings.ToLower(name)
	if e, ok := r.seen.external[lower]; ok {
		return e, nil
	}
	c, err := r.g.Store.CatalogByName(ctx, r.p.ID, lower)
	if errors.Is(err, store.ErrNotFound) {
		return ExternalCatalog{}, fault.Unknown(engine.KindUnknownCatalog, "Catalog '%s' does not exist", name)
	}
	if err != nil {
		return ExternalCatalog{}, err
	}
	e := ExternalCatalog{r.g, c, &Kept{}}
	r.seen.external[lower] = e
	return e, nil
}

// lookupExternal finds a table of a catalog with a connection.
func (r Resolver) lookupExternal(ctx context.Context, n engine.TableName) (sql.Source, error) {
	e, err := r.external(ctx, n.Catalog)
	if err != nil {
		return sql.Source{}, err
	}
	c := e.C
	if t, err := r.cached(ctx, c.ID, n, func() (string, string, error) {
		ctx, cancel := context.WithTimeout(ctx, spellingTime)
		defer cancel()
		return Spelled(ctx, e, n)
	}); err != nil || t != nil {
		return sql.Source{Stored: t}, err
	}
	if rows, err := e.ParametricRows(ctx, n); err != nil || rows != nil {
		return sql.Source{Ask: rows}, err
	}
	s, err := e.Table(ctx, n.Schema, n.Table)
	if err != nil || r.g.Scan == nil || r.Live {
		return sql.Source{Scan: s}, err
	}
	src, err := e.Source(ctx)
	if err != nil {
		return sql.Source{Scan: s}, err
	}
	s, err = r.g.Scan(ctx, ScanOf{Project: r.p.ID, Catalog: c.ID, Name: n, Cacheable: src.Typ.Cacheable, Scan: s})
	return sql.Source{Scan: s}, err
}

// listExternal lists the tables of the requested catalogs with connections. If all are requested, an unreachable source
// does not hide the others.
func (r Resolver) listExternal(ctx context.Context, wanted func(name string) bool,
	named bool) ([]engine.TableName, error) {
	all, err := r.g.Store.Catalogs(ctx, r.p.ID)
	if err != nil {
		return nil, err
	}
	var out []engine.TableName
	for _, c := range all {
		if !wanted(c.Name) {
			continue
		}
		names, err := ExternalCatalog{G: r.g, C: c}.all(ctx)
		if err != nil && !named && Away(err) {
			err = engine.Omit(ctx, engine.OmittedCatalog, c.Name, err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}

func (e ExternalCatalog) all(ctx context.Context) ([]engine.TableName, error) {
	src, err := e.Source(ctx)
	if err != nil {
		return nil, err
	}
	schemas, err := e.Schemas(ctx)
	if err != nil {
		return nil, err
	}
	out := []engine.TableName{{Catalog: e.C.Name}} // also of a source without schemas, and each schema without tables
	for _, s := range schemas {
		out = append(out, engine.TableName{Catalog: e.C.Name, Schema: s})
		tables, err := e.tables(ctx, src, s)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			out = append(out, engine.TableName{Catalog: e.C.Name, Schema: s, Table: t.Name})
		}
	}
	return out, nil
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

// Describe implements engine.Described.
func (s scanner) Describe() string { return s.src.Describe() }

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
	if f, ok := b.(engine.Filler); ok {
		return filled{scanned{b, s.src}, f}, nil
	}
	return scanned{b, s.src}, nil
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

// dataType is a type as the service lists it for a column: a varchar has no length.
func dataType(typ string) string {
	if strings.HasPrefix(typ, "varchar(") {
		return "varchar"
	}
	return typ
}
