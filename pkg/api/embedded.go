package api

import (
	"context"
	"net/url"

	"github.com/dig-cli/dig/pkg/spec"
)

// EmbeddedService has the methods of one group of endpoints.
type EmbeddedService struct{ c *Client }

// InitLegacy runs GET /ui/initSession.
//
// The documents mark it as deprecated and name a successor.
func (s *EmbeddedService) InitLegacy(ctx context.Context, params url.Values) (EmbeddedSession, error) {
	return call[EmbeddedSession](ctx, s.c, spec.InitEmbeddedSessionLegacy.At().WithQuery(params), nil)
}

// Init runs POST /ui/initSession.
func (s *EmbeddedService) Init(ctx context.Context, body InitSessionRequest) (EmbeddedSession, error) {
	return call[EmbeddedSession](ctx, s.c, spec.InitEmbeddedSession.At(), body)
}
