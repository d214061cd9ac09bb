package sources

import (
	"context"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// Attach returns the catalog of the engine with the tables of a source, "" if the gateway reads them. The engine would
// not follow the rule that a connection reaches public addresses only.
func (s *Service) Attach(m engine.Mapper, src *Source) string {
	server, ok := src.Connector.(connector.Server)
	if !ok || s.Reach(src.cred).Network == connector.NetPublic {
		return ""
	}
	d := server.Database()
	d.Project, d.Connection, d.Version = src.conn.ProjectID, src.conn.ID, src.conn.Credential
	product := d.Product
	d.Product = func(ctx context.Context) (string, error) {
		p, err := product(ctx)
		return p, src.Fault(ctx, err)
	}
	return m.Attach(d)
}

// Only is the only schema of the source that may be read, "" for all.
func (s *Source) Only() string {
	if s.conn.Type != "MYSQL" {
		return ""
	}
	return s.cred.Text("databaseName")
}

// Detach has the engine forget the databases of a project, those of all for "", that no connection has any more.
func (s *Service) Detach(ctx context.Context, project string) error {
	m, ok := s.Engine.(engine.Mapper)
	if !ok || s.ReadOnly {
		return nil
	}
	return m.Detach(ctx, project, func(ctx context.Context) (out []engine.Database, err error) {
		projects := []store.Project{{ID: project}}
		if project == "" {
			if projects, err = s.Store.Projects(ctx, ""); err != nil {
				return nil, err
			}
		}
		for _, p := range projects {
			all, err := s.Store.Connections(ctx, p.ID)
			if err != nil {
				return nil, err
			}
			for _, c := range all {
				out = append(out, engine.Database{Project: p.ID, Connection: c.ID, Version: c.Credential})
			}
		}
		return out, nil
	})
}

// detachTime limits what a change of a connection waits for. What is left then is forgotten later.
const detachTime = 10 * time.Second

func (s *Service) detach(ctx context.Context, project string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), detachTime)
	defer cancel()
	if err := s.Detach(ctx, project); err != nil {
		s.TellAttached(err)
	}
}

// TellAttached logs why the engine may still have credentials.
func (s *Service) TellAttached(err error) {
	s.Log.Warn("the engine may have credentials of connections that were changed or deleted; it is asked again within "+
		"an hour", "error", web.ForLog(err.Error()))
}
