package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
)

// pageFlags fetch a result in pages: the hosted zones truncate large replies, and pages by OFFSET repeat and omit rows
// wherever the order is not unique [L]. A page here begins after the last key of the previous page.
type pageFlags struct {
	by   []string
	size int64
}

func (f *pageFlags) register(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.by, "page-by", nil, "fetch the result in pages by these columns, which must be "+
		"unique together and not NULL; rows come in their order")
	c.Flags().Int64Var(&f.size, "page-size", 10_000, "rows of a page")
}

// check rejects combinations that cannot be paged.
func (f *executeFlags) checkPages(c *cobra.Command, o output.Options) error {
	if len(f.by) == 0 {
		if c.Flags().Changed("page-by") {
			return exitcode.Usagef("--page-by is empty")
		}
		if c.Flags().Changed("page-size") {
			return exitcode.Usagef("--page-size requires --page-by")
		}
		return nil
	}
	if f.size < 1 {
		return exitcode.Usagef("--page-size: %d is not a number of rows", f.size)
	}
	for _, name := range []string{"limit", "max-bytes", "format", "builder", "each-row"} {
		if c.Flags().Changed(name) {
			return exitcode.Usagef("--%s and --page-by are mutually exclusive", name)
		}
	}
	if f.verbatim(o) {
		return exitcode.Usagef("-o json prints the reply of the gateway unchanged, and --page-by produces several " +
			"replies").WithHint("add --typed, or use -o ndjson")
	}
	return nil
}

// pagedSource is the statement that is fetched in pages.
func (q *querying) pagedSource(ctx context.Context, st *statement) (sql string, bind []string, err error) {
	switch f := st.form.(type) {
	case api.ExecuteByStatement:
		sql, bind = f.Statement, f.Bindings
	case api.ExecuteByName:
		return "SELECT * FROM " + sqltext.QuoteDotted(f.QualifiedName), nil, nil
	case api.ExecuteByID:
		saved, err := q.cl.Queries.Get(ctx, q.project, f.ID)
		if err != nil {
			return "", nil, err
		}
		return "SELECT * FROM " + resolve.QueryTable(saved.Name).Quoted(), nil, nil
	}
	sql = sqlstmt.Single(sql)
	if sqlstmt.Limited(sql) {
		return "", nil, exitcode.Usagef("--page-by: the statement contains LIMIT or OFFSET, which selects different " +
			"rows for each page").WithHint("leave it out")
	}
	return sql, bind, nil
}

// keyCounts counts the rows of a statement, and those whose key is NULL or not unique.
func (q *querying) keyCounts(ctx context.Context, sql string, bind []string, key []string,
	nullable bool) (rows, bad int64, err error) {
	names := make([]string, len(key))
	conditions := []string{"dig_rows_of_key > 1"}
	for i, k := range key {
		names[i] = sqltext.Quote(k)
		if !nullable {
			conditions = append(conditions, names[i]+" IS NULL")
		}
	}
	list := strings.Join(names, ", ")
	count := fmt.Sprintf("SELECT coalesce(sum(dig_rows_of_key), 0), coalesce(sum(CASE WHEN %s THEN dig_rows_of_key "+
		"ELSE 0 END), 0) FROM (SELECT %s, count(*) AS dig_rows_of_key FROM (\n%s\n) AS page GROUP BY %s) AS keys",
		strings.Join(conditions, " OR "), list, sql, list)
	res, err := q.cl.Queries.Execute(ctx, q.project, api.ExecuteByStatement{Statement: count, Bindings: bind,
		Timeout: api.ExecuteTimeout(q.e.TimeLimit())}, q.options(api.Compact))
	if err != nil {
		return 0, 0, err
	}
	defer res.Close()
	n, err := contents.In(res.Rows(), 2)
	if err != nil {
		return 0, 0, err
	}
	return n[0], n[1], nil
}

// openPages counts the rows, verifies the key and opens the first page.
func (q *querying) openPages(ctx context.Context, st *statement, notes io.Writer) (*pagedRows, error) {
	sql, bind, err := q.pagedSource(ctx, st)
	if err != nil {
		return nil, err
	}
	ctx = q.withFiles(ctx, st)
	total, bad, err := q.keyCounts(ctx, sql, bind, q.f.by, false)
	if err == nil {
		err = trust.RefuseKey(q.f.by, bad, total)
	}
	if err != nil {
		return nil, err
	}
	p := &pagedRows{ctx: ctx, q: q, sql: sql, bind: bind, size: q.f.size, total: total, notes: notes}
	return p, p.open()
}

// pagedRows is a result that is fetched page by page.
type pagedRows struct {
	ctx   context.Context
	q     *querying
	sql   string
	bind  []string
	size  int64
	total int64 // counted before the first page was requested
	notes io.Writer

	res   *api.Result
	rows  *api.Rows
	cols  []api.ResultColumn
	key   []int    // positions of the key columns
	last  []string // key of the previous row
	first []string // key before the first row of this page
	here  int64    // rows of this page
	count int64
	err   error
	ended bool
}

// open requests the page after the last key.
func (p *pagedRows) open() error {
	order := make([]string, len(p.q.f.by))
	for i, k := range p.q.f.by {
		order[i] = sqltext.Quote(k)
	}
	where, bind := "", slices.Clone(p.bind)
	if p.last != nil {
		var or []string
		for i := range order {
			var and []string
			for j := range i + 1 {
				op := " = "
				if j == i {
					op = " > "
				}
				and = append(and, order[j]+op+"CAST(? AS "+keyType(p.cols[p.key[j]].DataType, p.last[j])+")")
				bind = append(bind, p.last[j])
			}
			or = append(or, strings.Join(and, " AND "))
		}
		where = "\nWHERE " + strings.Join(or, " OR ")
	}
	sql := sqlstmt.Within(p.sql, "SELECT * FROM (", fmt.Sprintf(") AS page%s\nORDER BY %s LIMIT %d", where,
		strings.Join(order, ", "), p.size))
	format := api.Compact
	if p.q.e.MayDropRows() { // zone local reports types with the columns
		format = api.CellTyped
	}
	begun := time.Now()
	res, err := p.q.cl.Queries.Execute(p.ctx, p.q.project, api.ExecuteByStatement{Statement: sql, Bindings: bind,
		Timeout: api.ExecuteTimeout(p.q.e.TimeLimit())}, p.q.options(format))
	if err != nil {
		return p.q.timedOut(err, time.Since(begun))
	}
	p.res, p.rows, p.here = res, res.Rows(), 0
	cols, err := p.rows.Columns()
	if err != nil || p.cols != nil {
		if err == nil && len(cols) > 0 && !slices.EqualFunc(cols, p.cols,
			func(a, b api.ResultColumn) bool { return a.Name == b.Name }) {
			err = trust.PagesChanged("a page has different columns than the first")
		}
		return err
	}
	p.cols = cols
	if len(cols) == 0 {
		return nil
	}
	for _, k := range p.q.f.by {
		at := slices.IndexFunc(cols, func(c api.ResultColumn) bool { return strings.EqualFold(c.Name, k) })
		if at < 0 {
			return exitcode.Usagef("--page-by: the result has no column %q", k)
		}
		if t, _, _ := strings.Cut(strings.ToLower(cols[at].DataType), "("); !slices.Contains(pageKeys, t) {
			return exitcode.Usagef("--page-by: column %q is %s, whose values cannot be sent back to begin the next "+
				"page; choose another column", k, cols[at].DataType)
		}
		p.key = append(p.key, at)
	}
	return nil
}

// pageKeys are the types of columns, without their parameters, of which a text in a result can be cast back to the
// value.
var pageKeys = []string{"tinyint", "smallint", "integer", "bigint", "real", "double", "decimal", "varchar", "char",
	"boolean", "date", "time", "timestamp",
	"timestamp with time zone", "time with time zone", "uuid"}

// keyType is the type to which a key is cast: a result may report times without their precision, which Trino takes for
// milliseconds.
func keyType(dataType, value string) string {
	base, zone, _ := strings.Cut(dataType, " ")
	if lower := strings.ToLower(base); lower != "time" && lower != "timestamp" {
		return dataType
	}
	_, fraction, _ := strings.Cut(value, ".")
	digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
	return strings.TrimSpace(fmt.Sprintf("%s(%d) %s", base, digits, zone))
}

func (p *pagedRows) Columns() ([]api.ResultColumn, error) { return p.cols, p.err }
func (p *pagedRows) Row() []api.Cell                      { return p.rows.Row() }
func (p *pagedRows) Err() error                           { return p.err }

func (p *pagedRows) Close() error {
	if p.res == nil {
		return nil
	}
	res := p.res
	p.res = nil
	return res.Close()
}

func (p *pagedRows) Next() bool {
	for !p.ended && p.err == nil {
		if p.rows.Next() {
			p.here++
			p.count++
			p.err = p.note(p.rows.Row())
			return p.err == nil
		}
		err := p.rows.Err()
		broken := errors.Is(err, api.ErrTruncated) && p.size > 1
		switch {
		case err != nil && !broken:
			p.err = err
			return false
		case broken: // the rows received are complete; the rest is requested in smaller pages
			p.size = max(1, p.size/2)
			fmt.Fprintf(p.notes, "(a page was truncated after %d rows; continuing with pages of %d)\n", p.here, p.size)
		case p.here < p.size:
			p.finish()
			return false
		}
		if p.err = p.Close(); p.err == nil {
			p.err = p.open()
		}
	}
	return false
}

// note stores the key of a row, which must be greater than the previous one.
func (p *pagedRows) note(row []api.Cell) error {
	last := make([]string, len(p.key))
	for i, at := range p.key {
		text, err := row[at].AppendText(nil)
		if err != nil {
			return err
		}
		if p.cols[at].DataType == "" {
			return exitcode.Usagef("--page-by: the gateway does not report the type of column %q", p.cols[at].Name)
		}
		last[i] = string(text)
	}
	if slices.Equal(last, p.last) {
		return trust.PagesChanged("the key %s repeats: rows were written while pages were fetched",
			strings.Join(last, ", "))
	}
	if p.last = last; p.here == 1 {
		if slices.Equal(last, p.first) {
			return trust.PagesChanged("a page begins with the same key %s as the previous page",
				strings.Join(last, ", "))
		}
		p.first = last
	}
	return nil
}

// finish compares the number of rows with the earlier count.
func (p *pagedRows) finish() {
	p.ended = true
	warning, err := trust.PagesCounted(p.count, p.total, p.q.f.strict)
	if p.err = err; warning != "" {
		fmt.Fprintln(p.notes, "warning: "+warning)
	}
}
