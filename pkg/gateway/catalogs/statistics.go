package catalogs

import (
	"context"
	"errors"
	"strconv"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// getTableStatistics estimates the number of distinct values of each column, if the source maintains statistics [L].
func (s *Service) getTableStatistics(ctx context.Context, r *web.Request[web.None]) (api.TableStatistics, error) {
	c, t, err := s.Table(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"), r.Param("tableName"))
	if err != nil {
		return api.TableStatistics{}, err
	}
	unsupported := fault.Data(400, "Catalog type: %s is not being supported yet", c.CatalogType)
	if c.ID == api.InternalCatalogID || c.ID == names.SampleCatalogID {
		stats, err := s.countStatistics(ctx, r.Project, c, t)
		return api.TableStatistics{CatalogID: c.ID, SchemaName: t.SchemaName, TableName: t.TableName,
			ColumnStatistics: stats}, err
	}
	e, ok := c.Source.(names.ExternalCatalog)
	if !ok {
		return api.TableStatistics{}, unsupported
	}
	src, err := e.Source(ctx)
	if err != nil {
		return api.TableStatistics{}, err
	}
	stats, err := src.Statistics(ctx, t.SchemaName, t.TableName)
	if errors.Is(err, connector.ErrNoStatistics) {
		return api.TableStatistics{}, unsupported
	}
	if errors.Is(err, connector.ErrNoTable) || errors.Is(err, connector.ErrNoSchema) { // a parametric table
		return api.TableStatistics{}, fault.Data(400,
			"table %s is a parametric table; request the statistics of the table it reads", t.TableName)
	}
	if stats == nil {
		stats = []api.ColumnStatistics{}
	}
	return api.TableStatistics{CatalogID: c.ID, SchemaName: t.SchemaName, TableName: t.TableName,
		ColumnStatistics: stats}, src.Fault(ctx, err)
}

// exactStatistics is the number of rows up to which distinct values are counted; above it they are estimated, within a
// fifth or so.
const exactStatistics = 1_000_000

// countStatistics estimates the distinct values of a table that the gateway stores, in the form of Postgres' n_distinct
// as in the service [L]: a number, or, above a tenth of the rows, a negative fraction of the rows.
func (s *Service) countStatistics(ctx context.Context, p store.Project, c Catalog,
	t api.Table) ([]api.ColumnStatistics, error) {
	cols, err := c.Source.Columns(ctx, t.SchemaName, t.TableName)
	if err != nil {
		return nil, err
	}
	name := engine.TableName{Catalog: c.Name, Schema: t.SchemaName, Table: t.TableName}
	size, err := s.Names.Answer(ctx, p, sql.Counts{Table: name})
	if err != nil {
		return nil, err
	}
	ask := sql.Counts{Table: name, Columns: each.Map(cols, func(c api.ColumnDetail) string { return c.Name })}
	n, err := strconv.ParseInt(size[0][0], 10, 64)
	ask.Estimated = err != nil || n > exactStatistics
	res, err := s.Names.Query(ctx, p, sql.Query{Ask: ask})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	out := make([]api.ColumnStatistics, len(cols))
	_, err = res.Rows(ctx, func(row [][]byte) error {
		rows, err := strconv.ParseFloat(string(row[0]), 64)
		for i, col := range cols {
			n, perr := strconv.ParseFloat(string(row[i+1]), 64)
			err = errors.Join(err, perr)
			if n = min(n, rows); n > rows/10 {
				n = -n / rows
			}
			out[i] = api.ColumnStatistics{ColumnName: col.Name, DistinctFraction: n}
		}
		return err
	})
	return out, err
}
