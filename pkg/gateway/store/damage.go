package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/damage"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const restoreState = "stop all dig processes and restore the data directory from a backup with " + damage.Restore +
	"; `dig gateway reset` deletes what is left of it"

// checkFile fails if the state of a directory is lost: the file is missing although the directory has data, or it is
// empty, which no version of dig leaves behind.
func checkFile(dir string) error {
	if err := Elsewhere(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, "state.db")
	st, err := os.Stat(path)
	switch {
	case err == nil && !st.Mode().IsRegular():
		return damage.New(nil, restoreState, "the state file %s is not a file", path)
	case err == nil && st.Size() > 0:
		return nil
	case err == nil:
		return damage.New(nil, restoreState, "the state file %s is empty", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, pattern := range []string{"state.db-wal", "secret.key", filepath.Join("projects", "*", "data.duckdb")} {
		left, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return damage.New(nil, restoreState, "the state file %s is missing, but %s exists", path, left[0])
		}
	}
	return nil
}

// name is the path of the state file; of a copy, that of the file that was copied.
func (s *Store) name() string { return filepath.Join(s.dir, "state.db") }

// damaged adds what to do to an error that says that the state file is not readable as such.
func (s *Store) damaged(err error) error {
	var se *sqlite.Error
	if errors.As(err, &se) {
		switch se.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return damage.New(err, restoreState, "the state file %s is damaged", s.name())
		}
	}
	return err
}

// IsDamaged reports whether an error means that the state file is damaged.
func IsDamaged(err error) bool {
	var se *sqlite.Error
	return errors.As(err, &se) && (se.Code()&0xff == sqlite3.SQLITE_CORRUPT || se.Code()&0xff == sqlite3.SQLITE_NOTADB)
}

// Place is where the state is: the path of the file, or the address of the database without its password.
func (s *Store) Place() string {
	if s.held != nil {
		return s.at
	}
	return s.name()
}

// Present fails if the state file was removed or replaced since it was opened: what is stored from then on is lost with
// it. It also fails if another gateway has taken the database.
func (s *Store) Present() error {
	if s.held != nil {
		if err := s.held.err(); err != nil || s.path == "" {
			return err
		}
	}
	if st, err := os.Stat(s.path); err == nil && os.SameFile(st, s.file) {
		return nil
	}
	return damage.New(nil, "start again; what was stored before is in the file that was moved or removed",
		"the data directory %s was removed or replaced while this process used it", s.dir)
}

// Ping reports whether the state file can be read.
func (s *Store) Ping(ctx context.Context) error {
	_, err := queryOne(ctx, s.db, one[int], "SELECT count(*) FROM organizations")
	return err
}

// Check reads the whole state file. Its error is the first damage that is found.
func (s *Store) Check(ctx context.Context) error {
	if s.held != nil { // PostgreSQL has tools of its own
		return s.Ping(ctx)
	}
	var first string
	if err := s.db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&first); err != nil {
		return s.damaged(err)
	}
	if first != "ok" {
		line, _, _ := strings.Cut(first, "\n")
		return damage.New(nil, restoreState, "the state file %s is damaged: %s", s.name(), line)
	}
	return nil
}
