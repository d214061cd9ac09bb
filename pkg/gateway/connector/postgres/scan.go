package postgres

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

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
func (t *relation) query(req engine.ScanRequest) (string, []any, error) {
	var b strings.Builder
	var args []any
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
		if !c.native {
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

func (t *relation) condition(f engine.Filter, args *[]any) (string, bool) {
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
		*args = append(*args, s)
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
	ctx, cancel := context.WithCancel(ctx)
	rs, err := c.Query(ctx, sql, args...)
	if err != nil {
		cancel()
		hangUp(c)
		return nil, plain(err)
	}
	return &batches{p: t.p, conn: c, rows: rs, cancel: cancel}, nil
}

const batchRows = 2048

type batches struct {
	p      *postgres
	conn   *pgx.Conn
	rows   pgx.Rows
	cancel context.CancelFunc
	done   bool
}

// Next reads the next rows. An error of the server comes after the rows before it, never instead of the end.
func (b *batches) Next(context.Context) ([][]any, error) {
	if b.done {
		return nil, io.EOF
	}
	var out [][]any
	for len(out) < batchRows {
		if !b.rows.Next() {
			b.done = true
			if err := b.rows.Err(); err != nil {
				return nil, plain(err)
			}
			break
		}
		vals, err := b.rows.Values()
		if err != nil {
			return nil, err
		}
		for i, v := range vals {
			if vals[i], err = value(v); err != nil {
				return nil, err
			}
		}
		out = append(out, vals)
	}
	if len(out) == 0 {
		return nil, io.EOF
	}
	return out, nil
}

// Close gives the session back when everything was read. Otherwise the statement is cancelled at the server and the session ends.
func (b *batches) Close() error {
	if b.done && b.rows.Err() == nil {
		b.rows.Close()
		b.cancel()
		b.p.idle.put(b.conn)
		return nil
	}
	b.cancel()
	b.rows.Close()
	return hangUp(b.conn)
}

// value brings what pgx decodes into the form of engine.Batches.
func value(v any) (any, error) {
	switch x := v.(type) {
	case nil, bool, string, int64, float64, []byte, time.Time:
		return v, nil
	case int16:
		return int64(x), nil
	case int32:
		return int64(x), nil
	case float32:
		return float64(x), nil
	case pgtype.InfinityModifier:
		return x.String(), nil
	}
	return nil, fmt.Errorf("unexpected value of type %T from the driver", v)
}
