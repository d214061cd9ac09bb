package contents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// Contents identifies the rows of an internal table, or those with a value in one column, at one point in time.
type Contents struct {
	Rows  int64
	Known bool // false if the gateway refuses to count
	last  string
}

// Of queries an internal table; kind is its schema, and column may be empty. The number of rows and the newest
// row show whether rows were added, also if the table was dropped and created again.
func Of(ctx context.Context, cl *api.Client, project, kind, table, column string) (Contents, error) {
	sql := contentsSQL(kind, table)
	if column != "" {
		sql += " WHERE " + sqltext.Quote(column) + " IS NOT NULL"
	}
	return contentsBy(ctx, cl, project, sql)
}

func contentsSQL(kind, table string) string {
	return `SELECT count(*) AS n, CAST(max("_id") AS varchar) AS id, CAST(max("_created_time") AS varchar) AS ` +
		`made FROM ` + sqltext.Quote(api.InternalCatalogName, kind, table)
}

// tablesAtOnce is the number of tables that one statement counts.
const tablesAtOnce = 50

// OfAll returns the combined contents of several internal tables of one kind.
func OfAll(ctx context.Context, cl *api.Client, project, kind string, tables []string) (Contents, error) {
	all := Contents{Known: true}
	for some := range slices.Chunk(tables, tablesAtOnce) {
		parts := make([]string, len(some))
		for i, table := range some {
			parts[i] = contentsSQL(kind, table)
		}
		c, err := contentsBy(ctx, cl, project, "SELECT sum(n) AS n, max(id) AS id, max(made) AS made FROM ("+
			strings.Join(parts, " UNION ALL ")+") AS t")
		if err != nil || !c.Known {
			return Contents{}, err
		}
		all.Rows += c.Rows
		all.last += c.last + " "
	}
	return all, nil
}

func contentsBy(ctx context.Context, cl *api.Client, project, sql string) (Contents, error) {
	row, err := singleRow(ctx, cl, project, sql, 3)
	if refused := (*api.Error)(nil); errors.As(err, &refused) && (api.Answered(err) ||
		refused.Kind == api.KindForbidden) {
		return Contents{}, nil
	}
	if err != nil {
		return Contents{}, err
	}
	n, err := countOf(row[0])
	if err != nil {
		return Contents{}, err
	}
	return Contents{Rows: n, Known: true, last: fmt.Sprint(row[1:]...)}, nil
}

// Count formats the number of rows or values for a prompt.
func (c Contents) Count() string {
	if !c.Known {
		return " (not counted)"
	}
	return fmt.Sprintf(" (%d)", c.Rows)
}

// Mark identifies the contents.
func (c Contents) Mark() string { return fmt.Sprintf("%t %d %s", c.Known, c.Rows, c.last) }
