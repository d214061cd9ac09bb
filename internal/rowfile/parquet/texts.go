package parquet

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// texter appends the text of a value.
type texter func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error)

// texterOf appends what appendValue does of a decoded value; for the most frequent columns without that value.
func texterOf(c *parquet.Column, typ string, decode decoder) texter {
	slow := func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error) {
		x, err := decode(v)
		if err != nil {
			return dst, infer.Null, err
		}
		dst, kind := appendValue(dst, typ, x)
		return dst, kind, nil
	}
	kind := c.Type().Kind()
	switch l := logicalOf(c).(type) {
	case *format.DecimalType:
		if kind == parquet.Int32 || kind == parquet.Int64 ||
			kind == parquet.FixedLenByteArray && c.Type().Length() <= 8 {
			return decimalText(kind, l, slow)
		}
	case *format.DateType:
		return func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error) {
			if day := int64(v.Int32()); hasFourDigits(day) {
				return appendDay(dst, day), infer.Field, nil
			}
			return slow(dst, v)
		}
	case *format.TimestampType:
		unit, zone := unitOf(l.Unit), ""
		if typ == "timestamp with time zone" {
			zone = "Z"
		}
		return func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error) {
			at := at(v.Int64(), unit)
			day := floorDiv(at.Unix(), 86400)
			if !hasFourDigits(day) {
				return slow(dst, v)
			}
			dst = append(appendDay(dst, day), ' ')
			dst = appendClock(dst, at.Unix()-day*86400, at.Nanosecond())
			return append(dst, zone...), infer.Field, nil
		}
	case *format.StringType, *format.EnumType, *format.JsonType:
		return func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error) {
			b := v.ByteArray()
			if !utf8.Valid(b) {
				return dst, infer.Null, infer.CheckText(b)
			}
			return append(dst, b...), infer.Opaque, nil
		}
	case nil, *format.IntType:
		switch {
		case typ == "integer" && kind == parquet.Int32:
			return func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error) {
				return strconv.AppendInt(dst, int64(v.Int32()), 10), infer.Field, nil
			}
		case typ == "bigint" && kind == parquet.Int64:
			return func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error) {
				return strconv.AppendInt(dst, v.Int64(), 10), infer.Field, nil
			}
		case typ == "boolean" && kind == parquet.Boolean:
			return func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error) {
				return strconv.AppendBool(dst, v.Boolean()), infer.Field, nil
			}
		}
	}
	return slow
}

// decimalText appends decimals of up to 64 bits. What does not fit the type is left to slow, for its error.
func decimalText(kind parquet.Kind, l *format.DecimalType, slow texter) texter {
	scale := int(l.Scale)
	return func(dst []byte, v parquet.Value) ([]byte, infer.Kind, error) {
		n, ok := unscaled(kind, v)
		var buf [20]byte
		digits := strconv.AppendUint(buf[:0], magnitude(n), 10)
		if !ok || len(digits) > int(l.Precision) || l.Precision > 38 || scale < 0 {
			return slow(dst, v)
		}
		if n < 0 {
			dst = append(dst, '-')
		}
		whole := max(len(digits)-scale, 0)
		if dst = append(dst, digits[:whole]...); whole == 0 {
			dst = append(dst, '0')
		}
		if scale > 0 {
			dst = append(dst, '.')
			dst = append(dst, strings.Repeat("0", max(scale-len(digits), 0))...)
			dst = append(dst, digits[whole:]...)
		}
		return dst, infer.Number, nil
	}
}

func floorDiv(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

// hasFourDigits reports whether the year of a day is one of 0 to 9999.
func hasFourDigits(day int64) bool { return day >= -719528 && day <= 2932896 }

func appendDay(dst []byte, day int64) []byte {
	year, month, of := time.Unix(day*86400, 0).UTC().Date()
	dst = appendTwo(appendTwo(dst, year/100), year%100)
	return appendTwo(append(appendTwo(append(dst, '-'), int(month)), '-'), of)
}

func appendClock(dst []byte, seconds int64, nanos int) []byte {
	s := int(seconds)
	dst = appendTwo(append(appendTwo(append(appendTwo(dst, s/3600), ':'), s/60%60), ':'), s%60)
	if nanos == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := 100_000_000; nanos > 0; unit /= 10 {
		dst = append(dst, byte('0'+nanos/unit))
		nanos %= unit
	}
	return dst
}

func appendTwo(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
