//go:build cgo

package duckdb

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
)

// The built-in catalog "sample" holds the schema "shop" of a fictitious store: 2000 customers, 200 products, 10000 orders and their
// items. Its tables are views that compute each row from its number, so they take no space and no time until they are read,
// can be read by everyone and changed by nobody, and have the same rows everywhere. docs/sample.md describes them.

// sample registers a table of the built-in catalog.
func (s *statement) sample(ctx context.Context, n engine.TableName) error {
	body := trino.SampleTables()[n.Table]
	if n.Schema != trino.SampleSchema || body == "" {
		return engine.UnknownTable(n)
	}
	return s.view(ctx, n, body)
}
