// Package build writes queries in Trino's language from their meaning: tables, columns, conditions, order and limits.
package build

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// Query reads columns of tables. Without columns it reads all; the column * is also all. A column is its name, with
// those of its table in front if they are given.
type Query struct {
	Columns       [][]string
	From          []Table
	Where         Group
	OrderBy       []Order
	Offset, Limit *int64
}

// Table is a table by its full name.
type Table struct{ Catalog, Schema, Name string }

// Order is a column by which rows are sorted, with the direction and the place of NULL if they are given.
type Order struct {
	Column    string
	Direction Direction
	Nulls     Nulls
}

// Direction is a direction of sorting.
type Direction string

// Directions. The zero value is Trino's default.
const (
	Ascending  Direction = " ASC"
	Descending Direction = " DESC"
)

// Nulls is a place of NULL among sorted values.
type Nulls string

// Places of NULL. The zero value is Trino's default.
const (
	NullsFirst Nulls = " NULLS FIRST"
	NullsLast  Nulls = " NULLS LAST"
)

// SQL writes the query. OFFSET precedes LIMIT.
func (q Query) SQL() string {
	var b strings.Builder
	b.WriteString("SELECT ")
	if len(q.Columns) == 0 {
		b.WriteString("*")
	}
	for i, c := range q.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		switch {
		case len(c) > 1:
			b.WriteString(sqltext.Quote(c...))
		case c[0] == "*":
			b.WriteString("*")
		default:
			b.WriteString(column(c[0]))
		}
	}
	for i, t := range q.From {
		b.WriteString([]string{" FROM ", ", "}[min(i, 1)] + sqltext.Quote(t.Catalog, t.Schema, t.Name))
	}
	if where := q.Where.sql(); where != "" {
		b.WriteString(" WHERE " + where)
	}
	for i, o := range q.OrderBy {
		b.WriteString([]string{" ORDER BY ", ", "}[min(i, 1)] + column(o.Column) + string(o.Direction) +
			string(o.Nulls))
	}
	if q.Offset != nil {
		b.WriteString(" OFFSET " + strconv.FormatInt(*q.Offset, 10))
	}
	if q.Limit != nil {
		b.WriteString(" LIMIT " + strconv.FormatInt(*q.Limit, 10))
	}
	return b.String()
}

// column quotes the name of a column; a name that is already quoted is not changed.
func column(c string) string {
	if len(c) > 1 && c[0] == '"' && c[len(c)-1] == '"' && !strings.Contains(c[1:len(c)-1], `"`) {
		return c
	}
	return sqltext.Quote(c)
}
