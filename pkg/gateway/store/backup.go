package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// CopyTo writes the state of one moment to a new file of mode 0600 and syncs it.
func (s *Store) CopyTo(ctx context.Context, path string) error {
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
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0
	}
	return len(names)
}

// SealedConnections lists the names of the connections that have a sealed credential.
func (s *Store) SealedConnections(ctx context.Context) ([]string, error) {
	return queryAll(ctx, s.db, func(scan func(...any) error) (name string, err error) { err = scan(&name); return },
		"SELECT name FROM connections WHERE length(credential) > 0 ORDER BY name, id")
}
