package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
)

// SQLite reuses the pages of deleted data. It shrinks a file that was created with auto_vacuum=INCREMENTAL, a few pages
// at a time, or by rewriting the whole file, which also converts a file of an earlier version.
const (
	incremental = 2
	wasteShare  = 4   // the file is shrunk if one in this number of its pages is free
	stepPages   = 256 // of one transaction
)

// begin configures an empty file for incremental vacuum. The setting takes effect only if it comes first, and every
// connection that sets it writes to the file.
func begin(path string) error {
	db, err := openFile(path, url.Values{"_pragma": {"busy_timeout(20000)"}, "_auto_vacuum": {"INCREMENTAL"}})
	if err != nil {
		return err
	}
	_, err = db.Exec("PRAGMA journal_mode = WAL")
	return errors.Join(err, db.Close())
}

// Size returns the size of the state file and its log, or of the tables in PostgreSQL, in bytes.
func (s *Store) Size() (n int64, err error) {
	if s.held != nil {
		return queryOne(context.Background(), s.db, one[int64], "SELECT coalesce(sum(pg_total_relation_size("+
			"c.oid)), 0) FROM pg_class c WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r'")
	}
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

// Compact rewrites the state file without free pages. Changes by others wait for it. PostgreSQL does that itself.
func (s *Store) Compact(ctx context.Context) error {
	if s.held != nil {
		return nil
	}
	return s.alone(ctx, func(c *sql.Conn) error { return vacuum(ctx, c) })
}

// Tidy shrinks the file if the free pages exceed a number of bytes and a fraction of the file, step by step until stop
// reports that there is a caller. A file of an earlier version is rewritten first.
func (s *Store) Tidy(ctx context.Context, least int64, stop func() bool) error {
	if s.held != nil {
		return nil
	}
	return s.alone(ctx, func(c *sql.Conn) error {
		var mode, free, pages, size int64
		err := c.QueryRowContext(ctx, "SELECT auto_vacuum, freelist_count, page_count, page_size FROM "+
			"pragma_auto_vacuum, pragma_freelist_count, pragma_page_count, pragma_page_size").
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

// checkpoint moves the log into the file, which is not truncated before that. While others read it may be incomplete,
// and the rest is done later.
func checkpoint(ctx context.Context, c *sql.Conn) error {
	return drain(ctx, c, "PRAGMA wal_checkpoint(TRUNCATE)")
}

// drain runs a statement to its end: SQLite frees one page for each row that is read.
func drain(ctx context.Context, c *sql.Conn, statement string) error {
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}
