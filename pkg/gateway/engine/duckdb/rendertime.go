//go:build cgo

package duckdb

import (
	"math"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/vectors"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/wiretext"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// appendTime writes dates, times, timestamps and intervals.
func (v *vec) appendTime(b []byte, i int) []byte {
	switch v.t.id {
	case bindings.TypeDate:
		return wiretext.AppendDate(b, int64(vectors.At[int32](v.data, i)))
	case bindings.TypeTime:
		return cutTo(wiretext.AppendClock(b, vectors.At[int64](v.data, i), 6), v.t, 6)
	case bindings.TypeTimeNS:
		return wiretext.AppendClock(b, vectors.At[int64](v.data, i), 9)
	case bindings.TypeTimeTZ:
		return wiretext.AppendTimeTZ(b, vectors.At[uint64](v.data, i))
	case bindings.TypeTimestamp:
		return cutTo(wiretext.AppendTimestamp(b, vectors.At[int64](v.data, i), 6), v.t, 6)
	case bindings.TypeTimestampS:
		return wiretext.AppendTimestamp(b, vectors.At[int64](v.data, i), 0)
	case bindings.TypeTimestampMS:
		return wiretext.AppendTimestamp(b, vectors.At[int64](v.data, i), 3)
	case bindings.TypeTimestampNS:
		return cutTo(wiretext.AppendTimestamp(b, vectors.At[int64](v.data, i), 9), v.t, 9)
	case bindings.TypeTimestampTZ:
		n := vectors.At[int64](v.data, i)
		if v.t.zone != nil {
			_, ahead := time.UnixMicro(n).In(v.t.zone).Zone()
			b = cutTo(wiretext.AppendTimestamp(b, n+int64(ahead)*wiretext.MicrosPerSecond, 6), v.t, 6)
			return append(append(b, ' '), v.t.zone.String()...)
		}
		b = cutTo(wiretext.AppendTimestamp(b, n, 6), v.t, 6)
		if n == math.MaxInt64 || n == -math.MaxInt64 {
			return b
		}
		return append(b, " UTC"...)
	case bindings.TypeInterval:
		p := vectors.At[struct {
			months, days int32
			micros       int64
		}](v.data, i)
		if v.t.months && p.months == 0 {
			return append(b, "0-0"...)
		}
		return wiretext.AppendInterval(b, p.months, p.days, p.micros)
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
