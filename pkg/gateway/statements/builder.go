// Package statements runs statements and translates them into other dialects.
package statements

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// buildSQL converts a query-builder object to SQL in the dialect of the service: OFFSET precedes LIMIT [L].
func buildSQL(b api.ExecuteByBuilder) (string, error) {
	if len(b.From) == 0 {
		return "", fault.Data(400, "from: at least one table is required")
	}
	var sql strings.Builder
	sql.WriteString("SELECT ")
	if len(b.Columns) == 0 {
		sql.WriteString("*")
	}
	for i, c := range b.Columns {
		if i > 0 {
			sql.WriteString(", ")
		}
		switch {
		case strings.TrimSpace(c) == "":
			return "", fault.Data(400, "columns[%d] is empty", i)
		case c == "*":
			sql.WriteString("*")
		default:
			sql.WriteString(columnRef(c))
		}
	}
	sql.WriteString(" FROM ")
	for i, t := range b.From {
		if t.CatalogName == "" || t.SchemaName == "" || t.TableName == "" {
			return "", fault.Data(400, "from[%d]: catalogName, schemaName and tableName are all required", i)
		}
		if i > 0 {
			sql.WriteString(", ")
		}
		sql.WriteString(engine.TableName{Catalog: t.CatalogName, Schema: t.SchemaName, Table: t.TableName}.Quoted())
	}
	if b.Filters != nil {
		where, err := buildGroup(*b.Filters, "filters")
		if err != nil {
			return "", err
		}
		if where != "" {
			sql.WriteString(" WHERE " + where)
		}
	}
	for i, o := range b.OrderBy {
		term, err := orderTerm(o)
		if err != nil {
			return "", fault.Data(400, "orderBy[%d]: %v", i, err)
		}
		sql.WriteString([]string{" ORDER BY ", ", "}[min(i, 1)] + term)
	}
	for _, n := range []struct {
		word  string
		value *int64
	}{{"OFFSET", b.Offset}, {"LIMIT", b.Limit}} {
		if n.value == nil {
			continue
		}
		if *n.value < 0 {
			return "", fault.Data(400, "%s: %d is negative", strings.ToLower(n.word), *n.value)
		}
		fmt.Fprintf(&sql, " %s %d", n.word, *n.value)
	}
	return sql.String(), nil
}

// columnRef quotes a column name; a name that is already quoted is not changed.
func columnRef(c string) string {
	if len(c) > 1 && c[0] == '"' && c[len(c)-1] == '"' && !strings.Contains(c[1:len(c)-1], `"`) {
		return c
	}
	return sqltext.Quote(c)
}

// orderTerm parses `column [ASC|DESC] [NULLS FIRST|LAST]`.
func orderTerm(s string) (string, error) {
	words := strings.Fields(s)
	suffix := ""
	if n := len(words); n > 2 && strings.EqualFold(words[n-2], "NULLS") && (strings.EqualFold(words[n-1], "FIRST") || strings.EqualFold(words[n-1], "LAST")) {
		suffix = " NULLS " + strings.ToUpper(words[n-1])
		words = words[:n-2]
	}
	if n := len(words); n > 1 && (strings.EqualFold(words[n-1], "ASC") || strings.EqualFold(words[n-1], "DESC")) {
		suffix = " " + strings.ToUpper(words[n-1]) + suffix
		words = words[:n-1]
	}
	name := strings.Join(words, " ")
	if name == "" {
		return "", fmt.Errorf("%q does not name a column", s)
	}
	return columnRef(name) + suffix, nil
}

// buildGroup joins the two lists of a group: all of "and", any of "or"; a group with both requires both.
func buildGroup(g api.FilterGroup, at string) (string, error) {
	var parts []string
	for _, l := range []struct {
		key, word string
		nodes     []api.FilterNode
	}{{"and", " AND ", g.And}, {"or", " OR ", g.Or}} {
		var terms []string
		for i, n := range l.nodes {
			where := fmt.Sprintf("%s.%s[%d]", at, l.key, i)
			var (
				t   string
				err error
			)
			if n.Group != nil {
				t, err = buildGroup(*n.Group, where)
			} else if n.Condition != nil {
				t, err = buildCondition(*n.Condition, where)
			}
			if err != nil {
				return "", err
			}
			if t != "" {
				terms = append(terms, t)
			}
		}
		if len(terms) > 0 {
			parts = append(parts, "("+strings.Join(terms, l.word)+")")
		}
	}
	return strings.Join(parts, " AND "), nil
}

// The operators of a condition and how many values each takes; -1 means at least one.
var operators = map[string]struct {
	sql    string
	values int
}{
	"=": {"=", 1}, "!=": {"<>", 1}, "<>": {"<>", 1}, "<": {"<", 1}, "<=": {"<=", 1}, ">": {">", 1}, ">=": {">=", 1},
	"in": {"IN", -1}, "not in": {"NOT IN", -1}, "like": {"LIKE", 1}, "not like": {"NOT LIKE", 1},
	"between": {"BETWEEN", 2}, "not between": {"NOT BETWEEN", 2}, "is null": {"IS NULL", 0}, "is not null": {"IS NOT NULL", 0},
}

func buildCondition(c api.FilterCondition, at string) (string, error) {
	op, ok := operators[strings.ToLower(strings.Join(strings.Fields(c.Op), " "))]
	if !ok {
		return "", fault.Data(400, "%s: unknown operator %q; the operators are =, !=, <>, <, <=, >, >=, in, not in, like, not like, between, not between, is null, is not null", at, c.Op)
	}
	if op.values >= 0 && len(c.Values) != op.values || op.values < 0 && len(c.Values) == 0 {
		return "", fault.Data(400, "%s: operator %q takes %s, got %d", at, c.Op, map[int]string{-1: "at least one value", 0: "no value", 1: "one value", 2: "two values"}[op.values], len(c.Values))
	}
	if c.Column.ColumnName == "" {
		return "", fault.Data(400, "%s: columnName is required", at)
	}
	col := sqltext.Quote(c.Column.ColumnName)
	if q := c.Column; q.TableName != "" {
		col = sqltext.Quote(q.TableName) + "." + col
		if q.SchemaName != "" {
			col = sqltext.Quote(q.SchemaName) + "." + col
			if q.CatalogName != "" {
				col = sqltext.Quote(q.CatalogName) + "." + col
			}
		}
	}
	vals := make([]string, len(c.Values))
	for i, v := range c.Values {
		lit, err := sqltext.Value(v)
		if err != nil {
			return "", fault.Data(400, "%s: value %d: %v", at, i+1, err)
		}
		vals[i] = lit
	}
	switch op.values {
	case 0:
		return col + " " + op.sql, nil
	case 2:
		return col + " " + op.sql + " " + vals[0] + " AND " + vals[1], nil
	case -1:
		return col + " " + op.sql + " (" + strings.Join(vals, ", ") + ")", nil
	}
	return col + " " + op.sql + " " + vals[0], nil
}
