package batch

import (
	"math"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
)

// appendTime writes dates, times, timestamps and intervals.
func (v *Vec) appendTime(b []byte, i int) []byte {
	switch v.Type.Layout {
	case Date:
		return wiretext.AppendDate(b, int64(At[int32](v.Data, i)))
	case Time:
		return cutTo(wiretext.AppendClock(b, At[int64](v.Data, i), 6), v.Type, 6)
	case TimeNS:
		return wiretext.AppendClock(b, At[int64](v.Data, i), 9)
	case TimeTZ:
		return wiretext.AppendTimeTZ(b, At[uint64](v.Data, i))
	case Timestamp:
		return cutTo(wiretext.AppendTimestamp(b, At[int64](v.Data, i), 6), v.Type, 6)
	case TimestampS:
		return wiretext.AppendTimestamp(b, At[int64](v.Data, i), 0)
	case TimestampMS:
		return wiretext.AppendTimestamp(b, At[int64](v.Data, i), 3)
	case TimestampNS:
		return cutTo(wiretext.AppendTimestamp(b, At[int64](v.Data, i), 9), v.Type, 9)
	case TimestampTZ:
		n := At[int64](v.Data, i)
		if v.Type.Zone != nil {
			_, ahead := time.UnixMicro(n).In(v.Type.Zone).Zone()
			b = cutTo(wiretext.AppendTimestamp(b, n+int64(ahead)*wiretext.MicrosPerSecond, 6), v.Type, 6)
			return append(append(b, ' '), v.Type.Zone.String()...)
		}
		b = cutTo(wiretext.AppendTimestamp(b, n, 6), v.Type, 6)
		if n == math.MaxInt64 || n == -math.MaxInt64 {
			return b
		}
		return append(b, " UTC"...)
	case Interval:
		p := At[struct {
			months, days int32
			micros       int64
		}](v.Data, i)
		if v.Type.Months && p.months == 0 {
			return append(b, "0-0"...)
		}
		return wiretext.AppendInterval(b, p.months, p.days, p.micros)
	}
	return b
}

// cutTo removes trailing fractional digits beyond the precision of the type. They are zero.
func cutTo(b []byte, t *Type, digits int) []byte {
	if !t.Exact || t.Digits >= digits || len(b) == 0 || b[len(b)-1] == 'y' { // infinity
		return b
	}
	if n := digits - t.Digits; t.Digits == 0 {
		return b[:len(b)-n-1]
	} else {
		return b[:len(b)-n]
	}
}
