package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

type relation struct {
	s    *server
	name string // quoted
	cols []engine.ColumnInfo
}

// Table opens a table or a view for reading.
func (s *server) Table(ctx context.Context, schema, table string) (engine.Scanner, error) {
	schema, names, err := s.names(ctx, schema)
	if err != nil {
		return nil, err
	}
	found, ok, err := connector.Pick("table", table, names)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, connector.ErrNoTable
	}
	rows, err := s.db.QueryContext(ctx, `SELECT column_name, data_type, column_type, coalesce(numeric_precision, 0), coalesce(numeric_scale, 0), is_nullable, column_comment
FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position`, schema, found)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	t := &relation{s: s, name: quote(schema) + "." + quote(found)}
	for rows.Next() {
		var c engine.ColumnInfo
		var data, full, nullable string
		var precision, scale int
		if err := rows.Scan(&c.Name, &data, &full, &precision, &scale, &nullable, &c.Comment); err != nil {
			return nil, err
		}
		c.Type, c.Nullable = typeOf(strings.ToLower(data), strings.ToLower(full), precision, scale), nullable == "YES"
		t.cols = append(t.cols, c)
	}
	return t, rows.Err()
}

// typeOf maps a column type to a lower-case Trino name. An unsigned integer takes the next larger type; dates and times that
// the server has and SQL has not (zero dates, times beyond a day) would be lost in those types, so only real ones pass and
// others are an error when read.
func typeOf(data, full string, precision, scale int) string {
	unsigned := strings.Contains(full, "unsigned")
	switch data {
	case "tinyint":
		if full == "tinyint(1)" {
			return "tinyint"
		}
		if unsigned {
			return "smallint"
		}
		return "tinyint"
	case "smallint":
		if unsigned {
			return "integer"
		}
		return "smallint"
	case "mediumint", "year":
		return "integer"
	case "int", "integer":
		if unsigned {
			return "bigint"
		}
		return "integer"
	case "bigint":
		if unsigned {
			return "decimal(20,0)"
		}
		return "bigint"
	case "decimal":
		if precision > 38 || precision < 1 {
			return "varchar"
		}
		return fmt.Sprintf("decimal(%d,%d)", precision, scale)
	case "float":
		return "real"
	case "double":
		return "double"
	case "date":
		return "date"
	case "datetime":
		return "timestamp"
	case "timestamp":
		return "timestamp with time zone"
	case "json":
		return "json"
	case "uuid":
		return "uuid"
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "bit", "geometry", "point", "linestring", "polygon", "multipoint",
		"multilinestring", "multipolygon", "geometrycollection":
		return "varbinary"
	}
	return "varchar" // texts, enum, set, time, inet
}

func (t *relation) Columns(context.Context) ([]engine.ColumnInfo, error) { return t.cols, nil }

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// query writes the SELECT of a scan. Texts are compared by the server's collation, which is not the engine's, so only
// conditions on numbers and on NULL travel.
func (t *relation) query(req engine.ScanRequest) (string, []engine.ColumnInfo, error) {
	var cols []engine.ColumnInfo
	var list []string
	for _, name := range req.Columns {
		i := slices.IndexFunc(t.cols, func(c engine.ColumnInfo) bool { return c.Name == name })
		if i < 0 {
			return "", nil, fmt.Errorf("column %q does not exist in %s", name, t.name)
		}
		cols = append(cols, t.cols[i])
		expr := quote(name)
		if t.cols[i].Type == "real" { // the server prints a float with six digits; as a double it has all of them
			expr = "(" + expr + " + 0e0)"
		}
		list = append(list, expr)
	}
	if len(list) == 0 {
		list = []string{"1"}
	}
	q, word, all := "SELECT "+strings.Join(list, ", ")+" FROM "+t.name, " WHERE ", true
	for _, f := range req.Filters {
		if term, ok := t.condition(f); ok {
			q, word = q+word+term, " AND "
		} else {
			all = false
		}
	}
	if req.Limit >= 0 && all {
		q += " LIMIT " + strconv.FormatInt(req.Limit, 10)
	}
	return q, cols, nil
}

func (t *relation) condition(f engine.Filter) (string, bool) {
	i := slices.IndexFunc(t.cols, func(c engine.ColumnInfo) bool { return c.Name == f.Column })
	if i < 0 {
		return "", false
	}
	typ := t.cols[i].Type
	switch f.Op {
	case "is null", "is not null":
		// A zero date of a NOT NULL column counts as NULL in a comparison with it.
		if typ == "date" || typ == "timestamp" {
			return "", false
		}
		return quote(f.Column) + " " + strings.ToUpper(f.Op), true
	case "=", "<>", "<", "<=", ">", ">=", "in", "not in":
	default:
		return "", false
	}
	var lits []string
	for _, v := range f.Values {
		n, isInt := v.(int64)
		s, isText := v.(string)
		switch {
		case isInt && strings.HasSuffix(typ, "int") || isInt && typ == "integer":
			lits = append(lits, strconv.FormatInt(n, 10))
		case isText && strings.HasPrefix(typ, "decimal") && strings.Trim(s, "0123456789.-") == "" && s != "":
			lits = append(lits, s)
		default:
			return "", false
		}
	}
	if len(lits) == 0 {
		return "", false
	}
	if f.Op == "in" || f.Op == "not in" {
		return quote(f.Column) + " " + strings.ToUpper(f.Op) + " (" + strings.Join(lits, ", ") + ")", true
	}
	return quote(f.Column) + " " + f.Op + " " + lits[0], len(lits) == 1
}

// Scan starts reading on a connection of its own.
func (t *relation) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	q, cols, err := t.query(req)
	if err != nil {
		return nil, err
	}
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
	b.stop = context.AfterFunc(ctx, func() { t.s.kill(id) })
	if b.rows, err = conn.QueryContext(ctx, q); err != nil {
		b.stop()
		conn.Close()
		return nil, err
	}
	for i := range b.raw {
		b.into = append(b.into, &b.raw[i])
	}
	return b, nil
}

const batchRows = 2048

type batches struct {
	s    *server
	id   int64
	conn *sql.Conn
	rows *sql.Rows
	cols []engine.ColumnInfo
	raw  []sql.RawBytes
	into []any
	stop func() bool
	done bool
}

func (b *batches) Next(context.Context) ([][]any, error) {
	var out [][]any
	for !b.done && len(out) < batchRows {
		if !b.rows.Next() {
			b.done = true
			if err := b.rows.Err(); err != nil {
				return nil, err
			}
			break
		}
		if err := b.rows.Scan(b.into...); err != nil {
			return nil, err
		}
		row := make([]any, len(b.cols))
		for i, c := range b.cols {
			if b.raw[i] == nil {
				continue
			}
			v, err := value(c.Type, b.raw[i])
			if err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
			row[i] = v
		}
		out = append(out, row)
	}
	if len(out) == 0 {
		return nil, io.EOF
	}
	return out, nil
}

// Close ends the reading; a statement that still runs is killed, because the driver would otherwise read all that is left.
func (b *batches) Close() error {
	b.stop()
	if !b.done {
		b.s.kill(b.id)
		_ = b.rows.Close() // it reports that it was killed
		_ = b.conn.Close()
		return nil
	}
	_ = b.rows.Close() // read to its end
	return b.conn.Close()
}

// value reads the server's text form of a value, in the form of engine.Batches.
func value(typ string, raw []byte) (any, error) {
	s := string(raw)
	switch typ {
	case "tinyint", "smallint", "integer", "bigint":
		return strconv.ParseInt(s, 10, 64)
	case "real", "double":
		return strconv.ParseFloat(s, 64)
	case "varbinary":
		return []byte(s), nil
	case "date":
		t, err := time.Parse(time.DateOnly, s)
		return t, zero(s, err)
	case "timestamp", "timestamp with time zone":
		t, err := time.Parse(time.DateTime, s)
		return t, zero(s, err)
	}
	return s, nil
}

func zero(s string, err error) error {
	if err != nil {
		return fmt.Errorf("%s is no date of the calendar; read it as text by a view with CAST(... AS CHAR)", s)
	}
	return nil
}
