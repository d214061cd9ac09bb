package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// asked reports whether a question is going to be put: what it says is read from the gateway only then.
func (e *Env) asked() bool {
	return !e.run.flags.yes && !e.run.flags.dryRun && !e.run.flags.explain
}

// called is how a question names an object: by its name and its id, also when the id alone was given.
func (e *Env) called(set, id string, list func() ([]named, error)) string {
	if set != id {
		return fmt.Sprintf("%s (%s)", set, id)
	}
	if !e.asked() {
		return id
	}
	all, err := list()
	if err != nil {
		return id
	}
	for _, n := range all {
		if n.id == id && n.name != "" {
			return fmt.Sprintf("%s (%s)", n.name, id)
		}
	}
	return id
}

// mostNamed is how many objects a question names before it only counts them.
const mostNamed = 10

// counted names objects, or counts them when they are many: "2 caches (a, b)".
func counted(names []string, one, many string) string {
	if len(names) == 0 {
		return ""
	}
	text := strings.TrimSpace(plural(len(names), one, many))
	if len(names) > mostNamed {
		return text
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}

// catalogHoldings says what goes with a catalog: caches, parametric tables, and how many tables can no longer be read. What cannot
// be listed is said to be so.
func catalogHoldings(ctx context.Context, cl *api.Client, project, id string) string {
	var parts []string
	add := func(text string, err error, what string) {
		if err != nil {
			text = what + " that could not be listed"
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	caches, err := cachesOf(ctx, cl, project, id)
	add(counted(caches, "1 cache", "%d caches"), err, "caches")
	ps, err := cl.ParametricTables.List(ctx, project, id)
	if noRoute(err) {
		ps, err = nil, nil
	}
	var names []string
	for _, t := range ps {
		names = append(names, t.ToSchema+"."+t.ToTable)
	}
	add(counted(names, "1 parametric table", "%d parametric tables"), err, "parametric tables")
	n, err := tablesOf(ctx, cl, project, id)
	text := ""
	if n > 0 {
		text = strings.TrimSpace(plural(n, "1 table", "%d tables"))
	}
	add(text, err, "tables")
	return strings.Join(parts, ", ")
}

// cachesOf names the caches of a catalog.
func cachesOf(ctx context.Context, cl *api.Client, project, catalog string) ([]string, error) {
	all, err := cl.Cache.CatalogStatuses(ctx, project, catalog)
	var names []string
	for _, st := range all {
		if cacheState(st.Status) != "DELETED" {
			names = append(names, st.SchemaName+"."+st.TableName)
		}
	}
	return names, err
}

func tablesOf(ctx context.Context, cl *api.Client, project, catalog string) (int, error) {
	schemas, err := cl.Catalogs.Schemas(ctx, project, catalog)
	n := 0
	for _, s := range schemas {
		tables, terr := cl.Catalogs.Tables(ctx, project, catalog, s.SchemaName)
		if terr != nil {
			return 0, terr
		}
		n += len(tables)
	}
	return n, err
}

// connectionHoldings says what depends on a connection: its catalogs, and the caches of each.
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
		switch caches, err := cachesOf(ctx, cl, project, k.ID); {
		case err != nil:
			text += " with caches that could not be listed"
		case len(caches) > 0:
			text += " with " + counted(caches, "1 cache", "%d caches")
		}
		over = append(over, text)
	}
	if over == nil {
		return "no catalog uses it", nil
	}
	return "these catalogs stop resolving: " + strings.Join(over, ", "), nil
}

// mapNamed makes what a question can name of the records of a list.
func mapNamed[T any](all []T, of func(T) named) []named {
	out := make([]named, len(all))
	for i, v := range all {
		out[i] = of(v)
	}
	return out
}

// catalogNames are the names of the project's catalogs by id. Where they cannot be listed it says so, and there are none.
func (e *Env) catalogNames(ctx context.Context, cl *api.Client, project string) map[string]string {
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
