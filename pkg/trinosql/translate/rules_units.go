package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Functions with a unit: date_add, date_diff and date_trunc.

func unitRules(reg *registry) {
	reg.rules["date_add"] = func(p *printer, c *call) { p.eachUnit(c, p.addUnit) }
	reg.rules["date_diff"] = func(p *printer, c *call) { p.eachUnit(c, p.diffUnit) }
	reg.rules["minus"] = (*printer).minus
	for unit, text := range sequences {
		reg.rules["sequence timestamps "+unit] = func(p *printer, c *call) {
			if t := c.bound.Args[0]; t.N > 6 {
				p.refuse(c.node, "a sequence of %s is not supported on zone local", t)
			}
			p.expand(c, mustParts(text))
		}
	}
	for _, op := range []string{"+", "-"} {
		for at, name := range []string{"moved ", "moved by first "} {
			reg.rules[name+op] = func(p *printer, c *call) {
				p.moved(c.args[at], c.args[1-at], c.bound.Args[at],
					c.bound.Args[1-at], op)
			}
		}
	}
	reg.rules["date_trunc"] = func(p *printer, c *call) { p.eachUnit(c, p.truncUnit) }
}

var unitNames = []string{"millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"}

func longUnit(u string) bool {
	return u == "day" || u == "week" || u == "month" || u == "quarter" || u == "year"
}

func timesKind(t *types.Type) (k times.Kind, name string) {
	switch t.Kind {
	case types.Date:
		return times.OfDate, "DATE"
	case types.Time:
		return times.OfTime, "TIME"
	}
	return times.OfTimestamp, "TIMESTAMP"
}

func stampOf(n int) *types.Type { return types.NewTime(types.Timestamp, n) }

// eachUnit writes a call for its unit, or a choice between all units if that is not constant.
func (p *printer) eachUnit(c *call, write func(c *call, unit string)) {
	k, name := timesKind(c.bound.Args[len(c.bound.Args)-1])
	if s, ok := c.args[0].expr.(*trinosql.StringLit); ok {
		if err := times.Unit(s.Value, k); err != nil {
			p.raise(c.node, c.bound.Result, err.Error(), c.args[1:]...)
			return
		}
		write(c, strings.ToLower(s.Value))
		return
	}
	p.bindOnce(c.args, func(args []operand) {
		for i := range args { // the original expression determines the zone
			args[i].expr = c.args[i].expr
		}
		inner := *c
		inner.args = args
		p.put("CASE")
		for _, u := range unitNames {
			if times.Unit(u, k) != nil {
				continue
			}
			p.put(" WHEN lower(", args[0], ") = '", u, "' THEN ")
			write(&inner, u)
		}
		p.put(" WHEN ")
		p.allNotNull(args)
		p.put(` THEN "~error"('''' || lower(`, args[0], `) || ''' is not a valid `, name, ` field') END`)
	})
}

var nativeSteps = map[string]string{"millisecond": "to_milliseconds($1)", "second": "to_seconds($1)",
	"minute": "to_minutes($1)", "hour": "to_hours($1)", "day": "to_days(CAST($1 AS INTEGER))",
	"week": "to_weeks(CAST($1 AS INTEGER))", "month": "to_months(CAST($1 AS INTEGER))",
	"quarter": "to_months(3 * CAST($1 AS INTEGER))", "year": "to_years(CAST($1 AS INTEGER))"}

func (p *printer) addUnit(c *call, u string) {
	t := c.bound.Args[2]
	sum := "$2 + " + nativeSteps[u]
	n, value := c.args[1], c.args[2]
	switch {
	case t.Kind == types.TimestampTZ && longUnit(u):
		zone := p.zoneOfOperand(value)
		p.fromClock(zone, "first", func() {
			p.added(n, stampOf(6), u, sum, operand{write: func() { p.clock(zone, value.write) }})
		})
	case t.Kind == types.TimestampTZ && t.N < 3:
		p.packed(func() {
			p.rounded(stampOf(6), stampOf(t.N), func() {
				p.put("timezone('UTC', ")
				p.added(n, t, u, sum, value)
				p.put(")")
			})
		})
	case t.Kind == types.TimestampTZ:
		p.packed(func() { p.added(n, t, u, sum, value) })
	case t.Kind == types.Timestamp && t.N < 3 && u == "millisecond":
		p.rounded(stampOf(6), t, func() { p.added(n, stampOf(6), u, sum, value) })
	case t.Kind == types.Timestamp:
		p.overMicros(t, value, true, func(x operand) { p.added(n, stampOf(6), u, sum, x) })
	case t.Kind == types.Time && t.N < 3 && u == "millisecond":
		p.put("CAST(")
		p.rounded(stampOf(6), stampOf(t.N), func() {
			p.put("(DATE '1970-01-01' + ")
			p.added(n, t, u, sum, value)
			p.put(")")
		})
		p.put(" AS TIME)")
	default:
		p.added(n, t, u, "CAST("+sum+" AS "+p.duckType(c.node, t)+")", value)
	}
}

// added writes the sum of a number of units and a value. Numbers that may exceed the range of the type are added in Go,
// which has the error messages.
func (p *printer) added(n operand, t *types.Type, u, native string, value operand) {
	args := &call{args: []operand{n, value}}
	if k, ok := p.constant(n.expr); ok && k.BitLen() < 13 {
		p.put("(")
		p.expand(args, mustParts(native))
		p.put(")")
		return
	}
	count, made, kind := "epoch_us($2)", "make_timestamp(CAST(# AS BIGINT))", "timestamp"
	switch t.Kind {
	case types.Date:
		count, made, kind = "$2 - DATE '1970-01-01'", "CAST(DATE '1970-01-01' + CAST(# AS INTEGER) AS DATE)", "date"
	case types.Time:
		made, kind = "CAST(make_timestamp(CAST(# AS BIGINT)) AS TIME)", "time"
	case types.TimestampTZ:
		made = "make_timestamptz(CAST(# AS BIGINT))"
	}
	slow := strings.Replace(made, "#", `"~date_add"('`+u+`', CAST($1 AS VARCHAR), CAST(`+count+` AS VARCHAR), '`+kind+
		`')`, 1)
	p.expand(args, mustParts("CASE WHEN $1 BETWEEN -8000 AND 8000 THEN "+native+" ELSE "+slow+" END"))
}

// overMicros applies write to a timestamp in microseconds. The remaining nanoseconds are restored or dropped.
func (p *printer) overMicros(t *types.Type, value operand, back bool, write func(x operand)) {
	if t.N <= 6 {
		write(value)
		return
	}
	p.bindOnce([]operand{p.countedBy("epoch_ns(", value.write)}, func(args []operand) {
		n := p.capture(args[0].write)
		below := "((" + n + " % 1000 + 1000) % 1000)"
		p.put("make_timestamp_ns(epoch_us(")
		write(operand{write: func() { p.put("make_timestamp((", n, " - ", below, ") // 1000)") }})
		p.put(") * 1000")
		if back {
			p.put(" + ", below)
		}
		p.put(")")
	})
}

// countedBy is the numeric result of a call.
func (p *printer) countedBy(call string, write func()) operand {
	return operand{write: func() {
		p.put(call)
		write()
		p.put(")")
	}}
}

func (p *printer) diffUnit(c *call, u string) {
	t := c.bound.Args[1]
	args := []operand{c.args[1], c.args[2]}
	zone := "UTC"
	if t.Kind == types.TimestampTZ && longUnit(u) { // both local times are in the zone of the first argument
		zone = p.zoneOfOperand(c.args[1])
	}
	for i, a := range args {
		switch t.Kind {
		case types.TimestampTZ:
			args[i] = operand{write: func() { p.wholeMillis(t.N, func() { p.clock(zone, a.write) }) }}
		case types.Timestamp:
			args[i] = operand{write: func() { p.wholeMillis(t.N, a.write) }}
		case types.Time:
			args[i] = p.countedBy("(DATE '1970-01-01' + ", a.write)
		}
	}
	p.expand(&call{node: c.node, bound: c.bound, args: args}, mustParts("date_sub('"+u+"', $1, $2)"))
}

// wholeMillis truncates a timestamp to milliseconds.
func (p *printer) wholeMillis(digits int, write func()) {
	of, unit, back := "epoch_us(", "1000", "make_timestamp("
	switch {
	case digits <= 3:
		write()
		return
	case digits > 6:
		of, unit, back = "epoch_ns(", "1000000", "make_timestamp_ns("
	}
	p.fill(nil, back+"$1 - ($1 % "+unit+" + "+unit+") % "+unit+
		")", p.countedBy(of, write))
}

func (p *printer) truncUnit(c *call, u string) {
	t := c.bound.Args[1]
	value := c.args[1]
	cut := func(as string, write func()) {
		p.put("CAST(date_trunc('", u, "', ")
		write()
		p.put(") AS ", as, ")")
	}
	switch {
	case t.Kind == types.TimestampTZ && longUnit(u):
		zone := p.zoneOfOperand(value)
		p.fromClock(zone, "first", func() { cut("TIMESTAMP", func() { p.clock(zone, value.write) }) })
	case t.Kind == types.TimestampTZ: // the offset is kept
		zone := p.zoneOfOperand(value)
		p.bindOnce([]operand{value}, func(args []operand) {
			p.bindOnce([]operand{{write: func() { p.clock(zone, args[0].write) }}}, func(local []operand) {
				p.packed(func() { p.put(args[0], " - (", local[0], " - date_trunc('", u, "', ", local[0], "))") })
			})
		})
	case t.Kind == types.Timestamp:
		p.overMicros(t, value, false, func(x operand) { cut("TIMESTAMP", x.write) })
	case t.Kind == types.Time:
		cut("TIME", p.countedBy("(DATE '1970-01-01' + ", value.write).write)
	default:
		cut("DATE", value.write)
	}
}

// minus writes the difference of two times as an interval: rounded to milliseconds, half up, or, with zones, as Trino
// rounds fractions of milliseconds.
func (p *printer) minus(c *call) {
	t := c.bound.Args[0]
	of, unit := "epoch_us", "1000"
	if t.Kind == types.Timestamp && max(t.N, c.bound.Args[1].N) > 6 {
		of, unit = "epoch_ns", "1000000"
	}
	args := &call{args: []operand{p.countedBy(of+"(", c.args[0].write), p.countedBy(of+"(", c.args[1].write)}}
	floor := func(x string) string {
		return "(" + x + " - (" + x + " % " + unit + " + " + unit + ") % " + unit + ") // " + unit
	}
	if t.Kind == types.TimestampTZ {
		below := func(x string) string { return "(" + x + " % 1000 + 1000) % 1000" }
		d := below("$1") + " - " + below("$2")
		p.expand(args, mustParts("to_microseconds(1000 * ("+floor("$1")+" - "+floor("$2")+" + CASE WHEN "+d+
			" >= 500 THEN 1 WHEN "+d+" <= -500 THEN -1 ELSE 0 END))"))
		return
	}
	half := "500"
	if unit != "1000" {
		half = "500000"
	}
	p.expand(args, mustParts("to_microseconds(1000 * ("+floor("($1 - $2 + "+half+")")+"))"))
}

// moved writes the sum of a timestamp and an interval. Months are added to the local time of the zone.
func (p *printer) moved(value, by operand, t, interval *types.Type, op string) {
	sum := func(x operand) { p.fill(nil, "($1 "+op+" $2)", x, by) }
	switch {
	case t.Kind == types.TimestampTZ && interval.Kind == types.IntervalYM:
		zone := p.zoneOfOperand(value)
		p.fromClock(zone, "first", func() { sum(operand{write: func() { p.clock(zone, value.write) }}) })
	case t.Kind == types.Timestamp:
		p.overMicros(t, value, true, sum)
	case t.Kind == types.TimestampTZ:
		p.packed(func() { sum(value) })
	default:
		sum(value)
	}
}

// sequences are templates for sequences of timestamps, by the unit of the step.
var sequences = map[string]string{
	"days": `CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN epoch_us($3) = 0 THEN "~error"('step must not be zero')
		WHEN epoch_us($3) > 0 AND $2 < $1 OR epoch_us($3) < 0 AND $2 > $1 THEN "~error"('sequence stop value should be greater than or equal to start value if step is greater than zero otherwise stop should be less than or equal to start')
		WHEN (epoch_us($2) - epoch_us($1)) // epoch_us($3) >= 10000 THEN "~error"('result of sequence function must not have more than 10000 entries')
		WHEN $1 IS NOT NULL AND $2 IS NOT NULL AND $3 IS NOT NULL THEN CAST(list_transform(system.main.range((epoch_us($2) - epoch_us($1)) // epoch_us($3) + 1), lambda "~i": CAST($1 + to_microseconds("~i" * epoch_us($3)) AS TIMESTAMP)) AS ${R}) END`,
	"months": `CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN (12 * date_part('year', $3) + date_part('month', $3)) = 0 THEN "~error"('step must not be zero')
		WHEN (12 * date_part('year', $3) + date_part('month', $3)) > 0 AND $2 < $1 OR (12 * date_part('year', $3) + date_part('month', $3)) < 0 AND $2 > $1 THEN "~error"('sequence stop value should be greater than or equal to start value if step is greater than zero otherwise stop should be less than or equal to start')
		WHEN date_sub('month', $1, $2) // (12 * date_part('year', $3) + date_part('month', $3)) >= 10000 THEN "~error"('result of sequence function must not have more than 10000 entries')
		WHEN $1 IS NOT NULL AND $2 IS NOT NULL AND $3 IS NOT NULL THEN CAST(list_transform(system.main.range(date_sub('month', $1, $2) // (12 * date_part('year', $3) + date_part('month', $3)) + 1), lambda "~i": $1 + to_months(CAST("~i" * (12 * date_part('year', $3) + date_part('month', $3)) AS INTEGER))) AS ${R}) END`,
}
