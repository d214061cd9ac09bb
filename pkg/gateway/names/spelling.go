package names

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Spelled implements engine.Spelling: a name with capitals is refused where the lower-case one would find another table of the
// source. What cannot be told, because the source does not answer, is left to the lookup.
func (r Resolver) Spelled(ctx context.Context, n engine.TableName) error {
	if r.only || n.Catalog == engine.InternalCatalog || strings.ToLower(n.Schema+n.Table) == n.Schema+n.Table {
		return nil
	}
	c, err := r.g.Store.CatalogByName(ctx, r.p.ID, strings.ToLower(n.Catalog))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	e := ExternalCatalog{G: r.g, C: c}
	src, err := e.Source(ctx)
	if err != nil {
		return nil
	}
	schemas, err := src.Schemas(ctx)
	if err != nil {
		return nil
	}
	if shadowed(n.Schema, schemas) {
		return fault.Unknown(engine.KindUnsupported, "Schema '%s.%s' cannot be told from '%s': a name in SQL is read in lower case", c.Name, n.Schema, strings.ToLower(n.Schema))
	}
	schema, _, _ := connector.Pick("schema", strings.ToLower(n.Schema), schemas)
	tables, err := src.Connector.Tables(ctx, schema)
	if err != nil {
		return nil
	}
	if shadowed(n.Table, each.Map(tables, func(t connector.Table) string { return t.Name })) {
		return fault.Unknown(engine.KindUnsupported, "Table '%s.%s.%s' cannot be told from '%s': a name in SQL is read in lower case; a view at the source can give it another name",
			c.Name, n.Schema, n.Table, strings.ToLower(n.Table))
	}
	return nil
}

// shadowed says that one of the names is the lower-case form of a written one, which is another of them.
func shadowed(written string, names []string) bool {
	lower, other := false, false
	for _, n := range names {
		if strings.EqualFold(n, written) {
			lower = lower || n == strings.ToLower(written)
			other = other || n != strings.ToLower(written)
		}
	}
	return lower && other && written != strings.ToLower(written)
}
