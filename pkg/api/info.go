package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// InfoService has the methods of one group of endpoints.
type InfoService struct{ c *Client }

// Get runs GET /info.
func (s *InfoService) Get(ctx context.Context) (ProjectInfo, error) {
	return call[ProjectInfo](ctx, s.c, spec.GetKeyInfo.At(), nil)
}
