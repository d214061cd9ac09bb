package metadata

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/post"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// Listener is notified when a refresh ends. Its address is dialled within the reach of the key that named it.
type Listener struct {
	url, token string
	reach      connector.Reach
}

// callbackTime limits one call.
const callbackTime = 10 * time.Second

// checkCallbackURL rejects addresses that can never be called. The address behind a name is checked when it is dialled.
func checkCallbackURL(s string, reach connector.Reach) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "":
		return fault.Framework(400, "property %q is not an absolute address", "callbackURL")
	case u.Scheme != "http" && u.Scheme != "https":
		return fault.Framework(400, "property %q: scheme %q is neither http nor https", "callbackURL", u.Scheme)
	case u.User != nil:
		return fault.Framework(400, "property %q contains a user name; use callbackToken", "callbackURL")
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		if err := reach.Network.Check(a); err != nil {
			return fault.Framework(400, "property %q: %v", "callbackURL", err)
		}
	}
	return nil
}

// checkCallbackToken rejects tokens that are not valid in a header; each call would fail.
func checkCallbackToken(s string) error {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fault.Framework(400, "property %q contains a character that is not allowed in a header", "callbackToken")
	}
	return nil
}

// post notifies the listener. Addresses are checked when they are dialled, so that a name cannot resolve to another
// one; redirects are not followed, and no proxy is used.
func (l *Listener) post(ctx context.Context, n refreshNews) error {
	ctx, cancel := context.WithTimeout(ctx, callbackTime)
	defer cancel()
	header := http.Header{"User-Agent": {"dig"}}
	if l.token != "" {
		header.Set("Authorization", "Bearer "+l.token)
	}
	return post.JSON(ctx, post.Client(&http.Transport{DialContext: l.reach.Dialer(callbackTime),
		DisableKeepAlives: true}), l.url, header, n.body())
}

// callback returns the listener of a refresh: the one given with it, else the registered one, else nil.
func (s *Service) callback(ctx context.Context, p store.Project, address, token string) (*Listener, error) {
	if address != "" {
		reach, err := s.Sources.Grant(ctx, connector.Credential{})
		if err != nil {
			return nil, err
		}
		return &Listener{address, token, reach}, errors.Join(checkCallbackURL(address, reach),
			checkCallbackToken(token))
	}
	if token != "" {
		return nil, fault.Missing("callbackURL")
	}
	address, sealed, err := s.Store.RefreshCallback(ctx, p.ID)
	if err != nil || address == "" {
		return nil, err
	}
	var c connector.Credential
	if len(sealed) > 0 { // else without a token, registered by an earlier version
		if c, err = s.Sources.Vault.Unseal(callbackSeal(p), sealed); err != nil {
			return nil, errors.Join(errors.New("the token of the callback cannot be read; register it again"), err)
		}
	}
	token, _ = c["token"].(string)
	return &Listener{address, token, s.Sources.Reach(c)}, nil
}

func callbackSeal(p store.Project) string { return "refresh callback of " + p.ID }

func (s *Service) getRefreshCallback(ctx context.Context, r *web.Request[web.None]) (api.RefreshCallback, error) {
	address, _, err := s.Store.RefreshCallback(ctx, r.Project.ID)
	return api.RefreshCallback{CallbackURL: address}, err
}

func (s *Service) registerRefreshCallback(ctx context.Context, r *web.Request[io.Reader]) (done, error) {
	var body api.MetadataRefreshCallbackRequest
	if err := optionalBody(r.Body, &body); err != nil {
		return done{}, err
	}
	if body.CallbackURL == "" {
		return done{}, fault.Missing("callbackURL")
	}
	c := connector.Credential{"token": string(body.CallbackToken)}
	reach, err := s.Sources.Grant(ctx, c)
	if err != nil {
		return done{}, err
	}
	if err := checkCallbackURL(body.CallbackURL, reach); err != nil {
		return done{}, err
	}
	if err := checkCallbackToken(string(body.CallbackToken)); err != nil {
		return done{}, err
	}
	sealed, err := s.Sources.Vault.Seal(callbackSeal(r.Project), c)
	if err != nil {
		return done{}, err
	}
	return done{}, s.Store.SetRefreshCallback(ctx, r.Project.ID, body.CallbackURL, sealed)
}

// unregisterRefreshCallback is idempotent.
func (s *Service) unregisterRefreshCallback(ctx context.Context, r *web.Request[web.None]) (done, error) {
	return done{}, s.Store.SetRefreshCallback(ctx, r.Project.ID, "", nil)
}
