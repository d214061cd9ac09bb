package catalogs

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// getTableStatistics estimates the number of distinct values of each column, if the source maintains statistics [L].
func (s *Service) getTableStatistics(ctx context.Context, r *web.Request[web.None]) (api.TableStatistics, error) {
	c, t, err := s.Table(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"), r.Param("tableName"))
	if err != nil {
		return api.TableStatistics{}, err
	}
	out := api.TableStatistics{CatalogID: c.ID, SchemaName: t.SchemaName, TableName: t.TableName}
	out.ColumnStatistics, err = c.Statistics(ctx, t.SchemaName, t.TableName)
	if errors.Is(err, connector.ErrNoStatistics) {
		err = fault.Data(400, "Catalog type: %s is not being supported yet", c.CatalogType)
	}
	if out.ColumnStatistics == nil {
		out.ColumnStatistics = []api.ColumnStatistics{}
	}
	return out, err
}
