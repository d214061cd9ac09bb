package analyze

import (
	"encoding/json"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

var uuidPattern = late.Regexp(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

func isDate(text string) bool {
	_, ok := times.Date(text)
	return ok
}

// checkDigits rejects a fractional precision above the maximum.
func checkDigits(x *trinosql.TypedLit, digits string, zoned bool) {
	name := x.Type
	if zoned {
		name += " WITH TIME ZONE"
	}
	if len(digits) > types.MaxTimePrecision {
		fail("NUMERIC_VALUE_OUT_OF_RANGE", x, "%s precision must be in range [0, %d]: %d", name, types.MaxTimePrecision,
			len(digits))
	}
}

// timeLiteral is the type of TIME 'text', nil if it is invalid.
func timeLiteral(x *trinosql.TypedLit) *types.Type {
	c, ok := times.Time(x.Value)
	if checkDigits(x, c.Digits, c.Zone != ""); !ok {
		return nil
	}
	if c.Zone == "" {
		return types.NewTime(types.Time, len(c.Digits))
	}
	if _, err := times.ZoneName(c.Zone); err != nil {
		return nil
	}
	return types.NewTime(types.TimeTZ, len(c.Digits))
}

// timestampLiteral is the type of TIMESTAMP 'text', nil if it is invalid.
func timestampLiteral(x *trinosql.TypedLit) *types.Type {
	c, ok := times.Timestamp(x.Value)
	if checkDigits(x, c.Digits, c.Zone != ""); !ok {
		return nil
	}
	if c.Zone == "" {
		return types.NewTime(types.Timestamp, len(c.Digits))
	}
	zone, err := times.ZoneName(c.Zone)
	if err != nil {
		if times.FarOffset(c.Zone) {
			fail("NOT_SUPPORTED", x, "Time zone not supported: %s", c.Zone)
		}
		return nil
	}
	micros, err := c.Instant(zone, 6)
	// with more digits, it is an error when the statement runs
	outside := len(c.Digits) <= 3 && !times.Packable(times.FloorDiv(micros, 1000))
	if err != nil || outside || c.Skipped(zone) {
		return nil
	}
	return types.NewTime(types.TimestampTZ, len(c.Digits))
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

// intervalFits reports whether a text has the fields of an interval, in order; trailing fields may be missing. Seconds
// have a fraction.
func intervalFits(form, text string) bool {
	var months int64
	text = strings.TrimPrefix(text, "-")
	for len(form) > 0 {
		if len(text) > 1 && text[0] == '+' && text[1] >= '0' && text[1] <= '9' {
			text = text[1:]
		}
		number := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
		text = text[len(number):]
		fraction := false
		if form[0] == 's' && strings.HasPrefix(text, ".") {
			rest := strings.TrimLeft(text[1:], "0123456789")
			fraction = number != "" || len(rest) < len(text)-1
			text = rest
		}
		if number == "" && !fraction {
			return false
		}
		n, err := strconv.ParseInt("0"+number, 10, 32)
		if err != nil {
			return false
		}
		if months += n * map[byte]int64{'y': 12, 'M': 1}[form[0]]; months > math.MaxInt32 || months < math.MinInt32 {
			return false
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
