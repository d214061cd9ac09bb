//go:build cgo

package duckdb

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/late"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// bind binds the values of the parameters. The service receives texts; a text is converted to the type that DuckDB expects
// for the parameter:
//
//   - where a number is expected the text must be a number, and it is bound with all its digits, so that '1.499' compared with a
//     DECIMAL(10,2) column is 1.499 and not 1.50;
//   - where a boolean, date, time, timestamp or UUID is expected the text must be exactly one;
//   - where DuckDB expects no particular type it is bound as text; with guess, after planning failed for that reason, a text that is a number is
//     bound as one.
//
// A text that does not fit is KindBinding, never a rounded or truncated value.
func (s *statement) bind(ps bindings.PreparedStatement, guess bool) error {
	for i, v := range s.q.Bindings {
		idx := bindings.IdxT(i + 1)
		lt := bindings.ParamLogicalType(ps, idx)
		id := bindings.GetTypeId(lt)
		bindings.DestroyLogicalType(&lt)
		if guess && (id == bindings.TypeInvalid || id == bindings.TypeAny || id == bindings.TypeSQLNull) && doubleText().MatchString(v) {
			id = bindings.TypeDecimal
		}
		ok, err := bindValue(ps, idx, id, v)
		if err != nil {
			return err
		}
		if !ok {
			return &engine.Error{Kind: engine.KindBinding, Message: fmt.Sprintf("parameter %d: '%s' is not a value of type %s", i+1, clip(v), typeWord(id))}
		}
	}
	return nil
}

func clip(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "..."
	}
	return s
}

func typeWord(id bindings.Type) string {
	if id == bindings.TypeDecimal {
		return "decimal"
	}
	return plainTypes[id]
}

var (
	integerText   = late.Regexp(`^[+-]?[0-9]+$`)
	decimalText   = narrow.DecimalText
	doubleText    = narrow.DoubleText
	dateText      = late.Regexp(`^[+-]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}$`)
	timeText      = late.Regexp(`^[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$`)
	timestampText = late.Regexp(`^[+-]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?$`)
	zonedText     = late.Regexp(`^[+-]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?|[A-Za-z]+(/[A-Za-z_]+)*))?$`)
	uuidText      = narrow.UUIDText
)

// bindValue binds one text where a type is expected; false says that the text does not fit.
func bindValue(ps bindings.PreparedStatement, i bindings.IdxT, id bindings.Type, v string) (bool, error) {
	done := func(s bindings.State) (bool, error) {
		if s == bindings.StateError {
			return false, fmt.Errorf("the engine rejected parameter %d", i)
		}
		return true, nil
	}
	word := strings.TrimSpace(v)
	form := map[bindings.Type]func() *regexp.Regexp{bindings.TypeDate: dateText, bindings.TypeTime: timeText, bindings.TypeTimestamp: timestampText,
		bindings.TypeTimestampTZ: zonedText, bindings.TypeUUID: uuidText}[id]
	switch id {
	case bindings.TypeTinyInt, bindings.TypeSmallInt, bindings.TypeInteger, bindings.TypeBigInt, bindings.TypeHugeInt, bindings.TypeUTinyInt,
		bindings.TypeUSmallInt, bindings.TypeUInteger, bindings.TypeUBigInt, bindings.TypeUHugeInt, bindings.TypeDecimal,
		bindings.TypeIntegerLiteral:
		if integerText().MatchString(word) {
			if n, err := strconv.ParseInt(word, 10, 64); err == nil {
				return done(bindings.BindInt64(ps, i, n))
			}
		}
		if decimalText().MatchString(word) {
			d, ok := exactDecimal(word)
			if !ok {
				return false, nil
			}
			return done(bindings.BindDecimal(ps, i, d))
		}
		if !doubleText().MatchString(word) {
			return false, nil
		}
		fallthrough
	case bindings.TypeFloat, bindings.TypeDouble:
		if f, err := strconv.ParseFloat(word, 64); err == nil {
			return done(bindings.BindDouble(ps, i, f))
		}
		return false, nil
	case bindings.TypeBoolean:
		switch strings.ToLower(word) {
		case "true":
			return done(bindings.BindBoolean(ps, i, true))
		case "false":
			return done(bindings.BindBoolean(ps, i, false))
		}
		return false, nil
	}
	if form != nil {
		if !form().MatchString(word) || !realDay(word) {
			return false, nil
		}
		v = word
	}
	return done(bindings.BindVarcharLength(ps, i, v, bindings.IdxT(len(v))))
}

// exactDecimal converts a text to a DECIMAL with exactly its digits; false if there are more than 38.
func exactDecimal(v string) (bindings.Decimal, bool) {
	digits, scale := v, 0
	if dot := strings.IndexByte(v, '.'); dot >= 0 {
		digits, scale = v[:dot]+v[dot+1:], len(v)-dot-1
	}
	n, ok := new(big.Int).SetString(digits, 10)
	width := max(len(strings.TrimLeft(digits, "+-0")), scale, 1)
	if !ok || width > 38 {
		return bindings.Decimal{}, false
	}
	word := new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1)) // two's complement: And and Rsh behave as on infinite bits
	high := new(big.Int).Rsh(n, 64)
	return bindings.NewDecimal(uint8(width), uint8(scale), bindings.NewHugeInt(word.Uint64(), high.Int64())), true
}

// realDay reports whether the date at the start of a text exists, if it has a year of four digits.
func realDay(s string) bool {
	day, _, _ := strings.Cut(strings.ReplaceAll(s, "T", " "), " ")
	if len(day) < 8 || day[4] != '-' {
		return true
	}
	_, err := time.Parse("2006-1-2", day)
	return err == nil
}
