package gateway

import (
	"context"
	"net/http"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/hosted"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/spec"
)

// Quirks is a selection of faults of the hosted zones that a served gateway reproduces; nil is none.
type Quirks = hosted.Quirks

// Injection is a set of faults that a served gateway injects; nil is none.
type Injection = hosted.Injection

// QuirkNames lists the quirks in the order of their numbers, which start with 1.
func QuirkNames() []string { return hosted.QuirkNames() }

// ParseQuirks parses names of quirks as given by --quirks. It returns nil if there are no names.
func ParseQuirks(names []string) (*Quirks, error) { return hosted.ParseQuirks(names) }

// ParseInjection parses rules as given by --fault. It returns nil if there are no rules.
func ParseInjection(rules []string, seed uint64) (*Injection, error) {
	return hosted.ParseInjection(rules, seed)
}

// misbehave installs the configured faults and quirks in the gateway's hooks.
func (g *Gateway) misbehave() {
	q, in := g.Options.Quirks, g.Options.Inject
	if q != nil {
		g.Web.Wrap, g.Web.WrapFile = q.Quirked, q.Download
		g.Caches.Stick, g.Exports.Fail = q.Sticks, q.OddExport
		g.Tables.Document = q.ForgetHeaders
		g.Names.Scan = func(ctx context.Context, t names.ScanOf) (engine.Scanner,
			error) {
			return q.Scan(ctx, g.Store, t)
		}
	}
	if in == nil {
		return
	}
	route, download := g.Web.Wrap, g.Web.WrapFile
	g.Web.Wrap = func(op spec.Op, next http.HandlerFunc) http.HandlerFunc {
		if route != nil {
			next = route(op, next)
		}
		return in.Injected(g.Web, op.ID, next)
	}
	g.Web.WrapFile = func(next http.HandlerFunc) http.HandlerFunc {
		if download != nil {
			next = download(next)
		}
		return in.Injected(g.Web, hosted.DownloadOp, next)
	}
	g.Jobs.Stall = func(ctx context.Context, kind string) bool { return in.Stalls(ctx, g.log, kind) }
}
