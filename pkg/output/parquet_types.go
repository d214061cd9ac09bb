package output

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	_ "time/tzdata" // time zones on systems without a time zone database

	"github.com/dig-cli/dig/internal/cell"
	"github.com/parquet-go/parquet-go"
)

// parquetCodec converts the text of values to those of a column.
type parquetCodec struct {
	node     parquet.Node
	encode   func(t, room []byte) (parquet.Value, error)
	size     int  // of the bytes of a value, for which encode gets room
	noBounds bool // the library compares these bytes as unsigned: its minimum and maximum would be misleading
}

var stringCodec = parquetCodec{node: parquet.String(), encode: func(t, _ []byte) (parquet.Value, error) {
	return parquet.ByteArrayValue(t), nil
}}

// codecOf maps Trino types: integers, real, double, boolean, decimal up to 38 digits, date, time, timestamp (with time
// zone: the instant, without the name of the zone), uuid, json and varbinary. All others are strings.
func codecOf(typ string) parquetCodec {
	base, rest, _ := strings.Cut(typ, "(")
	params, suffix, _ := strings.Cut(rest, ")")
	base, suffix = strings.TrimSpace(base), strings.TrimSpace(suffix)
	if suffix == "" {
		if b, s, ok := strings.Cut(base, " "); ok && (b == "timestamp" || b == "time") {
			base, suffix = b, s
		}
	}
	zoned := suffix == "with time zone"
	switch base {
	case "boolean":
		return parquetCodec{node: parquet.Leaf(parquet.BooleanType), encode: encodeBool}
	case "tinyint":
		return intCodec(8)
	case "smallint":
		return intCodec(16)
	case "integer", "int":
		return intCodec(32)
	case "bigint":
		return intCodec(64)
	case "real":
		return parquetCodec{node: parquet.Leaf(parquet.FloatType), encode: func(t, _ []byte) (parquet.Value, error) {
			f, err := strconv.ParseFloat(string(t), 32)
			return parquet.FloatValue(float32(f)), notA("real", t, err)
		}}
	case "double", "double precision":
		return parquetCodec{node: parquet.Leaf(parquet.DoubleType), encode: func(t, _ []byte) (parquet.Value, error) {
			f, err := strconv.ParseFloat(string(t), 64)
			return parquet.DoubleValue(f), notA("double", t, err)
		}}
	case "decimal", "numeric":
		return decimalCodec(params)
	case "date":
		return parquetCodec{node: parquet.Date(), encode: func(t, _ []byte) (parquet.Value, error) {
			if days, ok := plainDay(t); ok && len(t) == dayLength {
				return parquet.Int32Value(int32(days)), nil
			}
			at, err := parseFar(string(t), func(s string) (time.Time, error) {
				return time.Parse(time.DateOnly, day(s))
			})
			days := at.Unix() / 86400
			if err == nil && days != int64(int32(days)) {
				err = strconv.ErrRange
			}
			return parquet.Int32Value(int32(days)), notA("date", t, err)
		}}
	case "time":
		if !zoned {
			return timeCodec(params)
		}
	case "timestamp":
		return timestampCodec(params, zoned)
	case "uuid":
		return parquetCodec{node: parquet.UUID(), encode: func(t, _ []byte) (parquet.Value, error) {
			b, err := hex.DecodeString(strings.ReplaceAll(string(t), "-", ""))
			if err == nil && len(b) != 16 {
				err = hex.ErrLength
			}
			return parquet.FixedLenByteArrayValue(b), notA("uuid", t, err)
		}}
	case "json":
		return parquetCodec{node: parquet.JSON(), encode: stringCodec.encode}
	case "varbinary":
		return parquetCodec{node: parquet.Leaf(parquet.ByteArrayType), encode: func(t,
			_ []byte) (parquet.Value, error) {
			// [D]: pairs of hex digits with blanks and line breaks between
			b, err := hex.DecodeString(string(bytes.Join(bytes.Fields(t), nil)))
			return parquet.ByteArrayValue(b), notA("varbinary", t, err)
		}}
	}
	return stringCodec
}

func notA(typ string, t []byte, err error) error {
	if err == nil {
		return nil
	}
	if len(t) > 60 {
		t = append(bytes.Clone(t[:60]), ellipsis...)
	}
	return fmt.Errorf("%q is not a %s", t, typ)
}

func encodeBool(t, _ []byte) (parquet.Value, error) {
	switch string(t) {
	case "true":
		return parquet.BooleanValue(true), nil
	case "false":
		return parquet.BooleanValue(false), nil
	}
	switch strings.ToLower(string(t)) {
	case "true":
		return parquet.BooleanValue(true), nil
	case "false":
		return parquet.BooleanValue(false), nil
	}
	return parquet.Value{}, notA("boolean", t, strconv.ErrSyntax)
}

func intCodec(bits int) parquetCodec {
	return parquetCodec{node: parquet.Int(bits), encode: func(t, _ []byte) (parquet.Value, error) {
		n, err := strconv.ParseInt(string(t), 10, bits)
		if bits == 64 {
			return parquet.Int64Value(n), notA("bigint", t, err)
		}
		return parquet.Int32Value(int32(n)), notA(strconv.Itoa(bits)+" bit integer", t, err)
	}}
}

// decimalCodec parses "precision,scale". A decimal without parameters has 38 digits, 10 of them after the point, as in
// internal tables [L].
func decimalCodec(params string) parquetCodec {
	precision, scale := 38, 10
	if p, s, _ := strings.Cut(params, ","); p != "" {
		var err error
		if precision, err = strconv.Atoi(strings.TrimSpace(p)); err != nil || precision < 1 || precision > 38 {
			return stringCodec
		}
		scale = 0
		if s != "" {
			if scale, err = strconv.Atoi(strings.TrimSpace(s)); err != nil || scale < 0 || scale > precision {
				return stringCodec
			}
		}
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	most := int128Of(limit)
	typ := fmt.Sprintf("decimal(%d,%d)", precision, scale)
	unscaled := func(t []byte) (int128, error) {
		if n, negative, ok := plainDecimal(t, scale); ok && n.less(most) {
			if negative {
				n = n.negated()
			}
			return n, nil
		}
		n, err := unscale(t, scale)
		if err == nil && n.CmpAbs(limit) >= 0 {
			err = strconv.ErrRange
		}
		if err != nil {
			return int128{}, notA(typ, t, err)
		}
		return int128Of(n), nil
	}
	switch {
	case precision <= 9:
		return parquetCodec{node: parquet.Decimal(scale, precision, parquet.Int32Type),
			encode: func(t, _ []byte) (parquet.Value, error) {
				n, err := unscaled(t)
				return parquet.Int32Value(int32(n.lo)), err
			}}
	case precision <= 18:
		return parquetCodec{node: parquet.Decimal(scale, precision, parquet.Int64Type),
			encode: func(t, _ []byte) (parquet.Value, error) {
				n, err := unscaled(t)
				return parquet.Int64Value(int64(n.lo)), err
			}}
	}
	return parquetCodec{
		node: parquet.Decimal(scale, precision, parquet.FixedLenByteArrayType(16)), noBounds: true, size: 16,
		encode: func(t, room []byte) (parquet.Value, error) {
			n, err := unscaled(t)
			binary.BigEndian.PutUint64(room, n.hi)
			binary.BigEndian.PutUint64(room[8:], n.lo)
			return parquet.FixedLenByteArrayValue(room), err
		},
	}
}

// unscale parses a decimal as an integer of 10^-scale. Further digits must be zero.
func unscale(t []byte, scale int) (*big.Int, error) {
	if !cell.ValidNumber(t) {
		return nil, strconv.ErrSyntax
	}
	mantissa, exp := t, 0
	if at := bytes.IndexAny(t, "eE"); at >= 0 {
		var err error
		if exp, err = strconv.Atoi(strings.TrimPrefix(string(t[at+1:]), "+")); err != nil || exp > 100 || exp < -100 {
			return nil, strconv.ErrRange
		}
		mantissa = t[:at]
	}
	whole, fraction, _ := strings.Cut(string(mantissa), ".")
	digits, shift := whole+fraction, scale+exp-len(fraction)
	for ; shift < 0; shift++ {
		if !strings.HasSuffix(digits, "0") {
			return nil, strconv.ErrRange
		}
		if digits = digits[:len(digits)-1]; digits == "" || digits == "-" {
			return new(big.Int), nil
		}
	}
	n, ok := new(big.Int).SetString(digits+strings.Repeat("0", shift), 10)
	if !ok {
		return nil, strconv.ErrSyntax
	}
	return n, nil
}

// fine reports whether a precision requires nanoseconds; Trino's default is 3 [D].
func fine(params string) (unit parquet.TimeUnit, per int64, err error) {
	p, err := strconv.Atoi(strings.TrimSpace(params))
	if strings.TrimSpace(params) == "" {
		p, err = 3, nil
	}
	if p > 6 {
		return parquet.Nanosecond, 1, err
	}
	return parquet.Microsecond, 1000, err
}

func timeCodec(params string) parquetCodec {
	unit, per, err := fine(params)
	if err != nil {
		return stringCodec
	}
	return parquetCodec{node: parquet.TimeAdjusted(unit, false), encode: func(t, _ []byte) (parquet.Value, error) {
		at, err := time.Parse("15:04:05.999999999", string(t))
		ns := at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Nanoseconds()
		if err == nil && ns%per != 0 {
			err = strconv.ErrRange
		}
		return parquet.Int64Value(ns / per), notA("time of its precision", t, err)
	}}
}

func timestampCodec(params string, zoned bool) parquetCodec {
	unit, per, err := fine(params)
	if err != nil {
		return stringCodec
	}
	return parquetCodec{node: parquet.TimestampAdjusted(unit, zoned), encode: func(t, _ []byte) (parquet.Value, error) {
		if us, ok := plainMicros(t); ok && per == 1000 && !zoned {
			return parquet.Int64Value(us), nil
		}
		at, err := parseFar(string(t), func(s string) (time.Time, error) {
			return parseTimestamp(s, zoned)
		})
		seconds, nanos := at.Unix(), int64(at.Nanosecond())
		limit := int64(math.MaxInt64) / (1e9 / per)
		if err == nil && (nanos%per != 0 || seconds >= limit || seconds <= -limit) {
			err = strconv.ErrRange
		}
		return parquet.Int64Value(seconds*(1e9/per) + nanos/per), notA("timestamp of its precision", t, err)
	}}
}

// parseFar parses a date or an instant. Its year may have a sign and more than four digits, as in results: parse is
// then given one with the same calendar.
func parseFar(s string, parse func(string) (time.Time, error)) (time.Time, error) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return parse(s)
	}
	digits, rest, _ := strings.Cut(s[1:], "-")
	year, err := strconv.Atoi(s[:1+len(digits)])
	if err != nil || len(digits) < 4 || len(digits) > 7 {
		return time.Time{}, strconv.ErrSyntax
	}
	at, err := parse(fmt.Sprintf("%d-%s", 2000+(year%400+400)%400, rest))
	return time.Date(year, at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(),
		at.Location()), err
}

// parseTimestamp parses 2020-06-10 15:55:23.383345, also with a T, and with a zone at the end if zoned: an offset or a
// name.
func parseTimestamp(s string, zoned bool) (time.Time, error) {
	if len(s) > 10 && s[10] == 'T' {
		s = s[:10] + " " + s[11:]
	}
	const layout = "2006-01-02 15:04:05.999999999"
	if !zoned {
		return time.Parse(layout, unzoned(s))
	}
	if stamp, zone, ok := strings.Cut(s[min(len(s), 11):], " "); ok {
		loc, err := zoneOf(zone)
		if err != nil {
			return time.Time{}, err
		}
		return time.ParseInLocation(layout, s[:11]+stamp, loc)
	}
	for _, l := range []string{layout + "Z07:00", layout + "Z0700", layout + "Z07"} {
		if at, err := time.Parse(l, s); err == nil {
			return at, nil
		}
	}
	return time.Time{}, strconv.ErrSyntax
}

// day returns the day of a date that some sources write with a time: 2020-06-10 00:00:00.0. A time other than midnight
// is kept, so that no part of a value is dropped.
func day(s string) string {
	if len(s) <= 10 || s[10] != ' ' && s[10] != 'T' {
		return s
	}
	if t, fraction, _ := strings.Cut(unzoned(s[11:]), "."); t == "00:00:00" && strings.Trim(fraction, "0") == "" {
		return s[:10]
	}
	return s
}

// unzoned removes the UTC marker from a value of a type without zone. Any other zone is kept: dropping it would change
// the instant.
func unzoned(s string) string {
	for _, mark := range []string{"Z", "+00:00", "UTC"} {
		if t, ok := strings.CutSuffix(s, mark); ok {
			return strings.TrimSuffix(t, " ")
		}
	}
	return s
}

func zoneOf(name string) (*time.Location, error) {
	if name == "Local" || name == "" {
		return nil, strconv.ErrSyntax
	}
	if name == "Z" {
		return time.UTC, nil
	}
	if name[0] == '+' || name[0] == '-' {
		at, err := time.Parse("-07:00", name)
		return at.Location(), err
	}
	return time.LoadLocation(name)
}
