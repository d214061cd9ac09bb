package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// A timestamp with time zone is an instant in DuckDB. Its zone is a static property of the expression: it comes from a
// literal or a function that names it and is propagated through columns, and whatever uses the local time of a value or
// displays it takes the zone from here. A value whose zone differs between rows is still an instant, but has no local
// time.

const (
	anyZone  = ""  // the zone of NULL
	manyZone = "?" // differs between values, or is unknown
)

// zones determines the zones of expressions and columns.
type zones struct {
	p       *printer
	made    map[*analyze.Field][]trinosql.Expr // the expressions that define a column
	columns map[*analyze.Field]string
	exprs   map[trinosql.Expr]string
	calls   map[*trinosql.Lambda]*trinosql.Func // the call that a lambda is an argument of
	params  map[*trinosql.Func]string           // the zone of the arguments of a call's lambdas
	// a zone was requested during its own lookup: results derived from it may be wrong
	circle bool
}

// zoned reports whether a type is or contains an instant.
func zoned(t *types.Type) bool {
	if t == nil {
		return false
	}
	if t.Kind == types.TimestampTZ {
		return true
	}
	for _, a := range t.Args {
		if zoned(a) {
			return true
		}
	}
	return false
}

func sameZone(a, b string) string {
	switch {
	case a == anyZone || a == b:
		return b
	case b == anyZone:
		return a
	}
	return manyZone
}

// zone is the zone of the local time of an expression. It ends the translation if there is none.
func (p *printer) zone(x trinosql.Expr) string {
	switch z := p.zoneOf(x); z {
	case anyZone:
		return "UTC"
	case manyZone:
		p.refuse(x, "a time whose zone is not the same for all values is not supported on zone local")
		return ""
	default:
		return z
	}
}

// zoneOf is the zone of an expression after coercion.
func (p *printer) zoneOf(x trinosql.Expr) string {
	if to := p.a.Coercions[x]; to != nil && zoned(to) && !zoned(p.a.Types[x]) {
		if p.a.Types[x].Kind == types.Unknown {
			return anyZone
		}
		return "UTC"
	}
	if p.zones == nil {
		p.zones = newZones(p)
	}
	return p.zones.of(x)
}

func (z *zones) of(x trinosql.Expr) string {
	if known, ok := z.exprs[x]; ok {
		return known
	}
	outer := z.circle
	z.circle = false
	zone := z.find(x)
	if !z.circle {
		z.exprs[x] = zone
	}
	z.circle = z.circle || outer
	return zone
}

// param is the zone of the arguments of a call's lambdas: that of the call's other arguments and of the lambdas'
// results.
func (z *zones) param(l *trinosql.Lambda) string {
	if z.calls == nil {
		z.calls, z.params = map[*trinosql.Lambda]*trinosql.Func{}, map[*trinosql.Func]string{}
		for x := range z.p.a.Calls {
			if f, ok := x.(*trinosql.Func); ok {
				for _, arg := range f.Args {
					if l, ok := arg.(*trinosql.Lambda); ok {
						z.calls[l] = f
					}
				}
			}
		}
	}
	f := z.calls[l]
	if f == nil {
		return manyZone
	}
	if zone, ok := z.params[f]; ok {
		z.circle = z.circle || zone == looking
		return strings.TrimPrefix(zone, looking)
	}
	z.params[f] = looking
	outer := z.circle
	zone := z.inside(f)
	z.circle = outer
	z.params[f] = zone
	return zone
}

const looking = "\x00"

func (z *zones) find(x trinosql.Expr) string {
	a := z.p.a
	if c := a.Columns[x]; c != nil {
		return z.column(c.Field)
	}
	switch x := x.(type) {
	case *trinosql.Ident:
		if l := a.Lambdas[x]; l != nil {
			return z.param(l.Lambda)
		}
	case *trinosql.NullLit:
		return anyZone
	case *trinosql.TypedLit:
		if _, zone, ok := instantLiteral(x.Value, 12); ok {
			return zone
		}
		return "UTC"
	case *trinosql.AtTimeZone:
		return constantZone(x.Zone)
	case *trinosql.Cast:
		if !zoned(z.p.typeOf(x.X)) {
			if s, ok := x.X.(*trinosql.StringLit); ok {
				if _, zone, ok := instantLiteral(strings.Trim(s.Value, times.Spaces), 12); ok {
					return zone
				}
			}
			return "UTC"
		}
	case *trinosql.Subquery:
		return z.query(x.Query)
	case *trinosql.Func:
		if a.Specials[x] == "nullif" {
			return z.p.zoneOf(x.Args[0])
		}
		if zone, ok := z.call(x); ok {
			return zone
		}
	}
	return z.inside(x)
}

// inside is the zone of the operands of an expression.
func (z *zones) inside(x trinosql.Node) string {
	zone := anyZone
	found := false
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		if n == x {
			return true
		}
		switch n := n.(type) {
		case *trinosql.Query:
			return false
		case *trinosql.Lambda:
			if zoned(z.p.typeOf(n.Body)) {
				zone, found = sameZone(zone, z.p.zoneOf(n.Body)), true
			}
			return false
		case trinosql.Expr:
			if t := z.p.typeOf(n); t != nil {
				if zoned(t) {
					zone, found = sameZone(zone, z.p.zoneOf(n)), true
				}
				return false
			}
		}
		return true
	})
	if !found {
		return "UTC"
	}
	return zone
}

// call is the zone of a call that specifies one.
func (z *zones) call(x *trinosql.Func) (zone string, ok bool) {
	b := z.p.a.Calls[x]
	if b == nil {
		return "", false
	}
	text := func(i int) (string, bool) {
		s, ok := x.Args[i].(*trinosql.StringLit)
		if !ok {
			return "", false
		}
		return s.Value, true
	}
	switch b.Function.Name {
	case "at_timezone", "with_timezone":
		return constantZone(x.Args[1]), true
	case "from_unixtime":
		switch len(x.Args) {
		case 2:
			return constantZone(x.Args[1]), true
		case 3:
			if minutes, ok := z.p.offsetOf(x); ok {
				return times.OffsetName(minutes), true
			}
			return manyZone, true
		}
	case "from_iso8601_timestamp":
		if s, ok := text(0); ok {
			if _, zone, err := times.ISOTimestamp(s); err == nil {
				return zone, true
			}
		}
	case "parse_datetime":
		s, ok1 := text(0)
		f, ok2 := text(1)
		if ok1 && ok2 {
			if p, err := times.Joda(f); err == nil {
				if _, zone, err := p.ReadInstant(s); err == nil {
					return zone, true
				}
			}
		}
	}
	return "", false
}

// constantZone is the zone in a constant argument.
func constantZone(x trinosql.Expr) string {
	switch x := x.(type) {
	case *trinosql.StringLit:
		if zone, err := times.ZoneName(x.Value); err == nil {
			return zone
		}
		return "UTC" // an error when the statement runs
	case *trinosql.IntervalLit:
		if minutes, ok := offsetMinutes(x); ok {
			return times.OffsetName(minutes)
		}
	}
	return manyZone
}

// offsetOf is the offset in minutes of from_unixtime(x, hours, minutes).
func (p *printer) offsetOf(x *trinosql.Func) (int64, bool) {
	h, ok1 := p.constant(x.Args[1])
	m, ok2 := p.constant(x.Args[2])
	if !ok1 || !ok2 || !h.IsInt64() || !m.IsInt64() || h.BitLen() > 16 || m.BitLen() > 16 {
		return 0, false
	}
	return h.Int64()*60 + m.Int64(), true
}

// offsetMinutes is an interval in whole minutes, if it is a valid offset of a zone.
func offsetMinutes(x *trinosql.IntervalLit) (int64, bool) {
	n, err := intervalValue(x)
	minutes := n / 60000
	return minutes, err == "" && n%60000 == 0 && minutes <= 14*60 && minutes >= -14*60 && x.From != "YEAR" &&
		x.From != "MONTH"
}

// clock writes the local time of a zone at an instant.
func (p *printer) clock(zone string, write func()) {
	if minutes, ok := times.Offset(zone); ok && minutes != 0 {
		p.put("(timezone('UTC', ")
		write()
		p.put(") + to_minutes(", itoa(minutes), "))")
		return
	}
	p.put("timezone(", quoteText(zone), ", ")
	write()
	p.put(")")
}

// fromClock writes the instant of a local time in a zone: of two instants, the first one or the one that Joda chooses.
func (p *printer) fromClock(zone, which string, write func()) {
	if minutes, ok := times.Offset(zone); ok {
		p.packed(func() {
			p.put("(")
			write()
			p.put(")")
			if minutes != 0 {
				p.put(" - to_minutes(", itoa(minutes), ")")
			}
		})
		return
	}
	p.packed(func() {
		p.put(`make_timestamptz(CAST("~instant_at"(CAST(epoch_us(`)
		write()
		p.put(") AS VARCHAR), ", quoteText(zone), ", ", quoteText(which), ") AS BIGINT))")
	})
}
