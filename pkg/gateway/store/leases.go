package store

import (
	"context"
	"os"
	"time"
)

// A process that does background work for a store in PostgreSQL has a lease with a number, which is never used again.
// The clock of the database decides when it is over, and the first process that asks after that removes it: from then
// on the number is dead, even if its process was only stopped for a while and continues.

// LeaseTime is how long a lease lasts that is not renewed.
const LeaseTime = 20 * time.Second

// goneTime is how long one lasts whose process has no session with the database either: it was killed. A process that
// has lost its session renews its lease meanwhile.
const goneTime = 4 * time.Second

// HasLeases reports whether processes have leases. For a state file they lock files in the data directory.
func (s *Store) HasLeases() bool { return s.held != nil }

// NewLease returns the number of a new lease.
func (s *Store) NewLease(ctx context.Context) (number int64, err error) {
	host, err := os.Hostname()
	if err != nil {
		host = err.Error() // it is for those who look at the table
	}
	err = s.db.again(ctx, func() (err error) {
		number, err = queryOne(ctx, s.db, one[int64], "INSERT INTO runners(host, until, pid, server) "+
			"VALUES (?, clock_timestamp() + ? * interval '1 second', ?, pg_postmaster_start_time()) RETURNING number",
			host, LeaseTime.Seconds(), s.held.session())
		return err
	})
	return number, err
}

// RenewLease renews a lease. ErrNotFound means that it is dead.
func (s *Store) RenewLease(ctx context.Context, number int64) error {
	return exec(ctx, s.db, "UPDATE runners SET until = clock_timestamp() + ? * interval '1 second', pid = ?, "+
		"server = pg_postmaster_start_time() WHERE number = ?", LeaseTime.Seconds(), s.held.session(), number)
}

// EndLease ends a lease.
func (s *Store) EndLease(ctx context.Context, number int64) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM runners WHERE number = ?", number)
	return err
}

// Leased reports whether a lease lasts. One that is over is dead from now on.
func (s *Store) Leased(ctx context.Context, number int64) (bool, error) {
	// A server that was started since then has no sessions of those that live.
	const over = "(until <= clock_timestamp() OR until <= clock_timestamp() + ? * interval '1 second' AND server = " +
		"pg_postmaster_start_time() AND NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND " +
		"classid = ? AND pg_locks.pid = runners.pid))"
	args := []any{number, (LeaseTime - goneTime).Seconds(), ApplicationID}
	const known = "SELECT EXISTS (SELECT 1 FROM runners WHERE number = ?"
	lasts, err := queryOne(ctx, s.db, one[bool], known+" AND NOT "+over+")", args...)
	if lasts || err != nil {
		return lasts, err
	}
	// It may have been renewed since.
	if _, err := s.db.ExecContext(ctx, "DELETE FROM runners WHERE number = ? AND "+over, args...); err != nil {
		return false, err
	}
	return queryOne(ctx, s.db, one[bool], known+")", number)
}

// TakeLock takes a lock for the process of a lease, unless another one has it, and returns the lease that has it then.
// One that waits is handed the lock before it can be taken by others, and must Unlock it if it waits no more.
// ErrNotFound means that the lease is dead.
func (s *Store) TakeLock(ctx context.Context, name string, number int64, waits bool) (holder int64, err error) {
	err = s.tx(ctx, func(tx dbtx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO locks(name, holder) SELECT CAST(? AS TEXT), number FROM runners "+
			"WHERE number = ? ON CONFLICT DO NOTHING", name, number); err != nil {
			return err
		}
		holder, err = queryOne(ctx, tx, one[int64], "SELECT holder FROM locks WHERE name = ?", name)
		if err == nil && waits && holder != number {
			_, err = tx.ExecContext(ctx, "INSERT INTO locks(name, holder) VALUES (?, ?) ON CONFLICT DO NOTHING",
				nextOf(name), number)
		}
		return err
	})
	return holder, err
}

// NoteStatement records the statement that the holder of a lock is about to run. ErrNotFound means that its lease is
// over: another process may have the lock.
func (s *Store) NoteStatement(ctx context.Context, name string, number int64, statement string) error {
	return exec(ctx, s.db, "UPDATE locks SET statement = ? WHERE name = ? AND holder = ? AND EXISTS (SELECT 1 FROM "+
		"runners WHERE number = holder AND until > clock_timestamp())", statement, name, number)
}

// nextOf is the name of a lock that who waits for one has meanwhile.
func nextOf(name string) string { return "next: " + name }

// Unlock releases a lock, to the one who waits for it.
func (s *Store) Unlock(ctx context.Context, name string, number int64) error {
	next := nextOf(name)
	return s.tx(ctx, func(tx dbtx) error {
		for _, step := range []struct {
			text string
			args []any
		}{
			{"DELETE FROM locks WHERE name = ? AND holder = ?", []any{next, number}},
			{"UPDATE locks SET holder = runners.number, statement = '' FROM runners, locks w WHERE locks.name = ? " +
				"AND locks.holder = ? AND w.name = ? AND w.holder = runners.number AND until > clock_timestamp()",
				[]any{name, number, next}},
			{"DELETE FROM locks w WHERE name = ? AND NOT EXISTS (SELECT 1 FROM locks l, runners WHERE l.name = ? AND " +
				"l.holder <> w.holder AND w.holder = runners.number)", []any{next, name}},
			{"DELETE FROM locks WHERE name = ? AND holder = ?", []any{name, number}},
		} {
			if _, err := tx.ExecContext(ctx, step.text, step.args...); err != nil {
				return err
			}
		}
		return nil
	})
}

// HeldLock is a lock with the statement that its holder may have left, "" for none.
type HeldLock struct{ Name, Statement string }

// LocksOf lists the locks of a lease.
func (s *Store) LocksOf(ctx context.Context, number int64) ([]HeldLock, error) {
	return queryAll(ctx, s.db, func(scan func(...any) error) (l HeldLock, err error) {
		err = scan(&l.Name, &l.Statement)
		return l, err
	}, "SELECT name, statement FROM locks WHERE holder = ?", number)
}
