package connection

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// connectionHoldings lists the dependents of a connection: its catalogs, and the caches of each.
func connectionHoldings(ctx context.Context, cl *api.Client, project, id string) (string, error) {
	all, err := cl.Catalogs.List(ctx, project)
	if err != nil {
		return "", err
	}
	var over []string
	for _, k := range all {
		if k.ConnectionID == nil || *k.ConnectionID != id {
			continue
		}
		text := k.Name
		switch caches, err := cli.CachesOf(ctx, cl, project, k.ID); {
		case err != nil:
			text += " with caches that could not be listed"
		case len(caches) > 0:
			text += " with " + cli.Counted(caches, "1 cache", "%d caches")
		}
		over = append(over, text)
	}
	if over == nil {
		return "no catalog uses it", nil
	}
	return "these catalogs stop resolving: " + strings.Join(over, ", "), nil
}
