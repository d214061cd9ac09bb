package gateway

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// trusted is a member of a sealed credential, beside those of its type: a partner key stored it, so that its connection may reach
// what a project's key may not ask for. A credential of a request cannot hold it: connector.Type.Check knows no such field.
const trusted = "\x00trusted"

// ParseReach reads how far connections reach that were made with a project's key.
func ParseReach(s string) (connector.Network, error) {
	n, ok := map[string]connector.Network{"public": connector.NetPublic, "private": connector.NetPrivate, "all": connector.NetAll}[s]
	if !ok {
		return n, fmt.Errorf("%q is none of public, private, all", s)
	}
	return n, nil
}

// ownFiles are what no connection reads.
func ownFiles(o Options) *connector.Own {
	return connector.NewOwn(append([]string{o.Dir}, o.KeepOut...), o.Configs, store.ApplicationID)
}

// reach is what a stored connection may get at. A partner's reaches private addresses whatever is said of those of projects.
func (g *sourcesService) reach(c connector.Credential) connector.Reach {
	r := connector.Reach{Own: g.own, Network: g.network, Notes: connector.NewNotes(filepath.Join(g.dir, notesName))}
	if g.readOnly {
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
	notesName      = "notes"
)

// grant marks a credential that is about to be stored with the rights of the caller, and says what its connection may reach.
func (g *sourcesService) grant(ctx context.Context, c connector.Credential) (connector.Reach, error) {
	if scopeOf(ctx).Partner {
		c[trusted] = true
	} else if c.Flag(linkLocalField) && g.network != connector.NetAll {
		return connector.Reach{}, fmt.Errorf("credential field %q needs a partner key: the key given belongs to a project", linkLocalField)
	}
	return g.reach(c), nil
}
