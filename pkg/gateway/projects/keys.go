package projects

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (s *Service) keyRoutes(m *web.Mux) {
	web.Handle(m, spec.ListApiKeys, s.listAPIKeys)
	web.Handle(m, spec.CreateApiKey, s.createAPIKey)
	web.Handle(m, spec.DeleteApiKey, s.deleteAPIKey)
}

func apiKeyOut(k store.APIKey) api.ApiKey {
	return api.ApiKey{Name: k.Name, ApiKeyID: k.ID, ExpiresAt: k.ExpiresAt}
}

// listAPIKeys returns apiKey null: the text of a key is only in the reply that created it [O].
func (s *Service) listAPIKeys(ctx context.Context, r *web.Request[web.None]) ([]api.ApiKey, error) {
	all, err := s.Store.APIKeys(ctx, r.Project.ID)
	return each.Map(all, apiKeyOut), err
}

func (s *Service) createAPIKey(ctx context.Context, r *web.Request[api.ApiKeyRequest]) (api.ApiKey, error) {
	if r.Body.Name == nil {
		return api.ApiKey{}, fault.Missing("name")
	}
	if strings.TrimSpace(*r.Body.Name) == "" {
		return api.ApiKey{}, fault.Framework(400, "property %q is empty", "name")
	}
	var expires *string
	if r.Body.ExpiresAt != nil {
		t, err := time.Parse(time.RFC3339, *r.Body.ExpiresAt)
		switch {
		case err != nil:
			return api.ApiKey{}, fault.Framework(400,
				"property %q: %q is not an ISO 8601 time with a zone, such as 2030-01-31T00:00:00Z", "expiresAt",
				*r.Body.ExpiresAt)
		case !t.After(s.Now()):
			return api.ApiKey{}, fault.Framework(400, "property %q: %s has passed", "expiresAt", *r.Body.ExpiresAt)
		}
		text := store.Time(t)
		expires = &text
	}
	k, text, err := s.Store.CreateAPIKey(ctx, &r.Project.ID, *r.Body.Name, expires)
	out := apiKeyOut(k)
	out.ApiKey = &text
	return out, err
}

func (s *Service) deleteAPIKey(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	id := r.Param("apiKeyId")
	err := s.Store.DeleteAPIKey(ctx, r.Project.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return web.None{}, fault.Data(404, "there is no API key with id: %s", id)
	}
	return web.None{}, err
}
