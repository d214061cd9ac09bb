package caches

import (
	"context"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// cacheTracking checks the change tracking of a request; nil means a comparison of whole rows.
func cacheTracking(in *api.CacheTracking) (store.CacheTracking, error) {
	if in == nil {
		return store.CacheTracking{}, nil
	}
	bad := func(format string, args ...any) (store.CacheTracking, error) {
		return store.CacheTracking{}, fault.Cache(400, "", "changeTracking."+format, args...)
	}
	for i, k := range in.KeyColumns {
		same := func(o string) bool { return strings.EqualFold(o, k) }
		switch {
		case k == "":
			return bad("keyColumns: a name is empty")
		case slices.ContainsFunc(in.KeyColumns[:i], same):
			return bad("keyColumns: %s is named twice", k)
		case same(in.UpdatedAtColumn):
			return bad("updatedAtColumn: %s is a column of the key", k)
		}
	}
	switch {
	case len(in.KeyColumns) == 0 && in.UpdatedAtColumn != "":
		return bad("keyColumns: missing; updatedAtColumn requires them to detect deleted rows")
	case len(in.KeyColumns) == 0 && in.InsertOnly:
		return bad("keyColumns: missing; insertOnly requires one")
	case in.InsertOnly && in.UpdatedAtColumn != "":
		return bad("insertOnly: excludes updatedAtColumn, since rows never change")
	case in.InsertOnly && len(in.KeyColumns) > 1:
		return bad("insertOnly: requires a key of one increasing column")
	}
	return store.CacheTracking{Key: in.KeyColumns, Updated: in.UpdatedAtColumn, InsertOnly: in.InsertOnly}, nil
}

// trackable checks that the table of a cache has the columns used for change tracking, and returns them in its
// spelling.
func (s *Service) trackable(ctx context.Context, p store.Project, c *store.Cache) error {
	if len(c.Tracking.Key) == 0 {
		return nil
	}
	cat, err := s.Names.Catalog(ctx, p, c.CatalogID)
	if err != nil {
		return err
	}
	cols, err := cat.Columns(ctx, c.SchemaName, c.TableName)
	if err != nil {
		return err
	}
	find := func(field string, name *string) (string, error) {
		for _, exact := range []bool{true, false} {
			for _, col := range cols {
				if col.Name == *name || !exact && strings.EqualFold(col.Name, *name) {
					*name = col.Name
					return col.DataType, nil
				}
			}
		}
		return "", fault.Cache(400, "", "changeTracking.%s: table %s.%s.%s has no column %s", field, cat.Name,
			c.SchemaName, c.TableName, *name)
	}
	c.Tracking.Key = slices.Clone(c.Tracking.Key)
	for i := range c.Tracking.Key {
		typ, err := find("keyColumns", &c.Tracking.Key[i])
		if err == nil && c.Tracking.InsertOnly && !rises(typ) {
			err = fault.Cache(400, "",
				"changeTracking.insertOnly: %s is of type %s, which does not increase from row to row",
				c.Tracking.Key[i], typ)
		}
		if err != nil {
			return err
		}
	}
	if c.Tracking.Updated == "" {
		return nil
	}
	typ, err := find("updatedAtColumn", &c.Tracking.Updated)
	if err == nil && !rises(typ) {
		err = fault.Cache(400, "",
			"changeTracking.updatedAtColumn: %s is of type %s, which does not increase with each change",
			c.Tracking.Updated, typ)
	}
	return err
}

// rises reports whether values of a type can be ordered from older to newer.
func rises(typ string) bool {
	base, _, _ := strings.Cut(typ, "(")
	switch base {
	case "tinyint", "smallint", "integer", "bigint", "decimal", "date", "timestamp", "varchar", "char":
		return true
	}
	return strings.HasPrefix(base, "timestamp")
}
