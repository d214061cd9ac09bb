package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/duckdbfile"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
	"github.com/dig-cli/dig/pkg/gateway/connector/mysql"
	"github.com/dig-cli/dig/pkg/gateway/connector/postgres"
	"github.com/dig-cli/dig/pkg/gateway/connector/rest"
	"github.com/dig-cli/dig/pkg/gateway/connector/sqlite"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// sourcesService keeps connections, their credentials, and the sources that are open over them.
type sourcesService struct {
	store    *store.Store
	dir      string
	readOnly bool
	network  connector.Network // of connections that were made with a project's key
	vault    *vault
	types    connector.Registry
	own      *connector.Own
	sources  sources
}

// connectorTypes are the types of connection of this gateway.
func connectorTypes() connector.Registry {
	return connector.Registry{postgres.Type(), mysql.Type(), files.Type(), rest.Type(), sqlite.Type(), duckdbfile.Type()}
}

// Routes registers the handlers.
func (g *sourcesService) Routes(m *webService) {
	handle(m, spec.ListConnectionConfigs, g.listConnectionConfigs)
	handle(m, spec.GetConnectionConfig, g.getConnectionConfig)
	handle(m, spec.ListConnections, g.listConnections)
	handle(m, spec.CreateConnection, g.createConnection)
	handle(m, spec.CreateConnectionAlt, g.createConnection)
	handle(m, spec.CompleteOauthConnection, g.completeOAuthConnection)
	handle(m, spec.GetConnection, g.getConnection)
	handle(m, spec.UpdateConnection, g.updateConnection)
	handle(m, spec.DeleteConnection, g.deleteConnection)
	handle(m, spec.GetConnectionDetail, g.getConnectionDetail)
}

// testTimeout bounds the test of a credential.
const testTimeout = 20 * time.Second

func (g *sourcesService) listConnectionConfigs(context.Context, *Request[None]) ([]api.ConnectionConfiguration, error) {
	return mapAll(g.types, connector.Type.Config), nil
}

func (g *sourcesService) getConnectionConfig(_ context.Context, r *Request[None]) (api.ConnectionConfiguration, error) {
	t, err := g.connectionType(r.Param("connectionType"))
	return t.Config(), err
}

// connectionType finds a type by its exact key, as the hosted service does; the fault names the right spelling.
func (g *sourcesService) connectionType(key string) (connector.Type, error) {
	if t, ok := g.types.Find(key); ok {
		return t, nil
	}
	var keys []string
	for _, t := range g.types {
		keys = append(keys, t.Key)
	}
	return connector.Type{}, connectionFault(400, "INVALID_CONNECTION_TYPE", "", "there is no connection type %q on this gateway; there are %s", key, strings.Join(keys, ", "))
}

func connectionOut(c store.Connection) api.Connection {
	return api.Connection{ID: c.ID, Name: c.Name, Type: c.Type}
}

func (g *sourcesService) listConnections(ctx context.Context, r *Request[None]) ([]api.Connection, error) {
	all, err := g.store.Connections(ctx, r.Project.ID)
	return mapAll(all, connectionOut), err
}

// connection finds a connection of the project. An unknown one is 400 and not 404, as hosted [L].
func (g *sourcesService) connection(ctx context.Context, p store.Project, id string) (store.Connection, error) {
	c, err := g.store.Connection(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		err = connectionFault(400, "INVALID_CONNECTION_ID", "cn004", "invalid connection id")
	}
	return c, err
}

func (g *sourcesService) getConnection(ctx context.Context, r *Request[None]) (api.Connection, error) {
	c, err := g.connection(ctx, r.Project, r.Param("connectionId"))
	return connectionOut(c), err
}

// credential checks and tests a credential. Whatever is wrong with it is INVALID_CREDENTIALS [L].
func (g *sourcesService) credential(ctx context.Context, t connector.Type, sent map[string]any) (connector.Credential, error) {
	invalid := func(format string, args ...any) error {
		return connectionFault(400, "INVALID_CREDENTIALS", "", format, args...)
	}
	c, err := t.Check(sent)
	if err != nil {
		return nil, invalid("%v", err)
	}
	for _, f := range t.Fields {
		if f.Local {
			if err := g.own.Path(c.Text(f.Name)); err != nil {
				return nil, invalid("credential field %q %v", f.Name, err)
			}
		}
	}
	reach, err := g.grant(ctx, c)
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
		return nil, invalid("the %s credential does not work: %s", t.Label, t.Redact(c, err.Error()))
	}
	return c, nil
}

func (g *sourcesService) createConnection(ctx context.Context, r *Request[api.ConnectionRequest]) (api.Connection, error) {
	switch {
	case r.Body.Name == "":
		return api.Connection{}, missing("name")
	case r.Body.Type == "":
		return api.Connection{}, missing("type")
	case r.Body.Credential == nil:
		return api.Connection{}, missing("credential")
	}
	t, err := g.connectionType(r.Body.Type)
	if err != nil {
		return api.Connection{}, err
	}
	cred, err := g.credential(ctx, t, r.Body.Credential)
	if err != nil {
		return api.Connection{}, err
	}
	c := store.Connection{ID: store.NewConnectionID(), ProjectID: r.Project.ID, Name: r.Body.Name, Type: t.Key}
	if c.Credential, err = g.vault.seal(c.ID, cred); err != nil {
		return api.Connection{}, err
	}
	c, err = g.store.CreateConnection(ctx, c)
	return connectionOut(c), err
}

// updateConnection changes the name, the credential or both; what is left out stays. A new credential is tested first, and
// nothing is changed when it does not work [L].
func (g *sourcesService) updateConnection(ctx context.Context, r *Request[api.ConnectionRequest]) (api.Connection, error) {
	c, err := g.connection(ctx, r.Project, r.Param("connectionId"))
	if err != nil {
		return api.Connection{}, err
	}
	if r.Body.Type != "" && r.Body.Type != c.Type {
		return api.Connection{}, connectionFault(400, "INVALID_CONNECTION_TYPE", "", "the type of a connection cannot change: it is %s", c.Type)
	}
	if r.Body.Name == "" && r.Body.Credential == nil {
		return api.Connection{}, missing("credential")
	}
	if r.Body.Name != "" {
		c.Name = r.Body.Name
	}
	if r.Body.Credential != nil {
		t, err := g.connectionType(c.Type)
		if err != nil {
			return api.Connection{}, err
		}
		cred, err := g.credential(ctx, t, r.Body.Credential)
		if err != nil {
			return api.Connection{}, err
		}
		if c.Credential, err = g.vault.seal(c.ID, cred); err != nil {
			return api.Connection{}, err
		}
	}
	return connectionOut(c), g.store.UpdateConnection(ctx, c)
}

func (g *sourcesService) deleteConnection(ctx context.Context, r *Request[None]) (None, error) {
	c, err := g.connection(ctx, r.Project, r.Param("connectionId"))
	if err != nil {
		return None{}, err
	}
	if err := g.store.DeleteConnection(ctx, c.ProjectID, c.ID); err != nil {
		return None{}, err
	}
	g.sources.forget(func(o store.Connection) bool { return o.ID == c.ID })
	return None{}, nil
}

// getConnectionDetail answers the type and the members of the credential that are no secrets [S].
func (g *sourcesService) getConnectionDetail(ctx context.Context, r *Request[None]) (map[string]any, error) {
	c, err := g.connection(ctx, r.Project, r.Param("connectionId"))
	if err != nil {
		return nil, err
	}
	t, cred, err := g.unsealed(c)
	if err != nil {
		return nil, err
	}
	out := t.Public(cred)
	out["type"] = c.Type
	return out, nil
}

// completeOAuthConnection knows no state: no connection type of this gateway uses OAuth, so no connection waits for a provider.
func (g *sourcesService) completeOAuthConnection(_ context.Context, r *Request[api.OAuthCallbackRequest]) (api.Connection, error) {
	if r.Body.QueryParameters == "" {
		return api.Connection{}, missing("queryParameters")
	}
	if _, err := url.ParseQuery(r.Body.QueryParameters); err != nil {
		return api.Connection{}, connectionFault(400, "INVALID_OAUTH_STATE", "", "queryParameters is no query string: %v", err)
	}
	return api.Connection{}, connectionFault(400, "INVALID_OAUTH_STATE", "", "no connection of this project waits for an authorization with this state: no connection type of this gateway uses OAuth")
}

func (g *sourcesService) unsealed(c store.Connection) (connector.Type, connector.Credential, error) {
	t, ok := g.types.Find(c.Type)
	if !ok {
		return t, nil, fmt.Errorf("connection %s has type %s, which this version of dig does not know", c.Name, c.Type)
	}
	cred, err := g.vault.unseal(c.ID, c.Credential)
	if err != nil {
		return t, nil, fmt.Errorf("connection %s: %w", c.Name, err)
	}
	return t, cred, nil
}

// source is an open connector that words its failures with the connection's name and without its secrets.
type source struct {
	connector.Connector
	conn store.Connection
	typ  connector.Type
	cred connector.Credential
}

// openSource opens the connector of a stored connection. Nothing is connected yet.
func (g *sourcesService) openSource(c store.Connection) (*source, error) {
	t, cred, err := g.unsealed(c)
	if err != nil {
		return nil, &engine.Error{Kind: engine.KindSource, Message: err.Error()}
	}
	conn, err := t.Open(cred, g.reach(cred))
	if err != nil {
		return nil, &engine.Error{Kind: engine.KindSource, Message: fmt.Sprintf("connection %s: %s", c.Name, t.Redact(cred, err.Error()))}
	}
	return &source{conn, c, t, cred}, nil
}
