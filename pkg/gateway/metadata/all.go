package metadata

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// all describes the tables of the project, of one catalog if its id is given, or of one schema if that is given too.
// When all catalogs are listed, an unreachable source does not hide the others.
func (d *describer) all(ctx context.Context, catalogID, schema string) ([]api.TableMetadata, error) {
	if catalogID != "" {
		c, ok := d.catalogs[catalogID]
		if !ok {
			return nil, fault.Data(404, "there is no catalog with id: %s", catalogID)
		}
		return d.tables(ctx, c, schema, true)
	}
	var out []api.TableMetadata
	err := names.Each(ctx, d.order, false, func(c names.Catalog) error {
		ts, err := d.tablesOfAny(ctx, c, schema)
		out = append(out, ts...)
		return err
	})
	return out, err
}

// tablesOfAny is like tables, for a catalog that may not have the schema.
func (d *describer) tablesOfAny(ctx context.Context, c names.Catalog, schema string) ([]api.TableMetadata, error) {
	if schema != "" {
		if names, err := c.Schemas(ctx); err != nil || !slices.Contains(names, schema) {
			return nil, err
		}
	}
	return d.tables(ctx, c, schema, false)
}

// maxBlank is the number of tables of a catalog listed without columns after which the source of the catalog counts as
// unreachable: an unreachable source may take long to fail, for each table.
const maxBlank = 3

// gone reports whether a table that was listed is not any more: it was dropped meanwhile.
func (d *describer) gone(ctx context.Context, c names.Catalog, t api.Table) bool {
	c, err := d.g.Names.Catalog(ctx, d.p, c.ID) // c keeps what it has listed
	if err != nil {
		return false
	}
	now, err := c.Tables(ctx, t.SchemaName)
	return err == nil && !slices.ContainsFunc(now, func(x api.Table) bool { return x.TableName == t.TableName })
}

// tables describes the tables of one catalog, or of one of its schemas. A table that cannot be read is an error, unless
// all catalogs are listed.
func (d *describer) tables(ctx context.Context, c names.Catalog, schema string,
	named bool) ([]api.TableMetadata, error) {
	schemas := []string{schema}
	if schema == "" {
		var err error
		if schemas, err = c.Schemas(ctx); err != nil {
			return nil, err
		}
	} else if _, err := d.g.Catalogs.Schema(ctx, d.p, c.ID, schema); err != nil {
		return nil, err
	}
	var out []api.TableMetadata
	blank := map[engine.TableName]error{}
	for _, s := range schemas {
		tables, err := c.Tables(ctx, s)
		if err != nil {
			return nil, err
		}
		columns := func(i int) ([]names.Column, error) {
			return c.Columns(ctx, tables[i].SchemaName, tables[i].TableName)
		}
		if c.ID == api.QueryCatalogID { // each is a statement that is analysed
			columns = ahead(len(tables), columns)
		}
		for i, t := range tables {
			cols, err := columns(i)
			m, err := d.tableOf(ctx, c, t, cols, err)
			if err != nil && !named && names.Away(err) && len(blank) < maxBlank {
				blank[engine.TableName{Catalog: c.Name, Schema: t.SchemaName, Table: t.TableName}], err = err, nil
			}
			if err != nil && d.gone(ctx, c, t) {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, m)
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(blank), engine.TableName.Compare) {
		if err := engine.Omit(ctx, engine.OmittedColumns, name.String(), blank[name]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ahead calls f for 0 to n-1, by as many goroutines as there are processors, and returns the results.
func ahead[T any](n int, f func(int) (T, error)) func(int) (T, error) {
	results, errs := make([]T, n), make([]error, n)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		safely.Wait(&all, func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = safely.Try(func() (err error) {
					results[i], err = f(i)
					return err
				})
			}
		})
	}
	all.Wait()
	return func(i int) (T, error) { return results[i], errs[i] }
}
