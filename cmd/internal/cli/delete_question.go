package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// Asked reports whether a question is going to be put: what it says is read from the gateway only then.
func (e *Env) Asked() bool {
	return !e.Run.Flags.Yes && !e.Run.Flags.DryRun && !e.Run.Flags.Explain
}

// Called is how a question names an object: by its name and its id, also when the id alone was given.
func (e *Env) Called(set, id string, list func() ([]Named, error)) string {
	if set != id {
		return fmt.Sprintf("%s (%s)", set, id)
	}
	if !e.Asked() {
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

// mostNamed is how many objects a question names before it only counts them.
const mostNamed = 10

// Counted names objects, or counts them when they are many: "2 caches (a, b)".
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

// CachesOf names the caches of a catalog.
func CachesOf(ctx context.Context, cl *api.Client, project, catalog string) ([]string, error) {
	all, err := cl.Cache.CatalogStatuses(ctx, project, catalog)
	var names []string
	for _, st := range all {
		if CacheState(st.Status) != "DELETED" {
			names = append(names, st.SchemaName+"."+st.TableName)
		}
	}
	return names, err
}

// MapNamed makes what a question can name of the records of a list.
func MapNamed[T any](all []T, of func(T) Named) []Named {
	out := make([]Named, len(all))
	for i, v := range all {
		out[i] = of(v)
	}
	return out
}

// CatalogNames are the names of the project's catalogs by id. Where they cannot be listed it says so, and there are none.
func (e *Env) CatalogNames(ctx context.Context, cl *api.Client, project string) map[string]string {
	out := map[string]string{}
	all, err := cl.Catalogs.List(ctx, project)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(e.Err, "note: catalogs have no names here, since they could not be listed: %v\n", err)
	}
	for _, k := range all {
		out[k.ID] = k.Name
	}
	return out
}
