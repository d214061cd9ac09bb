package cells

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

// Text returns the plain text of a value of a type.
func (v Cell) Text(typ string) string {
	micros := time.UnixMicro(int64(v.Lo)).UTC()
	switch typ {
	case "boolean":
		return strconv.FormatBool(v.Lo != 0)
	case "timestamp":
		return micros.Format("2006-01-02 15:04:05.999999")
	case "time":
		return micros.Format("15:04:05.999999")
	case "date":
		return time.Unix(int64(v.Lo)*24*60*60, 0).UTC().Format("2006-01-02")
	case "uuid":
		return fmt.Sprintf("%016x%016x", uint64(v.Hi)^1<<63, v.Lo)
	}
	if _, scale, ok := api.DecimalOf(typ); ok {
		n := new(big.Int).Lsh(big.NewInt(v.Hi), 64)
		n.Add(n, new(big.Int).SetUint64(v.Lo))
		digits := new(big.Int).Abs(n).String()
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		if n.Sign() < 0 {
			digits = "-" + digits
		}
		if at := len(digits) - scale; scale > 0 {
			digits = digits[:at] + "." + digits[at:]
		}
		return digits
	}
	return strconv.FormatInt(int64(v.Lo), 10)
}
