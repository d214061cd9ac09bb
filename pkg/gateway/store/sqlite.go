package store

import (
	"context"
	"database/sql"
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
	"syscall"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/damage"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

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

// migrationNames are the files of the migrations, in their order.
func migrationNames() ([]string, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	sort.Strings(names)
	return names, err
}

// newer is the error of a state that this version does not know.
func newer(have int, or string) error {
	return damage.New(nil, "install that version or a later one, or "+or,
		"written by a newer version of dig (schema %d, this version knows %d)", have, Schema())
}

func (s *Store) migrate(ctx context.Context) error {
	var have, id int
	if err := s.db.QueryRowContext(ctx,
		"SELECT user_version, application_id FROM pragma_user_version, pragma_application_id").Scan(&have,
		&id); err != nil {
		return err
	}
	names, err := migrationNames()
	if err != nil {
		return err
	}
	if have == len(names) && id == ApplicationID {
		return nil
	}
	return s.tx(ctx, func(tx dbtx) error {
		// Another process may have migrated between the check and the lock.
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
			return err
		}
		if have > len(names) {
			return newer(have, "set DIG_DATA_DIR to another directory")
		}
		pending := names[have:]
		if early, err := connectionsFirst(ctx, tx, have); err != nil {
			return err
		} else if early {
			pending = slices.Concat(names[1:2], names[3:])
		}
		if err := s.apply(ctx, tx, pending, have, strings.Clone); err != nil {
			return err
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

// apply makes the pending migrations of a state that has so many. An empty one gets its first objects.
func (s *Store) apply(ctx context.Context, tx dbtx, pending []string, have int, in func(string) string) error {
	for _, name := range pending {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, in(string(text))); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
	}
	if have > 0 {
		return nil
	}
	return s.seed(ctx, tx)
}

// connectionsFirst reports whether a state file of schema 2 was written by a version whose second migration created the
// table connections. A migration for queries was inserted before that one later.
func connectionsFirst(ctx context.Context, tx dbtx, have int) (bool, error) {
	if have != 2 {
		return false, nil
	}
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'connections'").
		Scan(&n)
	return n > 0, err
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
