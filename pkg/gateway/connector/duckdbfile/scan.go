//go:build cgo

package duckdbfile

import (
	"context"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/dbfile"
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

// Scan reads the requested columns of the rows that pass the filters on plain types.
func (t *table) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	var want []column
	var read []dbfile.Column
	var list, where []string
	for _, name := range req.Columns {
		c, err := t.column(name)
		if err != nil {
			return nil, err
		}
		want, list = append(want, c), append(list, c.expr)
		read = append(read, dbfile.Column{Name: c.Name, Kind: c.read})
	}
	if len(list) == 0 {
		list = []string{"true"}
	}
	var args []any
	all := true
	for _, f := range req.Filters {
		c, err := t.column(f.Column)
		if err != nil || !pushes(c, f) {
			all = false
			continue
		}
		if c.Type == "varchar" && len(f.Values) > 0 { // a collation may let more rows pass
			all = false
		}
		s := sqltext.Quote(c.Name) + " " + f.Op
		switch {
		case f.Op == "in" || f.Op == "not in":
			s += " (?" + strings.Repeat(", ?", len(f.Values)-1) + ")"
		case len(f.Values) == 1:
			s += " ?"
		}
		where, args = append(where, s), append(args, f.Values...)
	}
	text := "SELECT " + strings.Join(list, ", ") + " FROM " + t.name
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	if all && req.Limit >= 0 {
		text += " LIMIT " + strconv.FormatInt(req.Limit, 10)
	}
	r, err := t.f.query(ctx, text, args, read)
	if err != nil {
		return nil, err
	}
	r.cols = want
	return r, nil
}

// pushes reports whether a filter has the same meaning here: equality and order of integers, booleans and strings, the
// latter only if the collation of the column could not exclude rows.
func pushes(c column, f engine.Filter) bool {
	switch f.Op {
	case "is null", "is not null":
		return true
	case "=", "in":
	case "<>", "<", "<=", ">", ">=", "not in":
		if c.Type == "varchar" {
			return false
		}
	default:
		return false
	}
	for _, v := range f.Values {
		switch v.(type) {
		case int64:
			if c.Type == "boolean" || c.Type == "varchar" {
				return false
			}
		case bool:
			if c.Type != "boolean" {
				return false
			}
		case string:
			if c.Type != "varchar" {
				return false
			}
		default:
			return false
		}
	}
	return c.push && len(f.Values) > 0
}

// rows are the rows of a statement. They keep the file open.
type rows struct {
	*dbfile.Rows
	cols    []column
	release func()
}

// Next implements engine.Batches.
func (r *rows) Next(ctx context.Context) ([][]any, error) {
	return connector.NextOf(ctx, r, r.cols)
}

// Close ends the statement, which may be running.
func (r *rows) Close() error {
	defer r.release()
	return r.Rows.Close()
}
