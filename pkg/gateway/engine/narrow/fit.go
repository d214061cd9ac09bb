package narrow

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Columns are the columns of a source, with their types in a statement.
type Columns struct {
	Infos []engine.ColumnInfo
	Types []*types.Type
}

// Fit returns the conditions with values of exactly the type of their column, with the columns in the source's
// spelling. The limit is included only if all conditions are.
func (t Columns) Fit(n Narrowing) ([]engine.Filter, int64) {
	var out []engine.Filter
	limit := n.Limit
	for _, c := range n.Conds {
		f, ok := t.filter(c)
		if !ok {
			limit = -1
			continue
		}
		out = append(out, f)
	}
	return out, limit
}

// Either returns the filters for two references to a table that share one scan: what passes either passes the result.
func Either(one, other []engine.Filter) []engine.Filter {
	var out []engine.Filter
	for _, f := range one {
		for _, g := range other {
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
	return out
}

func (t Columns) filter(c Condition) (engine.Filter, bool) {
	at := -1
	for i, col := range t.Infos {
		if strings.EqualFold(col.Name, c.Column) {
			if at >= 0 { // two columns that differ by case only
				return engine.Filter{}, false
			}
			at = i
		}
	}
	if at < 0 {
		return engine.Filter{}, false
	}
	f := engine.Filter{Column: t.Infos[at].Name, Op: c.Op}
	for _, k := range c.Values {
		v, ok := k.value(t.Types[at], strings.ToLower(t.Infos[at].Type))
		if !ok {
			return f, false
		}
		f.Values = append(f.Values, v)
	}
	if c.Op == "like" {
		_, isText := f.Values[0].(string)
		return f, isText && textual(t.Types[at])
	}
	return f, true
}

func textual(t *types.Type) bool { return t.Kind == types.Varchar || t.Kind == types.Char }

// value converts a constant to a value of a column's type, if it is compared as exactly that. source is the type at the
// source.
func (c Constant) value(t *types.Type, source string) (any, bool) {
	param := c.Kind == Param
	number := c.Kind == Int || c.Kind == Decimal || param && DecimalText().MatchString(c.Text)
	switch t.Kind {
	case types.Varchar, types.Char:
		if strings.HasPrefix(source, "char(") {
			return strings.TrimRight(c.Text, " "), c.Kind == Text || param
		}
		return c.Text, (c.Kind == Text || param) && strings.HasPrefix(source, "varchar")
	case types.Tinyint, types.Smallint, types.Integer, types.Bigint:
		if c.Kind != Int && !param {
			return nil, false
		}
		bits := map[types.Kind]int{types.Tinyint: 8, types.Smallint: 16, types.Integer: 32, types.Bigint: 64}[t.Kind]
		n, err := strconv.ParseInt(c.Text, 10, bits) // the source has no number beyond the type
		return n, err == nil
	case types.Double:
		if c.Kind == Double || param && DoubleText().MatchString(c.Text) {
			f, err := strconv.ParseFloat(c.Text, 64)
			return f, err == nil
		}
		// A decimal of up to 15 digits is the same double everywhere.
		f, err := strconv.ParseFloat(c.Text, 64)
		return f, number && err == nil && len(c.Text) <= 15
	case types.Boolean:
		b, err := strconv.ParseBool(c.Text)
		return b, err == nil && (c.Kind == Bool || param && (c.Text == "true" || c.Text == "false"))
	case types.UUID:
		return strings.ToLower(c.Text), (c.Kind == Text || c.Kind == UUID || param) && UUIDText().MatchString(c.Text)
	case types.Date:
		if c.Kind != Text && c.Kind != Date && !param {
			return nil, false
		}
		d, err := time.Parse(time.DateOnly, c.Text)
		return d, err == nil
	case types.Timestamp, types.TimestampTZ:
		if t.N > 6 || c.Kind != Text && c.Kind != Date && c.Kind != Timestamp && !param {
			return nil, false
		}
		return instant(c.Text, t.Kind == types.TimestampTZ)
	case types.Decimal:
		return c.Text, number
	}
	return nil, false
}

// instant parses a timestamp of up to six decimal places. Without a zone it is in UTC, the zone of every session; with
// one it fits only a column with a zone.
func instant(s string, zoned bool) (any, bool) {
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day, true
	}
	for _, layout := range [...]string{"2006-01-02 15:04:05", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05Z07"} {
		t, err := time.Parse(layout, s)
		if err == nil && (zoned || len(layout) == len("2006-01-02 15:04:05")) && t.Nanosecond()%1000 == 0 {
			return t.UTC(), true
		}
	}
	return nil, false
}
