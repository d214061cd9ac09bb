package names

import (
	"context"
	"errors"
	"strconv"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// exactStatistics is the number of rows up to which distinct values are counted; above it they are estimated, within a
// fifth or so.
const exactStatistics = 1_000_000

// statistics estimates the distinct values of a table that the engine has, in the form of Postgres' n_distinct as in
// the service [L]: a number, or, above a tenth of the rows, a negative fraction of the rows.
func (s *Service) statistics(ctx context.Context, p store.Project, c Contents,
	name engine.TableName) ([]api.ColumnStatistics, error) {
	cols, err := c.Columns(ctx, name.Schema, name.Table)
	if err != nil {
		return nil, err
	}
	size, err := s.Answer(ctx, p, sql.Counts{Table: name})
	if err != nil {
		return nil, err
	}
	ask := sql.Counts{Table: name, Columns: each.Map(cols, func(c Column) string { return c.Name })}
	n, err := strconv.ParseInt(size[0][0], 10, 64)
	ask.Estimated = err != nil || n > exactStatistics
	res, err := s.Query(ctx, p, sql.Query{Ask: ask})
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
