package translate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func init() {
	rules["local date"] = func(p *printer, c *call) { p.overClock(c, "CAST($1 AS DATE)") }
	rules["local last_day"] = func(p *printer, c *call) { p.overClock(c, "last_day($1)") }
	for _, t := range []string{"epoch($1)", "to_milliseconds((epoch_us($1) - epoch_us($2)) // 1000)"} {
		parts := mustParts(t)
		rules["instant "+t] = func(p *printer, c *call) {
			for i, a := range c.args {
				if a.expr != nil && p.a.Coercions[a.expr] == nil {
					c.args[i].write = func() { p.instant(a.expr) }
				}
			}
			p.expand(c, parts)
		}
	}
	for _, f := range []string{"date_format", "format_datetime"} {
		rules["format "+f] = func(p *printer, c *call) {
			p.put(`"~`, f, `"(strftime(CAST(`)
			zone := p.clockOf(c.args[0])
			p.put(" AS TIMESTAMP), '%Y-%m-%d %H:%M:%S.%f'), ")
			c.args[1].write()
			p.put(", ", quoteText(zone), ")")
		}
	}
	rules["to_iso8601"] = (*printer).toISO
	rules["at_timezone"] = func(p *printer, c *call) { p.instant(c.args[0].expr) }
	rules["with_timezone"] = func(p *printer, c *call) {
		zone, ok := c.args[1].expr.(*trinosql.StringLit)
		if !ok {
			p.refuse(c.node, "a time zone that is not a constant is not supported on zone local")
		}
		p.fromClock(zone.Value, c.args[0].write)
	}
	rules["date_add"] = (*printer).dateAdd
	rules["date_diff"] = (*printer).dateDiff
	rules["date_trunc"] = (*printer).dateTrunc
	for _, f := range []string{"day", "day_of_week", "day_of_year", "month", "quarter", "week", "year", "year_of_week", "hour", "minute", "second", "millisecond"} {
		rules["field "+f] = func(p *printer, c *call) { p.field(f, c.args[0], c.bound.Args[0]) }
	}
	specials["*trinosql.Extract"] = func(p *printer, x trinosql.Expr) {
		e := x.(*trinosql.Extract)
		name := strings.ToLower(e.Field.Name)
		if full, ok := map[string]string{"dow": "day_of_week", "doy": "day_of_year", "yow": "year_of_week", "day_of_month": "day"}[name]; ok {
			name = full
		}
		if !slices.Contains([]string{"day", "day_of_week", "day_of_year", "month", "quarter", "week", "year", "year_of_week", "hour", "minute", "second"}, name) {
			p.refuse(x, "EXTRACT(%s ...) is not supported on zone local", e.Field.Name)
		}
		p.field(name, p.operand(e.X), p.typeOf(e.X))
	}
	specials["*trinosql.AtTimeZone"] = func(p *printer, x trinosql.Expr) {
		a := x.(*trinosql.AtTimeZone)
		if p.a.Coercions[a.X] != nil {
			p.expr(a.X)
			return
		}
		p.instant(a.X)
	}
	specials["*trinosql.IntervalLit"] = func(p *printer, x trinosql.Expr) { p.interval(x.(*trinosql.IntervalLit)) }
	literals["CURRENT_TIMESTAMP"] = func(p *printer, x *trinosql.TypedLit) { p.now(x, "now()") }
	literals["LOCALTIMESTAMP"] = func(p *printer, x *trinosql.TypedLit) { p.now(x, "timezone('UTC', now())") }
	literals["LOCALTIME"] = func(p *printer, x *trinosql.TypedLit) {
		p.put("CAST(")
		p.now(x, "timezone('UTC', now())")
		p.put(" AS TIME)")
	}
}

// now writes the time of the statement with so many digits of the second.
func (p *printer) now(x *trinosql.TypedLit, now string) {
	n := 3
	if x.Value != "" {
		n, _ = strconv.Atoi(x.Value)
	}
	unit := map[int]string{0: "second", 3: "millisecond", 6: "microsecond"}[n]
	if unit == "" {
		p.refuse(nil, "%s(%d) is not supported on zone local", x.Type, n)
	}
	p.put("date_trunc('", unit, "', ", now, ")")
}

// overClock writes a template over the clock reading of the first argument.
func (p *printer) overClock(c *call, template string) {
	x := c.args[0]
	p.expand(&call{node: c.node, bound: c.bound, args: []operand{{write: func() { p.clockOf(x) }}}}, mustParts(template))
}

// clockOf writes the clock reading of an operand and returns its zone, "" for one without.
func (p *printer) clockOf(o operand) string {
	if o.expr == nil || p.typeOf(o.expr).Kind != types.TimestampTZ {
		o.write()
		return ""
	}
	if p.a.Coercions[o.expr] != nil {
		p.clock("UTC", o.write)
		return "UTC"
	}
	p.local(o.expr)
	return p.zone(o.expr)
}

func (p *printer) field(name string, o operand, t *types.Type) {
	switch t.Kind {
	case types.IntervalDS:
		div, mod := map[string]string{"day": "86400000", "hour": "3600000", "minute": "60000", "second": "1000", "millisecond": "1"}[name], map[string]string{"hour": " % 24", "minute": " % 60", "second": " % 60", "millisecond": " % 1000"}[name]
		p.put("(epoch_ms(")
		o.write()
		p.put(") // ", div, mod, ")")
		return
	case types.IntervalYM:
		p.put("date_part('", name, "', ")
		o.write()
		p.put(")")
		return
	}
	f := map[string]string{"day_of_week": "isodow", "day_of_year": "dayofyear", "year_of_week": "isoyear"}[name]
	if f == "" {
		f = name
	}
	if name == "millisecond" {
		p.put("CAST(")
	}
	p.put(f, "(")
	p.clockOf(o)
	p.put(")")
	if name == "millisecond" {
		p.put(" % 1000 AS BIGINT)")
	}
}

// unit is the constant unit of a function; what is none ends the statement when it runs.
func (p *printer) unit(c *call, t *types.Type) string {
	s, ok := c.args[0].expr.(*trinosql.StringLit)
	if !ok {
		p.refuse(c.node, "a unit that is not a constant is not supported on zone local")
	}
	u := strings.ToLower(s.Value)
	i := slices.Index([]string{"millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"}, u)
	kind := map[types.Kind]string{types.Date: "DATE", types.Time: "TIME"}[t.Kind]
	if kind == "" {
		kind = "Timestamp"
	}
	if i < 0 || t.Kind == types.Date && i < 4 || t.Kind == types.Time && i >= 4 {
		p.put(`CAST("~error"(`, quoteText("'"+u+"' is not a valid "+kind+" field"), ") AS ", p.duckType(c.node, c.bound.Result), ")")
		return ""
	}
	return u
}

func (p *printer) dateAdd(c *call) {
	t := c.bound.Args[2]
	u := p.unit(c, t)
	if u == "" {
		return
	}
	step := map[string]string{"millisecond": "to_milliseconds($1)", "second": "to_seconds($1)", "minute": "to_minutes($1)", "hour": "to_hours($1)", "day": "to_days(CAST($1 AS INTEGER))",
		"week": "to_weeks(CAST($1 AS INTEGER))", "month": "to_months(CAST($1 AS INTEGER))", "quarter": "to_months(3 * CAST($1 AS INTEGER))", "year": "to_years(CAST($1 AS INTEGER))"}[u]
	value := c.args[2]
	zone := "UTC"
	if t.Kind == types.TimestampTZ && value.expr != nil && p.a.Coercions[value.expr] == nil {
		zone = p.zone(value.expr)
		value.write = func() { p.instant(value.expr) }
	}
	inner := &call{node: c.node, bound: c.bound, args: []operand{c.args[1], value}}
	if !isUTC(zone) && slices.Contains([]string{"day", "week", "month", "quarter", "year"}, u) {
		p.fromClock(zone, func() {
			p.expand(&call{node: c.node, bound: c.bound, args: []operand{c.args[1], {write: func() { p.clock(zone, value.write) }}}}, mustParts("$2 + "+step))
		})
		return
	}
	p.expand(inner, mustParts("CAST($2 + "+step+" AS ${R})"))
}

func (p *printer) dateDiff(c *call) {
	t := c.bound.Args[1]
	u := p.unit(c, t)
	if u == "" {
		return
	}
	args := make([]operand, 2)
	for i, a := range c.args[1:] {
		args[i] = a
		if t.Kind == types.TimestampTZ && a.expr != nil && p.a.Coercions[a.expr] == nil {
			args[i].write = func() { p.instant(a.expr) }
		}
	}
	p.expand(&call{node: c.node, bound: c.bound, args: args}, mustParts("date_sub('"+u+"', $1, $2)"))
}

func (p *printer) dateTrunc(c *call) {
	t := c.bound.Args[1]
	u := p.unit(c, t)
	if u == "" {
		return
	}
	value := c.args[1]
	if t.Kind == types.TimestampTZ && value.expr != nil && p.a.Coercions[value.expr] == nil {
		if zone := p.zone(value.expr); !isUTC(zone) {
			p.fromClock(zone, func() {
				p.put("date_trunc('", u, "', ")
				p.local(value.expr)
				p.put(")")
			})
			return
		}
	}
	from := "$1"
	if t.Kind == types.Time {
		from = "DATE '1970-01-01' + $1"
	}
	p.expand(&call{node: c.node, bound: c.bound, args: []operand{value}}, mustParts("CAST(date_trunc('"+u+"', "+from+") AS ${R})"))
}

// fraction is a format of strftime with so many digits of the second, and how many digits of what it gives are too many.
func fraction(n int) (format string, surplus int) {
	switch {
	case n == 0:
		return "", 0
	case n <= 3:
		return ".%g", 3 - n
	case n <= 6:
		return ".%f", 6 - n
	}
	return ".%n", 9 - n
}

// stamp writes a timestamp as text.
func (p *printer) stamp(layout string, n int, write func()) {
	f, surplus := fraction(n)
	if surplus > 0 {
		p.put("left(")
	}
	p.put("strftime(")
	write()
	p.put(", '", layout, f, "')")
	if surplus > 0 {
		p.put(", ", strconv.Itoa(-surplus), ")")
	}
}

func (p *printer) toISO(c *call) {
	t := c.bound.Args[0]
	zone := ""
	text := p.apart(func() { p.stamp("%Y-%m-%dT%H:%M:%S", t.N, func() { zone = p.clockOf(c.args[0]) }) })
	if t.Kind == types.TimestampTZ {
		switch {
		case isUTC(zone):
			text += " || 'Z'"
		default:
			if _, ok := zoneOffset(zone); !ok {
				p.refuse(c.node, "to_iso8601 of a time in zone '%s' is not supported on zone local", zone)
			}
			text += " || " + quoteText(zone)
		}
	}
	p.put("(", text, ")")
}

// interval writes a literal.
func (p *printer) interval(x *trinosql.IntervalLit) {
	n, err := intervalValue(x)
	if err != "" {
		p.refuse(x, "%s", err)
	}
	if p.a.Types[x].Kind == types.IntervalYM {
		p.put("to_months(", strconv.FormatInt(n, 10), ")")
		return
	}
	p.put("to_milliseconds(", strconv.FormatInt(n, 10), ")")
}

// intervalValue is the number of months or milliseconds of a literal.
func intervalValue(x *trinosql.IntervalLit) (n int64, fault string) {
	fields := []string{"DAY", "HOUR", "MINUTE", "SECOND"}
	units := []int64{86400000, 3600000, 60000, 1000}
	if x.From == "YEAR" || x.From == "MONTH" {
		fields, units = []string{"YEAR", "MONTH"}, []int64{12, 1}
	}
	from := slices.Index(fields, x.From)
	to := from
	if x.To != "" {
		to = slices.Index(fields, x.To)
	}
	text := strings.TrimSpace(x.Value)
	sign := int64(1)
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, text = -1, rest
	} else {
		text = strings.TrimPrefix(text, "+")
	}
	if x.Negative {
		sign = -sign
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ':' || r == '-' })
	if len(parts) > to-from+1 || len(parts) == 0 {
		return 0, "Invalid INTERVAL " + x.From + " value: " + x.Value
	}
	for i, part := range parts {
		whole, frac, _ := strings.Cut(part, ".")
		v, err := strconv.ParseInt(whole, 10, 64)
		if err != nil {
			return 0, "Invalid INTERVAL value: " + x.Value
		}
		n += v * units[from+i]
		if frac != "" {
			ms, err := strconv.ParseInt((frac + "000")[:3], 10, 64)
			if err != nil {
				return 0, "Invalid INTERVAL value: " + x.Value
			}
			n += ms
		}
	}
	return sign * n, ""
}
