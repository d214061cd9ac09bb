package cmd

import (
	"context"
	"regexp"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
)

// queryIDLike leaves shorter runs of digits to names such as 2024.
var queryIDLike = late.Regexp(`^[0-9]{16,19}$`)

// queryID finds a saved query by id, by the name that SQL uses, or by its display name.
func queryID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if queryIDLike().MatchString(set) {
		return set, nil
	}
	qs, err := cl.Queries.List(ctx, project)
	if err != nil {
		return "", err
	}
	return queryAmong(qs, set)
}

func queryAmong(qs []api.Query, set string) (string, error) {
	if queryIDLike().MatchString(set) {
		return set, nil
	}
	var all []named
	for _, q := range qs {
		all = append(all, named{q.ID, q.Name, inFolder(q)})
		if !strings.EqualFold(q.DisplayName, q.Name) {
			all = append(all, named{q.ID, q.DisplayName, inFolder(q)})
		}
	}
	return pick("query", "", set, all)
}

func inFolder(q api.Query) string {
	if q.Path == nil || *q.Path == "/" || *q.Path == "" {
		return ""
	}
	return " in " + *q.Path
}

// dependants names the saved queries whose text names another one. It reads the texts as they stand, so a name inside a comment
// counts too; it is said, never acted on.
func dependants(ctx context.Context, cl *api.Client, project string, q api.Query) (string, error) {
	all, err := cl.Queries.List(ctx, project)
	if err != nil {
		return "", err
	}
	return strings.Join(naming(all, "(mt)?query", q.Name, q.ID), ", "), nil
}

// naming lists the queries but one whose text names SCHEMA.NAME; schema is a pattern.
func naming(all []api.Query, schema, name, but string) []string {
	name = regexp.QuoteMeta(name)
	pattern := regexp.MustCompile(`(?i)(^|[^\w])"?` + schema + `"?\s*\.\s*("` + name + `"|` + name + `([^\w]|$))`)
	var names []string
	for _, other := range all {
		if other.ID != but && pattern.MatchString(other.InputQuery) {
			names = append(names, other.Name)
		}
	}
	return names
}

// readers says which saved queries name a table, as the end of a question; "" when none does.
func readers(ctx context.Context, cl *api.Client, project, schema, table string) string {
	all, err := cl.Queries.List(ctx, project)
	if err != nil {
		return "; saved queries that name it could not be listed, and break"
	}
	if names := naming(all, schema, table, ""); len(names) > 0 {
		return "; saved queries that name it break: " + strings.Join(names, ", ")
	}
	return ""
}

// folderID finds a folder of queries by id, by path (/reports/daily) or by name.
func folderID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if uuidLike().MatchString(set) {
		return set, nil
	}
	fs, err := cl.Folders.List(ctx, project)
	if err != nil {
		return "", err
	}
	path := "/" + strings.Trim(set, "/")
	var all []named
	for _, f := range fs {
		if f.Path == path {
			return f.ID, nil
		}
		all = append(all, named{f.ID, f.Name, " at " + f.Path})
	}
	return pick("folder", "", strings.Trim(set, "/"), all)
}
