package resolve

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// Connections lists the connections of a project.
func Connections(ctx context.Context, cl *api.Client, project string) Names {
	return namesOf(func() ([]api.Connection, error) { return cl.Connections.List(ctx, project) },
		func(c api.Connection) Named { return Named{ID: c.ID, Name: c.Name, Where: ", type " + c.Type} })
}

// ConnectionID finds a connection by id or name.
func ConnectionID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	return Connections(ctx, cl, project).find("connection", set, uuidLike())
}

// OrAlternative calls usual and, if the gateway has no such route (404 or 405), alternative.
func OrAlternative[T any](usual, alternative func() (T, error)) (T, error) {
	v, err := usual()
	if !api.NoRoute(err) {
		return v, err
	}
	if w, err2 := alternative(); !api.NoRoute(err2) {
		return w, err2
	}
	return v, err
}

// TableCatalogID is CatalogID for a table with a known schema: two catalogs are named peaka, and the schema
// distinguishes them.
func TableCatalogID(ctx context.Context, cl *api.Client, project, catalog, schema string) (string, error) {
	if strings.EqualFold(catalog, api.InternalCatalogName) {
		return api.OwnCatalogID(schema), nil
	}
	return CatalogID(ctx, cl, project, catalog)
}

func SemanticTableID(ctx context.Context, cl *api.Client, project, catalog, set string) (string, error) {
	if bigIDLike().MatchString(set) {
		return set, nil
	}
	schema, table, ok := strings.Cut(set, ".")
	if !ok {
		return "", exitcode.Usagef("%q is neither the id of a table nor of the form SCHEMA.TABLE", set)
	}
	tables, err := cl.Catalogs.Tables(ctx, project, catalog, schema)
	if err != nil {
		return "", err
	}
	var all []Named
	for _, t := range tables {
		if t.TableID == "" {
			return "", exitcode.Usagef("this gateway does not report the ids of semantic tables").
				WithHint("give the id that `semantic-catalog table create` printed")
		}
		all = append(all, Named{ID: t.TableID, Name: t.TableName})
	}
	return Pick("table", "", table, all)
}

// TwoPart splits SCHEMA.TABLE at the first dot, or, with names in double quotes, at the dot between them.
func TwoPart(flag, s string) (schema, table string, err error) {
	schema, table, ok := strings.Cut(s, ".")
	if strings.HasPrefix(s, `"`) || strings.HasPrefix(table, `"`) {
		parts, err := sqltext.Parts(s)
		if err != nil {
			return "", "", exitcode.Usagef("%s: %v", flag, err)
		}
		if ok = len(parts) == 2; ok {
			schema, table = parts[0], parts[1]
		}
	}
	if !ok || schema == "" || table == "" {
		return "", "", exitcode.Usagef("%s: %q is not of the form SCHEMA.TABLE", flag, s)
	}
	return schema, table, nil
}

// TableOf resolves the arguments CATALOG SCHEMA.TABLE to the id of the catalog and the names of the schema and the
// table.
func TableOf(ctx context.Context, cl *api.Client, project string,
	args []string) (catalogID, schema, table string, err error) {
	if schema, table, err = TwoPart("SCHEMA.TABLE", args[1]); err == nil {
		catalogID, err = TableCatalogID(ctx, cl, project, args[0], schema)
	}
	return catalogID, schema, table, err
}

// RelationByID finds a relation by its id, with its table, which is part of the service's paths.
func RelationByID(ctx context.Context, cl *api.Client, project, catalog, set string) (api.Relation, error) {
	id, err := CatalogID(ctx, cl, project, catalog)
	if err != nil {
		return api.Relation{}, err
	}
	all, err := cl.Metadata.Relations(ctx, project, id)
	if err != nil {
		return api.Relation{}, err
	}
	for _, r := range all {
		if r.ID == set {
			r.SourceCatalogID = id
			return r, nil
		}
	}
	return api.Relation{}, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
		Msg: fmt.Sprintf("there is no relation with id %s in catalog %s", set, catalog)}
}

// NameParts splits the name of a table, with parts in double quotes.
func NameParts(name string) ([]string, error) {
	parts, err := sqltext.Parts(name)
	if err != nil {
		return nil, exitcode.Usagef("%v", err)
	}
	if len(parts) > 3 {
		return nil, exitcode.Usagef("%s has %d parts; a name has at most a catalog, a schema and a table", name,
			len(parts))
	}
	return parts, nil
}
