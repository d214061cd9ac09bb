package gateway

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *projectsService) keyRoutes(m *webService) {
	handle(m, spec.ListApiKeys, g.listAPIKeys)
	handle(m, spec.CreateApiKey, g.createAPIKey)
	handle(m, spec.DeleteApiKey, g.deleteAPIKey)
}

func apiKeyOut(k store.APIKey) api.ApiKey {
	return api.ApiKey{Name: k.Name, ApiKeyID: k.ID, ExpiresAt: k.ExpiresAt}
}

// listAPIKeys answers with apiKey null: the text of a key is known only to the reply that made it [O].
func (g *projectsService) listAPIKeys(ctx context.Context, r *Request[None]) ([]api.ApiKey, error) {
	all, err := g.store.APIKeys(ctx, r.Project.ID)
	return mapAll(all, apiKeyOut), err
}

func (g *projectsService) createAPIKey(ctx context.Context, r *Request[api.ApiKeyRequest]) (api.ApiKey, error) {
	if r.Body.Name == nil {
		return api.ApiKey{}, missing("name")
	}
	if strings.TrimSpace(*r.Body.Name) == "" {
		return api.ApiKey{}, frameworkFault(400, "property %q is empty", "name")
	}
	var expires *string
	if r.Body.ExpiresAt != nil {
		t, err := time.Parse(time.RFC3339, *r.Body.ExpiresAt)
		switch {
		case err != nil:
			return api.ApiKey{}, frameworkFault(400, "property %q: %q is not an ISO 8601 time with a zone, such as 2030-01-31T00:00:00Z", "expiresAt", *r.Body.ExpiresAt)
		case !t.After(g.now()):
			return api.ApiKey{}, frameworkFault(400, "property %q: %s has passed", "expiresAt", *r.Body.ExpiresAt)
		}
		text := store.Time(t)
		expires = &text
	}
	k, text, err := g.store.CreateAPIKey(ctx, &r.Project.ID, *r.Body.Name, expires)
	out := apiKeyOut(k)
	out.ApiKey = &text
	return out, err
}

func (g *projectsService) deleteAPIKey(ctx context.Context, r *Request[None]) (None, error) {
	id := r.Param("apiKeyId")
	err := g.store.DeleteAPIKey(ctx, r.Project.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		return None{}, dataFault(404, "there is no API key with id: %s", id)
	}
	return None{}, err
}
