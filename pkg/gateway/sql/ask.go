package sql

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Asked writes the SQL of q.Ask, if that is set.
func Asked(q engine.Query) (engine.Query, error) {
	if q.Ask == nil {
		return q, nil
	}
	var err error
	switch a := q.Ask.(type) {
	case engine.Rows:
		q.SQL, err = rowsSQL(a)
		q.Untyped = len(a.Filters) > 0
	case engine.Counts:
		q.SQL = countsSQL(a)
	case engine.Frequent:
		c := sqltext.Quote(a.Column)
		q.SQL = "SELECT CAST(" + c + " AS varchar) AS v, count(*) AS n FROM " + a.Table.Quoted() + " WHERE " + c + " IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT " + strconv.FormatInt(a.Limit, 10)
	case engine.Listing:
		q.SQL = "SELECT DISTINCT table_schema FROM " + sqltext.Quote(a.Catalog) + ".information_schema.tables WHERE table_schema <> 'information_schema' ORDER BY 1"
		if a.Schema != "" {
			q.SQL = "SELECT table_name FROM " + sqltext.Quote(a.Catalog) + ".information_schema.tables WHERE table_schema = " + sqltext.Literal(a.Schema) + " ORDER BY 1"
		}
	case engine.Cast:
		var v string
		v, err = sqltext.Value(a.Value)
		q.SQL = "SELECT CAST(" + v + " AS " + a.Type + ") AS v"
	default:
		err = fmt.Errorf("the engine cannot write a query for %T", a)
	}
	q.Ask = nil
	return q, err
}

func rowsSQL(a engine.Rows) (string, error) {
	list := "*"
	switch {
	case len(a.Columns) > 0:
		list = sqltext.List(a.Columns)
	case a.Columns != nil:
		list = "1"
	}
	sql := "SELECT " + list + " FROM " + a.Table.Quoted()
	for i, f := range a.Filters {
		c, err := filterSQL(f)
		if err != nil {
			return "", fmt.Errorf("column %s: %w", f.Column, err)
		}
		sql += []string{" WHERE ", " AND "}[min(i, 1)] + c
	}
	if a.Limit != 0 {
		sql += " LIMIT " + strconv.FormatInt(max(a.Limit, 0), 10)
	}
	return sql, nil
}

// filterOps are the operators of a filter and the number of values they require; -1 is any number.
var filterOps = map[string]int{"=": 1, "<>": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "like": 1, "in": -1, "not in": -1, "is null": 0, "is not null": 0}

func filterSQL(f engine.Filter) (string, error) {
	values := make([]string, len(f.Values))
	for i, v := range f.Values {
		var err error
		if values[i], err = sqltext.Value(v); err != nil {
			return "", err
		}
	}
	n, ok := filterOps[f.Op]
	if !ok || n >= 0 && n != len(values) || len(values) == 0 && n < 0 {
		return "", fmt.Errorf("the operator %q does not accept %d values", f.Op, len(values))
	}
	sql := sqltext.Quote(f.Column) + " " + strings.ToUpper(f.Op)
	switch n {
	case 1:
		sql += " " + values[0]
	case -1:
		sql += " (" + strings.Join(values, ", ") + ")"
	}
	return sql, nil
}

func countsSQL(a engine.Counts) string {
	list, count := "count(*)", "count(DISTINCT "
	if a.Estimated {
		count = "approx_distinct("
	}
	for _, c := range a.Columns {
		list += ", " + count + sqltext.Quote(c) + ")"
	}
	return "SELECT " + list + " FROM " + a.Table.Quoted()
}
