package gateway

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

const needsStudio = "the hosted web studio"

func (g *Gateway) embeddedRoutes(m *web.Mux) {
	web.Handle(m, spec.InitEmbeddedSession, g.initSession)
	web.Handle(m, spec.InitEmbeddedSessionLegacy, func(ctx context.Context,
		r *web.Request[web.None]) (api.EmbeddedSession, error) {
		return api.EmbeddedSession{}, g.noSession(ctx, r.Op, r.Scope, r.Query("projectId"))
	})
}

func (g *Gateway) initSession(ctx context.Context,
	r *web.Request[api.InitSessionRequest]) (api.EmbeddedSession, error) {
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
