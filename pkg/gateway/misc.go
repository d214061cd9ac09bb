package gateway

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *Gateway) miscRoutes(m *web.Mux) {
	web.Handle(m, spec.InitEmbeddedSession, g.initSession)
	web.Handle(m, spec.InitEmbeddedSessionLegacy, func(ctx context.Context, r *web.Request[web.None]) (api.EmbeddedSession, error) {
		return api.EmbeddedSession{}, g.noSession(ctx, r.Op, r.Scope, r.Query("projectId"))
	})
	web.Handle(m, spec.ListSupportedDrivers, g.listDrivers)
	web.Handle(m, spec.GetJdbcDriver, g.noJDBC)
	web.Handle(m, spec.GetSqlAlchemyDriver, g.noSQLAlchemy)
	web.Handle(m, spec.TranspileSql, g.Statements.Transpile)
}

func (g *Gateway) initSession(ctx context.Context, r *web.Request[api.InitSessionRequest]) (api.EmbeddedSession, error) {
	return api.EmbeddedSession{}, g.noSession(ctx, r.Op, r.Scope, r.Body.ProjectID)
}

// noSession rejects sessions in the studio. The project is not in the path here, so the permission is checked first.
func (g *Gateway) noSession(ctx context.Context, op spec.Op, s web.Scope, project string) error {
	var p store.Project
	if err := g.Web.Authorize(ctx, op, s, project, &p); err != nil {
		return err
	}
	return fault.NotSupported(op.ID, needsStudio)
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
