package javafn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql/times"
)

// Dates are days, times are microseconds (_ns: nanoseconds), since midnight or since 1970-01-01.
func timeFunctions() []Function {
	return slices.Concat(castFunctions("date_of", 1, castDate), castFunctions("timestamp_of", 2, castTimestamp),
		castFunctions("time_of", 2, castTime),
		castFunctions("instant_of", 2, castInstant), []Function{
			timeFunction("iso_date_of", 1, func(a []string) (string, error) {
				days, err := times.ISODate(a[0])
				if err != nil {
					return "", err
				}
				return dayCount(days)
			}),
			timeFunction("iso_instant_of", 1, func(a []string) (string, error) {
				millis, zone, err := times.ISOTimestamp(a[0])
				if err == nil {
					err = keeps(a[0], zone)
				}
				return strconv.FormatInt(millis*1000, 10), err
			}),
			// without a second argument, years of more than four digits have no plus sign
			timeFunction("date_text", 2, func(a []string) (string, error) {
				days, err := strconv.ParseInt(a[0], 10, 64)
				s := times.DateText(days)
				if a[1] == "" {
					s = strings.TrimPrefix(s, "+")
				}
				return s, err
			}),
			timeFunction("interval_text", 1, func(a []string) (string, error) {
				millis, err := strconv.ParseInt(a[0], 10, 64)
				return times.DayTimeText(millis), err
			}),
			timeFunction("date_add", 4, dateAdd),
			timeFunction("instant_at", 3, instantAt),
			timeFunction("mysql_format", 2, func(a []string) (string, error) {
				p, err := times.MySQL(a[1])
				if err != nil {
					return "", err
				}
				return written(p, a[0], "UTC", a[0])
			}),
			timeFunction("joda_format", 4, func(a []string) (string, error) {
				if a[2] == "" && strings.ContainsAny(a[1], "zZ") {
					return "", says("format_datetime for TIMESTAMP type, cannot use 'Z' nor 'z' in format, as this " +
						"type does not contain TZ information")
				}
				p, err := times.Joda(a[1])
				if err != nil {
					return "", err
				}
				zone := a[2]
				if zone == "" {
					zone = "UTC"
				}
				return written(p, a[0], zone, a[3])
			}),
			timeFunction("mysql_parse", 2, func(a []string) (string, error) {
				millis, err := times.DateParse(a[0], a[1])
				return strconv.FormatInt(millis*1000, 10), err
			}),
			timeFunction("joda_parse", 2, func(a []string) (string, error) {
				p, err := times.Joda(a[1])
				if err != nil {
					return "", err
				}
				millis, zone, err := p.ReadInstant(a[0])
				if err == nil {
					err = keeps(a[0], zone)
				}
				return strconv.FormatInt(millis*1000, 10), err
			}),
			offsetFunction("iso_offset", times.ISOOffset),
			offsetFunction("java_offset", times.JavaOffset),
			timeFunction("human_readable_seconds", 1, func(a []string) (string, error) {
				f, err := parseDouble(a[0], 64)
				if err != nil {
					return "", err
				}
				return times.HumanReadable(f)
			}),
			timeFunction("parse_duration", 1, func(a []string) (string, error) {
				millis, err := times.Duration(a[0])
				return strconv.FormatInt(millis, 10), err
			}),
			timeFunction("interval_times", 3, intervalTimes),
		})
}

// offsetFunction writes the offset of a zone at an instant in microseconds.
func offsetFunction(name string, f func(zone string, millis int64) (string, error)) Function {
	return timeFunction(name, 2, func(a []string) (string, error) {
		n, err := strconv.ParseInt(a[0], 10, 64)
		if err != nil {
			return "", err
		}
		return f(a[1], times.FloorDiv(n, 1000))
	})
}

// castFunctions are a cast and its TRY_CAST, which is NULL for an invalid text.
func castFunctions(name string, args int, f func(a []string) (string, error)) []Function {
	return []Function{timeFunction(name, args, f), {"try_" + name, args, func(a []string) (string, bool, error) {
		s, err := f(a)
		if errors.As(err, new(unread)) || errors.As(err, new(farZone)) {
			return "", false, nil
		}
		return s, err == nil, worded(err)
	}}}
}

// farZone is the error for an offset beyond the range of zones.
type farZone string

func (z farZone) Error() string { return "Time zone not supported: " + string(z) }

// unread is the error for a text that cannot be cast.
type unread string

func (u unread) Error() string { return string(u) }

func castDate(a []string) (string, error) {
	days, ok := times.Date(a[0])
	if !ok {
		return "", unread("Value cannot be cast to date: " + a[0])
	}
	return dayCount(days)
}

func castTime(a []string) (string, error) {
	c, ok := times.Time(a[0])
	if !ok || c.Zone != "" || len(c.Digits) > 12 {
		return "", unread("Value cannot be cast to time: " + a[0])
	}
	p, err := strconv.Atoi(a[1])
	return strconv.FormatInt(c.Scaled(p, 6).Int64()%86_400_000_000, 10), err
}

func timeFunction(name string, args int, f func(a []string) (string, error)) Function {
	return Function{name, args, func(a []string) (string, bool, error) {
		s, err := f(a)
		return s, true, worded(err)
	}}
}

// worded is an error with Trino's message, with the kind as prefix unless it is that of an invalid argument.
func worded(err error) error {
	var e times.Error
	var f *times.Fault
	var u unread
	var z farZone
	switch {
	case errors.As(err, &z):
		return said("\x01NOT_SUPPORTED\x01" + z.Error())
	case errors.As(err, &u):
		return said(u)
	case errors.As(err, &e):
		return said(e)
	case errors.As(err, &f):
		return said("\x01" + f.Kind + "\x01" + f.Message)
	}
	return err
}

func dayCount(days int64) (string, error) {
	if days >= math.MaxInt32 || days <= -math.MaxInt32 {
		return "", refuses("the date %s is not supported on zone local: dates go from -5877641-06-25 to 5881580-07-10",
			times.DateText(days))
	}
	return strconv.FormatInt(days, 10), nil
}

// castTimestamp implements CAST(... AS timestamp(p)): microseconds, or nanoseconds for a precision above six.
func castTimestamp(a []string) (string, error) {
	text := a[0]
	p, err := strconv.Atoi(a[1])
	if err != nil {
		return "", err
	}
	c, ok := times.Timestamp(strings.Trim(text, times.Spaces))
	if ok && c.Zone != "" {
		if _, err := times.ZoneName(c.Zone); err != nil && !times.FarOffset(c.Zone) {
			ok = false
		}
	}
	if !ok {
		return "", unread("Value cannot be cast to timestamp: " + text)
	}
	// a time in a gap of the zone becomes another one
	if zone, err := times.ZoneName(c.Zone); c.Zone != "" && err == nil {
		if l, ok := times.Location(zone); ok {
			if instant, skipped := times.FirstInstant(l, 1000*c.Seconds); skipped {
				c.Seconds = times.FloorDiv(times.Shown(l, instant), 1000)
			}
		}
	}
	digits := 6
	if p > 6 {
		digits = 9
	}
	n := c.Scaled(p, digits)
	if !n.IsInt64() || n.Int64() == math.MaxInt64 || n.Int64() <= -math.MaxInt64 {
		return "", refuses("the timestamp %s is out of range on zone local", text)
	}
	return n.String(), nil
}

// castInstant implements CAST(... AS timestamp(p) with time zone). A zone other than UTC cannot be kept.
func castInstant(a []string) (string, error) {
	text := a[0]
	p, err := strconv.Atoi(a[1])
	if err != nil {
		return "", err
	}
	c, ok := times.Timestamp(strings.Trim(text, times.Spaces))
	bad := unread("Value cannot be cast to timestamp: " + text)
	if !ok {
		return "", bad
	}
	zone := "UTC"
	if c.Zone != "" {
		if zone, err = times.ZoneName(c.Zone); err != nil {
			if times.FarOffset(c.Zone) {
				return "", farZone(c.Zone)
			}
			return "", bad
		}
	}
	micros, err := c.Instant(zone, p)
	if err != nil {
		return "", bad
	}
	if millis := times.FloorDiv(micros, 1000); !times.Packable(millis) {
		if p > 3 {
			return "", &times.Fault{Kind: "GENERIC_INTERNAL_ERROR", Message: times.Overflow(millis)}
		}
		return "", bad
	}
	return strconv.FormatInt(micros, 10), keeps(text, zone)
}

func keeps(text, zone string) error {
	if zone == "UTC" {
		return nil
	}
	return refuses("a time in zone '%s' is kept in UTC on zone local: '%s' would lose its zone", zone, text)
}

// dateAdd implements date_add(unit, n, value); the last argument is the kind of the value: date, time or timestamp.
func dateAdd(a []string) (string, error) {
	n, err1 := strconv.ParseInt(a[1], 10, 64)
	v, err2 := strconv.ParseInt(a[2], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	kind := map[string]times.Kind{"date": times.OfDate, "time": times.OfTime, "timestamp": times.OfTimestamp}[a[3]]
	v, err := times.Add(a[0], n, v, kind)
	if err == nil && kind == times.OfDate {
		return dayCount(v)
	}
	return strconv.FormatInt(v, 10), err
}

// instantAt is the instant of a local time in a zone. The third argument chooses between two instants: first, or joda
// for the one that Joda chooses.
func instantAt(a []string) (string, error) {
	n, err := strconv.ParseInt(a[0], 10, 64)
	if err != nil {
		return "", err
	}
	l, ok := times.Location(a[1])
	if !ok {
		return "", says("'%s' is not a valid time zone", a[1])
	}
	millis, rest := times.FloorDiv(n, 1000), n-times.FloorDiv(n, 1000)*1000
	if a[2] == "joda" {
		millis, _ = times.Instant(l, millis)
	} else {
		millis, _ = times.FirstInstant(l, millis)
	}
	return strconv.FormatInt(millis*1000+rest, 10), nil
}

// written formats a local time in microseconds, with its zone and instant.
func written(p times.Pattern, shown, zone, instant string) (string, error) {
	s, err1 := strconv.ParseInt(shown, 10, 64)
	i, err2 := strconv.ParseInt(instant, 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	return p.Write(times.FloorDiv(s+500, 1000), zone, times.FloorDiv(i+500, 1000))
}

// intervalTimes computes with the milliseconds or months of an interval. The last argument is the operator, the unit
// (day or year) and the type of the other operand.
func intervalTimes(a []string) (string, error) {
	n, err := strconv.ParseInt(a[0], 10, 64)
	if err != nil {
		return "", err
	}
	how := strings.Fields(a[2])
	var out int64
	if how[2] == "bigint" {
		k, err := strconv.ParseInt(a[1], 10, 64)
		if err != nil {
			return "", err
		}
		switch how[0] { // overflows wrap, as in Trino
		case "+":
			out = n + k
		case "-":
			out = n - k
		default:
			out = n * k
		}
	} else {
		f, err := parseDouble(a[1], 64)
		if err != nil {
			return "", err
		}
		verb, product := "multiply", float64(n)*f
		if how[0] == "/" {
			verb, product = "divide", float64(n)/f
		}
		if math.IsNaN(f) || how[0] == "/" && f == 0 {
			if f == 0 {
				return "", says("Cannot divide by double %s", map[bool]string{false: "0.0",
					true: "-0.0"}[math.Signbit(f)])
			}
			return "", says("Cannot %s by double NaN", verb)
		}
		switch {
		case product >= math.MaxInt64:
			out = math.MaxInt64
		case product <= math.MinInt64:
			out = math.MinInt64
		default:
			out = int64(product)
		}
	}
	switch {
	case how[1] == "year" && out > math.MaxInt32:
		return "", &times.Fault{Kind: "GENERIC_INTERNAL_ERROR", Message: fmt.Sprintf("Value %d exceeds MAX_INT", out)}
	case how[1] == "year" && out < math.MinInt32:
		return "", &times.Fault{Kind: "GENERIC_INTERNAL_ERROR", Message: fmt.Sprintf("Value %d exceeds MIN_INT", out)}
	case how[1] == "day" && (out > math.MaxInt64/1000 || out < math.MinInt64/1000):
		return "", refuses("an interval of %s is out of range on zone local", times.DayTimeText(out))
	}
	return strconv.FormatInt(out, 10), nil
}
