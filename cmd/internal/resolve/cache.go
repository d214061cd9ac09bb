package resolve

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// TableArgs splits CATALOG SCHEMA TABLE or catalog.schema.table, whose parts may be in double quotes.
func TableArgs(args []string) ([3]string, error) {
	if len(args) == 1 && strings.Contains(args[0], `"`) {
		var err error
		if args, err = NameParts(args[0]); err != nil {
			return [3]string{}, err
		}
	} else if len(args) == 1 {
		args = strings.SplitN(args[0], ".", 3)
	}
	if len(args) != 3 || args[0] == "" || args[1] == "" || args[2] == "" {
		return [3]string{}, exitcode.Usagef("%q is not catalog.schema.table", strings.Join(args, "."))
	}
	return [3]string(args), nil
}

// CacheID returns the id of the cache that the arguments name.
func CacheID(ctx context.Context, cl *api.Client, project string, args []string) (string, error) {
	if len(args) == 1 && uuidLike().MatchString(args[0]) {
		return args[0], nil
	}
	t, err := TableArgs(args)
	if err != nil {
		return "", err
	}
	catalog, err := TableCatalogID(ctx, cl, project, t[0], t[1])
	if err != nil {
		return "", err
	}
	st, err := CacheByTable(ctx, cl, project, catalog, t[1], t[2])
	if err == nil && st == nil {
		err = &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
			Msg: "there is no cache of " + strings.Join(t[:],
				"."), Hint: "`dig cache create` creates one"}
	}
	if err != nil {
		return "", err
	}
	return st.ID, nil
}

// CacheByTable returns the cache of a table, or nil when it has none.
func CacheByTable(ctx context.Context, cl *api.Client, project, catalog, schema,
	table string) (*api.CacheStatus, error) {
	all, err := cl.Cache.CatalogStatuses(ctx, project, catalog)
	if err != nil {
		return nil, err
	}
	for i, st := range all {
		if st.SchemaName == schema && st.TableName == table && api.JobState(st.Status) != api.StateDeleted {
			return &all[i], nil
		}
	}
	return nil, nil
}
