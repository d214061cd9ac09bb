package times

import (
	"strconv"
)

// ISODate implements from_iso8601_date.
func ISODate(text string) (days int64, err error) {
	shown, _, err := isoRead(text, isoDate)
	if err != nil {
		return 0, err
	}
	if days = FloorDiv(shown, day); int64(int32(days)) != days {
		return 0, &Fault{"GENERIC_INTERNAL_ERROR", "integer overflow"}
	}
	return days, nil
}

// ISOTimestamp implements from_iso8601_timestamp. It returns milliseconds and the zone, UTC if the string has none.
func ISOTimestamp(text string) (millis int64, zone string, err error) {
	shown, zone, err := isoRead(text, isoTimestamp)
	if err != nil {
		return 0, "", err
	}
	if zone, err = zoneOr(zone); err != nil {
		return 0, "", err
	}
	minutes, _ := Offset(zone)
	return packed(shown-minutes*minute, zone, "GENERIC_INTERNAL_ERROR")
}

func packed(millis int64, zone, kind string) (int64, string, error) {
	if !Packable(millis) {
		return 0, "", &Fault{kind, Overflow(millis)}
	}
	return millis, zone, nil
}

// Packable reports whether an instant is in the range of Trino's timestamp with time zone, which has 52 bits for it.
func Packable(millis int64) bool { return millis < packable && millis >= -packable }

const packable = 1 << 51

// Overflow is Trino's message for an instant that is not Packable.
func Overflow(millis int64) string { return "Millis overflow: " + strconv.FormatInt(millis, 10) }

// PackedBias is the number whose sum with the microseconds of an instant exceeds 64 bits exactly if the instant is too
// late for Trino's timestamp with time zone, and whose difference does if it is too early: 2^63 - 2^51 * 1000.
const PackedBias = "6971572223169527808"

func isoRead(text string, p parser) (shown int64, zone string, err error) {
	r := &reader{text: text}
	at := p(r, 0)
	if at < 0 {
		return 0, "", r.malformed(^at)
	}
	if at < len(text) {
		return 0, "", r.malformed(at)
	}
	shown, err = r.millis()
	return shown, r.zone, err
}

// parser parses a piece of the string, as Joda's do: it returns the position of the next piece, or ^position of an
// error.
type parser func(r *reader, at int) int

func one(e element) parser { return func(r *reader, at int) int { return r.element(e, at) } }

func literal(s string) parser { return one(element{text: s}) }

func digits(field byte, most int) parser { return one(element{field: field, n: 1, most: most}) }

func inTurn(ps ...parser) parser {
	return func(r *reader, at int) int {
		for _, p := range ps {
			if at = p(r, at); at < 0 {
				break
			}
		}
		return at
	}
}

// oneOf takes the alternative with the longest match; a nil one at the end makes it optional.
func oneOf(ps ...parser) parser {
	return func(r *reader, at int) int {
		fields, zone := len(r.fields), r.zone
		best, bad, optional := at, at, false
		var bestFields []setting
		bestZone := ""
		for i, p := range ps {
			if p == nil {
				if best <= at {
					return at
				}
				optional = true
				break
			}
			end := p(r, at)
			if end >= at && end > best {
				if end >= len(r.text) || i+1 >= len(ps) || ps[i+1] == nil {
					return end
				}
				best, bestFields, bestZone = end, append([]setting(nil), r.fields...), r.zone
			} else if end < 0 {
				bad = max(bad, ^end)
			}
			r.fields, r.zone = r.fields[:fields:fields], zone
		}
		if best > at || optional {
			if best > at {
				r.fields, r.zone = bestFields, bestZone
			}
			return best
		}
		return ^bad
	}
}

func optional(ps ...parser) parser { return oneOf(inTurn(ps...), nil) }

// fraction parses the fraction of an hour, a minute or a second.
func fraction(of int64) parser {
	return inTurn(oneOf(literal("."), literal(",")), func(r *reader, at int) int {
		end, value, n := at, int64(0), of*10
		for end < len(r.text) && end-at < 9 && isDigit(r.text[end]) {
			n /= 10
			value += int64(r.text[end]-'0') * n
			end++
		}
		if end == at {
			return ^at
		}
		r.fields = append(r.fields, part(rankMillis, "millisOfSecond", 1, 0, of-1, of)(value/10))
		return end
	})
}

var (
	isoDate = oneOf(
		inTurn(digits('y', 9), optional(literal("-"), digits('M', 2), optional(literal("-"), digits('d', 2)))),
		inTurn(digits('x', 9), literal("-W"), digits('w', 2), optional(literal("-"), digits('e', 1))),
		inTurn(digits('y', 9), literal("-"), digits('D', 3)))
	isoTime = inTurn(digits('H', 2), oneOf(
		inTurn(literal(":"), digits('m', 2), oneOf(
			inTurn(literal(":"), digits('s', 2), optional(fraction(second))),
			fraction(minute),
			nil)),
		fraction(hour),
		nil))
	isoOffset    = optional(one(element{field: zoneOffset}))
	isoTimestamp = oneOf(inTurn(literal("T"), isoTime, isoOffset),
		inTurn(isoDate, optional(literal("T"), optional(isoTime), isoOffset)))
)
