package cells

import "github.com/dig-cli/dig/pkg/trinosql/times"

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
)

// Dates and times are accepted in their ISO 8601 forms only: 2024-02-29, 23:59[:58[.123456]], and both joined by a
// blank or a T. Postgres accepts many more, some of them with a server-dependent meaning.

// twoDigits parses a number of exactly two digits at the start of b.
func twoDigits(b []byte) (int, bool) {
	if len(b) < 2 || !isDigit(b[0]) || !isDigit(b[1]) {
		return 0, false
	}
	return int(b[0]-'0')*10 + int(b[1]-'0'), true
}

// cutDate parses the ten characters of a date and returns the days since 1970.
func cutDate(b []byte) (days int64, rest []byte, f Fault) {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return 0, b, faultSyntax
	}
	c, ok1 := twoDigits(b)
	y, ok2 := twoDigits(b[2:])
	m, ok3 := twoDigits(b[5:])
	d, ok4 := twoDigits(b[8:])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return 0, b, faultSyntax
	}
	y += c * 100
	if y == 0 || m < 1 || m > 12 || d < 1 || d > monthDays(y, m) {
		return 0, b[10:], faultField
	}
	return times.Days(int64(y), m, d), b[10:], None
}

func monthDays(y, m int) int {
	switch m {
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// cutTime parses hh:mm[:ss[.f]] and returns the microseconds since midnight.
func cutTime(b []byte) (micros int64, rest []byte, f Fault) {
	h, ok := twoDigits(b)
	if !ok || len(b) < 5 || b[2] != ':' {
		return 0, b, faultSyntax
	}
	m, ok := twoDigits(b[3:])
	if !ok {
		return 0, b, faultSyntax
	}
	b = b[5:]
	s := 0
	if len(b) > 0 && b[0] == ':' {
		if s, ok = twoDigits(b[1:]); !ok {
			return 0, b, faultSyntax
		}
		b = b[3:]
		if len(b) > 0 && b[0] == '.' {
			unit := int64(microsPerSecond / 10)
			n := 1
			for ; n < len(b) && isDigit(b[n]); n++ {
				if unit == 0 && b[n] != '0' {
					f = faultPlaces
				}
				micros += int64(b[n]-'0') * unit
				unit /= 10
			}
			if n == 1 {
				return 0, b, faultSyntax
			}
			b = b[n:]
		}
	}
	if len(b) > 0 && isDigit(b[0]) {
		return 0, b, faultSyntax
	}
	if h > 23 || m > 59 || s > 59 {
		f = faultField
	}
	return micros + int64(h*3600+m*60+s)*microsPerSecond, b, f
}

func parseDate(b []byte) (Cell, Fault) {
	days, rest, f := cutDate(trim(b))
	if len(rest) > 0 {
		return Cell{}, faultSyntax
	}
	return Cell{Lo: uint64(days)}, f
}

func parseTime(b []byte) (Cell, Fault) {
	micros, rest, f := cutTime(trim(b))
	switch {
	case len(rest) == 0 || f == faultSyntax:
		return Cell{Lo: uint64(micros)}, f
	case isOffset(rest):
		return Cell{}, faultZone
	}
	return Cell{}, faultSyntax
}

// parseTimestamp parses a date, alone or with a time. Postgres silently drops an offset from UTC; here only offsets
// that change nothing are accepted.
func parseTimestamp(b []byte) (Cell, Fault) {
	days, rest, f := cutDate(trim(b))
	if f == faultSyntax {
		return Cell{}, f
	}
	var micros int64
	if len(rest) > 0 {
		if rest[0] != ' ' && rest[0] != 'T' && rest[0] != 't' {
			return Cell{}, faultSyntax
		}
		var tf Fault
		if micros, rest, tf = cutTime(rest[1:]); tf == faultSyntax {
			return Cell{}, tf
		} else if f == None {
			f = tf
		}
	}
	if len(rest) > 0 {
		if !isOffset(rest) {
			return Cell{}, faultSyntax
		}
		if f == None && !isUTC(rest) {
			f = faultZone
		}
	}
	return Cell{Lo: uint64(days*microsPerDay + micros)}, f
}

// isOffset reports whether b is Z, +hh, +hhmm or +hh:mm, with a minus as well.
func isOffset(b []byte) bool {
	if len(b) == 1 {
		return b[0]|0x20 == 'z'
	}
	if b[0] != '+' && b[0] != '-' {
		return false
	}
	if _, ok := twoDigits(b[1:]); !ok {
		return false
	}
	rest := b[3:]
	if len(rest) == 3 && rest[0] == ':' {
		rest = rest[1:]
	}
	_, ok := twoDigits(rest)
	return len(rest) == 0 || (ok && len(rest) == 2)
}

func isUTC(offset []byte) bool {
	for _, c := range offset {
		if c >= '1' && c <= '9' {
			return false
		}
	}
	return true
}
