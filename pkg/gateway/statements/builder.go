// Package statements runs statements and translates them into other dialects.
package statements

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/trinosql/build"
)

// builtQuery checks a query-builder object.
func builtQuery(b api.ExecuteByBuilder) (q build.Query, err error) {
	if len(b.From) == 0 {
		return q, fault.Data(400, "from: at least one table is required")
	}
	for i, c := range b.Columns {
		if strings.TrimSpace(c) == "" {
			return q, fault.Data(400, "columns[%d] is empty", i)
		}
	}
	q.Columns = b.Columns
	for i, t := range b.From {
		if t.CatalogName == "" || t.SchemaName == "" || t.TableName == "" {
			return q, fault.Data(400, "from[%d]: catalogName, schemaName and tableName are all required", i)
		}
		q.From = append(q.From, build.Table{Catalog: t.CatalogName, Schema: t.SchemaName, Name: t.TableName})
	}
	if b.Filters != nil {
		if q.Where, err = builtGroup(*b.Filters, "filters"); err != nil {
			return q, err
		}
	}
	for i, o := range b.OrderBy {
		term, err := orderTerm(o)
		if err != nil {
			return q, fault.Data(400, "orderBy[%d]: %v", i, err)
		}
		q.OrderBy = append(q.OrderBy, term)
	}
	for _, n := range []struct {
		name  string
		value *int64
	}{{"offset", b.Offset}, {"limit", b.Limit}} {
		if n.value != nil && *n.value < 0 {
			return q, fault.Data(400, "%s: %d is negative", n.name, *n.value)
		}
	}
	q.Offset, q.Limit = b.Offset, b.Limit
	return q, nil
}

// orderTerm parses `column [ASC|DESC] [NULLS FIRST|LAST]`.
func orderTerm(s string) (o build.Order, err error) {
	words := strings.Fields(s)
	last := func(back int, word string) bool {
		n := len(words) - back
		return n > 0 && strings.EqualFold(words[n], word)
	}
	if len(words) > 2 && last(2, "NULLS") && (last(1, "FIRST") || last(1, "LAST")) {
		if o.Nulls = build.NullsLast; last(1, "FIRST") {
			o.Nulls = build.NullsFirst
		}
		words = words[:len(words)-2]
	}
	if last(1, "ASC") || last(1, "DESC") {
		if o.Direction = build.Ascending; last(1, "DESC") {
			o.Direction = build.Descending
		}
		words = words[:len(words)-1]
	}
	if o.Column = strings.Join(words, " "); o.Column == "" {
		return o, fmt.Errorf("%q does not name a column", s)
	}
	return o, nil
}

// builtGroup reads the two lists of a group: all of "and", any of "or"; a group with both requires both.
func builtGroup(g api.FilterGroup, at string) (out build.Group, err error) {
	for _, l := range []struct {
		key   string
		nodes []api.FilterNode
		into  *[]build.Condition
	}{{"and", g.And, &out.All}, {"or", g.Or, &out.Any}} {
		for i, n := range l.nodes {
			where := fmt.Sprintf("%s.%s[%d]", at, l.key, i)
			var c build.Condition
			if n.Group != nil {
				c, err = builtGroup(*n.Group, where)
			} else if n.Condition != nil {
				c, err = builtTest(*n.Condition, where)
			} else {
				continue
			}
			if err != nil {
				return out, err
			}
			*l.into = append(*l.into, c)
		}
	}
	return out, nil
}

// The operators of a condition and how many values each takes; -1 means at least one.
var operators = map[string]struct {
	op     build.Op
	values int
}{
	"=": {build.Equal, 1}, "!=": {build.NotEqual, 1}, "<>": {build.NotEqual, 1}, "<": {build.Less, 1}, "<=": {build.LessOrEqual, 1}, ">": {build.Greater, 1}, ">=": {build.GreaterOrEqual, 1},
	"in": {build.In, -1}, "not in": {build.NotIn, -1}, "like": {build.Like, 1}, "not like": {build.NotLike, 1},
	"between": {build.Between, 2}, "not between": {build.NotBetween, 2}, "is null": {build.IsNull, 0}, "is not null": {build.IsNotNull, 0},
}

func builtTest(c api.FilterCondition, at string) (t build.Test, err error) {
	op, ok := operators[strings.ToLower(strings.Join(strings.Fields(c.Op), " "))]
	if !ok {
		return t, fault.Data(400, "%s: unknown operator %q; the operators are =, !=, <>, <, <=, >, >=, in, not in, like, not like, between, not between, is null, is not null", at, c.Op)
	}
	if op.values >= 0 && len(c.Values) != op.values || op.values < 0 && len(c.Values) == 0 {
		return t, fault.Data(400, "%s: operator %q takes %s, got %d", at, c.Op, map[int]string{-1: "at least one value", 0: "no value", 1: "one value", 2: "two values"}[op.values], len(c.Values))
	}
	if c.Column.ColumnName == "" {
		return t, fault.Data(400, "%s: columnName is required", at)
	}
	t = build.Test{Column: []string{c.Column.ColumnName}, Op: op.op}
	for _, part := range []string{c.Column.TableName, c.Column.SchemaName, c.Column.CatalogName} {
		if part == "" { // a wider part means nothing without this one
			break
		}
		t.Column = append([]string{part}, t.Column...)
	}
	for i, v := range c.Values {
		value, err := build.ValueOf(v)
		if err != nil {
			return t, fault.Data(400, "%s: value %d: %v", at, i+1, err)
		}
		t.Values = append(t.Values, value)
	}
	return t, nil
}
