//go:build cgo

package duckdb

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// fit gives a source the conditions whose values have exactly the type of their column, with the columns spelt as the source
// does. The limit travels only when all conditions do.
func (t *scanTable) fit(n narrowing) ([]engine.Filter, int64) {
	var out []engine.Filter
	limit := n.limit
	for _, c := range n.conds {
		f, ok := t.filter(c)
		if !ok {
			limit = -1
			continue
		}
		out = append(out, f)
	}
	return out, limit
}

// widen takes one more reference to the table into its request, which all of them share: what passes the conditions of either
// passes the result.
func (t *scanTable) widen(n narrowing) {
	var out []engine.Filter
	more, _ := t.fit(n)
	for _, f := range t.filters {
		for _, g := range more {
			if f.Column != g.Column {
				continue
			}
			if f.Op == g.Op && slices.Equal(f.Values, g.Values) {
				out = append(out, f)
			} else if (f.Op == "=" || f.Op == "in") && (g.Op == "=" || g.Op == "in") {
				u := engine.Filter{Column: f.Column, Op: "in"}
				for _, v := range slices.Concat(f.Values, g.Values) {
					if !slices.Contains(u.Values, v) {
						u.Values = append(u.Values, v)
					}
				}
				out = append(out, u)
			}
		}
	}
	t.filters, t.limit, t.count = out, -1, t.count && n.count
}

func (t *scanTable) filter(c condition) (engine.Filter, bool) {
	at := -1
	for i, col := range t.cols {
		if strings.EqualFold(col.Name, c.column) {
			if at >= 0 { // two columns that differ by case only
				return engine.Filter{}, false
			}
			at = i
		}
	}
	if at < 0 {
		return engine.Filter{}, false
	}
	f := engine.Filter{Column: t.cols[at].Name, Op: c.op}
	for _, k := range c.vals {
		v, ok := k.value(t.types[at], strings.ToLower(t.cols[at].Type))
		if !ok {
			return f, false
		}
		f.Values = append(f.Values, v)
	}
	if c.op == "like" {
		_, isText := f.Values[0].(string)
		return f, isText && t.types[at] == "VARCHAR"
	}
	return f, true
}

// value is a constant as a value of a column's type, when DuckDB compares it as just that.
func (c constant) value(duck, trino string) (any, bool) {
	param := c.kind == constParam
	number := c.kind == constInt || c.kind == constDecimal || param && decimalText().MatchString(c.text)
	switch duck {
	case "VARCHAR":
		return c.text, (c.kind == constText || param) && strings.HasPrefix(trino, "varchar")
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT":
		if c.kind != constInt && !param {
			return nil, false
		}
		bits := map[string]int{"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64}[duck]
		n, err := strconv.ParseInt(c.text, 10, bits) // the source knows no number beyond the type
		return n, err == nil
	case "DOUBLE":
		if c.kind == constDouble || param && doubleText().MatchString(c.text) {
			f, err := strconv.ParseFloat(c.text, 64)
			return f, err == nil
		}
		// A decimal of up to 15 digits is the same double everywhere.
		f, err := strconv.ParseFloat(c.text, 64)
		return f, number && err == nil && len(c.text) <= 15
	case "BOOLEAN":
		b, err := strconv.ParseBool(c.text)
		return b, err == nil && (c.kind == constBool || param && (c.text == "true" || c.text == "false"))
	case "UUID":
		return strings.ToLower(c.text), (c.kind == constText || c.kind == constUUID || param) && uuidText().MatchString(c.text)
	case "DATE":
		if c.kind != constText && c.kind != constDate && !param {
			return nil, false
		}
		d, err := time.Parse(time.DateOnly, c.text)
		return d, err == nil
	case "TIMESTAMP", "TIMESTAMPTZ":
		if c.kind != constText && c.kind != constDate && c.kind != constTimestamp && !param {
			return nil, false
		}
		return instant(c.text, duck == "TIMESTAMPTZ")
	}
	if strings.HasPrefix(duck, "DECIMAL(") {
		return c.text, number
	}
	return nil, false
}

// instant reads a timestamp of up to six places. Without a zone it is in UTC, the zone of every session; with one it fits only a
// column with a zone.
func instant(s string, zoned bool) (any, bool) {
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day, true
	}
	for _, layout := range [...]string{"2006-01-02 15:04:05", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07"} {
		t, err := time.Parse(layout, s)
		if err == nil && (zoned || len(layout) == len("2006-01-02 15:04:05")) && t.Nanosecond()%1000 == 0 {
			return t.UTC(), true
		}
	}
	return nil, false
}
