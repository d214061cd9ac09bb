// Package statements runs statements and translates them into other dialects.
package statements

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/trinosql/build"
)

// nameOf finds the name of a catalog by its id.
type nameOf func(id string) (string, error)

// catalog returns the name of a catalog that is given by its name, its id or both.
func (name nameOf) catalog(at, given, id string) (string, error) {
	if id == "" {
		return given, nil
	}
	stored, err := name(id)
	if err == nil && given != "" && !strings.EqualFold(given, stored) {
		return "", fault.Data(400, "%s: the catalog with id %s is %s, not %s", at, id, stored, given)
	}
	return stored, err
}

// path returns the names by which a column is written: its own, and those of its table as far as they are given without
// a gap.
func (name nameOf) path(at string, c api.FilterColumn) ([]string, error) {
	if c.ColumnName == "" {
		return nil, fault.Data(400, "%s: columnName is required", at)
	}
	catalog, err := name.catalog(at, c.CatalogName, c.CatalogID)
	if err != nil {
		return nil, err
	}
	path := []string{c.ColumnName}
	for _, part := range []string{c.TableName, c.SchemaName, catalog} {
		if part == "" { // a wider part means nothing without this one
			break
		}
		path = append([]string{part}, path...)
	}
	return path, nil
}

// builtQuery checks a query-builder object.
func builtQuery(b api.ExecuteByBuilder, name nameOf) (q build.Query, err error) {
	if len(b.From) == 0 {
		return q, fault.Data(400, "from: at least one table is required")
	}
	for i, c := range b.Columns {
		at := fmt.Sprintf("columns[%d]", i)
		path := []string{c.Name}
		if c.Column != nil {
			if path, err = name.path(at, *c.Column); err != nil {
				return q, err
			}
		}
		if strings.TrimSpace(path[len(path)-1]) == "" {
			return q, fault.Data(400, "%s is empty", at)
		}
		q.Columns = append(q.Columns, path)
	}
	for i, t := range b.From {
		at := fmt.Sprintf("from[%d]", i)
		catalog, err := name.catalog(at, t.CatalogName, t.CatalogID)
		if err != nil {
			return q, err
		}
		if catalog == "" || t.SchemaName == "" || t.TableName == "" {
			return q, fault.Data(400, "%s: catalogName or catalogId, schemaName and tableName are all required", at)
		}
		q.From = append(q.From, build.Table{Catalog: catalog, Schema: t.SchemaName, Name: t.TableName})
	}
	if b.Filters != nil {
		if q.Where, err = name.group(*b.Filters, "filters"); err != nil {
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

// group reads the two lists of a group: all of "and", any of "or"; a group with both requires both.
func (name nameOf) group(g api.FilterGroup, at string) (out build.Group, err error) {
	for _, l := range []struct {
		key   string
		nodes []api.FilterNode
		into  *[]build.Condition
	}{{"and", g.And, &out.All}, {"or", g.Or, &out.Any}} {
		for i, n := range l.nodes {
			where := fmt.Sprintf("%s.%s[%d]", at, l.key, i)
			var c build.Condition
			if n.Group != nil {
				c, err = name.group(*n.Group, where)
			} else if n.Condition != nil {
				c, err = name.test(*n.Condition, where)
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
	"=": {build.Equal, 1}, "!=": {build.NotEqual, 1}, "<>": {build.NotEqual, 1}, "<": {build.Less, 1},
	"<=": {build.LessOrEqual, 1}, ">": {build.Greater, 1}, ">=": {build.GreaterOrEqual, 1},
	"in": {build.In, -1}, "not in": {build.NotIn, -1}, "like": {build.Like, 1}, "not like": {build.NotLike, 1},
	"between": {build.Between, 2}, "not between": {build.NotBetween, 2}, "is null": {build.IsNull, 0},
	"is not null": {build.IsNotNull, 0},
}

func (name nameOf) test(c api.FilterCondition, at string) (t build.Test, err error) {
	op, ok := operators[strings.ToLower(strings.Join(strings.Fields(c.Op), " "))]
	if !ok {
		return t, fault.Data(400, "%s: unknown operator %q; the operators are =, !=, <>, <, <=, >, >=, in, not in, "+
			"like, not like, between, not between, is null, is not null", at, c.Op)
	}
	if op.values >= 0 && len(c.Values) != op.values || op.values < 0 && len(c.Values) == 0 {
		return t, fault.Data(400, "%s: operator %q takes %s, got %d", at, c.Op, map[int]string{-1: "at least one value",
			0: "no value", 1: "one value", 2: "two values"}[op.values], len(c.Values))
	}
	t.Op = op.op
	if t.Column, err = name.path(at, c.Column); err != nil {
		return t, err
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
