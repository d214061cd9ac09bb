package times

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

var (
	timePattern      = late.Regexp(`^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?(?:\s*([+-])(\d\d):(\d\d))?$`)
	timestampPattern = late.Regexp(
		`^([+-]?\d{4,})-(\d{1,2})-(\d{1,2})(?: (?:(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?)?\s*(.+)?)?$`)
)

// Clock is a parsed time or timestamp: seconds since midnight or since 1970, and the digits of the fraction.
type Clock struct {
	Seconds int64
	Digits  string
	Zone    string // as written, "" for none
}

// Time parses TIME '...' and the argument of a cast to time. Its zone is an offset.
func Time(text string) (c Clock, ok bool) {
	m := timePattern().FindStringSubmatch(text)
	if m == nil {
		return c, false
	}
	c.Seconds, ok = clock(m[1], m[2], m[3])
	c.Digits = m[4]
	if m[5] != "" {
		c.Zone = m[5] + m[6] + ":" + m[7]
	}
	return c, ok
}

// Timestamp parses TIMESTAMP '...' and, after trimming, the argument of a cast to timestamp. The zone is not checked.
func Timestamp(text string) (c Clock, ok bool) {
	if c, ok, plain := plainStamp(text); plain {
		return c, ok
	}
	m := timestampPattern().FindStringSubmatch(text)
	if m == nil {
		return c, false
	}
	days, ok := date(m[1], m[2], m[3])
	if !ok {
		return c, false
	}
	if m[4] != "" {
		if c.Seconds, ok = clock(m[4], m[5], m[6]); !ok {
			return c, false
		}
	}
	c.Seconds += days * (day / second)
	c.Digits, c.Zone = m[7], m[8]
	return c, true
}

// plainStamp parses the common form 2024-02-29 10:20:30.5.
func plainStamp(text string) (c Clock, ok, plain bool) {
	y, m, d, plain := plainDay(text)
	if !plain || len(text) < 19 || text[10] != ' ' || text[13] != ':' || text[16] != ':' {
		return c, false, false
	}
	hour, ok1 := twoDigitsAt(text, 11)
	min, ok2 := twoDigitsAt(text, 14)
	sec, ok3 := twoDigitsAt(text, 17)
	digits := ""
	if len(text) > 20 && text[19] == '.' {
		digits = text[20:]
	} else if len(text) > 19 {
		return c, false, false
	}
	if !ok1 || !ok2 || !ok3 || strings.Trim(digits, "0123456789") != "" {
		return c, false, false
	}
	c = Clock{Seconds: Days(y, m, d)*(day/second) + int64(hour*3600+min*60+sec), Digits: digits}
	return c, m >= 1 && m <= 12 && d >= 1 && d <= MonthDays(y, m) && hour < 24 && min < 60 && sec < 60, true
}

func clock(h, m, s string) (seconds int64, ok bool) {
	hh, _ := strconv.Atoi(h)
	mm, _ := strconv.Atoi(m)
	ss, _ := strconv.Atoi("0" + s)
	return int64(hh*3600 + mm*60 + ss), hh < 24 && mm < 60 && ss < 60
}

// Scaled is the number of units of 10^-digits seconds, rounded to the given fractional precision.
func (c Clock) Scaled(precision, digits int) *big.Int {
	n := new(big.Int)
	n.SetString(strconv.FormatInt(c.Seconds, 10)+strings.Repeat("0", precision), 10)
	frac := c.Digits + strings.Repeat("0", max(precision-len(c.Digits), 0))
	f := new(big.Int)
	if precision > 0 {
		f.SetString(frac[:precision], 10)
	}
	if len(frac) > precision && frac[precision] >= '5' {
		f.Add(f, big.NewInt(1))
	}
	n.Add(n, f)
	return n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits-precision)), nil))
}
