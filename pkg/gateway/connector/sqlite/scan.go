package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// A batch ends at the first of these.
const (
	batchRows  = 1024
	batchBytes = 16 << 20
)

// table is a table open for reading.
type table struct {
	f    *file
	name string
	cols []column
}

func (t *table) Columns(context.Context) ([]engine.ColumnInfo, error) {
	return connector.Infos(t.cols), nil
}

func (t *table) column(name string) (column, error) { return connector.Column(t.name, t.cols, name) }

// Scan reads the requested columns of the rows that pass the filters which have the same meaning in SQLite as in the
// engine.
func (t *table) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	var want []column
	list := []string{}
	for _, name := range req.Columns {
		c, err := t.column(name)
		if err != nil {
			return nil, err
		}
		want = append(want, c)
		// without the plus sign the driver would convert values by their declared types
		list = append(list, "+"+sqltext.Quote(name))
	}
	if len(list) == 0 {
		list = []string{"1"}
	}
	text := "SELECT " + strings.Join(list, ", ") + " FROM main." + sqltext.Quote(t.name)
	where, args, all := t.where(req.Filters)
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	if all && req.Limit >= 0 {
		text += " LIMIT " + strconv.FormatInt(req.Limit, 10)
	}
	c, err := t.f.conn(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := c.QueryContext(ctx, text, args...) // !//nolint:rowserrcheck // checked by batches
	if err != nil {
		c.Close()
		return nil, t.f.plain(err)
	}
	b := &batches{t: t, conn: c, rows: rows, cols: want, vals: make([]any, len(list)), into: make([]any, len(list))}
	for i := range b.vals {
		b.into[i] = &b.vals[i]
	}
	return b, nil
}

// where builds the conditions that can be pushed down; all reports whether all could be.
func (t *table) where(filters []engine.Filter) (where []string, args []any, all bool) {
	all = true
	for _, f := range filters {
		c, err := t.column(f.Column)
		s, vals := "", []any(nil)
		if err == nil {
			s, vals = condition(c, f)
		}
		if s == "" {
			all = false
			continue
		}
		where, args = append(where, s), append(args, vals...)
	}
	return where, args, all
}

// condition formats one filter, "" if SQLite could evaluate it differently. The column's own collation allows the use
// of an index, and an additional condition requires equal bytes.
func condition(c column, f engine.Filter) (string, []any) {
	name := sqltext.Quote(c.Name)
	switch f.Op {
	case "is null", "is not null":
		return name + " " + f.Op, nil
	case "=", "<>", "<", "<=", ">", ">=", "in", "not in":
	default:
		return "", nil
	}
	var args []any
	for _, v := range f.Values {
		switch x := v.(type) {
		case int64:
			if c.Type != "bigint" {
				return "", nil
			}
		case bool:
			if c.Type != "boolean" {
				return "", nil
			}
			v = map[bool]int64{true: 1}[x]
		case string:
			if c.Type != "varchar" || !c.text || strings.Contains(x, "\x00") {
				return "", nil
			}
		default:
			return "", nil
		}
		args = append(args, v)
	}
	if len(args) == 0 || c.utf16 && c.Type == "varchar" && (f.Op[0] == '<' || f.Op[0] == '>') && f.Op != "<>" {
		return "", nil
	}
	test := f.Op + " ?"
	if f.Op == "in" || f.Op == "not in" {
		test = f.Op + " (?" + strings.Repeat(", ?", len(args)-1) + ")"
	}
	if c.Type != "varchar" {
		return name + " " + test, args
	}
	exact := name + " COLLATE BINARY " + test
	if f.Op == "=" || f.Op == "in" {
		return "(" + name + " " + test + " AND " + exact + ")", append(args, args...)
	}
	return exact, args
}

type batches struct {
	t    *table
	conn *sql.Conn
	rows *sql.Rows
	cols []column
	vals []any
	into []any
	n    int64
}

func (b *batches) Next(ctx context.Context) ([][]any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out [][]any
	size := 0
	for len(out) < batchRows && size < batchBytes && b.rows.Next() {
		if err := b.rows.Scan(b.into...); err != nil {
			return nil, b.t.f.plain(err)
		}
		b.n++
		row := make([]any, len(b.cols))
		for i, c := range b.cols {
			size += sizeOf(b.vals[i])
			var err error
			if row[i], err = c.cell(b.vals[i]); err != nil {
				err = fmt.Errorf("table %s, column %q, row %d read: %w", b.t.name, c.Name, b.n, err)
				if !b.t.f.inspect {
					err = fmt.Errorf("%w; the credential field inspect makes such a column varchar", err)
				}
				return nil, engine.Content(err)
			}
		}
		out = append(out, row)
	}
	if err := b.rows.Err(); err != nil {
		return nil, b.t.f.plain(err)
	}
	if len(out) == 0 {
		return nil, io.EOF
	}
	return out, nil
}

func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	}
	return 8
}

func (b *batches) Close() error {
	err := b.rows.Close()
	b.conn.Close()
	return err
}
