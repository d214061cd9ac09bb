package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// A timestamp with time zone is an instant in DuckDB, and its zone is known here where it is a constant: whatever reads the clock of such a
// value reads that of its zone. Where a value of another zone than UTC would be kept, it is refused.

var literalZone = late.Regexp(`\s([A-Za-z][\w/+:-]*)$|([+-]\d\d?(:?\d\d)?)$`)

// zone is the constant time zone of an expression, UTC unless it says another.
func (p *printer) zone(x trinosql.Expr) string {
	if t := p.a.Types[x]; t == nil || t.Kind != types.TimestampTZ {
		return "UTC"
	}
	text := func(x trinosql.Expr) string {
		s, ok := x.(*trinosql.StringLit)
		if !ok {
			p.refuse(x, "a time zone that is not a constant is not supported on zone local")
		}
		return s.Value
	}
	switch x := x.(type) {
	case *trinosql.TypedLit:
		v := strings.TrimSpace(x.Value)
		if i := strings.IndexAny(v, " "); i > 0 {
			if m := literalZone().FindStringSubmatch(v[i:]); m != nil {
				return m[1] + m[2]
			}
		}
	case *trinosql.AtTimeZone:
		if i, ok := x.Zone.(*trinosql.IntervalLit); ok {
			p.refuse(i, "AT TIME ZONE INTERVAL is not supported on zone local")
		}
		return text(x.Zone)
	case *trinosql.Binary:
		if p.a.Types[x.L].Kind == types.TimestampTZ {
			return p.zone(x.L)
		}
		return p.zone(x.R)
	case *trinosql.Cast:
		return p.zone(x.X)
	case *trinosql.Func:
		b := p.a.Calls[x]
		if b == nil {
			break
		}
		switch name := b.Function.Name; {
		case name == "at_timezone", name == "with_timezone", name == "from_unixtime" && len(x.Args) == 2:
			return text(x.Args[1])
		case name == "date_trunc", name == "date_add":
			return p.zone(x.Args[len(x.Args)-1])
		}
	}
	return "UTC"
}

func isUTC(zone string) bool {
	switch strings.ToUpper(zone) {
	case "UTC", "Z", "GMT", "UCT", "ETC/UTC", "+00:00", "-00:00", "+00", "+0":
		return true
	}
	return false
}

// instant writes an expression for what looks at the instant alone.
func (p *printer) instant(x trinosql.Expr) {
	outer := p.anyZone
	p.anyZone = x
	p.expr(x)
	p.anyZone = outer
}

// checkZone refuses a value of another zone where it would lose it.
func (p *printer) checkZone(x trinosql.Expr) {
	if t := p.a.Types[x]; t == nil || t.Kind != types.TimestampTZ || p.anyZone == x {
		return
	}
	if z := p.zone(x); !isUTC(z) {
		p.refuse(x, "a time in zone '%s' is kept in UTC on zone local: cast it to timestamp, date or varchar", z)
	}
}

var offsetForm = late.Regexp(`^([+-])(\d\d?)(?::?(\d\d))?$`)

// zoneOffset is the number of seconds that a zone written as +05:30 is ahead of UTC.
func zoneOffset(zone string) (seconds int, ok bool) {
	m := offsetForm().FindStringSubmatch(strings.TrimPrefix(zone, "UTC"))
	if m == nil {
		return 0, false
	}
	h, _ := strconv.Atoi(m[2])
	min, _ := strconv.Atoi("0" + m[3])
	seconds = h*3600 + min*60
	if m[1] == "-" {
		seconds = -seconds
	}
	return seconds, true
}

// local writes what the clock of a value's zone shows, as a timestamp.
func (p *printer) local(x trinosql.Expr) {
	if p.a.Types[x].Kind != types.TimestampTZ {
		p.expr(x)
		return
	}
	p.clock(p.zone(x), func() { p.instant(x) })
}

func (p *printer) clock(zone string, write func()) {
	if s, ok := zoneOffset(zone); ok {
		p.put("(timezone('UTC', ")
		write()
		p.put(") + to_seconds(", strconv.Itoa(s), "))")
		return
	}
	if isUTC(zone) {
		zone = "UTC"
	}
	p.put("timezone(", quoteText(zone), ", ")
	write()
	p.put(")")
}

// fromClock writes the instant at which the clock of a zone shows a timestamp.
func (p *printer) fromClock(zone string, write func()) {
	if s, ok := zoneOffset(zone); ok {
		p.put("timezone('UTC', (")
		write()
		p.put(") - to_seconds(", strconv.Itoa(s), "))")
		return
	}
	p.put("timezone(", quoteText(zone), ", ")
	write()
	p.put(")")
}
