package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// OrganizationsService has the methods of one group of endpoints.
type OrganizationsService struct{ c *Client }

// List runs GET /organizations.
func (s *OrganizationsService) List(ctx context.Context) ([]Organization, error) {
	return callList[Organization](ctx, s.c, spec.ListOrganizations.At(), nil)
}

// Get runs GET /organizations/{organizationId}.
func (s *OrganizationsService) Get(ctx context.Context, org string) (Organization, error) {
	return call[Organization](ctx, s.c, spec.GetOrganization.At(org), nil)
}
