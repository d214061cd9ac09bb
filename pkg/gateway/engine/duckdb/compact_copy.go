//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// copyTo copies the project's file to a directory and compares the two.
func (p *project) copyTo(ctx context.Context, dir string) (err error) {
	in := &instance{conns: map[*conn]struct{}{}, tempDir: filepath.Join(dir, "tmp"), memory: p.memory}
	p.memory.instances.Add(1)
	defer func() { err = errors.Join(err, in.close()) }()
	if err := in.start(p.opts); err != nil {
		return err
	}
	c := &conn{p: p, in: in}
	if bindings.Connect(in.db, &c.c) == bindings.StateError {
		return errors.New("the engine rejected a connection")
	}
	defer bindings.Disconnect(&c.c)
	made := filepath.Join(dir, sharing.DataFile)
	data := sqltext.Quote(naming.Store)
	for _, s := range []string{
		`SET GLOBAL errors_as_json=true`,
		fmt.Sprintf(`SET GLOBAL max_temp_directory_size='%dB'`, p.opts.TempLimit),
		`SET GLOBAL write_buffer_row_group_count=1`,
		`ATTACH ` + sqltext.Literal(filepath.Join(p.dir, sharing.DataFile)) + ` AS ` + data,
		`CHECKPOINT ` + data,
	} {
		if err := c.all(ctx, s); err != nil {
			return err
		}
	}
	form, err := c.form(ctx)
	if err != nil {
		return err
	}
	for _, s := range []string{
		`ATTACH ` + sqltext.Literal(made) + ` AS ` + sqltext.Quote(packDB) + form,
		`COPY FROM DATABASE ` + data + ` TO ` + sqltext.Quote(packDB),
		`CHECKPOINT ` + sqltext.Quote(packDB),
		`DETACH ` + sqltext.Quote(packDB), // so that the comparison reads the file
		`ATTACH ` + sqltext.Literal(made) + ` AS ` + sqltext.Quote(packDB) + ` (READ_ONLY)`,
	} {
		if err := c.all(ctx, s); err != nil {
			return err
		}
	}
	if err := c.sameData(ctx); err != nil {
		return err
	}
	return c.all(ctx, `DETACH `+sqltext.Quote(packDB))
}

// all runs a statement that DuckDB expands to several, which cannot be prepared.
func (c *conn) all(ctx context.Context, sql string) error {
	stop := c.watch(ctx)
	defer stop()
	err := rawExec(c.c, sql)
	if err != nil && ctx.Err() != nil {
		return engine.Ended(ctx, nil)
	}
	return err
}

// form returns the storage options of the project's file, with which its copy is created.
func (c *conn) form(ctx context.Context) (string, error) {
	var version, block string
	err := c.query(ctx,
		`SELECT tags['storage_version'], (SELECT block_size::VARCHAR FROM pragma_database_size() s WHERE s.database_name = d.database_name)
		FROM duckdb_databases() d WHERE database_name = ?`, []any{naming.Store}, func(v []*string) error {
			if v[0] == nil || v[1] == nil {
				return errors.New("the engine does not report the file's storage options")
			}
			version, block = strings.TrimSuffix(*v[0], "+"), *v[1]
			return nil
		})
	return ` (STORAGE_VERSION ` + sqltext.Literal(version) + `, BLOCK_SIZE ` + block + `)`, err
}

// inventories list the contents of a database except for its rows, and for the numbers of its entries, which differ
// from file to file.
var inventories = []string{
	`SELECT 'schema', schema_name, comment FROM duckdb_schemas() WHERE database_name = $1`,
	`SELECT 'table', schema_name, table_name, comment, sql FROM duckdb_tables() WHERE database_name = $1`,
	`SELECT 'column', schema_name, table_name, column_index::VARCHAR, column_name, data_type, column_default, is_nullable::VARCHAR, comment
		FROM duckdb_columns() WHERE database_name = $1 AND NOT internal`,
	`SELECT 'constraint', schema_name, table_name, constraint_text, constraint_column_names::VARCHAR FROM ` +
		`duckdb_constraints() WHERE database_name = $1`,
	`SELECT 'index', schema_name, table_name, index_name, comment, sql FROM duckdb_indexes() WHERE database_name = $1`,
	`SELECT 'sequence', schema_name, sequence_name, comment, sql FROM duckdb_sequences() WHERE database_name = $1`,
	`SELECT 'view', schema_name, view_name, comment, sql FROM duckdb_views() WHERE database_name = $1 AND NOT internal`,
	`SELECT 'type', schema_name, type_name, comment, logical_type, labels::VARCHAR FROM duckdb_types() WHERE ` +
		`database_name = $1 AND NOT internal`,
	`SELECT 'macro', schema_name, function_name, comment, parameters::VARCHAR, macro_definition FROM ` +
		`duckdb_functions() WHERE database_name = $1 AND NOT internal`,
}

// inventory lists what a database holds, without its rows.
func (c *conn) inventory(ctx context.Context, db string) ([]string, error) {
	var all []string
	for _, q := range inventories {
		err := c.query(ctx, q, []any{db}, func(v []*string) error {
			line := ""
			for _, x := range v {
				if x == nil {
					line += " NULL"
				} else {
					line += " " + strconv.Quote(*x)
				}
			}
			all = append(all, line[1:])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	return all, nil
}

// sameData fails unless the copy has the contents of the project's file.
func (c *conn) sameData(ctx context.Context) error {
	have, err := c.inventory(ctx, naming.Store)
	if err != nil {
		return err
	}
	copied, err := c.inventory(ctx, packDB)
	if err != nil {
		return err
	}
	for i := range max(len(have), len(copied)) {
		switch {
		case i >= len(copied) || i < len(have) && have[i] < copied[i]:
			return fmt.Errorf("the copy lacks: %s", have[i])
		case i >= len(have) || have[i] > copied[i]:
			return fmt.Errorf("the copy has more than the file: %s", copied[i])
		}
	}
	var tables [][]string
	err = c.query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ?`,
		[]any{naming.Store}, func(v []*string) error {
			tables = append(tables, []string{*v[0], *v[1]})
			return nil
		})
	for _, t := range tables {
		var rows [2]string
		for i, db := range []string{naming.Store, packDB} {
			if err == nil {
				rows[i], err = c.fingerprint(ctx, sqltext.Quote(db, t[0], t[1]))
			}
		}
		if err == nil && rows[0] != rows[1] {
			err = fmt.Errorf("the copy of %s.%s holds other rows than the file (count and checksum %s, not %s)", t[0],
				t[1], rows[1], rows[0])
		}
	}
	return err
}

// fingerprint is the number of a table's rows and a checksum of them.
func (c *conn) fingerprint(ctx context.Context, table string) (sum string, err error) {
	err = c.query(ctx, `SELECT count(*)::VARCHAR || ' ' || coalesce(sum(hash(*COLUMNS(*))), 0)::VARCHAR FROM `+table,
		nil, func(v []*string) error {
			sum = *v[0]
			return nil
		})
	return sum, err
}

// wasteful reports whether at least free bytes of the file are unused, and at least one block in wasteShare.
func (p *project) wasteful(in *instance, free int64) bool {
	c := &conn{p: p, in: in}
	if bindings.Connect(in.db, &c.c) == bindings.StateError {
		return false
	}
	defer bindings.Disconnect(&c.c)
	if rawExec(c.c, `CHECKPOINT `+sqltext.Quote(naming.Store)) != nil { // dropped data does not count as free before
		return false
	}
	waste := false
	err := c.query(context.Background(), `SELECT 1 FROM pragma_database_size() WHERE database_name = ? AND `+
		`free_blocks * block_size >= ? AND free_blocks * ? >= total_blocks`,
		[]any{naming.Store, free, wasteShare}, func([]*string) error {
			waste = true
			return nil
		})
	return err == nil && waste
}
