package translate

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func timeRules(reg *registry) {
	for name, around := range map[string]string{"date": "(", "last_day": "last_day("} {
		reg.rules[name+" of timestamp"] = func(p *printer, c *call) {
			p.put(around)
			p.stampDate(&conversion{node: c.node, from: c.bound.Args[0], to: types.Of(types.Date), operand: c.args[0]})
			p.put(")")
		}
	}
	reg.rules["local date"] = func(p *printer, c *call) { p.overClock(c, "CAST($1 AS DATE)") }
	reg.rules["local last_day"] = func(p *printer, c *call) { p.overClock(c, "last_day($1)") }
	for _, f := range []string{"day", "day_of_week", "day_of_year", "month", "quarter", "week", "year", "year_of_week",
		"hour", "minute", "second", "millisecond"} {
		reg.rules["field "+f] = func(p *printer, c *call) { p.field(f, c.args[0], c.bound.Args[0]) }
	}
	reg.literals["CURRENT_TIMESTAMP"] = func(p *printer, x *trinosql.TypedLit) { p.now(x, "now()") }
	reg.literals["LOCALTIMESTAMP"] = func(p *printer, x *trinosql.TypedLit) { p.now(x, "timezone('UTC', now())") }
	reg.literals["LOCALTIME"] = func(p *printer, x *trinosql.TypedLit) {
		p.put("CAST(")
		p.now(x, "timezone('UTC', now())")
		p.put(" AS TIME)")
	}
}

// now writes the time of the statement with a fractional precision.
func (p *printer) now(x *trinosql.TypedLit, now string) {
	n := 3
	if x.Value != "" {
		n, _ = strconv.Atoi(x.Value)
	}
	if n > 6 {
		p.refuse(nil, "%s(%d) is not supported on zone local", x.Type, n)
	}
	unit := int64(1)
	for range 6 - n {
		unit *= 10
	}
	made := "make_timestamp"
	if strings.EqualFold(x.Type, "CURRENT_TIMESTAMP") {
		made = "make_timestamptz"
	}
	u := strconv.FormatInt(unit, 10)
	p.put(made, "(epoch_us(", now, ") // ", u, " * ", u, ")")
}

// overClock writes a template over the local time of the first argument.
func (p *printer) overClock(c *call, template string) {
	x := c.args[0]
	p.expand(&call{node: c.node, bound: c.bound, args: []operand{{write: func() { p.clockOf(x) }}}},
		mustParts(template))
}

func (p *printer) field(name string, o operand, t *types.Type) {
	switch t.Kind {
	case types.IntervalDS:
		div, mod := map[string]string{"day": "86400000", "hour": "3600000", "minute": "60000", "second": "1000",
			"millisecond": "1"}[name], map[string]string{"hour": " % 24", "minute": " % 60", "second": " % 60",
			"millisecond": " % 1000"}[name]
		p.put("(epoch_ms(", o, ") // ", div, mod, ")")
		return
	case types.IntervalYM:
		p.put("date_part('", name, "', ", o, ")")
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
	if t.Kind == types.Timestamp && t.N > 6 {
		p.fill(nil, "make_timestamp(($1 - ($1 % 1000 + 1000) % 1000) // 1000)", p.countedBy("epoch_ns(", o.write))
	} else {
		p.clockOf(o)
	}
	p.put(")")
	if name == "millisecond" {
		p.put(" % 1000 AS BIGINT)")
	}
}

// fraction is the strftime format for a fractional precision, and the number of surplus digits in its result.
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

// stamp formats a timestamp.
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

// interval writes an interval literal.
func (p *printer) interval(x *trinosql.IntervalLit) {
	n, err := intervalValue(x)
	if err != "" {
		p.refuse(x, "%s", err)
	}
	if p.a.Types[x].Kind == types.IntervalYM {
		p.put("to_months(", strconv.FormatInt(n, 10), ")")
		return
	}
	if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
		p.refuse(x, "an interval out of range is not supported on zone local")
	}
	p.put("to_microseconds(", strconv.FormatInt(n*1000, 10), ")")
}

// intervalValue is the number of months or milliseconds of an interval literal.
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
	text, minus := strings.CutPrefix(x.Value, "-")
	sign := int64(1)
	if minus != x.Negative {
		sign = -1
	}
	for i := from; i <= to && text != ""; i++ {
		if i > from {
			text = text[1:] // the separator
		}
		end := len(text) - len(strings.TrimLeft(text, "+-")) // the sign of this field
		end += len(text[end:]) - len(strings.TrimLeft(text[end:], "0123456789"))
		v, err := strconv.ParseInt("0"+text[:end], 10, 64)
		if text[:end] != "" && (text[0] == '-' || text[0] == '+') {
			v, err = strconv.ParseInt(text[:end], 10, 64)
		}
		if err != nil && end > 0 {
			return 0, "Invalid INTERVAL value: " + x.Value
		}
		n += v * units[i]
		if text = text[end:]; fields[i] == "SECOND" && strings.HasPrefix(text, ".") {
			digits := text[1:]
			if digits = digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))]; digits != "" {
				ms, _ := strconv.ParseInt((digits + "000")[:3], 10, 64)
				n += ms
			}
			text = text[1+len(digits):]
		}
	}
	return sign * n, ""
}

// extract writes EXTRACT.
func (p *printer) extract(x *trinosql.Extract) {
	name := strings.ToLower(x.Field.Name)
	if full, ok := map[string]string{"dow": "day_of_week", "doy": "day_of_year", "yow": "year_of_week",
		"day_of_month": "day"}[name]; ok {
		name = full
	}
	if name == "timezone_hour" || name == "timezone_minute" {
		writers.get().rules[name](p, &call{node: x, args: []operand{p.operand(x.X)}})
		return
	}
	if !slices.Contains([]string{"day", "day_of_week", "day_of_year", "month", "quarter", "week", "year",
		"year_of_week", "hour", "minute", "second"}, name) {
		p.refuse(x, "EXTRACT(%s ...) is not supported on zone local", x.Field.Name)
	}
	p.field(name, p.operand(x.X), p.typeOf(x.X))
}
