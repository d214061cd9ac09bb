//go:build cgo

package duckdb

import (
	"context"
	"strconv"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// hasStored reports whether a table is in the project's own file. DuckDB compares names case-insensitively.
func (c *conn) hasStored(schema, table string) bool {
	var d bindings.TableDescription
	defer bindings.TableDescriptionDestroy(&d)
	return bindings.TableDescriptionCreateExt(c.c, naming.Store, schema, table, &d) == bindings.StateSuccess
}

// DropStored removes a table of Materialize; it is not an error if it does not exist.
func (p *project) DropStored(ctx context.Context, schema, table string) error {
	c, err := p.writer(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	if !c.hasStored(schema, table) {
		return nil
	}
	_, err = c.exec(ctx, `DROP TABLE IF EXISTS `+naming.StoredTable(schema, table))
	return err
}

// RowCount counts the rows of a stored table.
func (p *project) RowCount(ctx context.Context, schema, table string) (int64, error) {
	c, err := p.conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.close()
	if !c.hasStored(schema, table) {
		return 0, engine.UnknownTable(engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
	}
	var n int64
	err = c.query(ctx, `SELECT count(*) FROM `+naming.StoredTable(schema, table), nil, func(v []*string) (err error) {
		n, err = strconv.ParseInt(*v[0], 10, 64)
		return err
	})
	return n, err
}
