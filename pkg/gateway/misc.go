package gateway

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *Gateway) miscRoutes(m *webService) {
	handle(m, spec.InitEmbeddedSession, g.initSession)
	handle(m, spec.InitEmbeddedSessionLegacy, func(ctx context.Context, r *Request[None]) (api.EmbeddedSession, error) {
		return api.EmbeddedSession{}, g.noSession(ctx, r.Op, r.Scope, r.Query("projectId"))
	})
	handle(m, spec.ListSupportedDrivers, g.listDrivers)
	handle(m, spec.GetJdbcDriver, g.noJDBC)
	handle(m, spec.GetSqlAlchemyDriver, g.noSQLAlchemy)
	handle(m, spec.TranspileSql, g.statements.transpile)
}

func (g *Gateway) initSession(ctx context.Context, r *Request[api.InitSessionRequest]) (api.EmbeddedSession, error) {
	return api.EmbeddedSession{}, g.noSession(ctx, r.Op, r.Scope, r.Body.ProjectID)
}

// noSession refuses a session in the studio. The project stands below the path here, so the right to it is looked at first.
func (g *Gateway) noSession(ctx context.Context, op spec.Op, s Scope, project string) error {
	var p store.Project
	if err := g.web.authorize(ctx, op, s, project, &p); err != nil {
		return err
	}
	return notSupported(op.ID, needsStudio)
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
