// Package web is the HTTP side of the gateway: routes, authentication, limits of requests and replies.
package web

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// Scope identifies the caller: a partner key has access to everything, a project key to one project [S].
type Scope struct {
	Partner   bool
	ProjectID string // of a project key
	UserID    string
	Email     string
	KeyID     string // empty for the owner of the data directory
	KeyPrefix string // public part of the key
	Source    string // where the call was received: "process", "socket" or "tcp"
}

// servedKey is the Call.Key of the key that the gateway was started with, which has no ID.
const servedKey = "serve"

// UseServedKey makes text a valid partner key for the lifetime of this process, instead of one before.
func (s *Mux) UseServedKey(text string) { s.servedKey.Store(new(store.HashKey(text))) }

type scopeKey struct{} // the permissions of the caller

func ScopeOf(ctx context.Context) Scope {
	s, _ := ctx.Value(scopeKey{}).(Scope)
	return s
}

// authenticate determines the scope of a request. Calls from the same process or over the data directory's own socket
// come from someone who may read the directory; without a key they have the owner's scope. Over TCP a key is required.
func (s *Mux) authenticate(hr *http.Request) (Scope, error) {
	source, _ := hr.Context().Value(SourceKey{}).(string)
	scope := Scope{UserID: store.LocalUser, Email: store.LocalEmail, Source: source}
	header := hr.Header.Get("Authorization")
	if header == "" && (source == SourceProcess || source == SourceSocket) {
		scope.Partner = true
		return scope, nil
	}
	scheme, text, _ := strings.Cut(header, " ")
	text = strings.TrimSpace(text)
	if !strings.EqualFold(scheme, "Bearer") || text == "" {
		return scope, fault.Framework(401, "the header Authorization: Bearer <key> is missing")
	}
	if h := s.servedKey.Load(); h != nil && subtle.ConstantTimeCompare(*h, store.HashKey(text)) == 1 {
		scope.Partner, scope.KeyPrefix = true, text[:min(8, len(text))]
		callOf(hr.Context()).Key = servedKey
		return scope, nil
	}
	key, err := s.Store.FindKey(hr.Context(), text)
	if errors.Is(err, store.ErrNotFound) {
		return scope, fault.Framework(401, "the key is unknown to this gateway or has expired")
	}
	if err != nil {
		return scope, err
	}
	scope.KeyID, scope.KeyPrefix = key.ID, key.Prefix
	callOf(hr.Context()).Key = key.ID
	if scope.Partner = key.ProjectID == nil; !scope.Partner {
		scope.ProjectID = *key.ProjectID
	}
	return scope, nil
}

// Authorize checks that the scope may call the operation on the project, and finds the project.
func (s *Mux) Authorize(ctx context.Context, op spec.Op, scope Scope, project string, into *store.Project) error {
	if op.Partner && !scope.Partner {
		return fault.Framework(403, "this operation requires a partner key; the key given belongs to project %s",
			scope.ProjectID)
	}
	if project == "" {
		return nil
	}
	if !scope.Partner && scope.ProjectID != project {
		return fault.Framework(403, "the key belongs to another project")
	}
	p, err := s.Store.Project(ctx, "", project)
	if errors.Is(err, store.ErrNotFound) {
		return fault.Data(404, "there is no project with id: %s", project)
	}
	*into = p
	if err != nil {
		return fmt.Errorf("project %s: %w", project, err)
	}
	return nil
}
