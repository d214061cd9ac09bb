package sql

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Ask is a query of the gateway that is described by its meaning; the engine translates it to its own SQL. It is one of
// Rows, Counts, Frequent, Versions and Cast.
type Ask interface{ ask() }

// NoRows is the Limit of Rows that requests only the columns.
const NoRows = -1

// Rows requests the rows of a table.
type Rows struct {
	Table   engine.TableName
	Columns []string // nil: all; empty: one arbitrary value for each row
	// joined by AND; the values are those of JSON: string, bool, json.Number; a string gets the type of the column
	Filters []engine.Filter
	Limit   int64 // 0: all
}

// Counts requests one row: the number of rows of a table, and of distinct values in each of the columns.
type Counts struct {
	Table     engine.TableName
	Columns   []string
	Estimated bool // the numbers of distinct values need not be exact
}

// Frequent requests the distinct values of a column as strings, each with its number of occurrences: the most frequent
// first, then by the string. NULL is not included.
type Frequent struct {
	Table  engine.TableName
	Column string
	Limit  int64
}

// Versions requests the _id and the _version of the rows of an internal table that meet a condition, which is in
// Trino's language.
type Versions struct {
	Table engine.TableName
	Where string
}

// Cast requests the conversion of a JSON value to a type. A value that is not of that type is *engine.Error with
// engine.KindValue.
type Cast struct {
	Value any
	Type  string
}

func (Rows) ask()     {}
func (Counts) ask()   {}
func (Frequent) ask() {}
func (Versions) ask() {}
func (Cast) ask()     {}

// asked writes the SQL of q.Ask, if that is set.
func asked(q Query) (Query, error) {
	if q.Ask == nil {
		return q, nil
	}
	var err error
	switch a := q.Ask.(type) {
	case Rows:
		q.SQL, err = rowsSQL(a)
		q.Untyped = len(a.Filters) > 0
	case Counts:
		q.SQL = countsSQL(a)
	case Frequent:
		c := sqltext.Quote(a.Column)
		q.SQL = "SELECT CAST(" + c + " AS varchar) AS v, count(*) AS n FROM " + a.Table.Quoted() + " WHERE " + c +
			" IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT " + strconv.FormatInt(a.Limit, 10)
	case Versions:
		if !sqltext.Enclosed(a.Where, false) {
			return q, &engine.Error{Kind: engine.KindSyntax, Message: "the condition is not one: " + a.Where}
		}
		q.SQL = "SELECT _id, _version FROM " + a.Table.Quoted() + " WHERE (" + a.Where + "\n)"
	case Cast:
		var v string
		v, err = sqltext.Value(a.Value)
		q.SQL = "SELECT CAST(" + v + " AS " + a.Type + ") AS v"
	default:
		err = fmt.Errorf("the engine cannot write a query for %T", a)
	}
	q.Ask = nil
	return q, err
}

func rowsSQL(a Rows) (string, error) {
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
var filterOps = map[string]int{"=": 1, "<>": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "like": 1, "in": -1, "not in": -1,
	"is null": 0, "is not null": 0}

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

func countsSQL(a Counts) string {
	list, count := "count(*)", "count(DISTINCT "
	if a.Estimated {
		count = "approx_distinct("
	}
	for _, c := range a.Columns {
		list += ", " + count + sqltext.Quote(c) + ")"
	}
	return "SELECT " + list + " FROM " + a.Table.Quoted()
}
