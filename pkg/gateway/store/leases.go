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

// HasLeases reports whether processes have leases. For a state file they lock files in the data directory.
func (s *Store) HasLeases() bool { return s.held != nil }

// NewLease returns the number of a new lease.
func (s *Store) NewLease(ctx context.Context) (number int64, err error) {
	host, err := os.Hostname()
	if err != nil {
		host = err.Error() // it is for those who look at the table
	}
	err = s.db.again(ctx, func() (err error) {
		number, err = queryOne(ctx, s.db, one[int64], "INSERT INTO runners(host, until) "+
			"VALUES (?, clock_timestamp() + ? * interval '1 second') RETURNING number", host, LeaseTime.Seconds())
		return err
	})
	return number, err
}

// RenewLease renews a lease. ErrNotFound means that it is dead.
func (s *Store) RenewLease(ctx context.Context, number int64) error {
	return exec(ctx, s.db, "UPDATE runners SET until = clock_timestamp() + ? * interval '1 second' WHERE number = ?",
		LeaseTime.Seconds(), number)
}

// EndLease ends a lease.
func (s *Store) EndLease(ctx context.Context, number int64) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM runners WHERE number = ?", number)
	return err
}

// Leased reports whether a lease lasts. One that is over is dead from now on.
func (s *Store) Leased(ctx context.Context, number int64) (bool, error) {
	lasts, err := queryOne(ctx, s.db, one[bool],
		"SELECT EXISTS (SELECT 1 FROM runners WHERE number = ? AND until > clock_timestamp())", number)
	if lasts || err != nil {
		return lasts, err
	}
	// It may have been renewed since.
	_, err = s.db.ExecContext(ctx, "DELETE FROM runners WHERE number = ? AND until <= clock_timestamp()", number)
	if err != nil {
		return false, err
	}
	return queryOne(ctx, s.db, one[bool], "SELECT EXISTS (SELECT 1 FROM runners WHERE number = ?)", number)
}
