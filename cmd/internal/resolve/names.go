// Package resolve finds the objects that names select. It needs a client only.
package resolve

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
)

var (
	uuidLike    = late.Regexp(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	bigIDLike   = late.Regexp(`^[0-9]{1,19}$`)
	projectLike = late.Regexp(`^[A-Za-z0-9]{8}$`)
)

// Named is anything that can be selected by name.
type Named struct{ ID, Name, Where string }

// Names lists the objects that can be selected by name.
type Names func() ([]Named, error)

func namesOf[T any](list func() ([]T, error), named func(T) Named) Names {
	return func() ([]Named, error) {
		all, err := list()
		return each.Map(all, named), err
	}
}

// Free rejects a name that another object has: many gateways would accept it, and the name would be ambiguous from then
// on. id is the object that is renamed, "" for a new one.
func (n Names) Free(kind, name, id, hint string) error {
	all, err := n()
	if api.NoRoute(err) {
		return nil
	}
	for _, o := range all {
		if o.Name == name && o.ID != id {
			return &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
				Msg: fmt.Sprintf("there is already %s %q (%s); nothing was sent", kind, name, o.ID), Hint: hint}
		}
	}
	return err
}

// find returns the id of the object with the name, or the name itself if it is an id.
func (n Names) find(kind, set string, id *regexp.Regexp) (string, error) {
	if id.MatchString(set) {
		return set, nil
	}
	all, err := n()
	if err != nil {
		return "", err
	}
	return Pick(kind, "", set, all)
}

// Pick finds the item with the given name: an exact match first, then one that differs in case only. More than one
// match is a usage error that lists the candidates.
func Pick(kind, flag, name string, all []Named) (string, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var hits []Named
		for _, n := range all {
			if same(n.Name, name) || n.ID == name {
				hits = append(hits, n)
			}
		}
		switch len(hits) {
		case 0:
			continue
		case 1:
			return hits[0].ID, nil
		}
		lines := make([]string, len(hits))
		for i, h := range hits {
			lines[i] = fmt.Sprintf("%s (%s%s)", h.ID, h.Name, h.Where)
		}
		return "", exitcode.Usagef("%s %q is ambiguous: %s", kind, name, strings.Join(lines,
			", ")).WithHint("give the id%s",
			flagHint(flag))
	}
	f := &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found", Msg: fmt.Sprintf("there is no %s called %q",
		kind, name)}
	var names []string
	seen := map[string]bool{}
	for _, n := range all { // an object may have two names
		if (n.ID == "" || !seen[n.ID]) && !slices.Contains(names, n.Name) {
			names = append(names, n.Name)
		}
		seen[n.ID] = true
	}
	if len(names) > 0 && len(names) <= phrase.MostNamed {
		f.Hint = "there are: " + strings.Join(names, ", ")
	}
	return "", f
}

func flagHint(flag string) string {
	if flag == "" {
		return ""
	}
	return " with " + flag
}

// Workspaces lists the workspaces of an organization.
func Workspaces(ctx context.Context, cl *api.Client, org string) Names {
	return namesOf(func() ([]api.Workspace, error) { return cl.Workspaces.List(ctx, org) },
		func(w api.Workspace) Named { return Named{ID: w.ID, Name: w.Name} })
}

// Projects lists the projects of a workspace.
func Projects(ctx context.Context, cl *api.Client, org, workspace string) Names {
	return namesOf(func() ([]api.Project, error) { return cl.Projects.List(ctx, org, workspace) },
		func(p api.Project) Named { return Named{ID: p.ID, Name: p.Name} })
}

func OrgByName(ctx context.Context, cl *api.Client, set string) (string, error) {
	if uuidLike().MatchString(set) {
		return set, nil
	}
	orgs, err := cl.Organizations.List(ctx)
	if err != nil {
		return "", err
	}
	if set == "" {
		if len(orgs) == 1 {
			return orgs[0].ID, nil
		}
		return "", exitcode.Usagef("--org is required: the key has access to %d organizations",
			len(orgs)).WithHint("give --org, set DIG_ORG or store it in the profile")
	}
	all := make([]Named, len(orgs))
	for i, o := range orgs {
		all[i] = Named{ID: o.ID, Name: o.Name}
	}
	return Pick("organization", "--org", set, all)
}

func WorkspaceByName(ctx context.Context, cl *api.Client, org, set string) (string, error) {
	if uuidLike().MatchString(set) {
		return set, nil
	}
	ws, err := cl.Workspaces.List(ctx, org)
	if err != nil {
		return "", err
	}
	all := make([]Named, len(ws))
	for i, w := range ws {
		all[i] = Named{ID: w.ID, Name: w.Name}
		if set == "" && (w.DefaultWorkspace || len(ws) == 1) {
			return w.ID, nil
		}
	}
	if set == "" {
		return "", exitcode.Usagef("--workspace is required: the organization has %d workspaces and no default",
			len(ws)).WithHint("give --workspace, set DIG_WORKSPACE or store it in the profile")
	}
	return Pick("workspace", "--workspace", set, all)
}

// CatalogID finds a catalog by id or name. Both built-in catalogs are named peaka; the name refers to the internal one.
func CatalogID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if bigIDLike().MatchString(set) {
		return set, nil
	}
	cs, err := cl.Catalogs.List(ctx, project)
	if err != nil {
		return "", err
	}
	return PickCatalog(cs, set)
}

// PickCatalog is CatalogID among those that have been listed.
func PickCatalog(cs []api.Catalog, set string) (string, error) {
	if bigIDLike().MatchString(set) {
		return set, nil
	}
	var all []Named
	for _, c := range cs {
		if c.ID == api.QueryCatalogID {
			continue
		}
		all = append(all, Named{ID: c.ID, Name: c.Name})
		if c.DisplayName != "" && c.DisplayName != c.Name {
			all = append(all, Named{ID: c.ID, Name: c.DisplayName})
		}
	}
	return Pick("catalog", "", set, all)
}

// APIKeys lists the keys of a project.
func APIKeys(ctx context.Context, cl *api.Client, project string) Names {
	return namesOf(func() ([]api.ApiKey, error) { return cl.APIKeys.List(ctx, project) },
		func(k api.ApiKey) Named { return Named{ID: k.ApiKeyID, Name: k.Name} })
}

// APIKeyID finds a key by id or name.
func APIKeyID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	return APIKeys(ctx, cl, project).find("API key", set, uuidLike())
}

// String returns the id, with the name if there is one.
func (n Named) String() string {
	if n.Name == "" || n.Name == n.ID {
		return n.ID
	}
	return n.ID + " (" + n.Name + ")"
}
