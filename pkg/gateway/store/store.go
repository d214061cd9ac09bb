// Package store stores the control-plane state of a gateway (everything but rows) in one SQLite file, or in a
// PostgreSQL database.
package store

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"
)

//go:embed migrations
var migrations embed.FS

// Errors every method may return, wrapped.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("already exists")
	ErrInUse    = errors.New("still in use")
)

// ApplicationID marks the state file, so that it is recognized under any name: "digs" in ASCII.
const ApplicationID = 0x64696773

// Store is the state of one data directory. Several processes may open it concurrently, if it is a file; all methods
// are safe for concurrent use.
type Store struct {
	db   *database
	dir  string // the data directory
	path string // of the state file, or of the file that says where the state is; "" for none
	file fs.FileInfo
	held *claim // of a database of PostgreSQL; nil for a file
	at   string // its address without the password
	ids  *idSource
	now  func() time.Time
	own  string // a temporary directory removed with the store, "" for none

	recent recent
}

// Close closes the store.
func (s *Store) Close() error {
	err := errors.Join(s.recent.close(), s.db.Close())
	if s.held != nil {
		err = errors.Join(err, s.held.close())
	}
	if s.own != "" {
		err = errors.Join(err, os.RemoveAll(s.own))
	}
	return err
}

// NewID returns an 18 to 19 digit decimal identifier like those of the service for catalogs, queries and rows. It is
// never reused.
func (s *Store) NewID() string { return strconv.FormatInt(s.ids.next(), 10) }

// Time formats as the service writes timestamps: ISO 8601, UTC, fractional seconds [S].
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *Store) stamp() string { return Time(s.now()) }
