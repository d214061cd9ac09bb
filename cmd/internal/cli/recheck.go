package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// Asking reports whether the user is asked on a terminal before something is deleted, so that time passes between the question and the deletion.
func (e *Env) Asking() bool { return e.Asked() && e.InTerm && e.ErrTerm }

// Holds is what a question says of an object that is deleted.
type Holds struct {
	Text string // as shown
	Mark string // what it does not show, such as the newest row
}

// Recheck looks again at an object after its deletion was confirmed on a terminal, directly before it is deleted: what was added while the
// question stood was not agreed to. Without a question there is nothing to compare with.
func (e *Env) Recheck(object string, was Holds, look func() (Holds, error)) error {
	if !e.Asking() {
		return nil
	}
	now, err := look()
	if err != nil {
		return fmt.Errorf("%s cannot be looked at again, so it was not deleted: %w", object, err)
	}
	if now == was {
		return nil
	}
	return &Failure{Exit: ExitConflict, Code: "conflict", Msg: fmt.Sprintf("%s has been changed since the question; it was not deleted", object), Hint: "run the command again, which shows what it is now"}
}

// RecheckText is Recheck of what a question says as text.
func (e *Env) RecheckText(object, was string, look func() (string, error)) error {
	return e.Recheck(object, Holds{Text: was}, func() (Holds, error) {
		now, err := look()
		return Holds{Text: now}, err
	})
}

// Contents tells the rows of an internal table, or of those with a value in one column, from those at another time.
type Contents struct {
	Rows  int64
	Known bool // false if the gateway refuses to count
	last  string
}

// ContentsOf looks at an internal table; kind is its schema, and column may be empty. Rows are only added to such tables, so their number
// and the last of them show new ones, also in a table that was created again.
func ContentsOf(ctx context.Context, cl *api.Client, project, kind, table, column string) (Contents, error) {
	sql := contentsSQL(kind, table)
	if column != "" {
		sql += " WHERE " + sqltext.Quote(column) + " IS NOT NULL"
	}
	return contentsBy(ctx, cl, project, sql)
}

func contentsSQL(kind, table string) string {
	return `SELECT count(*) AS n, CAST(max("_id") AS varchar) AS id, CAST(max("_created_time") AS varchar) AS made FROM ` + sqltext.Quote("peaka", kind, table)
}

// tablesAtOnce is the number of tables that one statement counts.
const tablesAtOnce = 50

// ContentsOfAll looks at several internal tables of a kind as one.
func ContentsOfAll(ctx context.Context, cl *api.Client, project, kind string, tables []string) (Contents, error) {
	all := Contents{Known: true}
	for some := range slices.Chunk(tables, tablesAtOnce) {
		parts := make([]string, len(some))
		for i, table := range some {
			parts[i] = contentsSQL(kind, table)
		}
		c, err := contentsBy(ctx, cl, project, "SELECT sum(n) AS n, max(id) AS id, max(made) AS made FROM ("+strings.Join(parts, " UNION ALL ")+") AS t")
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
	if refused := (*api.Error)(nil); errors.As(err, &refused) && (Answered(err) || refused.Kind == api.KindForbidden) {
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

// Count is the number of rows or values in a question.
func (c Contents) Count() string {
	if !c.Known {
		return " (not counted)"
	}
	return fmt.Sprintf(" (%d)", c.Rows)
}

// Mark identifies the contents.
func (c Contents) Mark() string { return fmt.Sprintf("%t %d %s", c.Known, c.Rows, c.last) }
