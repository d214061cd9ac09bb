package translate

import (
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// A timestamp with time zone is an instant in DuckDB. Its zone is a constant of the expression: it comes from a literal or a function that
// names it and goes along with columns, and whatever reads the clock of a value or shows it takes it from here. A value whose zone
// is not the same in all rows is an instant still, but its clock cannot be read.

const (
	anyZone  = ""  // of NULL
	manyZone = "?" // not the same for all values, or unknown
)

// zones knows the zones of expressions and columns.
type zones struct {
	p       *printer
	made    map[*analyze.Field][]trinosql.Expr // what a column is made of
	columns map[*analyze.Field]string
	exprs   map[trinosql.Expr]string
	calls   map[*trinosql.Lambda]*trinosql.Func // the call that a lambda is given to
	params  map[*trinosql.Func]string           // the zone of what lambdas are called with
	circle  bool                                // a zone was asked for while it was looked for: what was made of it meanwhile may be wrong
}

// zoned reports whether values of a type have instants in them.
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

// zone is the zone whose clock an expression shows. It ends the translation where there is none.
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

// zoneOf is the zone of an expression as it is used, coerced.
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

// param is the zone of what the lambdas of a call are called with: that of the other arguments and of what lambdas give.
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
		if zone, ok := z.call(x); ok {
			return zone
		}
	}
	return z.inside(x)
}

// inside is the zone of what an expression is made of.
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

// call is the zone of a call that names one.
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

// constantZone is the zone that an argument names.
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

// offsetOf is the offset in minutes that from_unixtime(x, hours, minutes) names.
func (p *printer) offsetOf(x *trinosql.Func) (int64, bool) {
	h, ok1 := p.constant(x.Args[1])
	m, ok2 := p.constant(x.Args[2])
	if !ok1 || !ok2 || !h.IsInt64() || !m.IsInt64() || h.BitLen() > 16 || m.BitLen() > 16 {
		return 0, false
	}
	return h.Int64()*60 + m.Int64(), true
}

// offsetMinutes is the number of whole minutes that an interval is, if it can be the offset of a zone.
func offsetMinutes(x *trinosql.IntervalLit) (int64, bool) {
	n, err := intervalValue(x)
	minutes := n / 60000
	return minutes, err == "" && n%60000 == 0 && minutes <= 14*60 && minutes >= -14*60 && x.From != "YEAR" && x.From != "MONTH"
}

// column is the zone of a column.
func (z *zones) column(f *analyze.Field) string {
	if !zoned(f.Type) {
		return "UTC"
	}
	if zone, ok := z.columns[f]; ok {
		z.circle = z.circle || zone == looking
		return strings.TrimPrefix(zone, looking)
	}
	z.columns[f] = looking // of a query that refers to itself: what it begins with says it
	outer := z.circle
	z.circle = false
	zone := anyZone
	switch made := z.defined(f); {
	case len(made) > 0:
		for _, x := range made {
			if zoned(z.p.typeOf(x)) {
				zone = sameZone(zone, z.p.zoneOf(x))
			} else if z.p.typeOf(x).Kind != types.Unknown {
				zone = sameZone(zone, "UTC")
			}
		}
	case len(f.From) > 0:
		for _, of := range f.From {
			if zoned(of.Type) {
				zone = sameZone(zone, z.column(of))
			} else if of.Type.Kind != types.Unknown {
				zone = sameZone(zone, "UTC")
			}
		}
	case f.Column != nil && f.Column.Zone != "":
		zone = f.Column.Zone
	default:
		zone = "UTC"
	}
	if delete(z.columns, f); !z.circle || !slices.Contains(slices.Collect(maps.Values(z.columns)), looking) {
		z.columns[f], z.circle = zone, false
	}
	z.circle = z.circle || outer
	return zone
}

// defined are the expressions that a column is made of.
func (z *zones) defined(f *analyze.Field) []trinosql.Expr {
	if z.made == nil {
		z.made = map[*analyze.Field][]trinosql.Expr{}
		a := z.p.a
		items := func(body trinosql.QueryBody, fields []*analyze.Field) {
			s, ok := body.(*trinosql.Select)
			if !ok {
				return
			}
			for i, it := range a.Selects[s].Items {
				switch {
				case it.Expr != nil:
					z.made[fields[i]] = []trinosql.Expr{it.Expr}
				case it.Row != nil:
					z.made[fields[i]] = []trinosql.Expr{it.Row}
				}
			}
		}
		for q, info := range a.Queries {
			items(q.Body, info.Fields)
		}
		for body, b := range a.Bodies {
			items(body, b.Fields)
			v, ok := body.(*trinosql.Values)
			if !ok {
				continue
			}
			for _, r := range v.Rows {
				row, ok := r.(*trinosql.Row)
				for i, f := range b.Fields {
					if ok && len(row.Items) == len(b.Fields) {
						z.made[f] = append(z.made[f], row.Items[i])
					} else {
						z.made[f] = append(z.made[f], r)
					}
				}
			}
		}
		for r, info := range a.Relations {
			u, ok := r.(*trinosql.Unnest)
			if !ok {
				continue
			}
			for _, f := range info.Fields { // of whichever of the arrays it is an element
				z.made[f] = u.Exprs
			}
		}
	}
	if len(f.From) > 0 {
		return nil
	}
	return z.made[f]
}

// query is the zone of the values of a query of one column.
func (z *zones) query(q *trinosql.Query) string {
	zone := anyZone
	for _, f := range z.p.a.Queries[q].Fields {
		if zoned(f.Type) {
			zone = sameZone(zone, z.column(f))
		}
	}
	return zone
}

// clock writes what the clock of a zone shows at an instant.
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

// fromClock writes the instant at which the clock of a zone shows a timestamp: of two, the first one or the one that Joda takes.
func (p *printer) fromClock(zone, which string, write func()) {
	if minutes, ok := times.Offset(zone); ok {
		p.put("timezone('UTC', (")
		write()
		p.put(")")
		if minutes != 0 {
			p.put(" - to_minutes(", itoa(minutes), ")")
		}
		p.put(")")
		return
	}
	p.put(`make_timestamptz(CAST("~instant_at"(CAST(epoch_us(`)
	write()
	p.put(") AS VARCHAR), ", quoteText(zone), ", ", quoteText(which), ") AS BIGINT))")
}

// outputZones are the zones of the columns of the result, nil when all are shown in UTC.
func (p *printer) outputZones(q *trinosql.Query) []string {
	var zones []string
	i := 0
	for _, f := range p.a.Queries[q].Fields {
		if f.Hidden {
			continue
		}
		if i < len(p.a.Output) && zoned(p.a.Output[i].Type) {
			zone := "UTC"
			if zoned(f.Type) {
				if p.zones == nil {
					p.zones = newZones(p)
				}
				zone = p.zones.column(f)
			}
			switch zone {
			case manyZone:
				p.refuse(q, "a result with times of several zones in one column is not supported on zone local")
			case anyZone, "UTC":
			default:
				if zones == nil {
					zones = make([]string, len(p.a.Output))
				}
				zones[i] = zone
			}
		}
		i++
	}
	return zones
}

func newZones(p *printer) *zones {
	return &zones{p: p, columns: map[*analyze.Field]string{}, exprs: map[trinosql.Expr]string{}}
}
