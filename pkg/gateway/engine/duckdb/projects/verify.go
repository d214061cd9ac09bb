//go:build cgo

package projects

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

// Look fails if the data of the project cannot be complete; nothing is opened.
func (p *Project) Look(ctx context.Context) error {
	_, err := instance.Look(ctx, p.Dir, p.Opts)
	return err
}

// Check opens the data and with rows reads all of them. A log that a killed process has left is read, but not written
// into the file. It returns the results that are not there.
func (p *Project) Check(ctx context.Context, rows bool, results []engine.TableName) ([]engine.TableName, error) {
	if err := p.Look(ctx); err != nil {
		return nil, err
	}
	if there, err := instance.Exists(filepath.Join(p.Dir, sharing.DataFile)); err != nil || !there {
		return results, err
	}
	in, err := instance.OpenChecked(ctx, p.Dir, &p.Host, rows)
	if errors.Is(err, instance.ErrBusy) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if !rows {
		return nil, nil
	}
	c, err := in.Connect()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var tables []string
	err = c.Query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ?`,
		[]any{naming.Store}, func(v []*string) error {
			tables = append(tables, sqltext.Quote(naming.Store, *v[0], *v[1]))
			return nil
		})
	for _, t := range tables {
		if err == nil {
			_, err = fingerprint(ctx, c, t)
		}
	}
	return slices.DeleteFunc(results, func(n engine.TableName) bool {
		return slices.Contains(tables, naming.StoredTable(n.Schema, n.Table))
	}), err
}

// fingerprint is the number of a table's rows and a checksum of them.
func fingerprint(ctx context.Context, c *instance.Conn, table string) (sum string, err error) {
	err = c.Query(ctx, `SELECT count(*)::VARCHAR || ' ' || coalesce(sum(hash(*COLUMNS(*))), 0)::VARCHAR FROM `+table,
		nil, func(v []*string) error {
			sum = *v[0]
			return nil
		})
	return sum, err
}
