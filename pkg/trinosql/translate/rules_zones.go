package translate

import (
	"fmt"
	"slices"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Functions of time zones, and those that parse and format times.

func zoneRules(reg *registry) {
	for _, f := range []string{"mysql_format", "joda_format"} {
		reg.rules["format "+f] = func(p *printer, c *call) { p.formatTime(f, c) }
	}
	reg.rules["to_iso8601"] = (*printer).toISO
	reg.rules["at_timezone"] = func(p *printer, c *call) {
		if p.knownZone(c.node, c.args[0], c.args[1].expr, badZone) {
			c.args[0].write()
		}
	}
	reg.rules["with_timezone"] = func(p *printer, c *call) {
		p.duckType(c.node, c.bound.Result)
		if p.knownZone(c.node, c.args[0], c.args[1].expr, badZone) {
			p.fromClock(constantZone(c.args[1].expr), "joda", c.args[0].write)
		}
	}
	reg.rules["from_unixtime"] = func(p *printer, c *call) { p.expand(c, mustParts(fromUnixtime)) }
	reg.rules["from_unixtime zone"] = func(p *printer, c *call) {
		if p.knownZone(c.node, c.args[0], c.args[1].expr, "\x01NOT_SUPPORTED\x01Time zone not supported: %s") {
			p.expand(c, mustParts(fromUnixtime))
		}
	}
	reg.rules["from_unixtime offset"] = func(p *printer, c *call) {
		minutes, ok := p.offsetOf(c.fn)
		switch {
		case !ok:
			p.refuse(c.node, "from_unixtime with an offset that is not a constant is not supported on zone local")
		case minutes > 14*60 || minutes < -14*60:
			p.raise(c.node, c.bound.Result, "Invalid offset minutes "+itoa(minutes), c.args[0])
		default:
			p.expand(c, mustParts(fromUnixtime))
		}
	}
	reg.rules["from_iso8601_timestamp"] = func(p *printer, c *call) {
		if s, ok := c.args[0].expr.(*trinosql.StringLit); ok {
			if millis, _, err := times.ISOTimestamp(s.Value); err == nil {
				p.putInstant(millis * 1000)
				return
			}
		} else if p.tried != nil {
			p.refuse(c.node, "TRY of from_iso8601_timestamp is not supported on zone local")
		}
		p.expand(c, mustParts(`make_timestamptz(CAST("~iso_instant_of"($1) AS BIGINT))`))
	}
	reg.rules["parse_datetime"] = (*printer).parseDatetime
	reg.rules["timezone_hour"] = func(p *printer, c *call) { p.zoneOffset(c, " // 3600)") }
	reg.rules["timezone_minute"] = func(p *printer, c *call) { p.zoneOffset(c, " // 60 % 60)") }
}

const fromUnixtime = `CASE WHEN $1 >= -2251799813685.2485 AND $1 < 2251799813685.2475 THEN ` +
	`make_timestamptz(CAST(floor($1 * 1000 + 0.5) AS BIGINT) * 1000) WHEN isnan($1) THEN make_timestamptz(0)` +
	` WHEN $1 IS NOT NULL THEN "~error"(chr(1) || 'GENERIC_INTERNAL_ERROR' || chr(1) || 'Millis overflow: ' ||` +
	` CASE WHEN $1 >= 9223372036854775.807 THEN '9223372036854775807' WHEN $1 <= -9223372036854775.808 THEN ` +
	`'-9223372036854775808' ELSE CAST(CAST(floor($1 * 1000 + 0.5) AS BIGINT) AS VARCHAR) END) END`

func (p *printer) parseDatetime(c *call) {
	s, ok1 := c.args[0].expr.(*trinosql.StringLit)
	f, ok2 := c.args[1].expr.(*trinosql.StringLit)
	if ok1 && ok2 {
		if pattern, err := times.Joda(f.Value); err == nil {
			if millis, _, err := pattern.ReadInstant(s.Value); err == nil {
				p.putInstant(millis * 1000)
				return
			}
		}
	} else if p.tried != nil {
		p.refuse(c.node, "TRY of parse_datetime is not supported on zone local")
	}
	p.expand(c, mustParts(`make_timestamptz(CAST("~joda_parse"($1, $2) AS BIGINT))`))
}

// clockOf writes the local time of an operand.
func (p *printer) clockOf(o operand) {
	zone := p.zoneOfOperand(o)
	if zone == "" {
		o.write()
		return
	}
	p.clock(zone, o.write)
}

// zoneOfOperand is the zone of an operand, "" if it has none.
func (p *printer) zoneOfOperand(o operand) string {
	if o.expr == nil || p.typeOf(o.expr).Kind != types.TimestampTZ {
		return ""
	}
	return p.zone(o.expr)
}

const badZone = "'%s' is not a valid time zone"

// knownZone reports whether an argument is a valid zone. An invalid one ends the statement with a message unless the
// value is NULL.
func (p *printer) knownZone(at trinosql.Expr, value operand, zone trinosql.Expr, bad string) bool {
	s, ok := zone.(*trinosql.StringLit)
	if !ok {
		if _, null := zone.(*trinosql.NullLit); null {
			p.put("CAST(NULL AS TIMESTAMPTZ)")
			return false
		}
		p.refuse(at, "a time zone that is not a constant is not supported on zone local")
	}
	if _, err := times.ZoneName(s.Value); err == nil {
		return true
	}
	msg := fmt.Sprintf(bad, s.Value)
	if s.Value == "" {
		msg = "\x01GENERIC_INTERNAL_ERROR\x01Zone id is an empty string"
	}
	p.raise(at, p.a.Types[at], msg, value)
	return false
}

// raise writes an error that ends the statement when it runs, unless one of the operands is NULL. Operands that consist
// only of literals are not tested: DuckDB would evaluate the error even if the statement has no rows.
func (p *printer) raise(at trinosql.Node, t *types.Type, msg string, operands ...operand) {
	text := `CAST("~error"(` + quoteText(msg) + ") AS " + p.duckType(at, t) + ")"
	operands = slices.DeleteFunc(operands, func(o operand) bool { return !p.mayBeNull(o.expr) })
	if len(operands) == 0 {
		p.put(text)
		return
	}
	p.put("CASE WHEN ")
	p.w.Join(" AND ", len(operands), func(i int) { p.put("(", operands[i], ") IS NOT NULL") })
	p.put(" THEN ", text, " END")
}

// mayBeNull reports whether an expression contains a column, NULL or a subquery.
func (p *printer) mayBeNull(x trinosql.Expr) bool {
	if x == nil {
		return true
	}
	found := false
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.NullLit, *trinosql.Subquery:
			found = true
		case *trinosql.Ident: // not the name of a function
			found = p.a.Columns[n] != nil || p.a.Lambdas[n] != nil
		case *trinosql.Deref:
			found = p.a.Columns[n] != nil
		}
		return !found
	})
	return found
}

// formatTime writes date_format and format_datetime.
func (p *printer) formatTime(f string, c *call) {
	zone := p.zoneOfOperand(c.args[0])
	p.bindOnce(c.args[:1], func(args []operand) {
		value := args[0].write
		p.put(`"~`, f, `"(CAST(epoch_us(`)
		if zone == "" {
			value()
		} else {
			p.clock(zone, value)
		}
		p.put(") AS VARCHAR), ", c.args[1])
		if f == "joda_format" {
			p.put(", ", quoteText(zone), ", CAST(epoch_us(")
			value()
			p.put(") AS VARCHAR)")
		}
		p.put(")")
	})
}

// zoneOffset writes a part of the offset in seconds of a value's zone from UTC.
func (p *printer) zoneOffset(c *call, part string) {
	zone := p.zone(c.args[0].expr)
	p.bindOnce(c.args[:1], func(args []operand) {
		p.put("((epoch_us(")
		p.clock(zone, args[0].write)
		p.put(") - epoch_us(", args[0], ")) // 1000000", part)
	})
}

func (p *printer) toISO(c *call) {
	t := c.bound.Args[0]
	if t.Kind == types.Date {
		p.dateText(&conversion{node: c.node, from: t, to: types.Of(types.Varchar), operand: c.args[0]})
		return
	}
	p.isoStamp(c.args[0], t, "iso_offset")
}

// isoStamp formats a timestamp as ISO 8601, with the offset of its zone as a function writes it.
func (p *printer) isoStamp(value operand, t *types.Type, offset string) {
	zone := p.zoneOfOperand(value)
	if zone == "" {
		p.clockText("T", t.N, value.write)
		return
	}
	p.bindOnce([]operand{value}, func(args []operand) {
		p.put("(")
		p.clockText("T", t.N, func() { p.clock(zone, args[0].write) })
		if zone == "UTC" {
			p.put(" || 'Z')")
			return
		}
		p.put(` || "~`, offset, `"(CAST(epoch_us(`, args[0], ") AS VARCHAR), ", quoteText(zone), "))")
	})
}

// atTimeZone writes AT TIME ZONE.
func (p *printer) atTimeZone(x *trinosql.AtTimeZone) {
	t := p.a.Types[x]
	p.duckType(x, t)
	if i, ok := x.Zone.(*trinosql.IntervalLit); ok {
		n, _ := intervalValue(i)
		if _, ok := offsetMinutes(i); !ok && n%60000 != 0 {
			p.raise(x, t, "Invalid time zone offset interval: interval contains seconds", p.operand(x.X))
			return
		} else if !ok {
			p.raise(x, t, "Invalid offset minutes "+itoa(n/60000), p.operand(x.X))
			return
		}
	} else if !p.knownZone(x, p.operand(x.X), x.Zone, badZone) {
		return
	}
	p.expr(x.X)
}
