package times

import (
	"math"
	"math/bits"
	"strings"
)

// Kind is the kind of value that Add adds to.
type Kind int

// The kinds. A Date is in days, the others in microseconds: since 1970 or since midnight.
const (
	OfDate Kind = iota
	OfTime
	OfTimestamp
)

const micros = 1000 // per millisecond

var unitMillis = map[string]int64{"millisecond": 1, "second": second, "minute": minute, "hour": hour, "day": day,
	"week": 7 * day}

var unitMonths = map[string]int64{"month": 1, "quarter": 3, "year": 12}

// Unit returns date_add's error for a unit that is invalid for the kind.
func Unit(unit string, k Kind) error {
	u := strings.ToLower(unit)
	length, short := unitMillis[u]
	name := "TIMESTAMP"
	ok := short || unitMonths[u] > 0
	switch k {
	case OfDate:
		name, ok = "DATE", ok && (!short || length >= day)
	case OfTime:
		name, ok = "TIME", short && length < day
	}
	if !ok {
		return says("'%s' is not a valid %s field", u, name)
	}
	return nil
}

// Add implements date_add.
func Add(unit string, n, value int64, k Kind) (int64, error) {
	if err := Unit(unit, k); err != nil {
		return 0, err
	}
	u := strings.ToLower(unit)
	if k == OfTime {
		of := day / unitMillis[u]
		return floorMod(value+n%of*unitMillis[u]*micros, day*micros), nil
	}
	over := func(m string) error {
		if k == OfDate {
			return &Fault{"GENERIC_INTERNAL_ERROR", "integer overflow"}
		}
		return &Fault{"INVALID_FUNCTION_ARGUMENT", m}
	}
	if n != int64(int32(n)) {
		return 0, over("integer overflow")
	}
	perDay := int64(1)
	if k == OfTimestamp {
		perDay = day * micros
	}
	if months := unitMonths[u]; months > 0 {
		value, ok := AddMonths(value, n*months, perDay)
		if !ok {
			return 0, over("long overflow")
		}
		return checked(value, k, over)
	}
	step := unitMillis[u] * micros
	if k == OfDate {
		step = unitMillis[u] / day
	}
	hi, lo := bits.Mul64(uint64(max(n, -n)), uint64(step))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, over("long overflow")
	}
	d := int64(lo)
	if n < 0 {
		d = -d
	}
	sum := value + d
	if (sum > value) != (d > 0) && d != 0 {
		return 0, over("long overflow")
	}
	return checked(sum, k, over)
}

func checked(v int64, k Kind, over func(string) error) (int64, error) {
	if k == OfDate && v != int64(int32(v)) {
		return 0, over("integer overflow")
	}
	return v, nil
}

// AddMonths adds months to a value with perDay units per day; the day of the month is clamped to the length of the
// month.
func AddMonths(value, months, perDay int64) (int64, bool) {
	days, rest := FloorDiv(value, perDay), floorMod(value, perDay)
	y, m, d := Civil(days)
	total := y*12 + int64(m) - 1 + months
	y, m = FloorDiv(total, 12), int(floorMod(total, 12))+1
	days = Days(y, m, min(d, MonthDays(y, m)))
	if limit := math.MaxInt64 / perDay; days > limit-1 || days < -limit+1 {
		return 0, false
	}
	return days*perDay + rest, true
}
