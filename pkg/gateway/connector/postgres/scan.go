package postgres

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// relation is a table or a view, opened for reading.
type relation struct {
	p     *postgres
	name  string // quoted
	order []engine.ColumnInfo
	cols  map[string]column
}

// Columns lists the columns the user may read.
func (t *relation) Columns(context.Context) ([]engine.ColumnInfo, error) { return t.order, nil }

// query writes the SELECT that a scan sends. Conditions that might mean something else to the server stay with the engine, and
// then so does the limit.
func (t *relation) query(req engine.ScanRequest) (string, [][]byte, error) {
	var b strings.Builder
	var args [][]byte
	b.WriteString("SELECT ")
	for i, name := range req.Columns {
		c, ok := t.cols[name]
		if !ok {
			return "", nil, fmt.Errorf("column %q does not exist in %s", name, t.name)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name))
		if c.wire == wireCast {
			b.WriteString("::text")
		}
	}
	b.WriteString(" FROM " + t.name)
	word, all := " WHERE ", true
	for _, f := range req.Filters {
		term, ok := t.condition(f, &args)
		if !ok {
			all = false
			continue
		}
		b.WriteString(word + term)
		word = " AND "
	}
	if req.Limit >= 0 && all {
		b.WriteString(" LIMIT " + strconv.FormatInt(req.Limit, 10))
	}
	return b.String(), args, nil
}

func (t *relation) condition(f engine.Filter, args *[][]byte) (string, bool) {
	c, ok := t.cols[f.Column]
	if !ok {
		return "", false
	}
	col := quote(f.Column)
	var texts []string
	for _, v := range f.Values {
		s, ok := text(v)
		if !ok {
			return "", false
		}
		texts = append(texts, s)
	}
	// Values travel as text in the type of the column, so that nothing is rounded on the way.
	place := func(s string) string {
		*args = append(*args, []byte(s))
		return "$" + strconv.Itoa(len(*args)) + "::text::" + quote("pg_catalog") + "." + quote(c.server)
	}
	switch f.Op {
	case "is null", "is not null":
		return col + " " + strings.ToUpper(f.Op), true
	case "=", "<>":
		if c.push >= pushEqual && len(texts) == 1 {
			return col + " " + f.Op + " " + place(texts[0]), true
		}
	case "<", "<=", ">", ">=":
		if c.push == pushOrder && len(texts) == 1 {
			return col + " " + f.Op + " " + place(texts[0]), true
		}
	case "in", "not in":
		if c.push >= pushEqual && len(texts) > 0 {
			list := make([]string, len(texts))
			for i, s := range texts {
				list[i] = place(s)
			}
			return col + " " + strings.ToUpper(f.Op) + " (" + strings.Join(list, ", ") + ")", true
		}
	case "like":
		if c.push == pushText && len(texts) == 1 {
			return col + " LIKE " + place(texts[0]) + " ESCAPE ''", true
		}
	}
	return "", false
}

// text writes a value of a condition as the server reads it. Only whole values of known types travel.
func text(v any) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, !strings.Contains(x, "\x00")
	case bool:
		return strconv.FormatBool(x), true
	case int64:
		return strconv.FormatInt(x, 10), true
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64), true
	case []byte:
		return fmt.Sprintf(`\x%x`, x), true
	case time.Time:
		if y := x.Year(); y < 1 || y > 9999 {
			return "", false
		}
		return x.UTC().Format("2006-01-02 15:04:05.999999") + "+00", true
	}
	return "", false
}

// Scan starts reading. The session ends with the batches.
func (t *relation) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	sql, args, err := t.query(req)
	if err != nil {
		return nil, err
	}
	c, err := t.p.connect(ctx)
	if err != nil {
		return nil, err
	}
	b := &batches{p: t.p, conn: c}
	for _, name := range req.Columns {
		b.cols = append(b.cols, t.cols[name])
	}
	ctx, b.cancel = context.WithCancel(ctx)
	b.rows = c.PgConn().ExecParams(ctx, sql, args, nil, nil, []int16{1})
	return b, nil
}

type batches struct {
	p      *postgres
	conn   *pgx.Conn
	cols   []column
	rows   *pgconn.ResultReader
	cancel context.CancelFunc
	done   bool // read to the end, without an error
}

// fillBytes ends a chunk of large rows early, so that it does not take much memory.
const fillBytes = 4 << 20

// Fill reads the next rows. An error of the server comes after the rows before it, never instead of the end.
func (b *batches) Fill(_ context.Context, cols []engine.Vector, n int) (int, error) {
	row, size := 0, 0
	for ; row < n && size < fillBytes && !b.done; row++ {
		if !b.rows.NextRow() {
			if _, err := b.rows.Close(); err != nil {
				return 0, plain(err)
			}
			b.done = true
			break
		}
		vals := b.rows.Values()
		if len(vals) != len(cols) {
			return 0, errWire
		}
		for i, v := range vals {
			if v == nil {
				cols[i].Null(row)
				continue
			}
			size += len(v)
			if err := b.cols[i].put(cols[i], row, v); err != nil {
				return 0, fmt.Errorf("column %q: %w", b.cols[i].Name, err)
			}
		}
	}
	if row == 0 {
		return 0, io.EOF
	}
	return row, nil
}

// Next reads the next rows as Go values.
func (b *batches) Next(ctx context.Context) ([][]any, error) {
	types := make([]string, len(b.cols))
	for i, c := range b.cols {
		types[i] = c.Type
	}
	return connector.NextOf(func(cols []engine.Vector, n int) (int, error) { return b.Fill(ctx, cols, n) }, types)
}

// Close gives the session back when everything was read. Otherwise the statement is cancelled at the server and the session ends.
func (b *batches) Close() error {
	if b.done {
		b.cancel()
		b.p.idle.put(b.conn)
		return nil
	}
	b.cancel()
	_, _ = b.rows.Close()
	return hangUp(b.conn)
}
