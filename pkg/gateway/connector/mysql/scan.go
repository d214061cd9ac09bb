package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// query builds the SELECT of a scan. A condition that may match more rows on the server than in the engine is pushed
// down; one that may match fewer is not. In both cases the limit is left to the engine.
func (t *relation) query(req engine.ScanRequest) (string, []column, error) {
	var cols []column
	var list []string
	for _, name := range req.Columns {
		c, err := connector.Column(t.name, t.cols, name)
		if err != nil {
			return "", nil, err
		}
		cols = append(cols, c)
		expr := sqltext.Backtick(name)
		if c.Type == "real" { // the server prints a float with six digits; as a double it has all of them
			expr = "(" + expr + " + 0e0)"
		}
		list = append(list, expr)
	}
	if len(list) == 0 {
		list = []string{"1"}
	}
	q, word, all := "SELECT "+strings.Join(list, ", ")+" FROM "+t.name, " WHERE ", true
	for _, f := range req.Filters {
		term, exact := t.condition(f)
		all = all && exact
		if term != "" {
			q, word = q+word+term, " AND "
		}
	}
	if req.Limit >= 0 && all {
		q += " LIMIT " + strconv.FormatInt(req.Limit, 10)
	}
	return q, cols, nil
}

// Scan starts reading on a separate connection. If only the number of rows is needed, the server counts them.
func (t *relation) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	q, cols, err := t.query(req)
	if err != nil {
		return nil, err
	}
	if len(cols) == 0 && len(req.Filters) == 0 {
		b, err := t.start(ctx, "SELECT count(*) FROM ("+q+") t",
			[]column{{ColumnInfo: engine.ColumnInfo{Name: "count", Type: "bigint"}, base: "bigint"}})
		if err != nil {
			return nil, err
		}
		return connector.Counted(b), nil
	}
	return t.start(ctx, q, cols)
}

func (t *relation) start(ctx context.Context, q string, cols []column) (engine.Batches, error) {
	conn, err := t.s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var id int64
	if err := conn.QueryRowContext(ctx, "SELECT connection_id()").Scan(&id); err != nil {
		conn.Close()
		return nil, err
	}
	b := &batches{s: t.s, id: id, conn: conn, cols: cols, raw: make([]sql.RawBytes, max(len(cols), 1))}
	b.stop = safely.AfterContext(ctx, func() { t.s.kill(id) })
	if b.rows, err = conn.QueryContext(ctx, q); err != nil { // !//nolint:rowserrcheck // checked by Next
		if b.stop(); ctx.Err() != nil {
			// ctx may have ended here before the function above was registered, and the statement may still be running
			t.s.kill(id)
		}
		conn.Close()
		return nil, err
	}
	for i := range b.raw {
		b.into = append(b.into, &b.raw[i])
	}
	return b, nil
}

type batches struct {
	s    *server
	id   int64
	conn *sql.Conn
	rows *sql.Rows
	cols []column
	raw  []sql.RawBytes
	into []any
	stop func() bool
	done bool // read to the end, without an error
}

// Fill reads the next rows. An error of the server is returned after the rows before it, never as a regular end.
func (b *batches) Fill(_ context.Context, cols []engine.Vector, n int) (int, error) {
	return connector.Chunk(n, func(row int) (size int, err error) {
		if b.done {
			return 0, io.EOF
		}
		if !b.rows.Next() {
			if err := b.rows.Err(); err != nil {
				return 0, err
			}
			b.done = true
			return 0, io.EOF
		}
		if err := b.rows.Scan(b.into...); err != nil {
			return 0, err
		}
		for i := range cols {
			if b.raw[i] == nil {
				cols[i].Null(row)
				continue
			}
			size += len(b.raw[i])
			if err := put(cols[i], row, b.cols[i].base, b.raw[i]); err != nil {
				return 0, engine.Content(fmt.Errorf("column %q: %w", b.cols[i].Name, err))
			}
		}
		return size, nil
	})
}

// Next reads the next rows as Go values.
func (b *batches) Next(ctx context.Context) ([][]any, error) {
	return connector.NextOf(ctx, b, b.cols)
}

// Close returns the connection to the pool if everything was read. Otherwise it is killed, because the driver would
// read all remaining rows.
func (b *batches) Close() error {
	stopped := b.stop() // false if the statement is already being killed
	if b.done && stopped {
		_ = b.rows.Close() // read to the end
		return b.conn.Close()
	}
	b.s.kill(b.id)
	_ = b.rows.Close() // the error says that the statement was killed
	// The server may have sent everything before: the connection seems usable then, but would fail for the next user.
	_ = b.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = b.conn.Close()
	return nil
}
