package friendly

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// source returns what SUMMARIZE or DESCRIBE is about, as it is written behind FROM, and its columns with their types.
func (r *rewriter) source(ctx context.Context, e *trinosql.Extra) ([]sqltext.EditPart, []Column, error) {
	from, to := e.Node.Span()
	parts := []sqltext.EditPart{copyOf(from, to)}
	if !e.Named {
		parts = []sqltext.EditPart{words("("), copyOf(from, to), words(")")}
	}
	cols, err := r.ask(ctx, nil, from, true, append(append([]sqltext.EditPart{words("SELECT * FROM ")}, parts...),
		words(" LIMIT 0"))...)
	return parts, cols, err
}

// description writes the columns of a query or file as rows of the shape of Trino's DESCRIBE.
func (r *rewriter) description(ctx context.Context, e *trinosql.Extra) ([]sqltext.Edit, error) {
	_, cols, err := r.source(ctx, e)
	if err != nil {
		return nil, err
	}
	rows := make([]string, len(cols))
	for i, c := range cols {
		rows[i] = fmt.Sprintf("(%s, %s, '', '')", sqltext.Literal(c.Name), sqltext.Literal(c.Type))
	}
	_, to := e.Node.Span()
	return []sqltext.Edit{sqltext.Words(e.Words[0], to, "SELECT * FROM (VALUES "+strings.Join(rows, ", ")+
		`) AS described ("Column", "Type", "Extra", "Comment")`)}, nil
}

// statistics are the columns of a summary behind the name and the type: the aggregate of the column $, and for which
// types it is computed.
var statistics = []struct {
	name, aggregate, typ string
	of                   func(typ string) bool
}{
	{`"min"`, "CAST(min($) AS varchar)", "varchar", printed},
	{`"max"`, "CAST(max($) AS varchar)", "varchar", printed},
	{"approx_unique", "approx_distinct($)", "bigint", printed},
	{`"avg"`, "avg(CAST($ AS double))", "double", numeric},
	{`"std"`, "stddev(CAST($ AS double))", "double", numeric},
	{"q25", "approx_percentile(CAST($ AS double), 0.25)", "double", numeric},
	{"q50", "approx_percentile(CAST($ AS double), 0.5)", "double", numeric},
	{"q75", "approx_percentile(CAST($ AS double), 0.75)", "double", numeric},
	{`"count"`, "count(*)", "bigint", func(string) bool { return true }},
	{"null_percentage", "CAST(100.00 * (count(*) - count($)) / nullif(count(*), 0) AS decimal(5,2))", "decimal(5,2)",
		func(string) bool { return true }},
}

// base is the name of a type without its numbers.
func base(typ string) string {
	name, _, _ := strings.Cut(strings.ToLower(typ), "(")
	return strings.TrimSpace(name)
}

func numeric(typ string) bool {
	return slices.Contains([]string{"tinyint", "smallint", "integer", "bigint", "real", "double", "decimal"}, base(typ))
}

func floating(typ string) bool { return slices.Contains([]string{"real", "double"}, base(typ)) }

// printed reports whether values of a type are ordered, and have a text.
func printed(typ string) bool {
	return numeric(typ) || slices.Contains([]string{"varchar", "char", "boolean", "date", "time", "timestamp",
		"timestamp with time zone", "uuid"}, base(typ))
}

// summary writes a statement with one row for each column of a table or query.
func (r *rewriter) summary(ctx context.Context, e *trinosql.Extra) ([]sqltext.Edit, error) {
	source, cols, err := r.source(ctx, e)
	if err != nil {
		return nil, err
	}
	var hidden []string
	where := ""
	if r.o.Hidden != nil {
		var empty string
		if hidden, empty = r.o.Hidden(cols); empty != "" {
			where = " WHERE column_name <> " + sqltext.Literal(empty) + ` OR "min" IS NOT NULL`
		}
	}
	var names, types, given []string
	var shown []int
	for i, c := range cols {
		given = append(given, fmt.Sprintf("c%d", i+1))
		if !slices.Contains(hidden, c.Name) {
			names, types, shown = append(names, sqltext.Literal(c.Name)), append(types, sqltext.Literal(c.Type)),
				append(shown, i)
		}
	}
	list := []string{"column_name", "column_type"}
	arrays := []string{"ARRAY[" + strings.Join(names, ", ") + "]", "ARRAY[" + strings.Join(types, ", ") + "]"}
	var computed []string
	for i, s := range statistics {
		values := make([]string, len(shown))
		for j, at := range shown {
			values[j] = "CAST(NULL AS " + s.typ + ")"
			if s.of(cols[at].Type) {
				aggregate := s.aggregate
				if floating(cols[at].Type) { // approx_percentile refuses NaN
					aggregate = strings.Replace(aggregate, "approx_percentile(CAST($ AS double)",
						"approx_percentile(if(is_nan($), NULL, CAST($ AS double))", 1)
				}
				values[j] = strings.ReplaceAll(aggregate, "$", given[at])
			}
		}
		name := fmt.Sprintf("s%d", i+1)
		list, arrays = append(list, s.name), append(arrays, name)
		computed = append(computed, "ARRAY["+strings.Join(values, ", ")+"] AS "+name)
	}
	columns := strings.Join(list, ", ")
	with := []sqltext.EditPart{words("SELECT " + columns + " FROM (SELECT " + strings.Join(computed, ", ") + " FROM ")}
	with = append(with, source...)
	with = append(with, words(" AS summarized ("+strings.Join(given, ", ")+")) AS computed CROSS JOIN UNNEST("+
		strings.Join(arrays, ", ")+") WITH ORDINALITY AS summary ("+columns+", place)"+where+" ORDER BY place"))
	_, to := e.Node.Span()
	return []sqltext.Edit{{From: e.Words[0], To: to, With: with}}, nil
}
