package names

import (
	"cmp"
	"context"
	"strconv"
	"sync"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/tables"
	"github.com/dig-cli/dig/pkg/gateway/wire"
)

// internal is catalog "1": the internal and BI tables.
type internal struct {
	plain
	g *Service
	p store.Project
}

func (c internal) Schemas(context.Context) ([]string, error) {
	return []string{engine.SchemaTable, engine.SchemaBI}, nil
}

func (c internal) Tables(ctx context.Context, schema string) ([]api.Table, error) {
	p, err := c.g.Engine.Project(ctx, c.p.ID)
	if err != nil {
		return nil, err
	}
	schemas := []string{schema}
	if schema == "" {
		schemas = []string{engine.SchemaTable, engine.SchemaBI}
	}
	// At once: on a cluster each of them takes a statement or more, and a hint about a name has little time.
	names, errs := make([][]string, len(schemas)), make([]error, len(schemas))
	var all sync.WaitGroup
	for i, s := range schemas {
		safely.Wait(&all, func() {
			errs[i] = safely.Try(func() (err error) { names[i], err = p.ListTables(ctx, s); return err })
		})
	}
	all.Wait()
	var out []api.Table
	for i, s := range schemas {
		out = append(out, each.Map(names[i], func(n string) api.Table { return tables.TableOut(s, n) })...)
	}
	return out, cmp.Or(errs...)
}

func (c internal) Columns(ctx context.Context, schema, table string) ([]Column, error) {
	p, err := c.g.Engine.Project(ctx, c.p.ID)
	if err != nil {
		return nil, err
	}
	cols, err := p.Columns(ctx, schema, table)
	return each.Map(cols, func(c engine.Column) Column {
		return Column{ColumnDetail: tables.ColumnOut(c), System: c.System, Primary: c.System && c.Name == "_id"}
	}), err
}

func (c internal) Resolve(_ context.Context, _ Resolver, n engine.TableName) (sql.Source, error) {
	if n.Schema != engine.SchemaTable && n.Schema != engine.SchemaBI {
		return sql.Source{}, noSchema(n.Schema)
	}
	return sql.Source{Base: &n}, nil
}

func (c internal) Statistics(ctx context.Context, schema, table string) ([]api.ColumnStatistics, error) {
	return c.g.statistics(ctx, c.p, c, engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
}

// sample is the built-in catalog, whose tables the engine has.
type sample struct {
	plain
	g *Service
	p store.Project
}

func (c sample) Schemas(context.Context) ([]string, error) { return []string{engine.SampleSchema}, nil }

func (c sample) Tables(_ context.Context, schema string) ([]api.Table, error) {
	if schema != "" && schema != engine.SampleSchema {
		return nil, nil
	}
	return each.Map(engine.SampleTables(), func(n string) api.Table {
		return api.Table{CatalogID: SampleCatalogID, CatalogName: engine.SampleCatalog, SchemaName: engine.SampleSchema,
			TableName: n, IsCacheable: true, SupportedCacheTypes: []string{states.Full, states.Incremental}}
	}), nil
}

func (c sample) Columns(ctx context.Context, schema, table string) ([]Column, error) {
	return c.g.Describe(ctx, c.p, engine.TableName{Catalog: engine.SampleCatalog, Schema: schema, Table: table})
}

func (c sample) Resolve(ctx context.Context, r Resolver, n engine.TableName) (sql.Source, error) {
	t, err := r.cached(ctx, SampleCatalogID, n, func() (string, string, error) { return n.Schema, n.Table, nil })
	if err != nil || t != nil {
		return sql.Source{Base: t}, err
	}
	return sql.Own{}.Lookup(ctx, n)
}

func (c sample) Statistics(ctx context.Context, schema, table string) ([]api.ColumnStatistics, error) {
	return c.g.statistics(ctx, c.p, c, engine.TableName{Catalog: engine.SampleCatalog, Schema: schema, Table: table})
}

// Describe lists the columns of anything a statement can refer to, by analysing a query of its rows.
func (s *Service) Describe(ctx context.Context, p store.Project, n engine.TableName) ([]Column, error) {
	data, err := s.Engine.Project(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	cols, origins, err := sql.Describe(ctx, data, sql.Query{Ask: sql.Rows{Table: n, Limit: sql.NoRows},
		Catalogs: s.Resolver(p)})
	if err != nil {
		return nil, err
	}
	out := make([]Column, len(cols))
	for i, c := range cols {
		out[i].ColumnDetail = api.ColumnDetail{ID: strconv.Itoa(i + 1), Name: c.Name, DataType: wire.TypeName(c.Type),
			DisplayName: c.Name}
		if len(origins) == len(cols) {
			out[i].Origin = &origins[i]
		}
	}
	return out, nil
}
