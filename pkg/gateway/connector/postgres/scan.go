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
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/dig-cli/dig/internal/sqltext"
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

// Columns lists the columns that the user may read.
func (t *relation) Columns(context.Context) ([]engine.ColumnInfo, error) { return t.order, nil }

// query builds the SELECT of a scan. A condition that may match more rows on the server than in the engine is pushed
// down; one that may match fewer is not. In both cases the limit is left to the engine.
func (t *relation) query(req engine.ScanRequest) (string, [][]byte, error) {
	var b strings.Builder
	var args [][]byte
	b.WriteString("SELECT ")
	for i, name := range req.Columns {
		if _, ok := t.cols[name]; !ok {
			return "", nil, fmt.Errorf("table %s has no column %q", t.name, name)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(sqltext.Quote(name))
	}
	b.WriteString(" FROM " + t.name)
	word, all := " WHERE ", true
	for _, f := range req.Filters {
		term, exact := t.condition(f, &args)
		all = all && exact
		if term != "" {
			b.WriteString(word + term)
			word = " AND "
		}
	}
	if req.Limit >= 0 && all {
		b.WriteString(" LIMIT " + strconv.FormatInt(req.Limit, 10))
	}
	return b.String(), args, nil
}

// condition returns a filter in the server's SQL, "" if it cannot be pushed down, and whether it matches exactly the
// same rows.
func (t *relation) condition(f engine.Filter, args *[][]byte) (term string, exact bool) {
	c, ok := t.cols[f.Column]
	if !ok {
		return "", false
	}
	col, typ := sqltext.Quote(f.Column), "pg_catalog."+sqltext.Quote(c.server)
	if f.Op == "is null" || f.Op == "is not null" {
		return col + " " + strings.ToUpper(f.Op), true
	}
	var allowed pushable
	switch f.Op {
	case "=", "in":
		allowed = pushCast
	case "<>", "not in":
		if c.push == pushWide {
			return "", false
		}
		allowed = pushCast
	case "<", "<=", ">", ">=":
		allowed = pushOrder
	case "like":
		if c.push != pushText && c.push != pushCast {
			return "", false
		}
		allowed = pushCast
	default:
		return "", false
	}
	if c.push < allowed {
		return "", false
	}
	exact = !(c.wire == wireFloat8 && (f.Op == ">" || f.Op == ">=")) // on the server NaN is the greatest number
	switch c.push {
	case pushCast:
		col, typ = col+`::text COLLATE "C"`, "text"
	case pushWide:
		exact = false
	case pushText:
		typ = "text"
		if exact = f.Op != "=" && f.Op != "in"; exact { // equality may use an index of the column's own collation
			col += ` COLLATE "C"`
		}
	}
	// Values are sent as text in the type of the column, so that nothing is rounded.
	var list []string
	var values [][]byte
	for _, v := range f.Values {
		s, ok := text(v)
		if !ok {
			return "", false
		}
		values = append(values, []byte(s))
		list = append(list, "$"+strconv.Itoa(len(*args)+len(values))+"::text::"+typ)
	}
	switch {
	case len(list) == 0 || len(list) > 1 && f.Op != "in" && f.Op != "not in" || len(*args)+len(list) > maxArgs:
		return "", false
	case f.Op == "in" || f.Op == "not in":
		term = col + " " + strings.ToUpper(f.Op) + " (" + strings.Join(list, ", ") + ")"
	case f.Op == "like":
		term = col + " LIKE " + list[0] + " ESCAPE ''"
	default:
		term = col + " " + f.Op + " " + list[0]
	}
	*args = append(*args, values...)
	return term, exact
}

const maxArgs = 10_000 // the protocol's limit is 65,535

// text formats a value of a condition for the server. Only whole values of known types are pushed down.
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

// Scan starts reading. The session ends with the batches. If only the number of rows is needed, the server counts them.
func (t *relation) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	sql, args, err := t.query(req)
	if err != nil {
		return nil, err
	}
	if len(req.Columns) == 0 && len(req.Filters) == 0 {
		b, err := t.start(ctx, "SELECT count(*) FROM ("+sql+") t", nil,
			[]column{{ColumnInfo: engine.ColumnInfo{Name: "count", Type: "bigint"}, oid: pgtype.Int8OID,
				wire: wireInt8}})
		if err != nil {
			return nil, err
		}
		return connector.Counted(b), nil
	}
	var cols []column
	for _, name := range req.Columns {
		cols = append(cols, t.cols[name])
	}
	return t.start(ctx, sql, args, cols)
}

func (t *relation) start(ctx context.Context, sql string, args [][]byte, cols []column) (engine.Batches, error) {
	c, err := t.p.connect(ctx)
	if err != nil {
		return nil, err
	}
	b := &batches{p: t.p, conn: c, cols: cols}
	var formats []int16
	for _, col := range cols {
		formats = append(formats, col.wire.format())
	}
	ctx, b.cancel = context.WithCancel(ctx)
	b.rows = c.PgConn().ExecParams(ctx, sql, args, nil, nil, formats)
	return b, nil
}

type batches struct {
	p      *postgres
	conn   *pgx.Conn
	cols   []column
	rows   *pgconn.ResultReader
	cancel context.CancelFunc
	done   bool // read to the end, without an error

	checked bool // that the types are still those used to decode the values
}

// check compares the types of the result with those of the columns, which may have been altered since they were looked
// up.
func (b *batches) check() error {
	for i, f := range b.rows.FieldDescriptions() {
		if i < len(b.cols) && f.DataTypeOID != b.cols[i].oid {
			return fmt.Errorf("the type of column %q has changed since the statement started", b.cols[i].Name)
		}
	}
	b.checked = true
	return nil
}

// Fill reads the next rows. An error of the server is returned after the rows before it, never as a regular end.
func (b *batches) Fill(_ context.Context, cols []engine.Vector, n int) (int, error) {
	return connector.Chunk(n, func(row int) (size int, err error) {
		if b.done {
			return 0, io.EOF
		}
		if !b.rows.NextRow() {
			if _, err := b.rows.Close(); err != nil {
				return 0, plain(err)
			}
			b.done = true
			return 0, io.EOF
		}
		vals := b.rows.Values()
		if len(vals) != len(cols) {
			return 0, errWire
		}
		if !b.checked {
			if err := b.check(); err != nil {
				return 0, err
			}
		}
		for i, v := range vals {
			if v == nil {
				cols[i].Null(row)
				continue
			}
			size += len(v)
			if err := b.cols[i].put(cols[i], row, v); err != nil {
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

// Close returns the session to the pool if everything was read. Otherwise the statement is cancelled at the server and
// the session is closed.
func (b *batches) Close() error {
	if b.done {
		b.cancel()
		b.p.idle.put(b.conn)
		return nil
	}
	b.cancel()
	_, _ = b.rows.Close()
	hangUp(b.conn)
	return nil
}
