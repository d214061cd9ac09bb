package wiretext

import (
	"math"
	"strconv"
)

const (
	MicrosPerSecond = 1_000_000
	MicrosPerDay    = 86_400 * MicrosPerSecond
)

// AppendDate writes days since 1970-01-01 as Java's LocalDate does: yyyy-mm-dd, years of more than four digits with a
// sign, years before 1 as 0000, -0001 and so on.
func AppendDate(b []byte, days int64) []byte {
	switch days {
	case math.MaxInt32:
		return append(b, "infinity"...)
	case -math.MaxInt32:
		return append(b, "-infinity"...)
	}
	// Days to civil date in the proleptic Gregorian calendar, counting from 0000-03-01 in eras of 400 years.
	days += 719_468
	era := days / 146_097
	if days < 0 {
		era = (days - 146_096) / 146_097
	}
	doe := days - era*146_097
	yoe := (doe - doe/1460 + doe/36_524 - doe/146_096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day := doy - (153*mp+2)/5 + 1
	month := mp + 3
	year := yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	switch {
	case year < 0:
		b = append(b, '-')
		year = -year
	case year > 9999:
		b = append(b, '+')
	}
	if year < 10_000 {
		b = append(b, byte('0'+year/1000), byte('0'+year/100%10), byte('0'+year/10%10), byte('0'+year%10))
	} else {
		b = strconv.AppendInt(b, year, 10)
	}
	return append(b, '-', byte('0'+month/10), byte('0'+month%10), '-', byte('0'+day/10), byte('0'+day%10))
}

// AppendTimestamp writes a count of 10^-digits seconds since 1970, with exactly this many fractional digits: Trino's
// timestamp(p).
func AppendTimestamp(b []byte, n int64, digits int) []byte {
	switch n {
	case math.MaxInt64:
		return append(b, "infinity"...)
	case -math.MaxInt64:
		return append(b, "-infinity"...)
	}
	perDay := 86_400 * Pow10(digits)
	days := n / perDay
	rest := n % perDay
	if rest < 0 {
		rest += perDay
		days--
	}
	b = AppendDate(b, days)
	b = append(b, ' ')
	return AppendClock(b, rest, digits)
}

func Pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// AppendClock writes hh:mm:ss and fractional digits.
func AppendClock(b []byte, n int64, digits int) []byte {
	unit := Pow10(digits)
	s := n / unit
	b = appendTwo(b, s/3600)
	b = append(b, ':')
	b = appendTwo(b, s/60%60)
	b = append(b, ':')
	b = appendTwo(b, s%60)
	if digits > 0 {
		b = appendFraction(append(b, '.'), n%unit, digits)
	}
	return b
}

func appendTwo(b []byte, n int64) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

func appendFraction(b []byte, n int64, digits int) []byte {
	start := len(b)
	for range digits {
		b = append(b, '0')
	}
	for i := start + digits - 1; n > 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}

// AppendTimeTZ writes 15:55:23.383345+03:00. DuckDB stores microseconds in the upper 40 bits and the offset, counted
// down from the largest one, in the lower 24.
func AppendTimeTZ(b []byte, n uint64) []byte {
	const maxOffset = 16*60*60 - 1
	b = AppendClock(b, int64(n>>24), 6)
	off := int64(maxOffset) - int64(n&(1<<24-1))
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	b = appendTwo(append(b, sign), off/3600)
	return appendTwo(append(b, ':'), off/60%60)
}

// AppendInterval writes an interval as Trino does: "1-2" for years and months, "3 04:05:06.000" for days and time.
// DuckDB's intervals may have both; such a value is written as both, separated by a space.
func AppendInterval(b []byte, months, days int32, micros int64) []byte {
	if months != 0 {
		m := int64(months)
		if m < 0 {
			b = append(b, '-')
			m = -m
		}
		b = strconv.AppendInt(b, m/12, 10)
		b = append(b, '-')
		b = strconv.AppendInt(b, m%12, 10)
		if days == 0 && micros == 0 {
			return b
		}
		b = append(b, ' ')
	}
	total := int64(days) + micros/MicrosPerDay
	rest := micros % MicrosPerDay
	if total > 0 && rest < 0 {
		total--
		rest += MicrosPerDay
	}
	if total < 0 && rest > 0 {
		total++
		rest -= MicrosPerDay
	}
	if total < 0 || rest < 0 {
		b = append(b, '-')
		total, rest = -total, -rest
	}
	b = strconv.AppendInt(b, total, 10)
	b = append(b, ' ')
	if rest%1000 != 0 {
		return AppendClock(b, rest, 6)
	}
	return AppendClock(b, rest/1000, 3)
}
