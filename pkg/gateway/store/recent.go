package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
)

// recent are values that were read from the state file and are right until it is changed, by this process or another.
// SQLite's data_version of a connection differs after each change through another one: nothing is changed through this
// one.
type recent struct {
	asked atomic.Int64 // how often a value was asked for

	mu      sync.Mutex
	conn    *sql.Conn
	look    *sql.Stmt
	version int64
	values  map[any]any
}

const (
	askedBefore = 32     // a process that asks seldom needs no further connection
	maxRecent   = 10_000 // values
)

// found is a value that was read, or that there is none.
type found[T any] struct {
	value T
	err   error
}

// remembered returns a value that was read since the last change of the state file, or reads it. key is comparable, and
// of a type for each query. The value is shared: it must not be changed.
func remembered[T any](ctx context.Context, s *Store, key any, read func() (T, error)) (T, error) {
	r := &s.recent
	if s.held != nil || r.asked.Add(1) <= askedBefore { // asking PostgreSQL what changed takes as long as reading
		return read()
	}
	version, known, err := r.at(ctx, s.db.DB, key)
	if err != nil {
		return read()
	}
	if known != nil {
		f := known.(found[T])
		return f.value, f.err
	}
	v, err := read()
	if err == nil || errors.Is(err, ErrNotFound) {
		r.add(version, key, found[T]{v, err})
	}
	return v, err
}

// since returns the version of the state file. ok is false if nothing is remembered.
func (s *Store) since(ctx context.Context) (version int64, ok bool) {
	if s.held != nil || s.recent.asked.Load() <= askedBefore {
		return 0, false
	}
	version, _, err := s.recent.at(ctx, s.db.DB, nil)
	return version, err == nil
}

// add remembers what was read after the state file had a version: it may be newer, never older.
func (r *recent) add(version int64, key, v any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version == version && len(r.values) < maxRecent {
		r.values[key] = v
	}
}

// at returns the version of the state file, and the value of a key that was read since it has that version.
func (r *recent) at(ctx context.Context, db *sql.DB, key any) (version int64, known any, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn == nil {
		ctx := context.WithoutCancel(ctx)
		if r.conn, err = db.Conn(ctx); err != nil {
			return 0, nil, err
		}
		if r.look, err = r.conn.PrepareContext(ctx, "PRAGMA data_version"); err != nil {
			return 0, nil, errors.Join(err, r.drop())
		}
	}
	// Without the context of a request, which would be watched, and whose end would be one of the connection.
	if err := r.look.QueryRowContext(context.WithoutCancel(ctx)).Scan(&version); err != nil {
		return 0, nil, errors.Join(err, r.drop())
	}
	if version != r.version || r.values == nil {
		r.version, r.values = version, map[any]any{}
	}
	return version, r.values[key], nil
}

// close gives the connection back.
func (r *recent) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drop()
}

// drop forgets everything. The numbers of another connection mean something else.
func (r *recent) drop() error {
	var err error
	if r.look != nil {
		err = r.look.Close()
	}
	if r.conn != nil {
		err = errors.Join(err, r.conn.Close())
	}
	r.conn, r.look, r.values, r.version = nil, nil, nil, -1
	return err
}
