//go:build cgo

package duckdb

import (
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/javafn"
)

// A time with time zone is an instant in DuckDB: the zone it is shown in is lost. In Trino the zone belongs to the value. Zones
// other than UTC live on here in the tree alone: whoever reads the clock of such a value, as CAST(... AS date) or hour(...), gets
// that zone's; where the value itself would get out, it is refused.

// inZone gives an instant a zone.
func (r *rewriter) inZone(x, zone node) (node, error) {
	name, ok := literalText(zone)
	if !ok {
		return nil, unsupported(zone, "a time zone must be a constant on zone local")
	}
	loc, ok := javafn.Zone(name)
	if !ok {
		return nil, errorAt(location(zone), engine.KindValue, "'%s' is not a valid time zone", name)
	}
	out := clone(x)
	out[typeKey] = typed("timestamp with time zone")
	delete(out, zoneKey)
	if loc != time.UTC {
		out[zoneKey] = name
	}
	return out, nil
}

// local is the clock reading of a value: that of its zone for one with time zone.
func (r *rewriter) local(x node, t *vtype) node {
	if !t.isZoned() {
		return x
	}
	zone, _ := x[zoneKey].(string)
	if zone == "" {
		zone = "UTC"
	}
	out := clock(zone, x)
	out[typeKey] = typed("timestamp")
	return out
}

// clock is the clock reading of an instant in a zone. DuckDB knows zones by their names only.
func clock(zone string, x node) node {
	if s := offsetSeconds(zone); s != 0 {
		return infix("+", call("timezone", textConst("UTC"), x), call("to_seconds", intConst(s)))
	}
	return call("timezone", textConst(zone), x)
}

func offsetSeconds(zone string) int64 {
	if loc, ok := javafn.Zone(zone); ok && javafn.IsOffset(zone) {
		_, s := time.Unix(0, 0).In(loc).Zone()
		return int64(s)
	}
	return 0
}

// zones refuses values of other zones where they would lose them.
func (r *rewriter) zones(root node) error {
	var walk func(v any, parent node) error
	walk = func(v any, parent node) error {
		switch v := v.(type) {
		case node:
			if zone, ok := v[zoneKey].(string); ok {
				f := str(parent, "function_name")
				if c := class(parent); c != "COMPARISON" && c != "BETWEEN" && f != "epoch" && f != "timezone" {
					return unsupported(v, "a time in zone '%s' is kept in UTC on zone local: cast it to timestamp, date or varchar", zone)
				}
			}
			up := parent
			if class(v) != "" {
				up = v
			} else if str(v, "type") != "" {
				up = nil
			}
			for _, k := range sortedKeys(v) {
				if err := walk(v[k], up); err != nil {
					return err
				}
			}
		case []any:
			for _, x := range v {
				if err := walk(x, parent); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return walk(root, nil)
}

// fieldSQL are the functions that read a field of a date or time. Weeks are those of ISO, and Monday is day 1.
func fieldSQL(name string) string {
	switch name {
	case "day_of_month":
		return "day($a)"
	case "day_of_week", "dow":
		return "isodow($a)"
	case "day_of_year", "doy":
		return "dayofyear($a)"
	case "year_of_week", "yow":
		return "isoyear($a)"
	case "week_of_year":
		return "week($a)"
	case "millisecond":
		return "CAST(millisecond($a) % 1000 AS BIGINT)"
	}
	return name + "($a)"
}

var timeUnits = []string{"millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"}

// unit reads the constant unit of a time function that fits the type.
func unit(n, arg node, t *vtype) (string, error) {
	text, ok := literalText(arg)
	if !ok {
		return "", unsupported(n, "the unit of %s must be a constant on zone local", str(n, "function_name"))
	}
	text = strings.ToLower(text)
	for i, u := range timeUnits {
		if u == text && (t.name != "date" || i >= 4) && (t.name != "time" || i < 4) {
			return u, nil
		}
	}
	kind := "Timestamp"
	if t.name == "date" {
		kind = "DATE"
	}
	return "", errorAt(location(n), engine.KindValue, "'%s' is not a valid %s field", text, kind)
}

func (r *rewriter) timeRule(name string, n node, t []*vtype) (node, error) {
	a := args(n)
	moment := func(x *vtype) bool { return x.name == "date" || x.isStamp() || x.isZoned() || x.isUnknown() }
	last := t[len(t)-1]
	switch name {
	case "timezone", "with_timezone":
		x, zone, xt := a[1], a[0], t[1]
		if str(n, "function_name") != "timezone" {
			x, zone, xt = a[0], a[1], t[0]
		}
		switch {
		case name == "with_timezone" && xt.isStamp():
			name, _ := literalText(zone)
			sql := "timezone($b, CAST($a AS TIMESTAMP))"
			if s := offsetSeconds(name); s != 0 {
				sql = "timezone('UTC', CAST($a AS TIMESTAMP) - to_seconds(" + strconv.FormatInt(s, 10) + "))"
			}
			at, err := r.template(sql, x, zone)
			if err != nil {
				return nil, err
			}
			return r.inZone(at, zone)
		case name == "timezone" && xt.isStamp():
			at, err := r.castAs(x, typed("timestamp with time zone"))
			if err != nil {
				return nil, err
			}
			return r.inZone(at, zone)
		case name == "timezone" && xt.isZoned():
			return r.inZone(x, zone)
		}
		return nil, mismatch(n, "at_timezone", t)
	case "field":
		f := str(n, "function_name")
		if !moment(t[0]) && t[0].name != "time" && !t[0].isInterval() {
			return nil, mismatch(n, f, t)
		}
		return typed("bigint").of(r.template(fieldSQL(f), r.local(a[0], t[0])))
	case "date_format", "format_datetime":
		if !moment(t[0]) || !t[1].isText() && !t[1].isUnknown() {
			return nil, mismatch(n, name, t)
		}
		zone, _ := a[0][zoneKey].(string)
		return typed("varchar").of(r.template(`"~`+name+`"(strftime(CAST($a AS TIMESTAMP), '%Y-%m-%d %H:%M:%S.%f'), $b, $c)`, r.local(a[0], t[0]), a[1], textConst(zone)))
	case "to_iso8601":
		switch {
		case t[0].name == "date":
			return typed("varchar").of(r.template("CAST($a AS VARCHAR)", a...))
		case t[0].isStamp():
			return typed("varchar").of(r.template("strftime($a, '%Y-%m-%dT%H:%M:%S"+map[int]string{0: "", 3: ".%g", 6: ".%f", 9: ".%n"}[t[0].precision()]+"')", a...))
		case t[0].isZoned():
			return typed("varchar").of(r.template("strftime(timezone('UTC', $a), '%Y-%m-%dT%H:%M:%S.%fZ')", a...))
		}
		return nil, mismatch(n, name, t)
	}
	if !moment(last) && !(last.name == "time" && name == "date_add") || name == "date_diff" && !moment(t[1]) {
		return nil, mismatch(n, name, t)
	}
	u, err := unit(n, a[0], last)
	if err != nil {
		return nil, err
	}
	x := a[len(a)-1]
	switch name {
	case "date_trunc":
		if zone := x[zoneKey]; zone != nil {
			sql := "timezone($b, date_trunc('" + u + "', $a))"
			if s := offsetSeconds(zone.(string)); s != 0 {
				sql = "timezone('UTC', date_trunc('" + u + "', $a) - to_seconds(" + strconv.FormatInt(s, 10) + "))"
			}
			out, err := r.template(sql, r.local(x, last), textConst(zone.(string)))
			if err == nil {
				out[typeKey], out[zoneKey] = last, zone
			}
			return out, err
		}
		return last.of(r.template("CAST(date_trunc('"+u+"', $a) AS "+last.sql()+")", x))
	case "date_add":
		return last.of(r.template("CAST($b + "+map[string]string{
			"millisecond": "to_milliseconds($a)", "second": "to_seconds($a)", "minute": "to_minutes($a)", "hour": "to_hours($a)", "day": "to_days(CAST($a AS INTEGER))",
			"week": "to_weeks(CAST($a AS INTEGER))", "month": "to_months(CAST($a AS INTEGER))", "quarter": "to_months(3 * CAST($a AS INTEGER))", "year": "to_years(CAST($a AS INTEGER))",
		}[u]+" AS "+last.sql()+")", a[1], x))
	}
	common := commonType(t[1], last)
	if common == nil {
		return nil, mismatch(n, name, t)
	}
	return typed("bigint").of(r.template("date_sub('"+u+"', CAST($a AS "+common.sql()+"), CAST($b AS "+common.sql()+"))", a[1], a[2]))
}
