//go:build cgo

package duckdb

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
)

// OwnTables names the internal tables.
func (s *statement) OwnTables(ctx context.Context) (out []engine.TableName, err error) {
	c, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	err = c.query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND schema_name IN ('table', 'bitable')`,
		[]any{naming.Store}, func(v []*string) error {
			out = append(out, engine.TableName{Catalog: engine.InternalCatalog, Schema: *v[0], Table: *v[1]})
			return nil
		})
	return out, err
}

// StoredAs is the name under which an internal table is stored.
func (s *statement) StoredAs(ctx context.Context, schema, table string) (string, error) {
	c, err := s.connect(ctx)
	if err != nil {
		return "", err
	}
	return c.storedAs(ctx, schema, table)
}
