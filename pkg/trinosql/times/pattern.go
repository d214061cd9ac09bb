package times

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// element is an element of a pattern: literal text, or a field with its letter in Joda's patterns, its repeat count,
// and the maximum number of digits that are parsed.
type element struct {
	text  string
	field byte
	n     int
	most  int
}

// Pattern formats and parses times.
type Pattern []element

// Fields without a letter in Joda's patterns.
const (
	twoDigits    = '2' // the year within its century, two digits
	leniently    = '3' // the same, but more digits are a full year
	weekTwo      = '4' // the year of the week
	weekLenient  = '5'
	zoneOffset   = 'O'
	zoneOffset2  = 'P' // with a colon
	zoneID       = 'I'
	zoneName     = 'N' // Pacific Standard Time
	monthText    = 'L'
	monthShort   = 'l'
	weekdayText  = 'F'
	weekdayShort = 'f'
)

// lastPattern caches the most recently parsed pattern: consecutive calls mostly use the same one.
type lastPattern struct {
	last atomic.Pointer[readPattern]
	read func(f string) (Pattern, error)
}

type readPattern struct {
	text    string
	pattern Pattern
}

func (l *lastPattern) of(f string) (Pattern, error) {
	if r := l.last.Load(); r != nil && r.text == f {
		return r.pattern, nil
	}
	p, err := l.read(f)
	if err == nil {
		l.last.Store(&readPattern{f, p})
	}
	return p, err
}

var mysql, joda = lastPattern{read: readMySQL}, lastPattern{read: readJoda}

// MySQL parses a pattern of date_format and date_parse.
func MySQL(f string) (Pattern, error) { return mysql.of(f) }

// Joda parses a pattern of format_datetime and parse_datetime.
func Joda(f string) (Pattern, error) { return joda.of(f) }

func readMySQL(f string) (Pattern, error) {
	var out Pattern
	add := func(e ...element) { out = append(out, e...) }
	number := func(field byte, n, most int) element { return element{field: field, n: n, most: most} }
	colon, half := element{text: ":"}, element{field: 'a'}
	escaped := false
	for _, c := range f {
		if !escaped {
			if c == '%' {
				escaped = true
			} else {
				add(element{text: string(c)})
			}
			continue
		}
		escaped = false
		switch c {
		case 'a':
			add(element{field: weekdayShort})
		case 'b':
			add(element{field: monthShort})
		case 'c':
			add(number('M', 1, 2))
		case 'd':
			add(number('d', 2, 2))
		case 'e':
			add(number('d', 1, 2))
		case 'f':
			add(number('S', 6, 9))
		case 'H':
			add(number('H', 2, 2))
		case 'h', 'I':
			add(number('h', 2, 2))
		case 'i':
			add(number('m', 2, 2))
		case 'j':
			add(number('D', 3, 3))
		case 'k':
			add(number('H', 1, 2))
		case 'l':
			add(number('h', 1, 2))
		case 'M':
			add(element{field: monthText})
		case 'm':
			add(number('M', 2, 2))
		case 'p':
			add(half)
		case 'r':
			add(number('h', 2, 2), colon, number('m', 2, 2), colon, number('s', 2, 2), element{text: " "}, half)
		case 'S', 's':
			add(number('s', 2, 2))
		case 'T':
			add(number('H', 2, 2), colon, number('m', 2, 2), colon, number('s', 2, 2))
		case 'v':
			add(number('w', 2, 2))
		case 'W':
			add(element{field: weekdayText})
		case 'x':
			add(number('x', 4, 4))
		case 'Y':
			add(number('y', 4, 4))
		case 'y':
			add(number(twoDigits, 2, 2020)) // the pivot
		case 'D', 'U', 'u', 'V', 'w', 'X':
			return nil, says("%%%c not supported in date format string", c)
		default:
			add(element{text: string(c)})
		}
	}
	if len(out) == 0 {
		return nil, says("Both printing and parsing not supported")
	}
	return out, nil
}

const numeric = "CxyYdhHmsSeDwWkK"

func readJoda(f string) (Pattern, error) {
	var out Pattern
	if f == "" {
		return nil, says("Invalid pattern specification")
	}
	tokens := jodaTokens(f)
	for i, tok := range tokens {
		c, n := tok.field, tok.n
		number := func(most int) { out = append(out, element{field: c, n: n, most: most}) }
		next := i+1 < len(tokens) && tokens[i+1].numeric()
		switch c {
		case 0:
			out = append(out, tok)
		case 'G', 'a':
			out = append(out, element{field: c})
		case 'C':
			number(n)
		case 'x', 'y', 'Y':
			most := 9
			if next {
				most = n
			}
			switch {
			case n == 2 && c == 'x':
				c = weekLenient
				if next {
					c = weekTwo
				}
				number(time.Now().Year() - 30)
			case n == 2:
				c = leniently
				if next {
					c = twoDigits
				}
				number(time.Now().Year() - 30)
			default:
				number(most)
			}
		case 'M':
			switch {
			case n >= 4:
				c = monthText
			case n == 3:
				c = monthShort
			}
			number(2)
		case 'E':
			if c = weekdayShort; n >= 4 {
				c = weekdayText
			}
			number(0)
		case 'd', 'h', 'H', 'k', 'K', 'm', 's', 'w':
			number(2)
		case 'S':
			number(n)
		case 'e':
			number(1)
		case 'D':
			number(3)
		case 'z':
			if n >= 4 {
				c = zoneName
			}
			number(0)
		case 'Z':
			switch n {
			case 1:
				c = zoneOffset
			case 2:
				c = zoneOffset2
			default:
				c = zoneID
			}
			number(0)
		default:
			return nil, says("Illegal pattern component: %s", strings.Repeat(string(c), n))
		}
	}
	if !slices.ContainsFunc(out, func(e element) bool { return e.field != 0 || e.text != "" }) { // a quote alone
		return nil, says("Both printing and parsing not supported")
	}
	return out, nil
}

func (e element) numeric() bool {
	return e.field == 'M' && e.n <= 2 || e.field != 0 && strings.IndexByte(numeric, e.field) >= 0
}

// jodaTokens splits a pattern into runs of letters and literal text.
func jodaTokens(f string) []element {
	var out []element
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	for i := 0; i < len(f); {
		if c := f[i]; letter(c) {
			n := 1
			for i+n < len(f) && f[i+n] == c {
				n++
			}
			out = append(out, element{field: c, n: n})
			i += n
			continue
		}
		var text strings.Builder
		quoted := false
		for ; i < len(f); i++ {
			c := f[i]
			if c == '\'' {
				if i+1 < len(f) && f[i+1] == '\'' {
					text.WriteByte(c)
					i++
				} else {
					quoted = !quoted
				}
				continue
			}
			if !quoted && letter(c) {
				break
			}
			text.WriteByte(c)
		}
		out = append(out, element{text: text.String()})
	}
	return out
}
