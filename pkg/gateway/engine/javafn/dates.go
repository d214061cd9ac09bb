package javafn

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// datePart is a part of a date pattern: a literal text, or a field as its letter in Joda's patterns and the number of repetitions.
type datePart struct {
	text  string
	field byte
	n     int
}

const clockForm = "2006-01-02 15:04:05.999999"

// mysqlParts parses a pattern of date_format and date_parse.
func mysqlParts(f string) ([]datePart, error) {
	var out []datePart
	add := func(parts ...datePart) { out = append(out, parts...) }
	for i := 0; i < len(f); i++ {
		if f[i] != '%' || i+1 == len(f) {
			add(datePart{text: f[i : i+1]})
			continue
		}
		i++
		switch c := f[i]; c {
		case 'a':
			add(datePart{field: 'E', n: 3})
		case 'b':
			add(datePart{field: 'M', n: 3})
		case 'c':
			add(datePart{field: 'M', n: 1})
		case 'd':
			add(datePart{field: 'd', n: 2})
		case 'e':
			add(datePart{field: 'd', n: 1})
		case 'f':
			add(datePart{field: 'f', n: 6})
		case 'H':
			add(datePart{field: 'H', n: 2})
		case 'h', 'I':
			add(datePart{field: 'h', n: 2})
		case 'i':
			add(datePart{field: 'm', n: 2})
		case 'j':
			add(datePart{field: 'D', n: 3})
		case 'k':
			add(datePart{field: 'H', n: 1})
		case 'l':
			add(datePart{field: 'h', n: 1})
		case 'M':
			add(datePart{field: 'M', n: 4})
		case 'm':
			add(datePart{field: 'M', n: 2})
		case 'p':
			add(datePart{field: 'a', n: 1})
		case 'r':
			add(datePart{field: 'h', n: 2}, datePart{text: ":"}, datePart{field: 'm', n: 2}, datePart{text: ":"}, datePart{field: 's', n: 2}, datePart{text: " "}, datePart{field: 'a', n: 1})
		case 'S', 's':
			add(datePart{field: 's', n: 2})
		case 'T':
			add(datePart{field: 'H', n: 2}, datePart{text: ":"}, datePart{field: 'm', n: 2}, datePart{text: ":"}, datePart{field: 's', n: 2})
		case 'v':
			add(datePart{field: 'w', n: 2})
		case 'W':
			add(datePart{field: 'E', n: 4})
		case 'x':
			add(datePart{field: 'x', n: 4})
		case 'Y':
			add(datePart{field: 'y', n: 4})
		case 'y':
			add(datePart{field: 'y', n: 2})
		case 'D', 'U', 'u', 'V', 'w', 'X':
			return nil, fmt.Errorf("%%%c not supported in date format string", c)
		default:
			add(datePart{text: f[i : i+1]})
		}
	}
	return out, nil
}

// jodaParts parses a pattern of format_datetime and parse_datetime.
func jodaParts(f string) ([]datePart, error) {
	var out []datePart
	for i := 0; i < len(f); {
		c := f[i]
		switch {
		case c == '\'':
			end := strings.IndexByte(f[i+1:], '\'')
			if end == 0 {
				out = append(out, datePart{text: "'"})
				i += 2
				continue
			}
			if end < 0 {
				return nil, says("Invalid pattern: %s", f)
			}
			out = append(out, datePart{text: f[i+1 : i+1+end]})
			i += end + 2
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := 1
			for i+n < len(f) && f[i+n] == c {
				n++
			}
			if !strings.ContainsRune("YyxwEeDMdaKhHkmsSzZ", rune(c)) {
				return nil, says("Illegal pattern component: %c", c)
			}
			out = append(out, datePart{field: c, n: n})
			i += n
		default:
			out = append(out, datePart{text: string(c)})
			i++
		}
	}
	return out, nil
}

func dateFormat(clock, pattern string) (string, bool, error) {
	parts, err := mysqlParts(pattern)
	if err != nil {
		return "", false, err
	}
	t, err := time.Parse(clockForm, clock)
	return writeDate(t, parts, ""), true, err
}

func jodaFormat(clock, pattern, zone string) (string, bool, error) {
	parts, err := jodaParts(pattern)
	if err != nil {
		return "", false, err
	}
	t, err := time.Parse(clockForm, clock)
	if zone == "" {
		zone = "UTC"
	}
	return writeDate(t, parts, zone), true, err
}

func pad(n, width int) string {
	s := strconv.Itoa(n)
	for len(s) < width {
		s = "0" + s
	}
	return s
}

func writeDate(t time.Time, parts []datePart, zone string) string {
	var b strings.Builder
	year, week := t.ISOWeek()
	twelve := (t.Hour()+11)%12 + 1
	for _, p := range parts {
		switch p.field {
		case 0:
			b.WriteString(p.text)
		case 'y', 'Y', 'x':
			y := t.Year()
			if p.field == 'x' {
				y = year
			}
			if p.n == 2 {
				y %= 100
			}
			b.WriteString(pad(y, p.n))
		case 'M':
			switch {
			case p.n >= 4:
				b.WriteString(t.Month().String())
			case p.n == 3:
				b.WriteString(t.Month().String()[:3])
			default:
				b.WriteString(pad(int(t.Month()), p.n))
			}
		case 'E':
			if p.n >= 4 {
				b.WriteString(t.Weekday().String())
			} else {
				b.WriteString(t.Weekday().String()[:3])
			}
		case 'e':
			b.WriteString(pad((int(t.Weekday())+6)%7+1, p.n))
		case 'w':
			b.WriteString(pad(week, p.n))
		case 'D':
			b.WriteString(pad(t.YearDay(), p.n))
		case 'd':
			b.WriteString(pad(t.Day(), p.n))
		case 'a':
			b.WriteString(map[bool]string{true: "AM", false: "PM"}[t.Hour() < 12])
		case 'H':
			b.WriteString(pad(t.Hour(), p.n))
		case 'k':
			b.WriteString(pad((t.Hour()+23)%24+1, p.n))
		case 'K':
			b.WriteString(pad(t.Hour()%12, p.n))
		case 'h':
			b.WriteString(pad(twelve, p.n))
		case 'm':
			b.WriteString(pad(t.Minute(), p.n))
		case 's':
			b.WriteString(pad(t.Second(), p.n))
		case 'f': // Trino has milliseconds here, with three zeros
			b.WriteString(pad(t.Nanosecond()/1e6, 3) + "000")
		case 'S':
			digits := pad(t.Nanosecond()/1e6, 3) + strings.Repeat("0", max(p.n-3, 0))
			b.WriteString(digits[:p.n])
		case 'z', 'Z':
			b.WriteString(writeZone(t, p, zone))
		}
	}
	return b.String()
}

func writeZone(t time.Time, p datePart, zone string) string {
	loc, ok := Zone(zone)
	if !ok {
		return zone
	}
	at := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc)
	switch {
	case p.field == 'Z' && p.n == 1:
		return at.Format("-0700")
	case p.field == 'Z' && p.n == 2:
		return at.Format("-07:00")
	case p.field == 'Z':
		return zone
	}
	name, _ := at.Zone()
	return name
}

func dateParse(text, pattern string) (string, bool, error) {
	parts, err := mysqlParts(pattern)
	if err != nil {
		return "", false, err
	}
	t, err := readDate(text, parts)
	return t.Format("2006-01-02 15:04:05.000"), true, err
}

func jodaParse(text, pattern string) (string, bool, error) {
	parts, err := jodaParts(pattern)
	if err != nil {
		return "", false, err
	}
	t, err := readDate(text, parts)
	return t.Format("2006-01-02 15:04:05.000") + "+00", true, err
}

// numeric reports whether a field is written in digits.
func (p datePart) numeric() bool {
	return p.field != 0 && !strings.ContainsRune("EazZ", rune(p.field)) && (p.field != 'M' || p.n < 3)
}

// width is the maximum number of digits of a field; joined is true if another field follows immediately.
func (p datePart) width(joined bool) int {
	switch {
	case p.field == 'S':
		return p.n
	case joined && p.field != 'f':
		return max(p.n, 1)
	case p.field == 'y' && p.n == 2, !strings.ContainsRune("yYfD", rune(p.field)):
		return 2
	}
	return 9
}

// digitsAhead counts the digits at the start of a text, up to most.
func digitsAhead(s string, most int) int {
	k := 0
	for k < len(s) && k < most && isDigit(s[k]) {
		k++
	}
	return k
}

// readDate parses a text by a pattern.
func readDate(text string, parts []datePart) (time.Time, error) {
	bad := says("Invalid format: \"%s\"", text)
	year, month, day, hour, minute, second, nanos := 1970, 1, 1, 0, 0, 0, 0
	yearDay, pm, twelve := 0, -1, false
	rest := text
	for i, p := range parts {
		n := 0
		if p.numeric() {
			k := digitsAhead(rest, p.width(i+1 < len(parts) && parts[i+1].field != 0))
			if k == 0 {
				return time.Time{}, bad
			}
			n, _ = strconv.Atoi(rest[:k])
			if p.field == 'f' || p.field == 'S' {
				nanos, _ = strconv.Atoi((rest[:k] + "000000000")[:9])
			}
			rest = rest[k:]
		}
		switch p.field {
		case 0:
			if !strings.HasPrefix(rest, p.text) {
				return time.Time{}, bad
			}
			rest = rest[len(p.text):]
		case 'y', 'Y':
			if year = n; p.n == 2 && n < 100 {
				if year = 2000 + n; n >= 70 {
					year = 1900 + n
				}
			}
		case 'M':
			if p.n >= 3 {
				if month, rest = readName(rest, func(i int) string { return time.Month(i).String() }, 12); month == 0 {
					return time.Time{}, bad
				}
			} else {
				month = n
			}
		case 'E':
			var wd int
			if wd, rest = readName(rest, func(i int) string { return time.Weekday(i % 7).String() }, 7); wd == 0 {
				return time.Time{}, bad
			}
		case 'd':
			day = n
		case 'D':
			yearDay = n
		case 'H':
			hour = n
		case 'k':
			hour = n % 24
		case 'h':
			hour, twelve = n%12, true
			if n < 1 || n > 12 {
				return time.Time{}, bad
			}
		case 'K':
			hour, twelve = n, true
		case 'm':
			minute = n
		case 's':
			second = n
		case 'f', 'S':
		case 'a':
			switch {
			case len(rest) >= 2 && strings.EqualFold(rest[:2], "am"):
				pm = 0
			case len(rest) >= 2 && strings.EqualFold(rest[:2], "pm"):
				pm = 12
			default:
				return time.Time{}, bad
			}
			rest = rest[2:]
		case 'z', 'Z':
			k := strings.IndexFunc(rest, unicode.IsSpace)
			if k < 0 {
				k = len(rest)
			}
			if loc, ok := Zone(rest[:k]); !ok || loc != time.UTC {
				return time.Time{}, fmt.Errorf("a time in zone '%s' is kept in UTC on zone local: '%s' would lose its zone", rest[:k], text)
			}
			rest = rest[k:]
		default:
			return time.Time{}, fmt.Errorf("reading the field %c is not supported on zone local", p.field)
		}
	}
	if twelve && pm > 0 {
		hour += pm
	}
	if yearDay > 0 {
		month, day = 1, yearDay
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos/1e6*1e6, time.UTC)
	if rest != "" || yearDay == 0 && (t.Day() != day || int(t.Month()) != month) || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, bad
	}
	return t, nil
}

// readName parses the long or short name of a month or weekday; 0 for none.
func readName(s string, name func(int) string, n int) (int, string) {
	for i := 1; i <= n; i++ {
		for _, w := range []string{name(i), name(i)[:3]} {
			if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) {
				return i, s[len(w):]
			}
		}
	}
	return 0, s
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
