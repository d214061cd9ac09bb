package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service stores connections, their credentials, and the open sources.
type Service struct {
	Store    *store.Store
	Engine   engine.Engine
	Dir      string
	ReadOnly bool
	Network  connector.Network // of connections that were created with a project key
	Vault    *Vault
	Types    connector.Registry
	Own      *connector.Own
	Log      *slog.Logger
	Sources  Sources
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.ListConnectionConfigs, s.listConnectionConfigs)
	web.Handle(m, spec.GetConnectionConfig, s.getConnectionConfig)
	web.Handle(m, spec.ListConnections, s.listConnections)
	web.Handle(m, spec.CreateConnection, s.createConnection)
	web.Handle(m, spec.CreateConnectionAlt, s.createConnection)
	web.Handle(m, spec.CompleteOauthConnection, s.completeOAuthConnection)
	web.Handle(m, spec.GetConnection, s.getConnection)
	web.Handle(m, spec.UpdateConnection, s.updateConnection)
	web.Handle(m, spec.DeleteConnection, s.deleteConnection)
	web.Handle(m, spec.GetConnectionDetail, s.getConnectionDetail)
}

// testTimeout limits the test of a credential.
const testTimeout = 20 * time.Second

func (s *Service) listConnectionConfigs(context.Context,
	*web.Request[web.None]) ([]api.ConnectionConfiguration, error) {
	return each.Map(s.Types, connector.Type.Config), nil
}

func (s *Service) getConnectionConfig(_ context.Context,
	r *web.Request[web.None]) (api.ConnectionConfiguration, error) {
	t, err := s.connectionType(r.Param("connectionType"))
	return t.Config(), err
}

// connectionType finds a type by its exact key, as the hosted service does; the error names the correct spelling.
func (s *Service) connectionType(key string) (connector.Type, error) {
	if t, ok := s.Types.Find(key); ok {
		return t, nil
	}
	var keys []string
	for _, t := range s.Types {
		keys = append(keys, t.Key)
	}
	return connector.Type{}, fault.Connection(400, "INVALID_CONNECTION_TYPE", "",
		"there is no connection type %q on this gateway; the types are %s", key, strings.Join(keys, ", "))
}

func connectionOut(c store.Connection) api.Connection {
	return api.Connection{ID: c.ID, Name: c.Name, Type: c.Type}
}

func (s *Service) listConnections(ctx context.Context, r *web.Request[web.None]) ([]api.Connection, error) {
	all, err := s.Store.Connections(ctx, r.Project.ID)
	return each.Map(all, connectionOut), err
}

// Connection finds a connection of the project. An unknown one is 400 and not 404, as hosted [L].
func (s *Service) Connection(ctx context.Context, p store.Project, id string) (store.Connection, error) {
	c, err := s.Store.Connection(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		err = fault.Connection(400, "INVALID_CONNECTION_ID", "cn004", "invalid connection id")
	}
	return c, err
}

func (s *Service) getConnection(ctx context.Context, r *web.Request[web.None]) (api.Connection, error) {
	c, err := s.Connection(ctx, r.Project, r.Param("connectionId"))
	return connectionOut(c), err
}

// credential checks and tests a credential. All its errors are INVALID_CREDENTIALS [L], whose code is a text [I].
func (s *Service) credential(ctx context.Context, t connector.Type, sent map[string]any) (connector.Credential, error) {
	invalid := func(format string, args ...any) *fault.Fault {
		return fault.Connection(400, "INVALID_CREDENTIALS", "cn001", format, args...)
	}
	c, err := t.Check(sent)
	if err != nil {
		return nil, invalid("%v", err)
	}
	for _, f := range t.Fields {
		if f.Local {
			if err := s.Own.Path(c.Text(f.Name)); err != nil {
				return nil, invalid("credential field %q %v", f.Name, err)
			}
		}
	}
	reach, err := s.Grant(ctx, c)
	if err != nil {
		return nil, invalid("%v", err)
	}
	conn, err := t.Open(c, reach)
	if err != nil {
		return nil, invalid("%s", t.Redact(c, err.Error()))
	}
	defer conn.Close()
	limited, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	if err := conn.Test(limited); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		bad := invalid("the %s credential does not work: %s", t.Label, t.Redact(c, err.Error()))
		if t.Local() && errors.Is(err, fs.ErrNotExist) {
			bad.Status = fault.EngineStatus(engine.KindNoFile)
		}
		return nil, bad
	}
	return c, nil
}

func (s *Service) createConnection(ctx context.Context, r *web.Request[api.ConnectionRequest]) (api.Connection, error) {
	switch {
	case r.Body.Name == "":
		return api.Connection{}, fault.Missing("name")
	case r.Body.Type == "":
		return api.Connection{}, fault.Missing("type")
	case r.Body.Credential == nil:
		return api.Connection{}, fault.Missing("credential")
	}
	t, err := s.connectionType(r.Body.Type)
	if err != nil {
		return api.Connection{}, err
	}
	cred, err := s.credential(ctx, t, r.Body.Credential)
	if err != nil {
		return api.Connection{}, err
	}
	c := store.Connection{ID: store.NewConnectionID(), ProjectID: r.Project.ID, Name: r.Body.Name, Type: t.Key}
	if c.Credential, err = s.Vault.Seal(c.ID, cred); err != nil {
		return api.Connection{}, err
	}
	c, err = s.Store.CreateConnection(ctx, c, r.Body.AllowDuplicateName)
	return connectionOut(c), err
}

// updateConnection changes the name, the credential or both; omitted fields are kept. A new credential is tested first,
// and nothing is changed if it does not work [L].
func (s *Service) updateConnection(ctx context.Context, r *web.Request[api.ConnectionRequest]) (api.Connection, error) {
	c, err := s.Connection(ctx, r.Project, r.Param("connectionId"))
	if err != nil {
		return api.Connection{}, err
	}
	if r.Body.Type != "" && r.Body.Type != c.Type {
		return api.Connection{}, fault.Connection(400, "INVALID_CONNECTION_TYPE", "",
			"the type of a connection cannot change: it is %s", c.Type)
	}
	if r.Body.Name == "" && r.Body.Credential == nil {
		return api.Connection{}, fault.Missing("credential")
	}
	again := r.Body.AllowDuplicateName || r.Body.Name == "" || r.Body.Name == c.Name
	if r.Body.Name != "" {
		c.Name = r.Body.Name
	}
	if r.Body.Credential != nil {
		t, err := s.connectionType(c.Type)
		if err != nil {
			return api.Connection{}, err
		}
		cred, err := s.credential(ctx, t, r.Body.Credential)
		if err != nil {
			return api.Connection{}, err
		}
		if err := s.stays(c, t, cred); err != nil {
			return api.Connection{}, err
		}
		if c.Credential, err = s.Vault.Seal(c.ID, cred); err != nil {
			return api.Connection{}, err
		}
	}
	if err := s.Store.UpdateConnection(ctx, c, again); err != nil {
		return api.Connection{}, err
	}
	if r.Body.Credential != nil {
		s.detach(ctx, c.ProjectID)
	}
	return connectionOut(c), nil
}

// stays rejects a credential with another address for a connection that the engine reads by itself: it would continue
// to read the former database.
func (s *Service) stays(c store.Connection, t connector.Type, cred connector.Credential) error {
	if engine.MappedBy(s.Engine, c.ProjectID, c.ID) == "" {
		return nil
	}
	_, former, err := s.unsealed(c)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(t.Public(former), t.Public(cred)) {
		return fault.Connection(409, "CONNECTION_IN_USE", "", "the engine reads connection %s from a catalog that its "+
			"operator has made: only secrets can change", c.Name)
	}
	return nil
}

func (s *Service) deleteConnection(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	c, err := s.Connection(ctx, r.Project, r.Param("connectionId"))
	if err != nil {
		return web.None{}, err
	}
	if err := s.Store.DeleteConnection(ctx, c.ProjectID, c.ID); err != nil {
		return web.None{}, err
	}
	s.Sources.Forget(func(o store.Connection) bool { return o.ID == c.ID })
	s.detach(ctx, c.ProjectID)
	return web.None{}, nil
}

// getConnectionDetail returns the type and the non-secret members of the credential [S].
func (s *Service) getConnectionDetail(ctx context.Context, r *web.Request[web.None]) (map[string]any, error) {
	c, err := s.Connection(ctx, r.Project, r.Param("connectionId"))
	if err != nil {
		return nil, err
	}
	t, cred, err := s.unsealed(c)
	if err != nil {
		return nil, err
	}
	out := t.Public(cred)
	out["type"] = c.Type
	return out, nil
}

// completeOAuthConnection knows no state: no connection type of this gateway uses OAuth, so no connection waits for a
// provider.
func (s *Service) completeOAuthConnection(_ context.Context,
	r *web.Request[api.OAuthCallbackRequest]) (api.Connection, error) {
	if r.Body.QueryParameters == "" {
		return api.Connection{}, fault.Missing("queryParameters")
	}
	if _, err := url.ParseQuery(r.Body.QueryParameters); err != nil {
		return api.Connection{}, fault.Connection(400, "INVALID_OAUTH_STATE", "",
			"queryParameters is not a query string: %v", err)
	}
	return api.Connection{}, fault.Connection(400, "INVALID_OAUTH_STATE", "", "no connection of this project waits "+
		"for an authorization with this state: no connection type of this gateway uses OAuth")
}

func (s *Service) unsealed(c store.Connection) (connector.Type, connector.Credential, error) {
	t, ok := s.Types.Find(c.Type)
	if !ok {
		return t, nil, fmt.Errorf("connection %s has type %s, which this version of dig does not know", c.Name, c.Type)
	}
	cred, err := s.Vault.Unseal(c.ID, c.Credential)
	if err != nil {
		return t, nil, fmt.Errorf("connection %s: %w", c.Name, err)
	}
	return t, cred, nil
}

// Source is an open connector that formats its errors with the connection's name and without its secrets.
type Source struct {
	connector.Connector
	conn store.Connection
	Typ  connector.Type
	cred connector.Credential
}

// Describe names the connection and its type.
func (s *Source) Describe() string { return "connection " + s.conn.Name + " (" + s.conn.Type + ")" }

// OpenSource opens the connector of a stored connection. It does not connect yet.
func (s *Service) OpenSource(c store.Connection) (*Source, error) {
	t, cred, err := s.unsealed(c)
	if err != nil {
		return nil, &engine.Error{Kind: engine.KindSource, Message: err.Error(), Err: engine.Unusable(err)}
	}
	conn, err := t.Open(cred, s.Reach(cred))
	if err != nil {
		return nil, &engine.Error{Kind: engine.KindSource, Message: fmt.Sprintf("connection %s: %s", c.Name,
			t.Redact(cred, err.Error())), Err: engine.ErrUnusable}
	}
	return &Source{conn, c, t, cred}, nil
}
