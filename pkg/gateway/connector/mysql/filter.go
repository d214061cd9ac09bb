package mysql

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// condition returns a filter in the server's SQL, "" if it cannot be pushed down, and whether it matches exactly the
// same rows.
//
// Strings are compared by the collation of the column, for which more of them are equal than for the engine, never
// fewer; so equality and LIKE are pushed down unchanged and use its indexes. Their negations compare bytes.
func (t *relation) condition(f engine.Filter) (term string, exact bool) {
	i := slices.IndexFunc(t.cols, func(c column) bool { return c.Name == f.Column })
	if i < 0 {
		return "", false
	}
	c := t.cols[i]
	col := sqltext.Backtick(f.Column)
	dated := c.base == "date" || c.base == "timestamp" || c.base == "timestamp with time zone"
	switch f.Op {
	case "is null", "is not null":
		if dated { // a zero date of a NOT NULL column counts as NULL in a comparison with it
			return "", false
		}
		return col + " " + strings.ToUpper(f.Op), true
	case "=", "<>", "<", "<=", ">", ">=", "in", "not in", "like":
	default:
		return "", false
	}
	var list []string
	exact = true
	for _, v := range f.Values {
		lit, ok := c.literal(f.Op, v)
		if !ok {
			return "", false
		}
		list = append(list, lit)
	}
	if c.charset != "" {
		switch f.Op {
		case "=", "in", "like":
			exact = false
		case "<>", "not in":
			col = "CAST(CONVERT(" + col + " USING utf8mb4) AS BINARY)"
			for k, lit := range list {
				list[k] = "CAST(" + lit + " AS BINARY)"
			}
		default:
			return "", false
		}
	}
	switch {
	case len(list) == 0 || len(list) > 1 && f.Op != "in" && f.Op != "not in":
		return "", false
	case f.Op == "in" || f.Op == "not in":
		return col + " " + strings.ToUpper(f.Op) + " (" + strings.Join(list, ", ") + ")", exact
	}
	return col + " " + strings.ToUpper(f.Op) + " " + list[0], exact
}

// literal writes a value of a condition on the column.
func (c column) literal(op string, v any) (string, bool) {
	switch v := v.(type) {
	case int64:
		// A year compared with a number below 100 is interpreted as one of this or the last century.
		return strconv.FormatInt(v, 10), c.data != "year" && (strings.HasSuffix(c.Type, "int") || c.Type == "integer")
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64), c.Type == "double"
	case bool:
		return map[bool]string{true: "1", false: "0"}[v], c.Type == "boolean"
	case time.Time:
		if y := v.Year(); y < 1 || y > 9999 {
			return "", false
		}
		switch c.base {
		case "date":
			return "'" + v.Format(time.DateOnly) + "'", true
		case "timestamp":
			return "'" + v.Format("2006-01-02 15:04:05.999999") + "'", true
		case "timestamp with time zone": // the server rejects what the type cannot represent
			return "'" + v.UTC().Format("2006-01-02 15:04:05.999999") + "'", v.Unix() > 0 && v.Unix() < 1<<31-1
		}
	case string:
		switch {
		case strings.HasPrefix(c.Type, "decimal"):
			return v, v != "" && strings.Trim(v, "0123456789.-") == ""
		case (c.base == "varchar" || c.base == "char") && c.charset != "":
			// A literal that cannot be represented in the character set of the column is an error, and the meaning of a
			// backslash depends on the mode of the session.
			if strings.ContainsAny(v, "\\\x00") || c.charset != "utf8mb4" &&
				strings.IndexFunc(v, func(r rune) bool { return r > 126 || r < 32 }) >= 0 {
				return "", false
			}
			return sqltext.Literal(v), true
		}
	}
	return "", false
}
