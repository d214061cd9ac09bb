package resolve

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
)

// queryIDLike requires a length, so that shorter runs of digits such as 2024 are names.
var queryIDLike = late.Regexp(`^[0-9]{16,19}$`)

// QueryID finds a saved query by id, by its SQL name, or by its display name.
func QueryID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if queryIDLike().MatchString(set) {
		return set, nil
	}
	qs, err := cl.Queries.List(ctx, project)
	if err != nil {
		return "", err
	}
	return QueryAmong(qs, set)
}

func QueryAmong(qs []api.Query, set string) (string, error) {
	if queryIDLike().MatchString(set) {
		return set, nil
	}
	var all []Named
	for _, q := range qs {
		all = append(all, Named{q.ID, q.Name, inFolder(q)})
		if !strings.EqualFold(q.DisplayName, q.Name) {
			all = append(all, Named{q.ID, q.DisplayName, inFolder(q)})
		}
	}
	return Pick("query", "", set, all)
}

func inFolder(q api.Query) string {
	if q.Path == nil || *q.Path == "/" || *q.Path == "" {
		return ""
	}
	return " in " + *q.Path
}

// QueryTable is the SQL name of a saved query.
func QueryTable(name string) sqltext.TableRef {
	return sqltext.TableRef{Catalog: api.InternalCatalogName, Schema: api.SchemaQuery, Table: name}
}

// IsSemantic reports whether a catalog is a semantic one, which the service reports in one of two members [O].
func IsSemantic(c api.Catalog) bool {
	return strings.EqualFold(c.CatalogType, "SEMANTIC") || c.Type != nil && strings.EqualFold(*c.Type, "SEMANTIC")
}

// FolderID finds a folder of queries by id, by path (/reports/daily) or by name.
func FolderID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if uuidLike().MatchString(set) {
		return set, nil
	}
	fs, err := cl.Folders.List(ctx, project)
	if err != nil {
		return "", err
	}
	path := "/" + strings.Trim(set, "/")
	var all []Named
	for _, f := range fs {
		if f.Path == path {
			return f.ID, nil
		}
		all = append(all, Named{ID: f.ID, Name: f.Name, Where: " at " + f.Path})
	}
	return Pick("folder", "", strings.Trim(set, "/"), all)
}
