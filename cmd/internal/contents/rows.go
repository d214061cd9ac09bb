// Package contents counts the rows of tables and of stored results.
package contents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// Stored counts the rows that a run has stored. A result without rows of a query that does return rows is wrong:
// the sources were empty when it ran, because on the hosted zones a table reads as empty while its cache is filled for
// the first time [L].
func Stored(ctx context.Context, cl *api.Client, project, name string) (int64, error) {
	n, err := Rows(ctx, cl, project, api.SchemaMtQuery, name)
	if err != nil || n > 0 {
		return n, err
	}
	live, err := Rows(ctx, cl, project, api.SchemaQuery, name)
	if err == nil && live > 0 {
		err = &exitcode.Failure{Exit: exitcode.Job, Code: "stored-nothing",
			Msg: fmt.Sprintf("the run of %s stored no rows, but its query returns %d now", name, live),
			Hint: "a cache may have been filled meanwhile; `dig materialized refresh " + shell.Quote(name) +
				" --wait` runs it again"}
	}
	return n, err
}

// In returns the numbers in the single row of a reply to a count.
func In(r api.RowReader, numbers int) ([]int64, error) {
	var n []int64
	rows := 0
	for ; r.Next(); rows++ {
		for _, c := range r.Row() {
			v, err := countOf(strings.Trim(string(c), `"`))
			if err != nil {
				return nil, err
			}
			n = append(n, v)
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if rows != 1 || len(n) != numbers {
		return nil, noCount("%d rows with %d numbers", rows, len(n))
	}
	return n, nil
}

func noCount(format string, args ...any) *exitcode.Failure {
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "no-count", Msg: "the gateway answered a count with " +
		fmt.Sprintf(format, args...)}
}

// Rows counts the rows of an internal table; kind is its schema.
func Rows(ctx context.Context, cl *api.Client, project, kind, table string) (int64, error) {
	row, err := singleRow(ctx, cl, project, `SELECT count(*) AS n FROM `+sqltext.Quote(api.InternalCatalogName,
		kind, table), 1)
	if err != nil {
		return 0, err
	}
	return countOf(row[0])
}

// singleRow runs a statement that counts, and returns the values of its only row.
func singleRow(ctx context.Context, cl *api.Client, project, sql string, values int) ([]any, error) {
	res, err := cl.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: sql},
		api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var doc struct {
		Data [][]any `json:"data"`
	}
	d := json.NewDecoder(io.LimitReader(res.Body, 1<<20))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, noCount("a reply that cannot be decoded: %v", err)
	}
	if len(doc.Data) != 1 || len(doc.Data[0]) != values {
		return nil, noCount("a result that is not one row of %s",
			phrase.Plural(values, "1 value", "%d values"))
	}
	return doc.Data[0], nil
}

func countOf(v any) (int64, error) {
	n, err := json.Number(fmt.Sprint(v)).Int64()
	if err != nil || n < 0 {
		return 0, noCount("%v, which is not a number of rows", v)
	}
	return n, nil
}

// Meeting counts the rows of an internal table that meet a condition, and all of them. An error about the condition has
// the position in it.
func Meeting(ctx context.Context, cl *api.Client, project, kind, table, where string) (n, all int64, err error) {
	before := "SELECT count(*) FILTER (WHERE ("
	row, err := singleRow(ctx, cl, project, before+where+"\n)) AS n, count(*) AS c FROM "+
		sqltext.Quote(api.InternalCatalogName, kind, table), 2)
	var ae *api.Error
	if errors.As(err, &ae) {
		here := *ae
		var line, col int
		if n, _ := fmt.Sscanf(ae.Message, "line %d:%d:", &line, &col); n == 2 {
			_, rest, _ := strings.Cut(ae.Message, ": ")
			switch end := strings.Count(where, "\n") + 1; {
			case line > end && col > len("))"): // of the table
				here.Message, here.Kind = rest, api.KindNotFound
			case line > end:
				here.Message = fmt.Sprintf("line %d:%d: the condition is not complete: %s", end,
					len([]rune(where[strings.LastIndex(where, "\n")+1:]))+1, rest)
			case line == 1:
				here.Message = fmt.Sprintf("line 1:%d: %s", max(1, col-len(before)), rest)
			}
		}
		return 0, 0, &here
	}
	if err != nil {
		return 0, 0, err
	}
	if n, err = countOf(row[0]); err == nil {
		all, err = countOf(row[1])
	}
	return n, all, err
}
