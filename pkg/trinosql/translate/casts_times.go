package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func timeCasts(reg *registry) {
	with := func(from, to types.Kind, f func(p *printer, c *conversion)) {
		reg.casts[kinds{from, to}] = func(p *printer, c *conversion) {
			p.duckType(c.node, c.from)
			p.duckType(c.node, c.to)
			defer p.inTry(c.try && to != types.Varchar && from != types.Varchar)()
			f(p, c)
		}
	}
	with(types.Date, types.Varchar, (*printer).dateText)
	with(types.Varchar, types.Date, func(p *printer, c *conversion) { p.dateOf(c.reader("date_of"), c.write) })
	with(types.Date, types.Timestamp, nativeCast)
	with(types.Timestamp, types.Date, (*printer).stampDate)
	with(types.Timestamp, types.Timestamp, func(p *printer, c *conversion) { p.rounded(c.from, c.to, c.write) })
	with(types.Timestamp, types.Varchar, func(p *printer, c *conversion) { p.stampText(c, "") })
	with(types.Varchar, types.Timestamp, func(p *printer, c *conversion) {
		maker := "make_timestamp"
		if c.to.N > 6 {
			maker = "make_timestamp_ns"
		}
		p.around(maker+`(CAST("~`+c.reader("timestamp_of")+`"(`, c, ", '"+strconv.Itoa(c.to.N)+"') AS BIGINT))")
	})
	with(types.Timestamp, types.Time, func(p *printer, c *conversion) {
		// Before 1970 Trino is one second too early if there is a fraction.
		if c.from.N > 6 {
			p.put("CAST(")
			p.rounded(c.from, stampOf(c.to.N), func() {
				p.fill(nil, "make_timestamp_ns($1 - CASE WHEN $1 < 0 AND $1 % 1000000000 <> 0 THEN 1000000000 "+
					"ELSE 0 END)", p.countedBy("epoch_ns(", c.write))
			})
			p.put(" AS TIME)")
			return
		}
		p.timeOfDay(c, func() {
			p.fill(nil, "CASE WHEN epoch_us($1) < 0 AND epoch_us($1) % 1000000 <> 0 THEN $1 - to_seconds(1) "+
				"ELSE $1 END", c.operand)
		})
	})
	with(types.Time, types.Time, func(p *printer, c *conversion) {
		if c.to.N >= c.from.N {
			c.write()
			return
		}
		p.put("CAST(")
		p.rounded(types.NewTime(types.Timestamp, c.from.N), types.NewTime(types.Timestamp, c.to.N),
			func() { p.around("(DATE '1970-01-01' + ", c, ")") })
		p.put(" AS TIME)")
	})
	with(types.Time, types.Timestamp, func(p *printer, c *conversion) {
		p.put("CAST(")
		p.rounded(types.NewTime(types.Timestamp, c.from.N), c.to,
			func() { p.around("(CAST(now() AS DATE) + ", c, ")") })
		p.put(" AS ", p.duckType(c.node, c.to), ")")
	})
	with(types.Time, types.Varchar, func(p *printer, c *conversion) {
		p.fitting(c, func() { p.stamp("%H:%M:%S", c.from.N, func() { p.around("(DATE '1970-01-01' + ", c, ")") }) })
	})
	with(types.Varchar, types.Time, func(p *printer, c *conversion) {
		p.around(`CAST(make_timestamp(CAST("~`+c.reader("time_of")+`"(`, c, ", '"+strconv.Itoa(c.to.N)+
			"') AS BIGINT)) AS TIME)")
	})
	with(types.Timestamp, types.TimestampTZ, func(p *printer, c *conversion) {
		within := p.packed
		if c.to.N <= 3 {
			within = p.packedCast
		}
		within(func() {
			if c.to.N < 3 && c.from.N > 3 { // Trino rounds twice
				p.rounded(stampOf(3), stampOf(c.to.N), func() { p.rounded(c.from, stampOf(3), c.write) })
			} else {
				p.rounded(c.from, stampOf(c.to.N), c.write)
			}
		})
	})
	with(types.Date, types.TimestampTZ, func(p *printer, c *conversion) {
		p.packed(func() { p.around("CAST(", c, " AS TIMESTAMP)") })
	})
	with(types.TimestampTZ, types.TimestampTZ, func(p *printer, c *conversion) {
		if c.to.N >= c.from.N {
			c.write()
			return
		}
		p.packed(func() {
			p.rounded(types.NewTime(types.Timestamp, c.from.N), types.NewTime(types.Timestamp, c.to.N),
				func() { p.around("timezone('UTC', ", c, ")") })
		})
	})
	with(types.TimestampTZ, types.Timestamp, func(p *printer, c *conversion) {
		p.rounded(types.NewTime(types.Timestamp, c.from.N), c.to, func() { p.clockOf(c.operand) })
	})
	with(types.TimestampTZ, types.Date, func(p *printer, c *conversion) {
		p.put("CAST(", func() { p.clockOf(c.operand) }, " AS DATE)")
	})
	with(types.TimestampTZ, types.Time, func(p *printer, c *conversion) {
		p.timeOfDay(c,
			func() { p.clockOf(c.operand) })
	})
	with(types.TimestampTZ, types.Varchar, func(p *printer, c *conversion) {
		p.stampText(c,
			" "+p.zoneOfOperand(c.operand))
	})
	reg.casts[kinds{types.Varchar, types.TimestampTZ}] = (*printer).textToInstant
	with(types.IntervalDS, types.Varchar, func(p *printer, c *conversion) {
		p.fitting(c, func() { p.around(`"~interval_text"(CAST(epoch_ms(`, c, ") AS VARCHAR))") })
	})
	with(types.IntervalYM, types.Varchar, func(p *printer, c *conversion) {
		p.fitting(c, func() {
			p.fill(nil, "CASE WHEN $1 < 0 THEN '-' ELSE '' END || abs($1) // 12 || '-' || abs($1) % 12",
				operand{write: func() {
					p.put("list_transform([", c,
						`], lambda "~e": date_part('year', "~e") * 12 + date_part('month', "~e"))[1]`)
				}})
		})
	})
}

// reader is the function that parses a string; for TRY_CAST it is NULL for an invalid one.
func (c *conversion) reader(name string) string {
	if c.try {
		return "try_" + name
	}
	return name
}

func (p *printer) around(before string, c *conversion, after string) {
	p.put(before, c, after)
}

// dateOf writes a call whose result is in days, as a date.
func (p *printer) dateOf(name string, args ...func()) {
	p.put(`CAST(DATE '1970-01-01' + CAST("~`, name, `"(`)
	p.list(len(args), func(i int) { args[i]() })
	p.put(") AS INTEGER) AS DATE)")
}

// fitting writes a string that is cast to varchar(n): one that is too long is an error, for TRY_CAST too.
func (p *printer) fitting(c *conversion, write func()) {
	if c.to.N == types.Unbounded || c.to.N >= 50 {
		write()
		return
	}
	n := strconv.Itoa(c.to.N)
	p.fill(nil, "CASE WHEN length($1) > "+n+
		` THEN "~error"('Value [' || $1 || '] does not fit in type varchar(`+n+`)') ELSE $1 END`, operand{write: write})
}

// dateText formats a date. Years outside of 1 to 9999 are formatted in Go.
func (p *printer) dateText(c *conversion) {
	text := func() {
		p.fill(nil, `CASE WHEN $1 BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN CAST($1 AS VARCHAR)`+
			` ELSE "~date_text"(CAST($1 - DATE '1970-01-01' AS VARCHAR), '') END`, c.operand)
	}
	switch n := strconv.Itoa(c.to.N); {
	case c.to.N == types.Unbounded || c.to.N >= 14:
		text()
	case c.try:
		p.fill(nil, "CASE WHEN length($1) <= "+n+" THEN $1 END", operand{write: text})
	default:
		p.fill(nil, "CASE WHEN length($1) > "+n+
			` THEN "~error"('Value ' || $1 || ' cannot be represented as varchar(`+n+`)') ELSE $1 END`,
			operand{write: text})
	}
}

// stampText formats a timestamp and appends the text behind.
func (p *printer) stampText(c *conversion, behind string) {
	write := func() { p.clockText(" ", c.from.N, func() { p.clockOf(c.operand) }) }
	p.fitting(c, func() {
		if behind == "" {
			write()
			return
		}
		p.put("(")
		write()
		p.put(" || ", quoteText(behind), ")")
	})
}

// clockText formats a timestamp, with any year, as Trino does.
func (p *printer) clockText(between string, n int, write func()) {
	const day = "%Y-%m-%d"
	if n > 6 { // all years have four digits
		p.stamp(day+between+"%H:%M:%S", n, write)
		return
	}
	p.fill(nil, "CASE WHEN $1 >= TIMESTAMP '0001-01-01 00:00:00' AND $1 < TIMESTAMP '10000-01-01 00:00:00' THEN "+
		stampTemplate(day+between+"%H:%M:%S", n)+
		` WHEN $1 IS NOT NULL THEN "~date_text"(CAST(CAST($1 AS DATE) - DATE '1970-01-01' AS VARCHAR), '+') || `+
		stampTemplate(between+"%H:%M:%S", n)+" END", operand{write: write})
}

// stampTemplate is stamp for a template.
func stampTemplate(layout string, n int) string {
	f, surplus := fraction(n)
	s := "strftime($1, '" + layout + f + "')"
	if surplus > 0 {
		s = "left(" + s + ", " + strconv.Itoa(-surplus) + ")"
	}
	return s
}

// timeOfDay writes the time of day of a timestamp, rounded within the day.
func (p *printer) timeOfDay(c *conversion, write func()) {
	if c.to.N >= min(c.from.N, 6) {
		p.put("CAST(")
		write()
		p.put(" AS TIME)")
		return
	}
	from := types.NewTime(types.Timestamp, min(c.from.N, 6))
	p.put("CAST(")
	p.rounded(from, types.NewTime(types.Timestamp, c.to.N), func() {
		p.put("(DATE '1970-01-01' + CAST(")
		write()
		p.put(" AS TIME))")
	})
	p.put(" AS TIME)")
}

// textToInstant converts a string with a zone. A constant keeps its zone, a value read from a column must be UTC.
func (p *printer) textToInstant(c *conversion) {
	p.duckType(c.node, c.to)
	if x, ok := c.node.(*trinosql.Cast); ok {
		if s, ok := x.X.(*trinosql.StringLit); ok {
			if micros, _, ok := instantLiteral(strings.Trim(s.Value, times.Spaces), c.to.N); ok &&
				times.Packable(times.FloorDiv(micros, 1000)) {
				p.putInstant(micros)
				return
			}
		}
	}
	if p.tried != nil {
		p.refuse(c.node, "TRY of a cast of a text to %s is not supported on zone local", c.to)
	}
	p.around(`make_timestamptz(CAST("~`+c.reader("instant_of")+`"(`, c, ", '"+strconv.Itoa(c.to.N)+"') AS BIGINT))")
}

// rounded writes a timestamp with at most the fractional precision of the target, rounded half up.
func (p *printer) rounded(from, to *types.Type, write func()) {
	have, want := stampDigits(from), stampDigits(to)
	switch {
	case have == 6 && want == 9:
		p.put("CAST(")
		write()
		p.put(" AS TIMESTAMP_NS)")
		return
	case to.N >= from.N:
		write()
		return
	}
	unit := int64(1)
	for range have - to.N {
		unit *= 10
	}
	count, made := "epoch_us(", "make_timestamp("
	if have == 9 {
		count, made = "epoch_ns(", "make_timestamp_ns("
	}
	n, after := "$1 + "+itoa(unit/2), ""
	if have == 9 && want == 6 {
		made, after = "make_timestamp(", " // 1000"
	}
	u := itoa(unit)
	p.fill(nil, made+"(("+n+") - (("+n+") % "+u+" + "+u+") % "+u+")"+after+")", operand{write: func() {
		p.put(count)
		write()
		p.put(")")
	}})
}

// stampDate is the date of a timestamp. DuckDB rounds nanoseconds to microseconds, which may yield the next day.
func (p *printer) stampDate(c *conversion) {
	if c.from.N <= 6 {
		p.native(c)
		return
	}
	const day = "86400000000000"
	p.fill(nil, "CAST(DATE '1970-01-01' + CAST(($1 - ($1 % "+day+" + "+day+") % "+day+") // "+day+
		" AS INTEGER) AS DATE)", p.countedBy("epoch_ns(", c.write))
}
