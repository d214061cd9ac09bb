package cli

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
)

// Called describes an object in a prompt by its name and id, also when only the id was given.
func (e *Env) Called(set, id string, list resolve.Names) string {
	if set != id {
		return phrase.NameAndID(set, id)
	}
	if !e.Ask().NeedsConfirmation() {
		return id
	}
	all, err := list()
	if err != nil {
		return id
	}
	for _, n := range all {
		if n.ID == id {
			return phrase.NameAndID(n.Name, id)
		}
	}
	return id
}

// CatalogNames maps ids to the names of the project's catalogs. If they cannot be listed it prints a note and returns
// an empty map.
func (e *Env) CatalogNames(ctx context.Context, cl *api.Client, project string) map[string]string {
	out := map[string]string{}
	all, err := cl.Catalogs.List(ctx, project)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(e.Err, "note: catalogs are shown by id because they could not be listed: %v\n", err)
	}
	for _, k := range all {
		out[k.ID] = k.Name
	}
	return out
}
