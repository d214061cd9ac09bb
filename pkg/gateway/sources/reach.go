package sources

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// trusted is an additional member of a sealed credential. It is set if a partner key stored the credential; the
// connection may then reach addresses that a project key may not. The credential in a request cannot contain it,
// because connector.Type.Check rejects unknown fields.
const trusted = "\x00trusted"

// ParseReach parses which addresses connections created with a project key may reach.
func ParseReach(s string) (connector.Network, error) {
	n, ok := map[string]connector.Network{"public": connector.NetPublic, "private": connector.NetPrivate,
		"all": connector.NetAll}[s]
	if !ok {
		return n, fmt.Errorf("%q is not one of public, private, all", s)
	}
	return n, nil
}

// Reach returns which addresses a stored connection may access. A partner's connection may access private addresses
// regardless of the setting for project keys.
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

// Grant marks a credential that is about to be stored with the permissions of the caller, and returns which addresses
// may be accessed with it. Reach returns the same for the stored credential.
func (s *Service) Grant(ctx context.Context, c connector.Credential) (connector.Reach, error) {
	if web.ScopeOf(ctx).Partner {
		c[trusted] = true
	} else if c.Flag(linkLocalField) && s.Network != connector.NetAll {
		return connector.Reach{}, fmt.Errorf(
			"credential field %q requires a partner key: the key given belongs to a project", linkLocalField)
	}
	return s.Reach(c), nil
}
