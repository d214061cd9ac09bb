package mysql

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// put parses the server's text form of a value, never NULL, into a column of the engine. base is its type without a
// length or precision.
func put(v engine.Vector, row int, base string, raw []byte) error {
	switch base {
	case "tinyint", "smallint", "integer", "bigint":
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return err
		}
		return v.Int(row, n)
	case "real", "double":
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return err
		}
		return v.Float(row, f)
	case "boolean": // bit(1)
		if len(raw) != 1 || raw[0] > 1 {
			return fmt.Errorf("%x is not a single bit", raw)
		}
		return v.Int(row, int64(raw[0]))
	case "date":
		day, rest, ok := parseDate(raw)
		if !ok || len(rest) > 0 {
			return notInCalendar(raw)
		}
		return v.Int(row, day)
	case "timestamp", "timestamp with time zone":
		n, ok := parseTimestamp(raw)
		if !ok {
			return notInCalendar(raw)
		}
		return v.Int(row, n)
	case "char":
		return v.Bytes(row, bytes.TrimRight(raw, " "))
	case "json":
		return v.Bytes(row, connector.JSON(raw))
	}
	return v.Bytes(row, raw)
}

func notInCalendar(raw []byte) error {
	return fmt.Errorf("%s is not a valid date; it can be read as text through a view with CAST(... AS CHAR)", raw)
}

// parseDate parses 2024-02-29 as days since 1970.
func parseDate(b []byte) (days int64, rest []byte, ok bool) {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return 0, nil, false
	}
	y, ok1 := digits(b[:4])
	m, ok2 := digits(b[5:7])
	d, ok3 := digits(b[8:10])
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if !ok1 || !ok2 || !ok3 || m < 1 || d < 1 || t.Day() != d || int(t.Month()) != m {
		return 0, nil, false
	}
	seconds := t.Unix()
	days = seconds / 86_400
	if seconds%86_400 < 0 {
		days--
	}
	return days, b[10:], true
}

// parseTimestamp parses 2024-02-29 23:59:59.999999 as microseconds since 1970.
func parseTimestamp(b []byte) (int64, bool) {
	days, rest, ok := parseDate(b)
	if !ok || len(rest) < 9 || rest[0] != ' ' || rest[3] != ':' || rest[6] != ':' {
		return 0, false
	}
	h, ok1 := digits(rest[1:3])
	m, ok2 := digits(rest[4:6])
	s, ok3 := digits(rest[7:9])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || s > 59 {
		return 0, false
	}
	micros := 0
	if frac, found := bytes.CutPrefix(rest[9:], []byte(".")); found {
		if micros, ok = digits(frac); !ok || len(frac) == 0 || len(frac) > 6 {
			return 0, false
		}
		for range 6 - len(frac) {
			micros *= 10
		}
	} else if len(rest) > 9 {
		return 0, false
	}
	return (days*86_400+int64(h*3600+m*60+s))*1_000_000 + int64(micros), true
}

func digits(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
