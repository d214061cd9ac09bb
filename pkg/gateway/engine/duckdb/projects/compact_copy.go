//go:build cgo

package projects

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

// copyTo copies the project's file to a directory and compares the two.
func (p *Project) copyTo(ctx context.Context, dir string) (err error) {
	in, err := p.Bare(p.Dir, filepath.Join(dir, "tmp"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	c, err := in.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	made := filepath.Join(dir, sharing.DataFile)
	data := sqltext.Quote(naming.Store)
	for _, s := range []string{
		`SET GLOBAL errors_as_json=true`,
		fmt.Sprintf(`SET GLOBAL max_temp_directory_size='%dB'`, p.Opts.TempLimit),
		`SET GLOBAL write_buffer_row_group_count=1`,
		`ATTACH ` + sqltext.Literal(filepath.Join(p.Dir, sharing.DataFile)) + ` AS ` + data,
		`CHECKPOINT ` + data,
	} {
		if err := c.All(ctx, s); err != nil {
			return err
		}
	}
	form, err := form(ctx, c)
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
		if err := c.All(ctx, s); err != nil {
			return err
		}
	}
	if err := sameData(ctx, c, packDB); err != nil {
		return err
	}
	return c.All(ctx, `DETACH `+sqltext.Quote(packDB))
}

// form returns the storage options of the project's file, with which its copy is created.
func form(ctx context.Context, c *instance.Conn) (string, error) {
	var version, block string
	err := c.Query(ctx,
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
func inventory(ctx context.Context, c *instance.Conn, db string) ([]string, error) {
	var all []string
	for _, q := range inventories {
		err := c.Query(ctx, q, []any{db}, func(v []*string) error {
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

// sameData fails unless the database made has the contents of the project's file.
func sameData(ctx context.Context, c *instance.Conn, made string) error {
	have, err := inventory(ctx, c, naming.Store)
	if err != nil {
		return err
	}
	copied, err := inventory(ctx, c, made)
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
	err = c.Query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ?`,
		[]any{naming.Store}, func(v []*string) error {
			tables = append(tables, []string{*v[0], *v[1]})
			return nil
		})
	for _, t := range tables {
		var rows [2]string
		for i, db := range []string{naming.Store, made} {
			if err == nil {
				rows[i], err = fingerprint(ctx, c, sqltext.Quote(db, t[0], t[1]))
			}
		}
		if err == nil && rows[0] != rows[1] {
			err = fmt.Errorf("the copy of %s.%s holds other rows than the file (count and checksum %s, not %s)", t[0],
				t[1], rows[1], rows[0])
		}
	}
	return err
}

// wasteful reports whether at least free bytes of the file are unused, and at least one block in wasteShare.
func (p *Project) wasteful(in *active, free int64) bool {
	c, err := in.Connect()
	if err != nil {
		return false
	}
	defer c.Close()
	// dropped data does not count as free before
	if instance.RawExec(c.Raw, `CHECKPOINT `+sqltext.Quote(naming.Store)) != nil {
		return false
	}
	waste := false
	err = c.Query(context.Background(), `SELECT 1 FROM pragma_database_size() WHERE database_name = ? AND `+
		`free_blocks * block_size >= ? AND free_blocks * ? >= total_blocks`,
		[]any{naming.Store, free, wasteShare}, func([]*string) error {
			waste = true
			return nil
		})
	return err == nil && waste
}
