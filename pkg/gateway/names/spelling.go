package names

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// Spelled implements sql.Catalogs: a name with upper-case letters is rejected if the lower-case one would find
// another table of the source. If the source does not answer, that is left to the lookup.
func (r Resolver) Spelled(ctx context.Context, n engine.TableName) error {
	if r.only || n.Catalog == engine.InternalCatalog || strings.ToLower(n.Schema) == n.Schema &&
		strings.ToLower(n.Table) == n.Table {
		return nil
	}
	c, err := r.catalog(ctx, n)
	var ee *engine.Error
	if errors.As(err, &ee) && ee.Kind == engine.KindUnknownCatalog {
		return nil
	}
	if err != nil {
		return err
	}
	schemas, err := c.Schemas(ctx)
	if err != nil {
		return nil
	}
	if shadowed(n.Schema, schemas) {
		return fault.Unknown(engine.KindUnsupported,
			"Schema '%s.%s' cannot be distinguished from '%s': names in SQL are converted to lower case", c.Name,
			n.Schema, strings.ToLower(n.Schema))
	}
	schema, _, _ := connector.Pick("schema", strings.ToLower(n.Schema), schemas)
	tables, err := c.Tables(ctx, schema) // a parametric table hides another one of the source as well
	if err != nil {
		return nil
	}
	if shadowed(n.Table, each.Map(tables, func(t api.Table) string { return t.TableName })) {
		return fault.Unknown(engine.KindUnsupported, "Table '%s.%s.%s' cannot be distinguished from '%s': names in "+
			"SQL are converted to lower case; a view in the source can give it another name",
			c.Name, n.Schema, n.Table, strings.ToLower(n.Table))
	}
	return nil
}

// shadowed reports whether the lower-case form of a written name is a different one of the names.
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
