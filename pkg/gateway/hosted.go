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
		g.web.Wrap, g.web.WrapFile = q.quirked, q.download
		g.caches.Stick, g.exports.Fail = q.sticks, q.oddExport
		g.tables.Document = q.forgetHeaders
		g.names.Scan = func(ctx context.Context, t scanOf) (engine.Scanner, error) { return q.scan(ctx, g.store, t) }
	}
	if in == nil {
		return
	}
	route, download := g.web.Wrap, g.web.WrapFile
	g.web.Wrap = func(op spec.Op, next http.HandlerFunc) http.HandlerFunc {
		if route != nil {
			next = route(op, next)
		}
		return in.injected(g.web, op.ID, next)
	}
	g.web.WrapFile = func(next http.HandlerFunc) http.HandlerFunc {
		if download != nil {
			next = download(next)
		}
		return in.injected(g.web, downloadOp, next)
	}
	g.jobs.Stall = func(ctx context.Context, kind string) bool { return in.stalls(ctx, g.log, kind) }
}
