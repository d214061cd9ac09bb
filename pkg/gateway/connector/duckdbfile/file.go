//go:build cgo

package duckdbfile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/dbfile"
)

// pool holds the files that are being read. A file is closed when its last reader is done, so that others may write it.
type pool struct {
	mu     sync.Mutex
	files  map[string]*instance
	dbfile func(path string, settings [][2]string) (*dbfile.File, error) // dbfile.Open
}

type instance struct {
	*dbfile.File
	refs int
}

func newPool() *pool { return &pool{files: map[string]*instance{}, dbfile: dbfile.Open} }

func (p *pool) open(c connector.Credential, reach connector.Reach) (connector.Connector, error) {
	path, err := c.LocalPath("path")
	if err != nil {
		return nil, err
	}
	if strings.Contains(path, "?") {
		return nil, errors.New(`credential field "path" must not contain a question mark, which DuckDB interprets as ` +
			`the end of a file name`)
	}
	return &file{p, path, reach.Own}, nil
}

// settings prevent access to anything outside the file, including from its views and macros; settled does the rest,
// which cannot be set when the file is opened.
var settings = [][2]string{
	{"access_mode", "READ_ONLY"}, {"temp_directory", ""}, {"enable_external_access", "false"},
	{"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
	{"allow_community_extensions", "false"}, {"allow_unsigned_extensions", "false"},
	{"allow_persistent_secrets", "false"},
	{"memory_limit", "512MB"}, {"threads", "2"},
}

// settled are the final statements: no output depends on the time zone of the machine, and further settings are
// disabled.
var settled = []string{`SET GLOBAL TimeZone = 'UTC'`, `SET GLOBAL lock_configuration = true`}

// acquire opens a file, or shares an already opened one with the same path. The file is checked in both cases.
func (p *pool) acquire(own *connector.Own, path string) (*instance, error) {
	held, err := own.Open(path)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if in := p.files[path]; in != nil {
		in.refs++
		return in, nil
	}
	before := held.Descriptors()
	opened, err := p.dbfile(path, settings)
	if err != nil {
		return nil, plain(path, err)
	}
	if err = opened.Exec(settled); err != nil {
		err = fmt.Errorf("file %s: %w", path, err)
	} else {
		err = held.Opened(before) // DuckDB opens by name, after it has resolved links
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	in := &instance{opened, 1}
	p.files[path] = in
	return in, nil
}

func (p *pool) release(path string, in *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if in.refs--; in.refs == 0 {
		delete(p.files, path)
		in.Close()
	}
}

// plain converts the errors of opening a file.
func plain(path string, err error) error {
	var rejected *dbfile.OpenError
	if !errors.As(err, &rejected) {
		return err
	}
	message := rejected.Message
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	switch {
	case strings.Contains(message, "Conflicting lock"), strings.Contains(message, "Could not set lock"):
		return fmt.Errorf("file %s is locked by another program that writes to it: %s", path, first)
	case strings.Contains(message, "not a valid DuckDB database file"):
		return engine.Unusable(fmt.Errorf("file %s is not a DuckDB database: %s", path, first))
	}
	return fmt.Errorf("cannot open file %s: %s", path, first)
}

type file struct {
	pool *pool
	path string
	own  *connector.Own
}

func (f *file) Close() error { return nil }

// query runs a statement on a connection of its own. The file stays open until the rows are closed.
func (f *file) query(ctx context.Context, sql string, args []any, cols []dbfile.Column) (*rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in, err := f.pool.acquire(f.own, f.path)
	if err != nil {
		return nil, err
	}
	release := func() { f.pool.release(f.path, in) }
	conn, err := in.Connect()
	if err != nil {
		release()
		return nil, err
	}
	r, err := conn.Query(ctx, sql, args, cols)
	if err != nil {
		release()
		return nil, err
	}
	return &rows{Rows: r, release: sync.OnceFunc(release)}, nil
}

func (f *file) Test(ctx context.Context) error {
	_, err := f.Schemas(ctx)
	return err
}

// texts runs a small query on the catalog.
func (f *file) texts(ctx context.Context, sql string, args ...any) (out [][]string, err error) {
	b, err := f.query(ctx, sql, args, nil)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	for {
		rows, err := b.Texts(ctx)
		if err != nil || rows == nil {
			return out, err
		}
		out = append(out, rows...)
	}
}

// Schemas lists the schemas of the file.
func (f *file) Schemas(ctx context.Context) ([]string, error) {
	rows, err := f.texts(ctx, `SELECT schema_name FROM duckdb_schemas() WHERE database_name = current_database() AND `+
		`(NOT internal OR schema_name = 'main') ORDER BY 1`)
	var out []string
	for _, r := range rows {
		out = append(out, r[0])
	}
	return out, err
}

func (f *file) schema(ctx context.Context, name string) (string, error) {
	all, err := f.Schemas(ctx)
	if err != nil {
		return "", err
	}
	return connector.PickSchema(name, all)
}

const tablesSQL = `SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = ? AND NOT internal
UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = current_database() AND schema_name = ? AND NOT internal ORDER BY 1`

func (f *file) names(ctx context.Context, schema string) (string, []string, error) {
	schema, err := f.schema(ctx, schema)
	if err != nil {
		return "", nil, err
	}
	rows, err := f.texts(ctx, tablesSQL, schema, schema)
	var out []string
	for _, r := range rows {
		out = append(out, r[0])
	}
	return schema, out, err
}

// Tables lists tables and views.
func (f *file) Tables(ctx context.Context, schema string) ([]connector.Table, error) {
	_, names, err := f.names(ctx, schema)
	return connector.Tables(names), err
}

// Table opens a table or a view for reading.
func (f *file) Table(ctx context.Context, schema, name string) (engine.Scanner, error) {
	schema, names, err := f.names(ctx, schema)
	if err != nil {
		return nil, err
	}
	found, err := connector.PickTable(name, names)
	if err != nil {
		return nil, err
	}
	t := &table{f: f, name: sqltext.Quote(schema, found)}
	rows, err := f.texts(ctx, `DESCRIBE `+t.name)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.name, err)
	}
	comments, err := f.texts(ctx, `SELECT column_name, coalesce(comment, '') FROM duckdb_columns() WHERE `+
		`database_name = current_database() AND schema_name = ? AND table_name = ?`, schema, found)
	if err != nil {
		return nil, err
	}
	said := map[string]string{}
	for _, r := range comments {
		said[r[0]] = r[1]
	}
	for _, r := range rows { // name, type, nullable
		c := columnOf(r[0], r[1])
		c.Nullable, c.Comment = r[2] == "YES", said[r[0]]
		t.cols = append(t.cols, c)
	}
	return t, nil
}

// Statistics that count distinct values are not available.
func (f *file) Statistics(context.Context, string, string) ([]api.ColumnStatistics, error) {
	return nil, connector.ErrNoStatistics
}
