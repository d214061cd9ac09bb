package cli

import (
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

var shortPeriod = late.Regexp(`^([0-9]+)([smhdw])$`)

// PeriodHint is the hint for a text that is neither a duration of ISO 8601 nor one that ISOPeriod converts.
const PeriodHint = "90s, 15m, 6h, 1d and 2w are accepted too"

// ISOPeriod converts 15m to PT15M and leaves ISO 8601 durations unchanged.
func ISOPeriod(s string) string {
	m := shortPeriod().FindStringSubmatch(s)
	if m == nil {
		return s
	}
	head := "PT"
	if m[2] == "d" || m[2] == "w" {
		head = "P"
	}
	return head + m[1] + strings.ToUpper(m[2])
}
