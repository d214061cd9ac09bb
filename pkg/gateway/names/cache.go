package names

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// cached returns the stored table to read for a table of a catalog, nil for the source.
func (r Resolver) cached(ctx context.Context, catalog string, n engine.TableName, spelled func() (schema, table string,
	err error)) (*engine.TableName, error) {
	if r.Live {
		return nil, nil
	}
	found, err := r.g.Store.CachedTables(ctx, r.p.ID, catalog, n.Schema, n.Table)
	if err != nil {
		return nil, err
	}
	t := cacheOf(n, found, spelled)
	if t == nil && r.only {
		return nil, fault.Unknown(engine.KindNotAllowed,
			"Table '%s' is not cached, or its cache is still empty, and sources must not be read", n.String())
	}
	if t == nil {
		return nil, nil
	}
	return &engine.TableName{Schema: store.ResultOfCache, Table: t.Stored}, nil
}

// cacheOf finds the cache of the table that a name means at the source. Unless the source spells a table so, its names
// decide which one is meant: it may have several that differ in case. A cache also answers if the source does not.
func cacheOf(n engine.TableName, found []store.CachedTable, spelled func() (schema, table string,
	err error)) *store.CachedTable {
	at := func(schema, table string) *store.CachedTable {
		if i := slices.IndexFunc(found, func(t store.CachedTable) bool {
			return t.Schema == schema &&
				t.Table == table
		}); i >= 0 {
			return &found[i]
		}
		return nil
	}
	if t := at(n.Schema, n.Table); t != nil || len(found) == 0 {
		return t
	}
	schema, table, err := spelled()
	switch {
	case err == nil:
		return at(schema, table)
	case errors.Is(err, connector.ErrAmbiguous) || len(found) > 1:
		return nil
	}
	return &found[0]
}

// spellingTime is how long a source may take to list its names before a cache answers without them.
const spellingTime = 2 * time.Second

// Spelled returns the names of the catalog that a name in a statement means.
func Spelled(ctx context.Context, c Contents, n engine.TableName) (schema, table string, err error) {
	schemas, err := c.Schemas(ctx)
	if err != nil {
		return "", "", err
	}
	if schema, err = connector.PickSchema(n.Schema, schemas); err != nil {
		return "", "", err
	}
	tables, err := c.Tables(ctx, schema)
	if err != nil {
		return "", "", err
	}
	table, err = connector.PickTable(n.Table, each.Map(tables, func(t api.Table) string { return t.TableName }))
	return schema, table, err
}
