//go:build cgo

package duckdb

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/javafn"
	"github.com/dig-cli/dig/pkg/late"
)

var (
	clockLiteral = late.Regexp(`^\s*\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{1,6})?)?\s*$`)
	fieldsYear   = late.Regexp(`^\s*(\d+)-(\d+)\s*$`)
	fieldsDay    = late.Regexp(`^\s*(\d+)(?:[ ](\d+)(?::(\d+)(?::(\d+(?:\.\d{1,3})?))?)?)?\s*$`)
	fieldsClock  = late.Regexp(`^\s*(\d+)(?::(\d+)(?::(\d+(?:\.\d{1,3})?))?)?\s*$`)
	fieldOne     = late.Regexp(`^\s*([+-]?)(\d+(?:\.\d{1,3})?)\s*$`)
)

// literal reads a type name followed by a text.
func (x *syntax) literal(i int) error {
	t, lit := x.tokens[i], x.at(i+1)
	text := lit.name()
	bad := func() error {
		return errorAt(t.pos, engine.KindSyntax, "'%s' is not a valid %s literal", text, strings.ToUpper(t.text))
	}
	from, to := t.pos, lit.end
	switch t.text {
	case "decimal":
		digits := strings.TrimSpace(text)
		if !decimalText().MatchString(digits) {
			return bad()
		}
		whole, frac, _ := strings.Cut(strings.TrimLeft(digits, "+-"), ".")
		p, s := max(len(whole)+len(frac), 1), len(frac)
		if p > 38 {
			return errorAt(t.pos, engine.KindValue, "Invalid literal. Expected precision (%d) must not exceed 38", p)
		}
		x.replace(from, to, fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", sqltext.Literal(digits), p, s))
	case "date":
		if !javafn.IsDate(text) {
			return bad()
		}
	case "time":
		if !clockLiteral().MatchString(text) {
			if _, zone, ok := strings.Cut(strings.TrimSpace(text), " "); ok || strings.ContainsAny(text, "+-"+zone) {
				return errorAt(t.pos, engine.KindUnsupported, "TIME WITH TIME ZONE is not supported on zone local")
			}
			return bad()
		}
	case "timestamp":
		return x.stamp(i, text, bad)
	case "json":
		x.replace(from, to, "json_parse("+sqltext.Literal(text)+")")
	case "char":
		return errorAt(t.pos, engine.KindUnsupported, "Type char is not supported on zone local")
	case "boolean", "tinyint", "smallint", "integer", "int", "bigint", "real", "double", "varchar", "uuid":
		x.replace(from, to, "CAST("+lit.text+" AS "+duckType(t.text)+")")
	case "ipaddress", "hyperloglog", "qdigest", "tdigest":
		return errorAt(t.pos, engine.KindUnsupported, "Type %s is not supported on zone local", t.text)
	case "text", "int4", "int8", "hugeint", "blob", "float", "float8", "float4", "datetime", "timestamptz", "string", "bytea", "bit", "name", "long", "short":
		return errorAt(t.pos, engine.KindUnsupported, "Unknown type: %s", t.text)
	}
	return nil
}

// stamp reads a timestamp literal: its number of digits is its precision, and a zone makes it one with time zone.
func (x *syntax) stamp(i int, text string, bad func() error) error {
	day, clock, fraction, zone, ok := javafn.CutTimestamp(text)
	if !ok {
		return bad()
	}
	from, to := x.tokens[i].pos, x.at(i+1).end
	if zone == "" {
		if len(fraction) > 9 {
			return errorAt(from, engine.KindUnsupported, "timestamps have at most 9 digits of the second on zone local")
		}
		x.replace(from, to, "CAST("+sqltext.Literal(day+" "+clock)+" AS "+stampType(len(fraction)).sql()+")")
		return nil
	}
	if len(fraction) > 6 {
		return errorAt(from, engine.KindUnsupported, "timestamps with time zone have at most 6 digits of the second on zone local")
	}
	loc, ok := javafn.Zone(zone)
	if !ok {
		return bad()
	}
	at, err := time.ParseInLocation("2006-1-2 15:4:5.999999", day+" "+clock, loc)
	if err != nil {
		return bad()
	}
	utc := "CAST(" + sqltext.Literal(at.UTC().Format("2006-01-02 15:04:05.999999")+"+00") + " AS TIMESTAMPTZ)"
	if loc != time.UTC {
		utc = "timezone(" + sqltext.Literal(zone) + ", " + utc + ")"
	}
	x.replace(from, to, utc)
	return nil
}

// interval reads INTERVAL [+|-] '...' unit [TO unit] exactly: months for years and months, milliseconds for the rest.
func (x *syntax) interval(i int) error {
	k, sign := i+1, int64(1)
	if x.is(k, "-") {
		sign = -1
		k++
	} else if x.is(k, "+") {
		k++
	}
	lit := x.at(k)
	if lit.kind != tokString || x.at(k+1).kind != tokWord {
		if lit.kind == tokString || lit.kind == tokNumber {
			return x.mismatched(k, "<string> <interval field>")
		}
		return nil
	}
	unit, last := x.at(k+1).text, k+1
	to := ""
	if x.is(k+2, "to") {
		to, last = x.at(k+3).text, k+3
	}
	bad := func() error {
		return errorAt(x.at(i).pos, engine.KindSyntax, "Invalid INTERVAL literal: %s", lit.text)
	}
	text := lit.name()
	months, millis, ok := int64(0), int64(0), false
	switch unit + " " + to {
	case "year month":
		if m := fieldsYear().FindStringSubmatch(text); m != nil {
			months, ok = atoi(m[1])*12+atoi(m[2]), true
		}
	case "day hour", "day minute", "day second":
		if m := fieldsDay().FindStringSubmatch(text); m != nil {
			millis, ok = atoi(m[1])*86_400_000+atoi(m[2])*3_600_000+atoi(m[3])*60_000+seconds(m[4]), true
		}
	case "hour minute", "hour second":
		if m := fieldsClock().FindStringSubmatch(text); m != nil {
			millis, ok = atoi(m[1])*3_600_000+atoi(m[2])*60_000+seconds(m[3]), true
		}
	case "minute second":
		if m := fieldsClock().FindStringSubmatch(text); m != nil && m[3] == "" {
			millis, ok = atoi(m[1])*60_000+atoi(m[2])*1000, true
		}
	case "year ", "month ", "day ", "hour ", "minute ", "second ":
		m := fieldOne().FindStringSubmatch(text)
		if m == nil || strings.Contains(m[2], ".") && unit != "second" {
			return bad()
		}
		if m[1] == "-" {
			sign = -sign
		}
		switch ok = true; unit {
		case "year":
			months = atoi(m[2]) * 12
		case "month":
			months = atoi(m[2])
		case "second":
			millis = seconds(m[2])
		default:
			millis = atoi(m[2]) * map[string]int64{"day": 86_400_000, "hour": 3_600_000, "minute": 60_000}[unit]
		}
	default:
		return x.mismatched(k+1, "'DAY', 'HOUR', 'MINUTE', 'MONTH', 'SECOND', 'YEAR'")
	}
	if !ok {
		return bad()
	}
	out := fmt.Sprintf(`"~months"(%d)`, sign*months)
	if unit != "year" && unit != "month" {
		out = fmt.Sprintf(`"~millis"(%d)`, sign*millis)
	}
	x.replace(x.at(i).pos, x.at(last).end, out)
	return nil
}

func atoi(s string) int64 {
	n, _ := strconv.ParseInt("0"+s, 10, 64)
	return n
}

// seconds reads 5.25 as milliseconds.
func seconds(s string) int64 {
	whole, frac, _ := strings.Cut(s, ".")
	return atoi(whole)*1000 + atoi((frac + "000")[:3])
}
