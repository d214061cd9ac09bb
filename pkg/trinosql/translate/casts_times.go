package translate

import (
	"strconv"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func init() {
	with := func(from, to types.Kind, f func(p *printer, c *conversion)) {
		casts[kinds{from, to}] = func(p *printer, c *conversion) {
			if c.try {
				p.put("TRY(")
				defer p.put(")")
			}
			f(p, c)
		}
	}
	with(types.Date, types.Varchar, nativeCast)
	with(types.Varchar, types.Date, func(p *printer, c *conversion) { p.around(`CAST("~iso_day"(`, c, ") AS DATE)") })
	with(types.Date, types.Timestamp, nativeCast)
	with(types.Timestamp, types.Date, nativeCast)
	with(types.Timestamp, types.Timestamp, func(p *printer, c *conversion) { p.rounded(c, c.from.N, c.write) })
	with(types.Timestamp, types.Varchar, func(p *printer, c *conversion) { p.stamp("%Y-%m-%d %H:%M:%S", c.from.N, c.write) })
	with(types.Varchar, types.Timestamp, func(p *printer, c *conversion) {
		p.rounded(c, 12, func() { p.around(`CAST("~iso_clock"(`, c, ") AS TIMESTAMP)") })
	})
	with(types.Timestamp, types.Time, func(p *printer, c *conversion) {
		p.put("CAST(")
		p.rounded(c, c.from.N, c.write)
		p.put(" AS TIME)")
	})
	with(types.Time, types.Time, func(p *printer, c *conversion) {
		p.put("CAST(")
		p.rounded(c, c.from.N, func() { p.around("(DATE '1970-01-01' + ", c, ")") })
		p.put(" AS TIME)")
	})
	with(types.Time, types.Varchar, func(p *printer, c *conversion) {
		p.stamp("%H:%M:%S", c.from.N, func() { p.around("(DATE '1970-01-01' + ", c, ")") })
	})
	with(types.Varchar, types.Time, func(p *printer, c *conversion) {
		text := operand{write: c.write, cheap: c.cheap}
		p.put("CAST(")
		p.rounded(c, 12, func() {
			p.put("(DATE '1970-01-01' + CAST(")
			p.expand(&call{args: []operand{text}}, mustParts(`CASE WHEN regexp_full_match($1, '([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9]([.][0-9]{1,12})?)?') THEN $1 || CASE WHEN length($1) - length(replace($1, ':', '')) = 1 THEN ':00' ELSE '' END WHEN $1 IS NOT NULL THEN "~error"('Value cannot be cast to time: ' || $1) END`))
			p.put(" AS TIME))")
		})
		p.put(" AS TIME)")
	})
	with(types.Timestamp, types.TimestampTZ, func(p *printer, c *conversion) {
		p.put("timezone('UTC', ")
		p.rounded(c, c.from.N, c.write)
		p.put(")")
	})
	with(types.Date, types.TimestampTZ, func(p *printer, c *conversion) { p.around("timezone('UTC', CAST(", c, " AS TIMESTAMP))") })
	with(types.TimestampTZ, types.TimestampTZ, func(p *printer, c *conversion) {
		if c.to.N >= c.from.N {
			c.write()
			return
		}
		p.put("timezone('UTC', ")
		p.rounded(c, c.from.N, func() { p.around("timezone('UTC', ", c, ")") })
		p.put(")")
	})
	with(types.TimestampTZ, types.Timestamp, func(p *printer, c *conversion) { p.rounded(c, c.from.N, func() { p.clockOf(c.operand) }) })
	with(types.TimestampTZ, types.Date, func(p *printer, c *conversion) {
		p.put("CAST(")
		p.clockOf(c.operand)
		p.put(" AS DATE)")
	})
	with(types.TimestampTZ, types.Time, func(p *printer, c *conversion) {
		p.put("CAST(")
		p.rounded(c, c.from.N, func() { p.clockOf(c.operand) })
		p.put(" AS TIME)")
	})
	with(types.TimestampTZ, types.Varchar, func(p *printer, c *conversion) {
		zone := "UTC"
		p.put("(")
		p.stamp("%Y-%m-%d %H:%M:%S", c.from.N, func() { zone = p.clockOf(c.operand) })
		if isUTC(zone) {
			zone = "UTC"
		}
		p.put(" || ", quoteText(" "+zone), ")")
	})
	with(types.Varchar, types.TimestampTZ, func(p *printer, c *conversion) { p.around(`CAST("~iso_timestamp"(`, c, ") AS TIMESTAMPTZ)") })
	with(types.IntervalDS, types.Varchar, func(p *printer, c *conversion) {
		p.expand(&call{args: []operand{{write: func() { p.around("epoch_ms(", c, ")") }}}}, mustParts("CASE WHEN $1 < 0 THEN '-' ELSE '' END || abs($1) // 86400000 || ' ' || lpad(CAST(abs($1) // 3600000 % 24 AS VARCHAR), 2, '0') || ':' ||"+
			" lpad(CAST(abs($1) // 60000 % 60 AS VARCHAR), 2, '0') || ':' || lpad(CAST(abs($1) // 1000 % 60 AS VARCHAR), 2, '0') || '.' || lpad(CAST(abs($1) % 1000 AS VARCHAR), 3, '0')"))
	})
	with(types.IntervalYM, types.Varchar, func(p *printer, c *conversion) {
		p.expand(&call{args: []operand{{write: func() {
			p.put("list_transform([")
			c.write()
			p.put(`], lambda "~e": date_part('year', "~e") * 12 + date_part('month', "~e"))[1]`)
		}}}}, mustParts("CASE WHEN $1 < 0 THEN '-' ELSE '' END || abs($1) // 12 || '-' || abs($1) % 12"))
	})
}

func (p *printer) around(before string, c *conversion, after string) {
	p.put(before)
	c.write()
	p.put(after)
}

// rounded writes a timestamp with no more digits of the second than the target has, halves away from zero.
func (p *printer) rounded(c *conversion, from int, write func()) {
	if c.to.N >= min(from, 6) {
		write()
		return
	}
	unit := 1
	for range 6 - c.to.N {
		unit *= 10
	}
	u := strconv.Itoa(unit)
	p.expand(&call{args: []operand{{write: func() {
		p.put("epoch_us(")
		write()
		p.put(")")
	}}}}, mustParts("make_timestamp(($1 + "+strconv.Itoa(unit/2)+" - (($1 + "+strconv.Itoa(unit/2)+") % "+u+" + "+u+") % "+u+"))"))
}
