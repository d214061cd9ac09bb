package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// NeedsConfirmation reports whether the question before a deletion is shown, at a prompt or in a dry run: its details
// are fetched from the gateway only then.
func (e *Env) NeedsConfirmation() bool { return !e.Run.Flags.Yes || e.DryRun() }

// Called describes an object in a prompt by its name and id, also when only the id was given.
func (e *Env) Called(set, id string, list func() ([]Named, error)) string {
	if set != id {
		return fmt.Sprintf("%s (%s)", set, id)
	}
	if !e.NeedsConfirmation() {
		return id
	}
	all, err := list()
	if err != nil {
		return id
	}
	for _, n := range all {
		if n.ID == id && n.Name != "" {
			return fmt.Sprintf("%s (%s)", n.Name, id)
		}
	}
	return id
}

// NameAndID describes an object by its name and id, or by its id alone if the name is unknown.
func NameAndID(name, id string) string {
	if name == "" || name == id {
		return id
	}
	return fmt.Sprintf("%s (%s)", name, id)
}

// mostNamed is the maximum number of objects that a prompt lists by name; above it, only their count is shown.
const mostNamed = 10

// Counted lists objects by name, or only counts them when there are many: "2 caches (a, b)".
func Counted(names []string, one, many string) string {
	if len(names) == 0 {
		return ""
	}
	text := strings.TrimSpace(Plural(len(names), one, many))
	if len(names) > mostNamed {
		return text
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}

// CachesOf returns the names of the caches of a catalog.
func CachesOf(ctx context.Context, cl *api.Client, project, catalog string) ([]string, error) {
	all, err := cl.Cache.CatalogStatuses(ctx, project, catalog)
	var names []string
	for _, st := range all {
		if JobState(st.Status) != api.StateDeleted {
			names = append(names, st.SchemaName+"."+st.TableName)
		}
	}
	return names, err
}

// CatalogNames maps ids to the names of the project's catalogs. If they cannot be listed it prints a note and returns
// nil.
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
