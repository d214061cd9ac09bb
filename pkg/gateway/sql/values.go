package sql

import (
	"math/big"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/late"
)

// Clipped is the number of bytes of a value in a message.
const Clipped = 100

var (
	IntegerText   = late.Regexp(`^[+-]?[0-9]+$`)
	DecimalText   = narrow.DecimalText
	DoubleText    = narrow.DoubleText
	DateText      = late.Regexp(`^[+-]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}$`)
	TimeText      = late.Regexp(`^[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$`)
	TimestampText = late.Regexp(`^[+-]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,` +
		`6})?)?)?$`)
	ZonedText = late.Regexp(`^[+-]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,` +
		`6})?)?)?( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?|[A-Za-z]+(/[A-Za-z_]+)*))?$`)
	UuidText = narrow.UUIDText
)

// DecimalDigits parses a decimal: its unscaled value, the number of digits, and the scale; false for more than 38
// digits.
func DecimalDigits(v string) (n *big.Int, width, scale int, ok bool) {
	digits := v
	if dot := strings.IndexByte(v, '.'); dot >= 0 {
		digits, scale = v[:dot]+v[dot+1:], len(v)-dot-1
	}
	n, ok = new(big.Int).SetString(digits, 10)
	width = max(len(strings.TrimLeft(digits, "+-0")), scale, 1)
	return n, width, scale, ok && width <= 38
}

// RealDay reports whether the date at the start of a string exists, if it has a year of four digits.
func RealDay(s string) bool {
	day, _, _ := strings.Cut(strings.ReplaceAll(s, "T", " "), " ")
	if len(day) < 8 || day[4] != '-' {
		return true
	}
	_, err := time.Parse("2006-1-2", day)
	return err == nil
}
