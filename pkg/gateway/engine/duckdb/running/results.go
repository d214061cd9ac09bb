//go:build cgo

package running

import (
	"context"
	"strconv"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
)

// DropStored removes a table of Store; it is not an error if it does not exist.
func (p Statements) DropStored(ctx context.Context, schema, table string) error {
	c, err := p.files.Writer(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if has, err := c.HasStored(ctx, schema, table); err != nil || !has {
		return err
	}
	_, err = c.Exec(ctx, `DROP TABLE IF EXISTS `+naming.StoredTable(schema, table))
	return err
}

// RowCount counts the rows of a stored table.
func (p Statements) RowCount(ctx context.Context, schema, table string) (int64, error) {
	c, err := p.files.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	has, err := c.HasStored(ctx, schema, table)
	if err != nil {
		return 0, err
	}
	if !has {
		return 0, engine.UnknownTable(engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
	}
	var n int64
	err = c.Query(ctx, `SELECT count(*) FROM `+naming.StoredTable(schema, table), nil, func(v []*string) (err error) {
		n, err = strconv.ParseInt(*v[0], 10, 64)
		return err
	})
	return n, err
}
