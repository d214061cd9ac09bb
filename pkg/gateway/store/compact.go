package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
)

// SQLite reuses the pages of what was deleted. It gives them back in a file that was made with auto_vacuum=INCREMENTAL, which can be a few at
// a time, or by writing the whole file anew, which also makes such a file of one of earlier versions.
const (
	incremental = 2
	wasteShare  = 4   // pages are given back when one of so many is free
	stepPages   = 256 // of one transaction
)

// begin makes an empty file one that can give pages back. The setting holds only if it comes before all else, and every connection that
// has it writes to the file.
func begin(path string) error {
	db, err := openFile(path, url.Values{"_pragma": {"busy_timeout(20000)"}, "_auto_vacuum": {"INCREMENTAL"}})
	if err != nil {
		return err
	}
	_, err = db.Exec("PRAGMA journal_mode = WAL")
	return errors.Join(err, db.Close())
}

// Size is what the state file and its log take, in bytes.
func (s *Store) Size() (n int64, err error) {
	for _, path := range []string{s.path, s.path + "-wal"} {
		st, err := os.Stat(path)
		if err == nil {
			n += st.Size()
		} else if !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return n, nil
}

// Compact writes the state file anew, without free pages. Changes by others wait for it.
func (s *Store) Compact(ctx context.Context) error {
	return s.alone(ctx, func(c *sql.Conn) error { return vacuum(ctx, c) })
}

// Tidy gives free pages back when they are at least so many bytes and a part of the file worth it, step by step until stop says that
// somebody has come. A file of earlier versions is written anew first.
func (s *Store) Tidy(ctx context.Context, least int64, stop func() bool) error {
	return s.alone(ctx, func(c *sql.Conn) error {
		var mode, free, pages, size int64
		err := c.QueryRowContext(ctx, "SELECT auto_vacuum, freelist_count, page_count, page_size FROM pragma_auto_vacuum, pragma_freelist_count, pragma_page_count, pragma_page_size").
			Scan(&mode, &free, &pages, &size)
		switch {
		case err != nil || stop():
			return err
		case mode != incremental:
			return vacuum(ctx, c)
		case free*size < least || free*wasteShare < pages:
			return nil
		}
		for ; free > 0 && !stop(); free -= stepPages {
			if err := drain(ctx, c, "PRAGMA incremental_vacuum(256)"); err != nil {
				return err
			}
		}
		return checkpoint(ctx, c)
	})
}

func (s *Store) alone(ctx context.Context, f func(*sql.Conn) error) error {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(c), c.Close())
}

func vacuum(ctx context.Context, c *sql.Conn) error {
	for _, s := range []string{"PRAGMA auto_vacuum = INCREMENTAL", "VACUUM"} {
		if _, err := c.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return checkpoint(ctx, c)
}

// checkpoint moves the log into the file, which is not shortened before. While others read it may do a part, and the rest is done later.
func checkpoint(ctx context.Context, c *sql.Conn) error {
	return drain(ctx, c, "PRAGMA wal_checkpoint(TRUNCATE)")
}

// drain runs a statement to its end: SQLite gives back one page for each row that is read.
func drain(ctx context.Context, c *sql.Conn, statement string) error {
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}
