package sources

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// trusted is a member of a sealed credential, beside those of its type: a partner key stored it, so that its connection may reach
// what a project's key may not ask for. A credential of a request cannot hold it: connector.Type.Check knows no such field.
const trusted = "\x00trusted"

// ParseReach reads how far connections reach that were made with a project's key.
func ParseReach(s string) (connector.Network, error) {
	n, ok := map[string]connector.Network{"public": connector.NetPublic, "private": connector.NetPrivate, "all": connector.NetAll}[s]
	if !ok {
		return n, fmt.Errorf("%q is not one of public, private, all", s)
	}
	return n, nil
}

// Reach is what a stored connection may get at. A partner's reaches private addresses whatever is said of those of projects.
func (s *Service) Reach(c connector.Credential) connector.Reach {
	r := connector.Reach{Own: s.Own, Network: s.Network, Notes: connector.NewNotes(filepath.Join(s.Dir, NotesName))}
	if s.ReadOnly {
		r.Notes = nil
	}
	if c.Flag(trusted) {
		if r.Network == connector.NetPublic {
			r.Network = connector.NetPrivate
		}
		if c.Flag(linkLocalField) {
			r.Network = connector.NetAll
		}
	}
	return r
}

const (
	linkLocalField = "allowLinkLocal"
	NotesName      = "notes"
)

// grant marks a credential that is about to be stored with the rights of the caller, and says what its connection may reach.
func (s *Service) grant(ctx context.Context, c connector.Credential) (connector.Reach, error) {
	if web.ScopeOf(ctx).Partner {
		c[trusted] = true
	} else if c.Flag(linkLocalField) && s.Network != connector.NetAll {
		return connector.Reach{}, fmt.Errorf("credential field %q needs a partner key: the key given belongs to a project", linkLocalField)
	}
	return s.Reach(c), nil
}
