package gateway

import (
	"context"
	"net/http"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/spec"
)

// misbehave hangs the faults and quirks that the options ask for on the gateway's hooks.
func (g *Gateway) misbehave() {
	q, in := g.options.Quirks, g.options.Inject
	if q != nil {
		g.hooks.route, g.hooks.download = q.quirked, q.download
		g.hooks.refresh, g.hooks.export = q.sticks, q.oddExport
		g.hooks.document = q.forgetHeaders
		g.hooks.scan = func(ctx context.Context, t scanOf) (engine.Scanner, error) { return q.scan(ctx, g.store, t) }
	}
	if in == nil {
		return
	}
	route, download := g.hooks.route, g.hooks.download
	g.hooks.route = func(op spec.Op, next http.HandlerFunc) http.HandlerFunc {
		if route != nil {
			next = route(op, next)
		}
		return in.injected(g, op.ID, next)
	}
	g.hooks.download = func(next http.HandlerFunc) http.HandlerFunc {
		if download != nil {
			next = download(next)
		}
		return in.injected(g, downloadOp, next)
	}
	g.hooks.job = func(ctx context.Context, kind string) bool { return in.stalls(ctx, g.log, kind) }
}
