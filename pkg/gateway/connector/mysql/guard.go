package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-sql-driver/mysql"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// guarded converts a panic of the driver to an error: the driver trusts a server's packets, and package database/sql
// calls it in its own goroutines, where a panic would end the process.
type guarded struct{ driver.Connector }

// Connect implements driver.Connector.
func (g guarded) Connect(ctx context.Context) (c driver.Conn, err error) {
	v := &verdict{}
	err = safely.Try(func() (err error) {
		c, err = g.Connector.Connect(context.WithValue(ctx, verdictKey{}, v))
		return err
	})
	if err != nil {
		var refused *mysql.MySQLError
		if errors.As(err, &refused) && slices.Contains([]uint16{1044, 1045, 1049, 1698}, refused.Number) {
			err = engine.Unusable(err) // the user, or the database
		}
		return nil, v.instead(malformed(err))
	}
	return &guardedConn{c, v}, nil
}

// malformed converts a panic of the driver to an error that blames the server.
func malformed(err error) error {
	var p *safely.Panic
	if errors.As(err, &p) {
		return fmt.Errorf("the server sent an invalid reply (%v)", p.Value)
	}
	return err
}

type guardedConn struct {
	driver.Conn
	v *verdict
}

var (
	_ driver.QueryerContext  = (*guardedConn)(nil)
	_ driver.ExecerContext   = (*guardedConn)(nil)
	_ driver.Pinger          = (*guardedConn)(nil)
	_ driver.SessionResetter = (*guardedConn)(nil)
	_ driver.Validator       = (*guardedConn)(nil)
)

var errDriver = errors.New("the driver does not support this")

func (c *guardedConn) try(f func() error) error {
	err := safely.Try(f)
	if m := malformed(err); m != err { // !//nolint:errorlint // the same error or another
		_ = safely.Run(func() { c.Conn.Close() })
		return m
	}
	return locked(c.v.instead(err))
}

const lockWaitTimeout = 1205

// locked replaces the server's advice to restart a transaction.
func locked(err error) error {
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == lockWaitTimeout {
		return fmt.Errorf("another session has locked a table of this statement for more than %s: %w", lockTimeout, err)
	}
	return err
}

// ask is try for calls with a reply. After a reply that could not be read completely, the next packet may be anything.
func (c *guardedConn) ask(f func() error) error {
	err := c.try(f)
	var refused *mysql.MySQLError
	if err != nil && !errors.As(err, &refused) {
		_ = safely.Run(func() { c.Conn.Close() })
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the server sent a reply that ends early")
	}
	return err
}

// QueryContext implements driver.QueryerContext.
func (c *guardedConn) QueryContext(ctx context.Context, q string,
	args []driver.NamedValue) (rows driver.Rows, err error) {
	err = c.ask(func() (err error) {
		rows = nil
		if d, ok := c.Conn.(driver.QueryerContext); ok {
			rows, err = d.QueryContext(ctx, q, args)
			return err
		}
		return errDriver
	})
	if err != nil {
		return nil, err
	}
	return guardedRows{rows, c}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *guardedConn) ExecContext(ctx context.Context, q string,
	args []driver.NamedValue) (res driver.Result, err error) {
	err = c.ask(func() (err error) {
		if d, ok := c.Conn.(driver.ExecerContext); ok {
			res, err = d.ExecContext(ctx, q, args)
			return err
		}
		return errDriver
	})
	return res, err
}

// Ping implements driver.Pinger.
func (c *guardedConn) Ping(ctx context.Context) error {
	return c.ask(func() error {
		if d, ok := c.Conn.(driver.Pinger); ok {
			return d.Ping(ctx)
		}
		return errDriver
	})
}

// ResetSession implements driver.SessionResetter.
func (c *guardedConn) ResetSession(ctx context.Context) error {
	return c.try(func() error {
		if d, ok := c.Conn.(driver.SessionResetter); ok {
			return d.ResetSession(ctx)
		}
		return nil
	})
}

// IsValid implements driver.Validator.
func (c *guardedConn) IsValid() (valid bool) {
	err := c.try(func() error {
		d, ok := c.Conn.(driver.Validator)
		valid = !ok || d.IsValid()
		return nil
	})
	return err == nil && valid
}

// Prepare is never needed: arguments are inserted into the statement.
func (c *guardedConn) Prepare(string) (driver.Stmt, error) { return nil, errDriver }

// Close ends the connection.
func (c *guardedConn) Close() error { return c.try(c.Conn.Close) }

// Begin is never needed: nothing is written.
func (c *guardedConn) Begin() (driver.Tx, error) { return nil, errDriver }

type guardedRows struct {
	driver.Rows
	c *guardedConn
}

func (r guardedRows) Next(into []driver.Value) error {
	return r.c.try(func() error { return r.Rows.Next(into) })
}

func (r guardedRows) Close() error { return r.c.try(r.Rows.Close) }

func (r guardedRows) Columns() []string {
	var out []string
	_ = r.c.try(func() error { out = r.Rows.Columns(); return nil })
	return out
}
