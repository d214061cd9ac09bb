package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// DriversService has the methods of one group of endpoints.
type DriversService struct{ c *Client }

// List runs GET /supportedDrivers.
func (s *DriversService) List(ctx context.Context, catalogName string) (SupportedDrivers, error) {
	return call[SupportedDrivers](ctx, s.c, spec.ListSupportedDrivers.At().With("catalogName", catalogName), nil)
}

// JDBC runs GET /supportedDrivers/jdbc.
func (s *DriversService) JDBC(ctx context.Context) (SupportedDrivers, error) {
	return call[SupportedDrivers](ctx, s.c, spec.GetJdbcDriver.At(), nil)
}

// SQLAlchemy runs GET /supportedDrivers/sql_alchemy.
func (s *DriversService) SQLAlchemy(ctx context.Context, catalogName string) (SupportedDrivers, error) {
	return call[SupportedDrivers](ctx, s.c, spec.GetSqlAlchemyDriver.At().With("catalogName", catalogName), nil)
}
