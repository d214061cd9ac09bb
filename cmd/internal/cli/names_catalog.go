package cli

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// ConnectionID finds a connection by id or name.
func ConnectionID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if UUIDLike().MatchString(set) {
		return set, nil
	}
	cs, err := cl.Connections.List(ctx, project)
	if err != nil {
		return "", err
	}
	all := make([]Named, len(cs))
	for i, c := range cs {
		all[i] = Named{ID: c.ID, Name: c.Name, Where: ", type " + c.Type}
	}
	return Pick("connection", "", set, all)
}

// OrAlternative runs the usual operation and, if the gateway has no such route (404 or 405), the alternative one.
func OrAlternative[T any](usual, alternative func() (T, error)) (T, error) {
	v, err := usual()
	if !NoRoute(err) {
		return v, err
	}
	if w, err2 := alternative(); !NoRoute(err2) {
		return w, err2
	}
	return v, err
}

// TableCatalogID is CatalogID for a catalog of which a schema is known: two catalogs are named peaka, and the schema
// tells them apart.
func TableCatalogID(ctx context.Context, cl *api.Client, project, catalog, schema string) (string, error) {
	if strings.EqualFold(catalog, "peaka") {
		if schema == "query" || schema == "mtquery" {
			return "2", nil
		}
		return "1", nil
	}
	return CatalogID(ctx, cl, project, catalog)
}

func TwoPart(flag, s string) (schema, table string, err error) {
	schema, table, ok := strings.Cut(s, ".")
	if !ok || schema == "" || table == "" {
		return "", "", Usagef("%s: %q is not of the form SCHEMA.TABLE", flag, s)
	}
	return schema, table, nil
}
