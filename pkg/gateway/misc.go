package gateway

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *Gateway) registerMisc() {
	handle(g, spec.InitEmbeddedSession, refuse[api.EmbeddedSession](needsStudio))
	handle(g, spec.InitEmbeddedSessionLegacy, refuse[api.EmbeddedSession](needsStudio))
	handle(g, spec.ListSupportedDrivers, g.listDrivers)
	handle(g, spec.GetJdbcDriver, g.noJDBC)
	handle(g, spec.GetSqlAlchemyDriver, g.noSQLAlchemy)
	handle(g, spec.TranspileSql, g.transpile)
}

// listDrivers answers that there are none: zone local is reached over HTTP only and listens on no SQL port, and a connection
// string that cannot connect would be a lie.
func (g *Gateway) listDrivers(context.Context, *Request[None]) (api.SupportedDrivers, error) {
	return api.SupportedDrivers{}, nil
}

func (g *Gateway) noJDBC(context.Context, *Request[None]) (api.SupportedDrivers, error) {
	return api.SupportedDrivers{}, noDriver("JDBC")
}

// noSQLAlchemy wants catalogName, as the service does [O].
func (g *Gateway) noSQLAlchemy(_ context.Context, r *Request[None]) (api.SupportedDrivers, error) {
	if r.Query("catalogName") == "" {
		return api.SupportedDrivers{}, frameworkFault(400, "required query parameter %q is missing", "catalogName")
	}
	return api.SupportedDrivers{}, noDriver("SQL_ALCHEMY")
}

func noDriver(name string) *Fault {
	return dataFault(404, "there is no %s driver for this gateway: it is reached over HTTP only and listens on no SQL port", name)
}
