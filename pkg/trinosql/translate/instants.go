package translate

import (
	"math/big"
	"strconv"
	"time"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// instantLiteral is the value of a timestamp with a zone, in microseconds rounded to the given fractional precision.
func instantLiteral(text string, precision int) (micros int64, zone string, ok bool) {
	c, ok := times.Timestamp(text)
	if !ok {
		return 0, "", false
	}
	zone = "UTC"
	if c.Zone != "" {
		var err error
		if zone, err = times.ZoneName(c.Zone); err != nil {
			return 0, "", false
		}
	}
	micros, err := c.Instant(zone, min(precision, 6))
	return micros, zone, err == nil
}

// putDate writes a constant date.
func (p *printer) putDate(at trinosql.Node, days int64) {
	if y, _, _ := times.Civil(days); y > 0 && y <= 9999 {
		p.put("DATE '", times.DateText(days), "'")
		return
	}
	if days >= 1<<31-1 || days <= -1<<31+1 {
		p.refuse(at, "the date %s is not supported on zone local: dates go from -5877641-06-25 to 5881580-07-10",
			times.DateText(days))
	}
	p.put("CAST(DATE '1970-01-01' + CAST('", itoa(days), "' AS INTEGER) AS DATE)")
}

// putStamp writes a constant timestamp, in microseconds or, with nine digits, nanoseconds.
func (p *printer) putStamp(at trinosql.Node, n *big.Int, digits int) {
	if !n.IsInt64() || n.Int64() == 1<<63-1 || n.Int64() <= -1<<63+1 {
		p.refuse(at, "a timestamp out of range is not supported on zone local")
	}
	v := n.Int64()
	if digits == 9 {
		p.put("make_timestamp_ns(CAST('", itoa(v), "' AS BIGINT))")
		return
	}
	if t := time.UnixMicro(v).UTC(); t.Year() > 0 && t.Year() <= 9999 {
		p.put("CAST('", t.Format("2006-01-02 15:04:05.999999"), "' AS TIMESTAMP)")
		return
	}
	p.put("make_timestamp(CAST('", itoa(v), "' AS BIGINT))")
}

// putInstant writes a constant instant.
func (p *printer) putInstant(micros int64) {
	if t := time.UnixMicro(micros).UTC(); t.Year() > 0 && t.Year() <= 9999 {
		p.put("CAST('", t.Format("2006-01-02 15:04:05.999999"), "+00' AS TIMESTAMPTZ)")
		return
	}
	p.put("make_timestamptz(CAST('", itoa(micros), "' AS BIGINT))")
}

// packed writes an instant, given as such or as a timestamp in UTC, whose range is checked.
func (p *printer) packed(write func()) { p.biased("epoch_us(", write, ") + "+times.PackedBias) }

// packedCast is packed for a cast, which has another message: the order of the operands tells them apart.
func (p *printer) packedCast(write func()) { p.biased(times.PackedBias+" + epoch_us(", write, ")") }

func (p *printer) biased(before string, write func(), after string) {
	p.put("make_timestamptz(", before)
	write()
	p.put(after, " - ", times.PackedBias, " - ", times.PackedBias, " + ", times.PackedBias, ")")
}

// timeLiteral writes DATE '...', TIME '...' and TIMESTAMP '...', which the analysis has checked.
func (p *printer) timeLiteral(x *trinosql.TypedLit, t *types.Type) bool {
	switch t.Kind {
	case types.Date:
		days, ok := times.Date(x.Value)
		if ok {
			p.putDate(x, days)
		}
		return ok
	case types.TimeTZ:
		p.duckType(x, t)
	case types.Time:
		p.duckType(x, t)
		c, ok := times.Time(x.Value)
		if ok {
			p.put("CAST('", time.UnixMicro(c.Scaled(6, 6).Int64()).UTC().Format("15:04:05.999999"), "' AS TIME)")
		}
		return ok
	case types.Timestamp:
		p.duckType(x, t)
		c, ok := times.Timestamp(x.Value)
		if ok {
			digits := stampDigits(t)
			p.putStamp(x, c.Scaled(digits, digits), digits)
		}
		return ok
	case types.TimestampTZ:
		p.duckType(x, t)
		micros, _, ok := instantLiteral(x.Value, 6)
		if millis := times.FloorDiv(micros, 1000); ok && !times.Packable(millis) {
			p.raise(x, t, "\x01GENERIC_INTERNAL_ERROR\x01"+times.Overflow(millis))
		} else if ok {
			p.putInstant(micros)
		}
		return ok
	}
	return false
}

// stampDigits is the fractional precision of the DuckDB type of a timestamp.
func stampDigits(t *types.Type) int {
	if t.N > 6 {
		return 9
	}
	return 6
}
