//go:build cgo

package duckdb

import (
	"math"
	"strconv"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
)

// appendTime writes dates, times, timestamps and intervals.
func (v *vec) appendTime(b []byte, i int) []byte {
	switch v.t.id {
	case bindings.TypeDate:
		return appendDate(b, int64(at[int32](v.data, i)))
	case bindings.TypeTime:
		return cutTo(appendClock(b, at[int64](v.data, i), 6), v.t, 6)
	case bindings.TypeTimeNS:
		return appendClock(b, at[int64](v.data, i), 9)
	case bindings.TypeTimeTZ:
		return appendTimeTZ(b, at[uint64](v.data, i))
	case bindings.TypeTimestamp:
		return cutTo(appendTimestamp(b, at[int64](v.data, i), 6), v.t, 6)
	case bindings.TypeTimestampS:
		return appendTimestamp(b, at[int64](v.data, i), 0)
	case bindings.TypeTimestampMS:
		return appendTimestamp(b, at[int64](v.data, i), 3)
	case bindings.TypeTimestampNS:
		return cutTo(appendTimestamp(b, at[int64](v.data, i), 9), v.t, 9)
	case bindings.TypeTimestampTZ:
		n := at[int64](v.data, i)
		if v.t.zone != nil {
			_, ahead := time.UnixMicro(n).In(v.t.zone).Zone()
			b = cutTo(appendTimestamp(b, n+int64(ahead)*microsPerSecond, 6), v.t, 6)
			return append(append(b, ' '), v.t.zone.String()...)
		}
		b = cutTo(appendTimestamp(b, n, 6), v.t, 6)
		if n == math.MaxInt64 || n == -math.MaxInt64 {
			return b
		}
		return append(b, " UTC"...)
	case bindings.TypeInterval:
		p := at[struct {
			months, days int32
			micros       int64
		}](v.data, i)
		if v.t.months && p.months == 0 {
			return append(b, "0-0"...)
		}
		return appendInterval(b, p.months, p.days, p.micros)
	}
	return b
}

// cutTo removes trailing fractional digits beyond the precision of the type. They are zero.
func cutTo(b []byte, t *vtype, digits int) []byte {
	if !t.exact || t.digits >= digits || len(b) == 0 || b[len(b)-1] == 'y' { // infinity
		return b
	}
	if n := digits - t.digits; t.digits == 0 {
		return b[:len(b)-n-1]
	} else {
		return b[:len(b)-n]
	}
}

// appendDate writes days since 1970-01-01 as Java's LocalDate does: yyyy-mm-dd, years of more than four digits with a sign, years
// before 1 as 0000, -0001 and so on.
func appendDate(b []byte, days int64) []byte {
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

// appendTimestamp writes a count of 10^-digits seconds since 1970, with exactly this many fractional digits: Trino's
// timestamp(p).
func appendTimestamp(b []byte, n int64, digits int) []byte {
	switch n {
	case math.MaxInt64:
		return append(b, "infinity"...)
	case -math.MaxInt64:
		return append(b, "-infinity"...)
	}
	perDay := 86_400 * pow10(digits)
	days := n / perDay
	rest := n % perDay
	if rest < 0 {
		rest += perDay
		days--
	}
	b = appendDate(b, days)
	b = append(b, ' ')
	return appendClock(b, rest, digits)
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// appendClock writes hh:mm:ss and fractional digits.
func appendClock(b []byte, n int64, digits int) []byte {
	unit := pow10(digits)
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

// appendTimeTZ writes 15:55:23.383345+03:00. DuckDB stores microseconds in the upper 40 bits and the offset, counted down from
// the largest one, in the lower 24.
func appendTimeTZ(b []byte, n uint64) []byte {
	const maxOffset = 16*60*60 - 1
	b = appendClock(b, int64(n>>24), 6)
	off := int64(maxOffset) - int64(n&(1<<24-1))
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	b = appendTwo(append(b, sign), off/3600)
	return appendTwo(append(b, ':'), off/60%60)
}

// appendInterval writes an interval as Trino does: "1-2" for years and months, "3 04:05:06.000" for days and time. DuckDB's
// intervals may have both; such a value is written as both, separated by a space.
func appendInterval(b []byte, months, days int32, micros int64) []byte {
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
	total := int64(days) + micros/microsPerDay
	rest := micros % microsPerDay
	if total > 0 && rest < 0 {
		total--
		rest += microsPerDay
	}
	if total < 0 && rest > 0 {
		total++
		rest -= microsPerDay
	}
	if total < 0 || rest < 0 {
		b = append(b, '-')
		total, rest = -total, -rest
	}
	b = strconv.AppendInt(b, total, 10)
	b = append(b, ' ')
	if rest%1000 != 0 {
		return appendClock(b, rest, 6)
	}
	return appendClock(b, rest/1000, 3)
}
