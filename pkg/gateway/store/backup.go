package store

import (
	"context"
	"errors"
	"os"

	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// CopyTo writes the state of one moment to a new file of mode 0600 and syncs it. A state in PostgreSQL is a
// *zone.Elsewhere.
func (s *Store) CopyTo(ctx context.Context, path string) error {
	if s.held != nil {
		return &zone.Elsewhere{Dir: s.dir, Address: s.at}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // VACUUM INTO accepts an empty file
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return errors.Join(noSpace(s.damaged(err)), os.Remove(path))
	}
	if f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Schema is the number of migrations of the state file that this version knows.
func Schema() int {
	names, _ := migrationNames() // the pattern is a good one
	return len(names)
}
