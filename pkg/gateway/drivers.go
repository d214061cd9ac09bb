package gateway

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *Gateway) driverRoutes(m *web.Mux) {
	web.Handle(m, spec.ListSupportedDrivers, g.listDrivers)
	web.Handle(m, spec.GetJdbcDriver, g.noJDBC)
	web.Handle(m, spec.GetSqlAlchemyDriver, g.noSQLAlchemy)
}

// listDrivers returns an empty result: zone local is accessible over HTTP only and has no SQL port, so any connection
// string would be wrong.
func (g *Gateway) listDrivers(context.Context, *web.Request[web.None]) (api.SupportedDrivers, error) {
	return api.SupportedDrivers{}, nil
}

func (g *Gateway) noJDBC(context.Context, *web.Request[web.None]) (api.SupportedDrivers, error) {
	return api.SupportedDrivers{}, noDriver("JDBC")
}

// noSQLAlchemy requires catalogName, as the service does [O].
func (g *Gateway) noSQLAlchemy(_ context.Context, r *web.Request[web.None]) (api.SupportedDrivers, error) {
	if r.Query("catalogName") == "" {
		return api.SupportedDrivers{}, fault.Framework(400, "required query parameter %q is missing", "catalogName")
	}
	return api.SupportedDrivers{}, noDriver("SQL_ALCHEMY")
}

func noDriver(name string) *fault.Fault {
	return fault.Data(404, "there is no %s driver for this gateway: it is accessible over HTTP only and has no SQL port", name)
}
