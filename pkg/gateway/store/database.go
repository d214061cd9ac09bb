package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors of a store in PostgreSQL, wrapped.
var (
	ErrAway    = errors.New("the store cannot be reached")              // nothing was changed
	ErrBusy    = errors.New("the store is changed by too many at once") // nothing was changed
	ErrUnknown = errors.New("the connection to the store was lost; it is not known whether the change was made")
	ErrText    = errors.New("the text has a character that the store cannot hold") // U+0000
)

// dbtx is what the database and its transactions have in common. Errors of ExecContext are those of this package.
type dbtx interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// database runs the texts of this package, which SQLite and PostgreSQL read alike, except for the parameters: they are
// SQLite's, ? and ?1.
type database struct {
	*sql.DB
	postgres bool
	// SQLite takes longer to parse a query than to find a row by its key, so that each text is prepared once. There are
	// few. The driver of PostgreSQL does that by itself.
	prepared sync.Map // text: *sql.Stmt
}

// transaction is one of a database.
type transaction struct {
	*sql.Tx
	d *database
}

const (
	mostTries    = 100 // of a change
	firstPause   = 2 * time.Millisecond
	lastPause    = 250 * time.Millisecond
	lookedUpTime = 20 * time.Second // for which a lost end of a change is looked up
)

func (s *Store) tx(ctx context.Context, f func(dbtx) error) error { return s.db.tx(ctx, f) }

// tx runs f in a transaction that is as if no other ran at the same time: SQLite has one writer, and PostgreSQL ends
// one of two transactions whose order would matter. That one runs again, so f must begin again when it is called again.
func (d *database) tx(ctx context.Context, f func(dbtx) error) error {
	return d.again(ctx, func() error {
		o := &sql.TxOptions{}
		if d.postgres {
			o.Isolation = sql.LevelSerializable
		}
		tx, err := d.BeginTx(ctx, o)
		if err != nil {
			return told(err)
		}
		defer tx.Rollback()
		if err := f(transaction{tx, d}); err != nil {
			return told(err)
		}
		var id *string // of a transaction that has changed something
		if d.postgres {
			if err := tx.QueryRowContext(ctx, "SELECT pg_current_xact_id_if_assigned()::text").Scan(&id); err != nil {
				return told(err)
			}
		}
		err = tx.Commit()
		if known := told(err); id == nil || !errors.Is(known, ErrAway) {
			return known
		}
		// pgx says of some lost answers that nothing was sent.
		return d.lookUp(ctx, *id, err)
	})
}

// lookUp finds out whether a transaction was made whose end was lost with the connection.
func (d *database) lookUp(ctx context.Context, id string, lost error) error {
	ctx, cancel := context.WithTimeout(ctx, lookedUpTime)
	defer cancel()
	for retry.Sleep(ctx, lastPause) == nil {
		switch status, err := queryOne(ctx, d, one[*string],
			"SELECT pg_xact_status(CAST(CAST(? AS TEXT) AS xid8))", id); {
		case err != nil || status == nil:
		case *status == "committed":
			return nil
		case *status == "aborted":
			return fmt.Errorf("%w: %w", ErrAway, lost)
		}
	}
	return fmt.Errorf("%w: %w", ErrUnknown, lost)
}

// again makes a change until it is not ended for the sake of another one. A name in use may be that of a transaction
// that was not yet to be seen, so that the second answer is the right one.
func (d *database) again(ctx context.Context, change func() error) error {
	for n := 0; ; n++ {
		err := change()
		if !errors.Is(err, ErrBusy) && !(d.postgres && n == 0 && errors.Is(err, ErrConflict)) || n+1 == mostTries {
			return err
		}
		pause := retry.Doubled(firstPause, lastPause, n)
		if retry.Sleep(ctx, pause/2+rand.N(pause)) != nil {
			return err
		}
	}
}

// text is a query in the language of the database.
func (d *database) text(query string) string {
	if !d.postgres {
		return query
	}
	var b strings.Builder
	n := 0
	for i := range len(query) {
		switch c := query[i]; {
		case c != '?':
			b.WriteByte(c)
		case i+1 < len(query) && query[i+1] >= '1' && query[i+1] <= '9':
			b.WriteByte('$')
		default:
			n++
			b.WriteString("$" + strconv.Itoa(n))
		}
	}
	return b.String()
}

func (d *database) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if known, ok := d.prepared.Load(text); ok {
		return known.(*sql.Stmt), nil
	}
	p, err := d.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	known, had := d.prepared.LoadOrStore(text, p)
	if had { // another request was first
		err = p.Close()
	}
	return known.(*sql.Stmt), err
}

// ExecContext implements dbtx.
func (d *database) ExecContext(ctx context.Context, text string, args ...any) (res sql.Result, err error) {
	if d.postgres {
		err = d.tx(ctx, func(tx dbtx) (err error) { res, err = tx.ExecContext(ctx, text, args...); return err })
		return res, err
	}
	res, err = d.DB.ExecContext(ctx, text, args...)
	return res, told(err)
}

// QueryContext implements dbtx.
func (d *database) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if d.postgres {
		return d.DB.QueryContext(ctx, d.text(text), args...)
	}
	p, err := d.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return p.QueryContext(ctx, args...)
}

// QueryRowContext implements dbtx.
func (d *database) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if d.postgres {
		return d.DB.QueryRowContext(ctx, d.text(text), args...)
	}
	p, err := d.statement(ctx, text)
	if err != nil {
		return d.DB.QueryRowContext(ctx, text, args...) // its row has the error
	}
	return p.QueryRowContext(ctx, args...)
}

// ExecContext implements dbtx.
func (t transaction) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	res, err := t.Tx.ExecContext(ctx, t.d.text(text), args...)
	return res, told(err)
}

// QueryContext implements dbtx.
func (t transaction) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return t.Tx.QueryContext(ctx, t.d.text(text), args...)
}

// QueryRowContext implements dbtx.
func (t transaction) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	return t.Tx.QueryRowContext(ctx, t.d.text(text), args...)
}

// queryAll runs a query and scans every row.
func queryAll[T any](ctx context.Context, db dbtx, scan func(func(...any) error) (T, error), query string,
	args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, told(err)
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, told(err)
		}
		out = append(out, v)
	}
	return out, told(rows.Err())
}

// queryOne is queryAll for exactly one row; ErrNotFound if there is none.
func queryOne[T any](ctx context.Context, db dbtx, scan func(func(...any) error) (T, error), query string,
	args ...any) (T, error) {
	v, err := scan(db.QueryRowContext(ctx, query, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return v, told(err)
}

// exec runs a statement that must affect a row; ErrNotFound if it does not.
func exec(ctx context.Context, db dbtx, query string, args ...any) error {
	res, err := db.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return ErrNotFound
	}
	return nil
}

// one scans a row of one value.
func one[T any](scan func(...any) error) (v T, err error) {
	err = scan(&v)
	return v, err
}

// told converts an error of a driver to one of this package.
func told(err error) error {
	var se *sqlite.Error
	var pe *pgconn.PgError
	switch {
	case err == nil || slices.ContainsFunc([]error{ErrConflict, ErrInUse, ErrAway, ErrBusy, ErrUnknown, ErrText},
		func(known error) bool { return errors.Is(err, known) }):
	case errors.As(err, &se):
		switch se.Code() {
		case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
			return fmt.Errorf("%w: %s", ErrConflict, strings.TrimPrefix(se.Error(), "constraint failed: "))
		case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
			return fmt.Errorf("%w: %s", ErrInUse, se.Error())
		}
	case errors.As(err, &pe):
		for _, k := range []struct {
			codes string
			err   error
		}{{"23505", ErrConflict}, {"23503", ErrInUse}, {"40001 40P01 55P03", ErrBusy}, {"22021 22P05", ErrText},
			{"08000 08003 08006 53300 57P01 57P02 57P03", ErrAway}} {
			if strings.Contains(k.codes, pe.Code) {
				return fmt.Errorf("%w: %w", k.err, err)
			}
		}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case lost(err):
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return err
}

// lost reports whether the connection to a server failed.
func lost(err error) bool {
	var ne net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.As(err, &ne) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}
