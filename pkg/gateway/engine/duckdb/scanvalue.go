//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/google/uuid"
)

// vecWriter writes Go values into a vector of DuckDB. Which Go type stands for which column type is said at engine.Batches; what
// does not fit exactly is an error, never a changed value.
type vecWriter struct {
	v     bindings.Vector
	typ   string
	data  unsafe.Pointer
	valid []uint64 // nil until the first NULL
	width int
	scale int
}

func newVecWriter(v bindings.Vector, typ string) *vecWriter {
	w := &vecWriter{v: v, typ: typ, data: bindings.VectorGetData(v)}
	if p, ok := strings.CutPrefix(typ, "DECIMAL("); ok {
		w.typ = "DECIMAL"
		_, _ = fmt.Sscanf(p, "%d,%d)", &w.width, &w.scale)
	}
	return w
}

func put[T any](w *vecWriter, i int, v T) {
	*(*T)(unsafe.Add(w.data, uintptr(i)*unsafe.Sizeof(v))) = v
}

func (w *vecWriter) null(i int) {
	if w.valid == nil {
		bindings.VectorEnsureValidityWritable(w.v)
		w.valid = unsafe.Slice((*uint64)(bindings.VectorGetValidity(w.v)), (int(bindings.VectorSize())+63)/64)
	}
	w.valid[i/64] &^= 1 << (i % 64)
}

// set writes one value.
func (w *vecWriter) set(i int, v any) error {
	if v == nil {
		w.null(i)
		return nil
	}
	switch w.typ {
	case "BOOLEAN":
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
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT":
		return w.integer(i, v)
	case "DOUBLE", "REAL":
		f, err := toFloat(v)
		if err != nil {
			return w.misfit(v)
		}
		if w.typ == "REAL" {
			put(w, i, float32(f))
		} else {
			put(w, i, f)
		}
		return nil
	case "DECIMAL":
		return w.decimal(i, v)
	case "DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ":
		return w.moment(i, v)
	case "UUID":
		return w.uuid(i, v)
	case "BLOB":
		switch b := v.(type) {
		case []byte:
			bindings.VectorAssignStringElementLen(w.v, bindings.IdxT(i), b)
		case string:
			bindings.VectorAssignStringElement(w.v, bindings.IdxT(i), b)
		default:
			return w.misfit(v)
		}
		return nil
	}
	return w.text(i, v)
}

func (w *vecWriter) misfit(v any) error {
	s := fmt.Sprint(v)
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "..."
	}
	return fmt.Errorf("cannot take %T %s for a %s", v, s, strings.ToLower(w.typ))
}

func (w *vecWriter) text(i int, v any) error {
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
		s = string(appendDouble(nil, v, 64))
	default:
		return w.misfit(v)
	}
	if !utf8.ValidString(s) {
		return errors.New("a text is not valid UTF-8")
	}
	bindings.VectorAssignStringElement(w.v, bindings.IdxT(i), s)
	return nil
}

func (w *vecWriter) integer(i int, v any) error {
	n, ok := toInt(v)
	limit := map[string]int64{"TINYINT": math.MaxInt8, "SMALLINT": math.MaxInt16, "INTEGER": math.MaxInt32, "BIGINT": math.MaxInt64}[w.typ]
	if !ok || n > limit || n < -limit-1 {
		return w.misfit(v)
	}
	switch w.typ {
	case "TINYINT":
		put(w, i, int8(n))
	case "SMALLINT":
		put(w, i, int16(n))
	case "INTEGER":
		put(w, i, int32(n))
	default:
		put(w, i, n)
	}
	return nil
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

// decimal takes a text, a Stringer such as json.Number, or an integer; it must fit the scale and width exactly.
func (w *vecWriter) decimal(i int, v any) error {
	s := ""
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
	n, ok := unscaled(s, w.scale)
	if !ok || len(new(big.Int).Abs(n).String()) > w.width && n.Sign() != 0 {
		return w.misfit(v)
	}
	switch {
	case w.width <= 4:
		put(w, i, int16(n.Int64()))
	case w.width <= 9:
		put(w, i, int32(n.Int64()))
	case w.width <= 18:
		put(w, i, n.Int64())
	default:
		lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		put(w, i, hugeint{lo, new(big.Int).Rsh(n, 64).Int64()})
	}
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

func (w *vecWriter) uuid(i int, v any) error {
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
	var h hugeint
	for k := range 8 {
		h.hi = h.hi<<8 | int64(u[k])
		h.lo = h.lo<<8 | uint64(u[8+k])
	}
	h.hi ^= math.MinInt64
	put(w, i, h)
	return nil
}

// momentLayouts are the texts that dates and times may have.
var momentLayouts = map[string][]string{
	"DATE":        {"2006-01-02"},
	"TIME":        {"15:04:05.999999999", "15:04"},
	"TIMESTAMP":   {"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"},
	"TIMESTAMPTZ": {time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999 MST"},
}

// moment takes a time.Time or a text. A TIMESTAMP is the wall clock of the time.Time, a TIMESTAMPTZ its instant. Nanoseconds
// below a microsecond are cut off, as the column cannot hold them.
func (w *vecWriter) moment(i int, v any) error {
	t, ok := v.(time.Time)
	if s, isText := v.(string); isText {
		if sign := map[string]int64{"infinity": 1, "-infinity": -1}[s]; sign != 0 && w.typ != "TIME" {
			if w.typ == "DATE" {
				put(w, i, int32(sign*math.MaxInt32))
			} else {
				put(w, i, sign*math.MaxInt64)
			}
			return nil
		}
		for _, l := range momentLayouts[w.typ] {
			var err error
			if t, err = time.Parse(l, s); err == nil {
				ok = true
				break
			}
		}
	}
	if d, isDuration := v.(time.Duration); isDuration && w.typ == "TIME" {
		put(w, i, d.Microseconds())
		return nil
	}
	if !ok || w.typ != "DATE" && (t.Year() > 294_246 || t.Year() < -290_300) { // microseconds end there
		return w.misfit(v)
	}
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	switch w.typ {
	case "DATE":
		days := wall.Unix() / 86_400
		if wall.Unix()%86_400 < 0 {
			days--
		}
		put(w, i, int32(days))
	case "TIME":
		put(w, i, (int64(t.Hour())*3600+int64(t.Minute())*60+int64(t.Second()))*microsPerSecond+int64(t.Nanosecond()/1000))
	case "TIMESTAMP":
		put(w, i, wall.UnixMicro())
	default:
		put(w, i, t.UnixMicro())
	}
	return nil
}
