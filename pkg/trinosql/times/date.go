package times

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

const (
	day    = 86_400_000 // milliseconds
	hour   = 3_600_000
	minute = 60_000
	second = 1000
)

// Days is the day number of a date, which need not exist: month and day may be out of range.
func Days(year int64, month, dayOfMonth int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := FloorDiv(year, 400)
	yoe := year - era*400
	doy := int64((153*(month-3)+2)/5 + dayOfMonth - 1)
	return era*146_097 + yoe*365 + yoe/4 - yoe/100 + doy - 719_468
}

// Civil is the date of a day number.
func Civil(days int64) (year int64, month, dayOfMonth int) {
	days += 719_468
	era := FloorDiv(days, 146_097)
	doe := days - era*146_097
	yoe := (doe - doe/1460 + doe/36_524 - doe/146_096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	dayOfMonth = int(doy - (153*mp+2)/5 + 1)
	month = int(mp) + 3
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, dayOfMonth
}

// MonthDays is the number of days of a month.
func MonthDays(year int64, month int) int {
	if month == 2 {
		if leap(year) {
			return 29
		}
		return 28
	}
	return 30 + (month+month/8)%2
}

func leap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// Weekday is 1 for Monday.
func Weekday(days int64) int { return int(floorMod(days+3, 7)) + 1 }

// Week is the ISO week of a day and the year it belongs to.
func Week(days int64) (year int64, week int) {
	thursday := days + 4 - int64(Weekday(days))
	year, _, _ = Civil(thursday)
	return year, int(thursday-Days(year, 1, 1))/7 + 1
}

// firstMonday is the first day of the first ISO week of a year.
func firstMonday(year int64) int64 {
	d := Days(year, 1, 4)
	return d - int64(Weekday(d)) + 1
}

// FloorDiv is the quotient rounded down.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - FloorDiv(a, b)*b }

// DateText formats a date as Java's LocalDate does.
func DateText(days int64) string {
	y, m, d := Civil(days)
	switch {
	case y > 9999:
		return fmt.Sprintf("+%d-%02d-%02d", y, m, d)
	case y < 0:
		return fmt.Sprintf("-%04d-%02d-%02d", -y, m, d)
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d)
}

var datePattern = late.Regexp(`^([+-]?\d{1,9})-(\d{1,2})-(\d{1,2})$`)

// Spaces are the characters that casts trim from both ends of a string.
const Spaces = " \t\n\v\f\r\x1c\x1d\x1e\x1f\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000"

// Date parses a string as CAST(... AS date) does.
func Date(text string) (days int64, ok bool) {
	if y, m, d, plain := plainDay(text); plain && len(text) == 10 {
		return Days(y, m, d), m >= 1 && m <= 12 && d >= 1 && d <= MonthDays(y, m)
	}
	m := datePattern().FindStringSubmatch(strings.Trim(text, Spaces))
	if m == nil {
		return 0, false
	}
	days, ok = date(m[1], m[2], m[3])
	return days, ok && days >= math.MinInt32 && days <= math.MaxInt32
}

// plainDay parses a string that begins with the common form 2024-02-29.
func plainDay(text string) (year int64, month, dayOfMonth int, ok bool) {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return 0, 0, 0, false
	}
	y, ok1 := twoDigitsAt(text, 0)
	c, ok2 := twoDigitsAt(text, 2)
	m, ok3 := twoDigitsAt(text, 5)
	d, ok4 := twoDigitsAt(text, 8)
	return int64(y*100 + c), m, d, ok1 && ok2 && ok3 && ok4
}

func twoDigitsAt(text string, i int) (n int, ok bool) {
	return int(text[i]-'0')*10 + int(text[i+1]-'0'), isDigit(text[i]) && isDigit(text[i+1])
}

func date(year, month, dayOfMonth string) (days int64, ok bool) {
	y, err := strconv.ParseInt(year, 10, 64)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(dayOfMonth)
	if err != nil || y > 999_999_999 || y < -999_999_999 || m < 1 || m > 12 || d < 1 || d > MonthDays(y, m) {
		return 0, false
	}
	return Days(y, m, d), true
}
