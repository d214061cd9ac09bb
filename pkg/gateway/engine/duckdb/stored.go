//go:build cgo

package duckdb

import (
	"context"
	"strconv"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// hasStored reports whether a table is in the project's own file. DuckDB compares names case-insensitively.
func (c *conn) hasStored(ctx context.Context, schema, table string) (bool, error) {
	return c.describe(ctx, schema, table, func(bindings.TableDescription) {})
}

// describe calls a function with the description of a table of the project's own file, if that has it.
func (c *conn) describe(ctx context.Context, schema, table string,
	use func(bindings.TableDescription)) (has bool, err error) {
	look := func() error {
		var d bindings.TableDescription
		defer bindings.TableDescriptionDestroy(&d)
		if has = bindings.TableDescriptionCreateExt(c.c, naming.Store, schema, table,
			&d) == bindings.StateSuccess; has {
			use(d)
			return nil
		}
		msg := bindings.TableDescriptionError(d)
		if faults.NoTable(msg) {
			return nil
		}
		return c.fault(ctx, bindings.ErrorTypeInvalid, msg)
	}
	if c.inTx {
		err = look()
	} else {
		err = c.patient(ctx, look)
	}
	return has, err
}

// DropStored removes a table of Store; it is not an error if it does not exist.
func (p *project) DropStored(ctx context.Context, schema, table string) error {
	c, err := p.writer(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	if has, err := c.hasStored(ctx, schema, table); err != nil || !has {
		return err
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
	has, err := c.hasStored(ctx, schema, table)
	if err != nil {
		return 0, err
	}
	if !has {
		return 0, engine.UnknownTable(engine.TableName{Catalog: engine.InternalCatalog, Schema: schema, Table: table})
	}
	var n int64
	err = c.query(ctx, `SELECT count(*) FROM `+naming.StoredTable(schema, table), nil, func(v []*string) (err error) {
		n, err = strconv.ParseInt(*v[0], 10, 64)
		return err
	})
	return n, err
}
