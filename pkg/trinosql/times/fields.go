package times

// Ranks of fields: first by the unit that they are part of, then by their length.
const (
	rankEra = iota
	rankYear
	rankMonth
	rankWeek
	rankYearDay
	rankMonthDay
	rankDay // within the week
	rankHalf
	rankHour
	rankMinute
	rankSecond
	rankMillis
)

func within(name string, v, low, high int64) error {
	if v < low || v > high {
		return says("Value %d for %s must be in the range [%d,%d]", v, name, low, high)
	}
	return nil
}

func startOf(unit int64) func(int64) int64 {
	return func(t int64) int64 { return FloorDiv(t, unit) * unit }
}

func startOfYear(t int64) int64 {
	y, _, _ := Civil(FloorDiv(t, day))
	return Days(y, 1, 1) * day
}

func startOfMonth(t int64) int64 {
	y, m, _ := Civil(FloorDiv(t, day))
	return Days(y, m, 1) * day
}

func startOfWeek(t int64) int64 {
	d := FloorDiv(t, day)
	return (d - int64(Weekday(d)) + 1) * day
}

// setYear sets the year and keeps the month and the day of the month.
func setYear(t, year int64) (int64, error) {
	if err := within("year", year, -292275054, 292278993); err != nil {
		return 0, err
	}
	_, m, d := Civil(FloorDiv(t, day))
	return Days(year, m, min(d, MonthDays(year, m)))*day + floorMod(t, day), nil
}

// part returns a setting for a field that is part of the day.
func part(rank int, name string, unit, low, high int64, of int64) func(int64) setting {
	return func(value int64) setting {
		return setting{rank, name, value, func(t, v int64) (int64, error) {
			if err := within(name, v, low, high); err != nil {
				return 0, err
			}
			had := floorMod(t, of*unit) / unit
			if low == 1 { // clock hours: the last of them is 0
				v %= of
			}
			return t + (v-had)*unit, nil
		}, startOf(unit)}
	}
}

var settings = map[byte]func(value int64) setting{
	'G': func(v int64) setting {
		return setting{rankEra, "era", v, func(t, v int64) (int64, error) {
			if y, _, _ := Civil(FloorDiv(t, day)); (y > 0) != (v == 1) {
				return setYear(t, 1-y)
			}
			return t, nil
		}, func(t int64) int64 { return t }}
	},
	'C': func(v int64) setting {
		return setting{rankEra, "centuryOfEra", v, func(t, v int64) (int64, error) {
			if err := within("centuryOfEra", v, 0, 2922789); err != nil {
				return 0, err
			}
			y, _, _ := Civil(FloorDiv(t, day))
			return setYear(t, v*100+floorMod(y, 100))
		}, func(t int64) int64 {
			y, _, _ := Civil(FloorDiv(t, day))
			return Days(FloorDiv(y, 100)*100, 1, 1) * day
		}}
	},
	'y': func(v int64) setting { return setting{rankYear, "year", v, setYear, startOfYear} },
	'Y': func(v int64) setting {
		return setting{rankYear, "yearOfEra", v, func(t, v int64) (int64, error) {
			if err := within("yearOfEra", v, 1, 292278993); err != nil {
				return 0, err
			}
			if y, _, _ := Civil(FloorDiv(t, day)); y <= 0 {
				v = 1 - v
			}
			return setYear(t, v)
		}, startOfYear}
	},
	'x': func(v int64) setting {
		return setting{rankYear, "weekyear", v, func(t, v int64) (int64, error) {
			if err := within("weekyear", v, -292275054, 292278993); err != nil {
				return 0, err
			}
			d := FloorDiv(t, day)
			_, w := Week(d)
			first := firstMonday(v)
			if w == 53 && firstMonday(v+1)-first < 53*7 {
				w = 52
			}
			return (first+int64(w-1)*7+int64(Weekday(d))-1)*day + floorMod(t, day), nil
		}, func(t int64) int64 {
			y, _ := Week(FloorDiv(t, day))
			return firstMonday(y) * day
		}}
	},
	'M': func(v int64) setting {
		return setting{rankMonth, "monthOfYear", v, func(t, v int64) (int64, error) {
			if err := within("monthOfYear", v, 1, 12); err != nil {
				return 0, err
			}
			y, _, d := Civil(FloorDiv(t, day))
			return Days(y, int(v), min(d, MonthDays(y, int(v))))*day + floorMod(t, day), nil
		}, startOfMonth}
	},
	'w': func(v int64) setting {
		return setting{rankWeek, "weekOfWeekyear", v, func(t, v int64) (int64, error) {
			y, w := Week(FloorDiv(t, day))
			if err := within("weekOfWeekyear", v, 1, (firstMonday(y+1)-firstMonday(y))/7); err != nil {
				return 0, err
			}
			return t + (v-int64(w))*7*day, nil
		}, startOfWeek}
	},
	'D': func(v int64) setting {
		return setting{rankYearDay, "dayOfYear", v, func(t, v int64) (int64, error) {
			y, _, _ := Civil(FloorDiv(t, day))
			first := Days(y, 1, 1)
			if err := within("dayOfYear", v, 1, Days(y+1, 1, 1)-first); err != nil {
				return 0, err
			}
			return (first+v-1)*day + floorMod(t, day), nil
		}, startOf(day)}
	},
	'd': func(v int64) setting {
		return setting{rankMonthDay, "dayOfMonth", v, func(t, v int64) (int64, error) {
			y, m, _ := Civil(FloorDiv(t, day))
			if err := within("dayOfMonth", v, 1, int64(MonthDays(y, m))); err != nil {
				return 0, err
			}
			return Days(y, m, int(v))*day + floorMod(t, day), nil
		}, startOf(day)}
	},
	'e': func(v int64) setting {
		return setting{rankDay, "dayOfWeek", v, func(t, v int64) (int64, error) {
			if err := within("dayOfWeek", v, 1, 7); err != nil {
				return 0, err
			}
			return t + (v-int64(Weekday(FloorDiv(t, day))))*day, nil
		}, startOf(day)}
	},
	'a': part(rankHalf, "halfdayOfDay", 12*hour, 0, 1, 2),
	'H': part(rankHour, "hourOfDay", hour, 0, 23, 24),
	'k': part(rankHour, "clockhourOfDay", hour, 1, 24, 24),
	'K': part(rankHour, "hourOfHalfday", hour, 0, 11, 12),
	'h': part(rankHour, "clockhourOfHalfday", hour, 1, 12, 12),
	'm': part(rankMinute, "minuteOfHour", minute, 0, 59, 60),
	's': part(rankSecond, "secondOfMinute", second, 0, 59, 60),
	'S': part(rankMillis, "millisOfSecond", 1, 0, 999, 1000),
}
