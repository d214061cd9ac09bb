// Package store stores the control-plane state of the local gateway (everything but rows) in one SQLite file.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/damage"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Errors every method may return, wrapped.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("already exists")
	ErrInUse    = errors.New("still in use")
)

// ApplicationID marks the state file, so that it is recognized under any name: "digs" in ASCII.
const ApplicationID = 0x64696773

// Store is the state of one data directory. Several processes may open it concurrently; all methods are safe for
// concurrent use.
type Store struct {
	db   *database
	path string
	dir  string // the data directory
	file fs.FileInfo
	ids  *idSource
	now  func() time.Time
	own  string // a temporary directory removed with the store, "" for none

	recent recent
}

// openWithin limits how long Open waits for other processes. SQLite itself does not wait while another process creates
// the file, or while the last process that has it open closes it.
const openWithin = 20 * time.Second

// Open opens, and on first use creates, the state file dir/state.db. now is the clock, nil for time.Now.
func Open(dir string, now func() time.Time) (*Store, error) { return openOf(dir, dir, now) }

// openOf opens a state file in a directory, for the data in another one.
func openOf(dir, data string, now func() time.Time) (*Store, error) {
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		s, err := open(dir, data, now)
		var se *sqlite.Error
		if !errors.As(err, &se) || se.Code()&0xff != sqlite3.SQLITE_BUSY || time.Since(begun) > openWithin {
			return s, noSpace(err)
		}
	}
}

func open(dir, data string, now func() time.Time) (*Store, error) {
	if now == nil {
		now = time.Now
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := checkFile(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "state.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path, data, now); err != nil {
			return nil, err
		}
	}
	return openAt(path, data, now)
}

// create creates a state file as a whole under another name, so that a file of that name without contents is one that
// was damaged.
func create(path, data string, now func() time.Time) error {
	// SQLite would create it world-readable, in a directory that may have existed before; its other files get the same
	// mode.
	f, err := tempfile.Create(path, 0o600)
	if err != nil {
		return err
	}
	made := f.Name()
	defer func() {
		for _, end := range []string{"", "-wal", "-shm", "-journal"} {
			_ = os.Remove(made + end)
		}
	}()
	if err := f.Close(); err != nil { // now: closing it later would release SQLite's locks
		return err
	}
	if err := begin(made); err != nil {
		return err
	}
	s, err := openAt(made, data, now)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if err := tempfile.Publish(made, path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil // another process was first
}

func openAt(path, data string, now func() time.Time) (*Store, error) {
	// synchronous=FULL: an acknowledged change survives a power failure, not only a kill. temp_store: a migration must
	// not depend on room in the directory for temporary files.
	q := url.Values{"_pragma": {"busy_timeout(20000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		"temp_store(MEMORY)"}, "_txlock": {"immediate"}}
	db, err := openFile(path, q)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	s := &Store{db: &database{DB: db}, path: path, dir: data, ids: newIDSource(now), now: now}
	if err := s.migrate(context.Background()); err != nil {
		db.Close()
		if IsDamaged(err) {
			return nil, s.damaged(err)
		}
		return nil, fmt.Errorf("state file %s: %w", s.name(), err)
	}
	if s.file, err = os.Stat(path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func openFile(path string, settings url.Values) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+settings.Encode())
}

// Close closes the file.
func (s *Store) Close() error {
	err := errors.Join(s.recent.close(), s.db.Close())
	if s.own != "" {
		err = errors.Join(err, os.RemoveAll(s.own))
	}
	return err
}

// NewID returns an 18 to 19 digit decimal identifier like those of the service for catalogs, queries and rows. It is
// never reused.
func (s *Store) NewID() string { return strconv.FormatInt(s.ids.next(), 10) }

func (s *Store) migrate(ctx context.Context) error {
	var have, id int
	if err := s.db.QueryRowContext(ctx,
		"SELECT user_version, application_id FROM pragma_user_version, pragma_application_id").Scan(&have,
		&id); err != nil {
		return err
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	sort.Strings(names)
	if have == len(names) && id == ApplicationID {
		return nil
	}
	return s.tx(ctx, func(tx *sql.Tx) error {
		// Another process may have migrated between the check and the lock.
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
			return err
		}
		if have > len(names) {
			return damage.New(nil, "install that version or a later one, or set DIG_DATA_DIR to another directory",
				"written by a newer version of dig (schema %d, this version knows %d)", have, len(names))
		}
		pending := names[have:]
		if early, err := connectionsFirst(ctx, tx, have); err != nil {
			return err
		} else if early {
			pending = slices.Concat(names[1:2], names[3:])
		}
		for _, name := range pending {
			text, err := fs.ReadFile(migrations, name)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(name), err)
			}
		}
		if have == 0 {
			if err := s.seed(ctx, tx); err != nil {
				return err
			}
		}
		if have < dataRecorded {
			if err := s.noteEarlierData(ctx, tx); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(len(names))+"; PRAGMA application_id = "+
			strconv.Itoa(ApplicationID))
		return err
	})
}

// connectionsFirst reports whether a state file of schema 2 was written by a version whose second migration created the
// table connections. A migration for queries was inserted before that one later.
func connectionsFirst(ctx context.Context, tx *sql.Tx, have int) (bool, error) {
	if have != 2 {
		return false, nil
	}
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'connections'").
		Scan(&n)
	return n > 0, err
}

// tx runs f in a write transaction.
func (s *Store) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// dbtx is the common interface of *sql.DB and *sql.Tx.
type dbtx interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// database prepares the text of a query once for each connection: SQLite takes longer to parse a query than to find a
// row by its key. The texts are those of this package, so there are few.
type database struct {
	*sql.DB
	prepared sync.Map // text: *sql.Stmt
}

func (d *database) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if known, ok := d.prepared.Load(text); ok {
		return known.(*sql.Stmt), nil
	}
	p, err := d.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	known, had := d.prepared.LoadOrStore(text, p)
	if had { // another request was first
		err = p.Close()
	}
	return known.(*sql.Stmt), err
}

// QueryContext implements dbtx.
func (d *database) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	p, err := d.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return p.QueryContext(ctx, args...)
}

// QueryRowContext implements dbtx.
func (d *database) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	p, err := d.statement(ctx, text)
	if err != nil {
		return d.DB.QueryRowContext(ctx, text, args...) // its row has the error
	}
	return p.QueryRowContext(ctx, args...)
}

// queryAll runs a query and scans every row.
func queryAll[T any](ctx context.Context, db dbtx, scan func(func(...any) error) (T, error), query string,
	args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// queryOne is queryAll for exactly one row; ErrNotFound if there is none.
func queryOne[T any](ctx context.Context, db dbtx, scan func(func(...any) error) (T, error), query string,
	args ...any) (T, error) {
	v, err := scan(db.QueryRowContext(ctx, query, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return v, err
}

// exec runs a statement that must affect a row; ErrNotFound if it does not.
func exec(ctx context.Context, db dbtx, query string, args ...any) error {
	res, err := db.ExecContext(ctx, query, args...)
	if err != nil {
		return constraint(err)
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return ErrNotFound
	}
	return nil
}

// constraint maps SQLite's constraint failures to this package's errors.
func constraint(err error) error {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return err
	}
	switch se.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %s", ErrConflict, strings.TrimPrefix(se.Error(), "constraint failed: "))
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %s", ErrInUse, se.Error())
	}
	return err
}

// IsFull reports whether an error means that the state file could not grow.
func IsFull(err error) bool {
	var se *sqlite.Error
	return errors.As(err, &se) && (se.Code() == sqlite3.SQLITE_FULL || se.Code() == sqlite3.SQLITE_IOERR_SHMSIZE)
}

// noSpace makes an error for a full disk one that is syscall.ENOSPC: who opens a state file need not know SQLite.
func noSpace(err error) error {
	if IsFull(err) {
		return fullError{err}
	}
	return err
}

type fullError struct{ error }

func (e fullError) Is(target error) bool { return target == syscall.ENOSPC }
func (e fullError) Unwrap() error        { return e.error }

// Time formats as the service writes timestamps: ISO 8601, UTC, fractional seconds [S].
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *Store) stamp() string { return Time(s.now()) }
