package names

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// cached returns the stored table to read for a table of a catalog, nil for the source.
func (r Resolver) cached(ctx context.Context, catalog string, n engine.TableName) (*engine.TableName, error) {
	if r.Live {
		return nil, nil
	}
	id, err := r.g.Store.CachedTable(ctx, r.p.ID, catalog, n.Schema, n.Table)
	if errors.Is(err, store.ErrNotFound) && r.only {
		return nil, fault.Unknown(engine.KindNotAllowed, "Table '%s' is not cached, or its cache is still empty, and sources must not be read", n.String())
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &engine.TableName{Catalog: engine.InternalCatalog, Schema: CacheSchema, Table: id}, nil
}

// Override implements engine.Overrides for the sample catalog.
func (r Resolver) Override(ctx context.Context, n engine.TableName) (*engine.TableName, error) {
	return r.cached(ctx, SampleCatalogID, n)
}
