//go:build cgo

package values

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
	"github.com/google/uuid"
)

// Set writes one value.
func (w *Writer) Set(i int, v any) error {
	if v == nil {
		w.Null(i)
		return nil
	}
	switch w.kind {
	case kindBoolean:
		b, ok := v.(bool)
		if s, isText := v.(string); isText {
			var err error
			b, err = strconv.ParseBool(s)
			ok = err == nil
		}
		if !ok {
			return w.misfit(v)
		}
		put(w, i, b)
		return nil
	case kindTiny, kindSmall, kindInteger, kindBig:
		n, ok := toInt(v)
		if !ok {
			return w.misfit(v)
		}
		return w.Int(i, n)
	case kindDouble, kindReal:
		f, err := toFloat(v)
		if err != nil {
			return w.misfit(v)
		}
		return w.Float(i, f)
	case kindDecimal:
		return w.decimal(i, v)
	case kindDate, kindTime, kindTimestamp, kindTimestampTZ, kindTimestampNS:
		return w.moment(i, v)
	case kindUUID:
		return w.uuid(i, v)
	case kindBlob:
		switch b := v.(type) {
		case []byte:
			return w.Bytes(i, b)
		case string:
			return w.Bytes(i, []byte(b))
		}
		return w.misfit(v)
	}
	return w.text(i, v)
}

func (w *Writer) misfit(v any) error {
	return fmt.Errorf("cannot convert %T %s to %s", v, clip.Bytes(fmt.Sprint(v), 60), strings.ToLower(w.typ))
}

func (w *Writer) text(i int, v any) error {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case []byte:
		s = string(v)
	case fmt.Stringer:
		s = v.String()
	case bool, int, int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		s = fmt.Sprint(v)
	case float64:
		s = string(doubletext.Append(nil, v, 64))
	default:
		return w.misfit(v)
	}
	return w.Bytes(i, unsafe.Slice(unsafe.StringData(s), len(s)))
}

func toInt(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case int16:
		return int64(v), true
	case int8:
		return int64(v), true
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), v <= math.MaxInt64
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<53
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	case fmt.Stringer: // json.Number, *big.Int
		n, err := strconv.ParseInt(v.String(), 10, 64)
		return n, err == nil
	}
	return 0, false
}

func toFloat(v any) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	case string:
		return strconv.ParseFloat(v, 64)
	case fmt.Stringer:
		return strconv.ParseFloat(v.String(), 64)
	}
	n, ok := toInt(v)
	if !ok {
		return 0, errors.New("not a number")
	}
	return float64(n), nil
}

// decimal accepts a text, a Stringer such as json.Number, or an integer; it must fit the scale and width exactly.
func (w *Writer) decimal(i int, v any) error {
	var s string
	switch x := v.(type) {
	case string:
		s = x
	case fmt.Stringer:
		s = x.String()
	case float64:
		s = strconv.FormatFloat(x, 'f', -1, 64)
	default:
		n, ok := toInt(v)
		if !ok {
			return w.misfit(v)
		}
		s = strconv.FormatInt(n, 10)
	}
	if h, ok := plainDecimal(s, w.width, w.scale); ok {
		w.putDecimal(i, h)
		return nil
	}
	n, ok := unscaled(s, w.scale)
	if !ok || len(new(big.Int).Abs(n).String()) > w.width && n.Sign() != 0 {
		return w.misfit(v)
	}
	lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	w.putDecimal(i, wiretext.Huge{Lo: lo, Hi: new(big.Int).Rsh(n, 64).Int64()})
	return nil
}

// unscaled is the number without its point at a scale; digits beyond it must be zeros.
func unscaled(s string, scale int) (*big.Int, bool) {
	r, ok := new(big.Rat).SetString(s)
	if !ok || len(s) > 100 || strings.ContainsAny(s, "/_xXpP") {
		return nil, false
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	return r.Num(), r.IsInt()
}

func (w *Writer) uuid(i int, v any) error {
	var u uuid.UUID
	switch x := v.(type) {
	case [16]byte:
		u = x
	case uuid.UUID:
		u = x
	case string:
		var err error
		if u, err = uuid.Parse(x); err != nil {
			return w.misfit(v)
		}
	default:
		return w.misfit(v)
	}
	w.putUUID(i, u)
	return nil
}

// momentLayouts are the layouts of dates and times.
var momentLayouts = map[vecKind][]string{
	kindDate: {"2006-01-02"},
	kindTime: {"15:04:05.999999999", "15:04"},
	kindTimestamp: {"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04", "2006-01-02"},
	kindTimestampNS: {"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04", "2006-01-02"},
	kindTimestampTZ: {time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07",
		"2006-01-02 15:04:05.999999999 MST"},
}

// moment accepts a time.Time or a text. A TIMESTAMP is the wall clock of the time.Time, a TIMESTAMPTZ its instant. A
// value with more digits than the column can hold is an error.
func (w *Writer) moment(i int, v any) error {
	t, ok := v.(time.Time)
	if s, isText := v.(string); isText {
		if sign := map[string]int64{"infinity": 1, "-infinity": -1}[s]; sign != 0 && w.kind != kindTime {
			if w.kind == kindDate {
				put(w, i, int32(sign*math.MaxInt32))
			} else {
				put(w, i, sign*math.MaxInt64)
			}
			return nil
		}
		for _, l := range momentLayouts[w.kind] {
			var err error
			if t, err = time.Parse(l, s); err == nil {
				ok = true
				break
			}
		}
	}
	if d, isDuration := v.(time.Duration); isDuration && w.kind == kindTime {
		if d%time.Microsecond != 0 {
			return w.misfit(v)
		}
		put(w, i, d.Microseconds())
		return nil
	}
	if !ok || w.kind != kindDate && (t.Year() > 294_246 || t.Year() < -290_300) { // microseconds end there
		return w.misfit(v)
	}
	if ns := w.kind == kindTimestampNS; !ns && w.kind != kindDate && t.Nanosecond()%1000 != 0 {
		return fmt.Errorf("%w, which holds microseconds", w.misfit(v))
	} else if ns && (t.Year() < 1678 || t.Year() > 2261) {
		return fmt.Errorf("%w, which holds the years 1678 to 2261", w.misfit(v))
	}
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	switch w.kind {
	case kindDate:
		days := wall.Unix() / 86_400
		if wall.Unix()%86_400 < 0 {
			days--
		}
		put(w, i, int32(days))
	case kindTime:
		put(w, i, (int64(t.Hour())*3600+int64(t.Minute())*60+int64(t.Second()))*wiretext.MicrosPerSecond+
			int64(t.Nanosecond()/1000))
	case kindTimestamp:
		put(w, i, wall.UnixMicro())
	case kindTimestampNS:
		put(w, i, wall.UnixNano())
	default:
		put(w, i, t.UnixMicro())
	}
	return nil
}
