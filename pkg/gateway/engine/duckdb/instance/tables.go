//go:build cgo

package instance

import (
	"context"
	"strconv"
	"sync"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// HasStored reports whether a table is in the project's own file. DuckDB compares names case-insensitively.
func (c *Conn) HasStored(ctx context.Context, schema, table string) (bool, error) {
	return c.Describe(ctx, schema, table, func(bindings.TableDescription) {})
}

// Count counts the rows of a table.
func (c *Conn) Count(ctx context.Context, table string) (n int64, err error) {
	err = c.Query(ctx, `SELECT count(*) FROM `+table, nil, func(v []*string) (err error) {
		n, err = strconv.ParseInt(*v[0], 10, 64)
		return err
	})
	return n, err
}

// Describe calls a function with the description of a table of the project's own file, if that has it.
func (c *Conn) Describe(ctx context.Context, schema, table string,
	use func(bindings.TableDescription)) (has bool, err error) {
	look := func() error {
		var d bindings.TableDescription
		defer bindings.TableDescriptionDestroy(&d)
		if has = bindings.TableDescriptionCreateExt(c.Raw, naming.Store, schema, table,
			&d) == bindings.StateSuccess; has {
			use(d)
			return nil
		}
		msg := bindings.TableDescriptionError(d)
		if faults.NoTable(msg) {
			return nil
		}
		return c.Fault(ctx, bindings.ErrorTypeInvalid, msg)
	}
	if c.inTx {
		err = look()
	} else {
		err = c.Patient(ctx, look)
	}
	return has, err
}

// buildMark is the prefix of tables that are being filled. Those that exist when the first one is created were left by
// a process that died.
const buildMark = "~build-"

// builds generates the names of the tables that are being filled in an instance.
type builds struct {
	mu    sync.Mutex
	swept bool
	last  int
}

// NewBuild generates the name of a table to fill and creates its schema.
func (c *Conn) NewBuild(ctx context.Context, schema string) (string, error) {
	b := &c.Instance.builds
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.swept {
		if err := c.dropBuilds(ctx); err != nil {
			return "", err
		}
		b.swept = true
	}
	if _, err := c.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+sqltext.Quote(naming.Store, schema)); err != nil {
		return "", err
	}
	b.last++
	return buildMark + strconv.Itoa(b.last), nil
}

// dropBuilds drops tables left by a process that died while filling them.
func (c *Conn) dropBuilds(ctx context.Context) error {
	var left []string
	err := c.Query(ctx,
		`SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND starts_with(table_name, ?)`,
		[]any{naming.Store, buildMark},
		func(v []*string) error {
			left = append(left, naming.StoredTable(*v[0], *v[1]))
			return nil
		})
	for _, name := range left {
		if err == nil {
			_, err = c.Exec(ctx, `DROP TABLE `+name)
		}
	}
	return err
}
