// Package sqlite reads the tables and views of a SQLite file.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	sqlite "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Type is the connection type sqlite.
func Type() connector.Type {
	return connector.Type{
		Key: "sqlite", Label: "SQLite file", Category: "Database", CatalogType: "sqlite",
		DocsURL: "https://www.sqlite.org/datatype3.html",
		Fields: []connector.Field{
			{Name: "path", Kind: "text", Required: true, Local: true,
				Description: "Database file, as an absolute path"},
			{Name: "inspect", Kind: "boolean", Description: "Check all values of a table first: a column with values " +
				"that do not fit its declared type becomes varchar"},
		},
		Open: open,
	}
}

const schema = "main"

// maxValue is the size of a value in bytes: functions of a view can make values of any size.
const maxValue = 256 << 20

type file struct {
	path    string
	own     *connector.Own
	inspect bool
	db      *sql.DB

	mu   sync.Mutex
	seen map[string]inspected // by table
}

func open(c connector.Credential, reach connector.Reach) (connector.Connector, error) {
	p, err := c.LocalPath("path")
	if err != nil {
		return nil, err
	}
	// Nothing is written, also not by the schema: none of its functions or virtual tables is trusted.
	q := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "trusted_schema(0)", "busy_timeout(2000)",
		"cell_size_check(1)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: p, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxIdleConns(0) // the file is closed between statements
	return &file{path: p, own: reach.Own, inspect: c.Flag("inspect"), db: db, seen: map[string]inspected{}}, nil
}

func (f *file) Close() error { return f.db.Close() }

// conn opens the file, which must be checked each time: it may have been replaced.
func (f *file) conn(ctx context.Context) (*sql.Conn, error) {
	held, err := f.own.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	c, err := f.db.Conn(ctx)
	if err != nil {
		return nil, f.plain(err)
	}
	if _, err = sqlite.Limit(c, lib.SQLITE_LIMIT_LENGTH, maxValue); err == nil {
		err = f.whole(ctx, c)
	}
	if err == nil {
		if err = held.Still(); err == nil {
			err = f.foreign(ctx, c)
		}
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// foreign rejects the state of a gateway by the content of the opened file. The checks of the name are not sufficient:
// SQLite resolves links and then opens the file by name, so it opens another file if the name is changed in between and
// changed back.
func (f *file) foreign(ctx context.Context, c *sql.Conn) error {
	var id int64
	if err := c.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&id); err != nil {
		return f.plain(err)
	}
	if f.own.State(id) {
		return fmt.Errorf("file %s %w", f.path, connector.ErrOwn)
	}
	return nil
}

// whole rejects a file that was truncated within a page, since SQLite would read the missing end as zeros.
func (f *file) whole(ctx context.Context, c *sql.Conn) error {
	var version, size int64
	// the first access to the file
	if err := c.QueryRowContext(ctx, `PRAGMA schema_version`).Scan(&version); err != nil {
		return f.plain(err)
	}
	if err := c.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&size); err != nil {
		return f.plain(err)
	}
	info, err := connector.CheckLocalFile(f.path) // not by opening it: closing it again would release SQLite's locks
	if err == nil && info.Size()%size != 0 {
		err = fmt.Errorf("file %s is corrupt: its end is missing", f.path)
	}
	return err
}

// plain converts the errors that a user can act on.
func (f *file) plain(err error) error {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return err
	}
	code := se.Code() & 0xff
	why := map[int]string{
		lib.SQLITE_BUSY: "is locked by another program", lib.SQLITE_LOCKED: "is locked by another program",
		lib.SQLITE_NOTADB:   "is not an SQLite database, or it is encrypted",
		lib.SQLITE_CORRUPT:  "is corrupt",
		lib.SQLITE_CANTOPEN: "cannot be opened; a database in WAL mode requires a writable folder",
		lib.SQLITE_PERM:     "may not be read", lib.SQLITE_IOERR: "cannot be read",
		lib.SQLITE_TOOBIG: "has a value of more than 256 MiB",
	}[code]
	if why == "" {
		return err
	}
	err = fmt.Errorf("file %s %s: %w", f.path, why, err)
	if code == lib.SQLITE_BUSY || code == lib.SQLITE_LOCKED || code == lib.SQLITE_IOERR {
		return err
	}
	return engine.Unusable(err)
}

func (f *file) Test(ctx context.Context) error {
	c, err := f.conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	var n int64
	return f.plain(c.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&n))
}

// Schemas returns main: a file cannot be attached to another one here.
func (f *file) Schemas(context.Context) ([]string, error) { return []string{schema}, nil }

const tablesSQL = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') ` +
	`AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY 1`

func (f *file) names(ctx context.Context, c *sql.Conn, wanted string) ([]string, error) {
	if !strings.EqualFold(wanted, schema) {
		return nil, connector.ErrNoSchema
	}
	rows, err := c.QueryContext(ctx, tablesSQL)
	if err != nil {
		return nil, f.plain(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, f.plain(rows.Err())
}

// Tables lists tables, views and virtual tables.
func (f *file) Tables(ctx context.Context, wanted string) ([]connector.Table, error) {
	c, err := f.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	names, err := f.names(ctx, c, wanted)
	return connector.Tables(names), err
}

// Table opens a table or a view for reading.
func (f *file) Table(ctx context.Context, wanted, name string) (engine.Scanner, error) {
	c, err := f.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	names, err := f.names(ctx, c, wanted)
	if err != nil {
		return nil, err
	}
	found, err := connector.PickTable(name, names)
	if err != nil {
		return nil, err
	}
	t := &table{f: f, name: found}
	if t.cols, err = f.columns(ctx, c, found); err != nil {
		return nil, fmt.Errorf("table %s: %w", found, f.plain(err))
	}
	return t, nil
}

// Statistics are available in SQLite for indexes only.
func (f *file) Statistics(context.Context, string, string) ([]api.ColumnStatistics, error) {
	return nil, connector.ErrNoStatistics
}
