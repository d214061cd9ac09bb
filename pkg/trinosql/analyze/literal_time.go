package analyze

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

var (
	datePattern      = late.Regexp(`^\s*([+-]?\d{4,})-(\d{1,2})-(\d{1,2})\s*$`)
	timePattern      = late.Regexp(`^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?\s*([+-]\d\d(?::?\d\d)?)?$`)
	timestampPattern = late.Regexp(`^\s*([+-]?\d{4,})-(\d{1,2})-(\d{1,2})(?: (?:(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?)?\s*(.+)?)?$`)
	uuidPattern      = late.Regexp(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	zoneOffset       = late.Regexp(`^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d\d))?$`)
)

func isDate(text string) bool {
	m := datePattern().FindStringSubmatch(text)
	return m != nil && validDate(m[1], m[2], m[3])
}

func validDate(year, month, day string) bool {
	y, m, d := small(year), small(month), small(day)
	if m < 1 || m > 12 || d < 1 {
		return false
	}
	return d <= time.Date(int(y%400)+400, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// small is a number of few digits, -1 for other texts.
func small(text string) int {
	n, ok := new(big.Int).SetString(strings.TrimPrefix(text, "+"), 10)
	if !ok || !n.IsInt64() || n.Int64() > 1<<31 || n.Int64() < -1<<31 {
		return -1
	}
	return int(n.Int64())
}

func validTime(hour, minute, second string) bool {
	return small(hour) < 24 && small(minute) < 60 && (second == "" || small(second) < 60)
}

// checkDigits refuses more digits of the second than there may be.
func checkDigits(x *trinosql.TypedLit, digits string, zoned bool) {
	name := x.Type
	if zoned {
		name += " WITH TIME ZONE"
	}
	if len(digits) > types.MaxTimePrecision {
		fail("NUMERIC_VALUE_OUT_OF_RANGE", x, "%s precision must be in range [0, %d]: %d", name, types.MaxTimePrecision, len(digits))
	}
}

// timeLiteral is the type of TIME 'text', nil when it is none.
func timeLiteral(x *trinosql.TypedLit) *types.Type {
	m := timePattern().FindStringSubmatch(x.Value)
	if m == nil {
		return nil
	}
	if checkDigits(x, m[4], m[5] != ""); !validTime(m[1], m[2], m[3]) {
		return nil
	}
	if m[5] == "" {
		return types.NewTime(types.Time, len(m[4]))
	}
	if !validZone(m[5]) {
		return nil
	}
	return types.NewTime(types.TimeTZ, len(m[4]))
}

// timestampLiteral is the type of TIMESTAMP 'text', nil when it is none.
func timestampLiteral(x *trinosql.TypedLit) *types.Type {
	m := timestampPattern().FindStringSubmatch(x.Value)
	if m == nil {
		return nil
	}
	if checkDigits(x, m[7], m[8] != ""); !validDate(m[1], m[2], m[3]) || m[4] != "" && !validTime(m[4], m[5], m[6]) {
		return nil
	}
	if m[8] == "" {
		return types.NewTime(types.Timestamp, len(m[7]))
	}
	if !validZone(m[8]) {
		return nil
	}
	return types.NewTime(types.TimestampTZ, len(m[7]))
}

// validZone reports whether a text names a time zone. Of names only the form is checked: which exist is for the engine to know.
func validZone(zone string) bool {
	if m := zoneOffset().FindStringSubmatch(zone); m != nil {
		return small(m[2]) <= 14 && (m[3] == "" || small(m[3]) < 60)
	}
	if strings.ContainsAny(zone, " \t") || zone == "" || zone[0] >= '0' && zone[0] <= '9' {
		return false
	}
	if _, err := time.LoadLocation(zone); err == nil {
		return true
	}
	// The zone data of this machine may be missing or another: refuse what cannot be a name.
	return strings.Trim(zone, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/+-0123456789") == "" && strings.Contains(zone, "/") && !zoneDataKnown()
}

// zoneDataKnown reports whether zones can be looked up here.
func zoneDataKnown() bool {
	_, err := time.LoadLocation("Europe/Berlin")
	return err == nil
}

func isUUID(text string) bool { return uuidPattern().MatchString(text) }

func isIPAddress(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Zone() == ""
}

func isJSON(text string) bool { return json.Valid([]byte(text)) }

var intervalPatterns = map[string]string{
	"YEAR": "y", "YEAR MONTH": "y-M", "MONTH": "M",
	"DAY": "d", "DAY HOUR": "d h", "DAY MINUTE": "d h:m", "DAY SECOND": "d h:m:s",
	"HOUR": "h", "HOUR MINUTE": "h:m", "HOUR SECOND": "h:m:s", "MINUTE": "m", "MINUTE SECOND": "m:s", "SECOND": "s",
}

func intervalLiteral(x *trinosql.IntervalLit) *types.Type {
	key := x.From
	if x.To != "" && x.To != x.From {
		key += " " + x.To
	}
	form, ok := intervalPatterns[key]
	if !ok || x.Value != "" && !intervalFits(form, x.Value) {
		fail("INVALID_LITERAL", x, "'%s' is not a valid INTERVAL literal", x.Value)
	}
	if form == "y" || form == "M" || form == "y-M" {
		return types.Of(types.IntervalYM)
	}
	return types.Of(types.IntervalDS)
}

// intervalFits reports whether a text has the parts of an interval, in order; the last ones may be missing.
func intervalFits(form, text string) bool {
	for len(form) > 0 {
		digits := len(text) - len(strings.TrimLeft(strings.TrimPrefix(text, "-"), "0123456789"))
		number := text[:digits]
		if strings.Trim(number, "-") == "" || len(number) > 11 {
			return false
		}
		text = text[digits:]
		if form[0] == 's' && strings.HasPrefix(text, ".") {
			rest := strings.TrimLeft(text[1:], "0123456789")
			if n := len(text) - 1 - len(rest); n == 0 || n > 3 {
				return false
			}
			text = rest
		}
		if form = form[1:]; text == "" {
			return true
		}
		if form == "" || text[0] != form[0] {
			return false
		}
		form, text = form[1:], text[1:]
	}
	return text == ""
}
