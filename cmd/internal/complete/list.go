package complete

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

// List runs the listing that shows the names under a key. args are the arguments that this listing takes on the
// command line.
func List(ctx context.Context, cl *api.Client, t resolve.Target, project, key string,
	kept *api.Capture) (args []string, err error) {
	parts := strings.Split(key, "@")
	kind, args := parts[0], parts[1:]
	keep := func(op spec.Op) context.Context {
		kept.Op = op
		return api.WithCapture(ctx, kept)
	}
	in := func(n int) (id string, err error) { // the catalog of a key that has n parts
		if len(args) != n {
			return "", fmt.Errorf("no names under %q", key)
		}
		return resolve.TableCatalogID(ctx, cl, project, args[0], append(args, "")[1])
	}
	var id string
	switch {
	case kind == "org":
		_, err = cl.Organizations.List(keep(spec.ListOrganizations))
	case kind == "workspace":
		if id, err = t.OrgID(ctx, cl); err == nil {
			_, err = cl.Workspaces.List(keep(spec.ListWorkspaces), id)
		}
	case kind == "project":
		var ws string
		if id, ws, err = t.OrgAndWorkspace(ctx, cl); err == nil {
			_, err = cl.Projects.List(keep(spec.ListProjects), id, ws)
		}
	case kind == "type":
		_, err = cl.Connections.ListConfigs(keep(spec.ListConnectionConfigs))
	case kind == "connection":
		_, err = cl.Connections.List(keep(spec.ListConnections), project)
	case kind == "catalog":
		_, err = cl.Catalogs.List(keep(spec.ListCatalogs), project)
	case kind == "schema":
		if id, err = in(1); err == nil {
			_, err = cl.Catalogs.Schemas(keep(spec.ListSchemas), project, id)
		}
	case kind == "table" && len(args) == 0:
		_, err = cl.Tables.List(keep(spec.ListInternalTables), project)
	case kind == "table":
		if id, err = in(2); err == nil {
			_, err = cl.Catalogs.Tables(keep(spec.ListTables), project, id, args[1])
		}
	case kind == "bitable":
		_, err = cl.BITables.List(keep(spec.ListBiTables), project)
	case kind == "column" && len(args) == 1:
		_, err = cl.Tables.Columns(keep(spec.ListInternalColumns), project, args[0])
	case kind == "bicolumn" && len(args) == 1:
		_, err = cl.BITables.Columns(keep(spec.ListBiColumns), project, args[0])
	case kind == "column":
		if id, err = in(3); err == nil {
			_, err = cl.Catalogs.Columns(keep(spec.ListColumns), project, id, args[1], args[2])
		}
	case kind == "query", kind == QueryIDs:
		_, err = cl.Queries.List(keep(spec.ListQueries), project)
	case kind == "folder":
		_, err = cl.Folders.List(keep(spec.ListQueryFolders), project)
	case kind == "key":
		_, err = cl.APIKeys.List(keep(spec.ListApiKeys), project)
	case kind == "export":
		_, err = cl.Exports.List(keep(spec.ListExports), project, nil)
	case kind == "relation":
		if id, err = in(1); err == nil {
			_, err = cl.Metadata.Relations(keep(spec.ListRelations), project, id)
		}
	case kind == "golden":
		_, err = cl.Metadata.ListGoldenSQL(keep(spec.ListGoldenSqls), project)
	default:
		err = fmt.Errorf("no names under %q", key)
	}
	return args, err
}
