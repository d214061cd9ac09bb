//go:build cgo

package duckdb

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
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
// A text that does not fit is an error of KindBinding; it is never rounded or truncated.
func (s *statement) bind(ps bindings.PreparedStatement, guess bool) error {
	for i, v := range s.Q.Bindings {
		idx := bindings.IdxT(i + 1)
		lt := bindings.ParamLogicalType(ps, idx)
		id := bindings.GetTypeId(lt)
		bindings.DestroyLogicalType(&lt)
		if guess && (id == bindings.TypeInvalid || id == bindings.TypeAny || id == bindings.TypeSQLNull) && trino.DoubleText().MatchString(v) {
			id = bindings.TypeDecimal
		}
		ok, err := bindValue(ps, idx, id, v)
		if err != nil {
			return err
		}
		if !ok {
			return &engine.Error{Kind: engine.KindBinding, Message: fmt.Sprintf("parameter %d: '%s' is not a value of type %s", i+1, clip.Bytes(v, trino.Clipped), typeWord(id))}
		}
	}
	return nil
}

func typeWord(id bindings.Type) string {
	if id == bindings.TypeDecimal {
		return "decimal"
	}
	return plainTypes[id]
}

// bindValue binds one text where a type is expected; it returns false if the text does not fit.
func bindValue(ps bindings.PreparedStatement, i bindings.IdxT, id bindings.Type, v string) (bool, error) {
	done := func(s bindings.State) (bool, error) {
		if s == bindings.StateError {
			return false, fmt.Errorf("the engine rejected parameter %d", i)
		}
		return true, nil
	}
	word := strings.TrimSpace(v)
	form := map[bindings.Type]func() *regexp.Regexp{bindings.TypeDate: trino.DateText, bindings.TypeTime: trino.TimeText, bindings.TypeTimestamp: trino.TimestampText,
		bindings.TypeTimestampTZ: trino.ZonedText, bindings.TypeUUID: trino.UuidText}[id]
	switch id {
	case bindings.TypeTinyInt, bindings.TypeSmallInt, bindings.TypeInteger, bindings.TypeBigInt, bindings.TypeHugeInt, bindings.TypeUTinyInt,
		bindings.TypeUSmallInt, bindings.TypeUInteger, bindings.TypeUBigInt, bindings.TypeUHugeInt, bindings.TypeDecimal,
		bindings.TypeIntegerLiteral:
		if trino.IntegerText().MatchString(word) {
			if n, err := strconv.ParseInt(word, 10, 64); err == nil {
				return done(bindings.BindInt64(ps, i, n))
			}
		}
		if trino.DecimalText().MatchString(word) {
			d, ok := exactDecimal(word)
			if !ok {
				return false, nil
			}
			return done(bindings.BindDecimal(ps, i, d))
		}
		if !trino.DoubleText().MatchString(word) {
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
		if !form().MatchString(word) || !trino.RealDay(word) {
			return false, nil
		}
		v = word
	}
	return done(bindings.BindVarcharLength(ps, i, v, bindings.IdxT(len(v))))
}

// exactDecimal converts a text to a DECIMAL with exactly its digits; false if there are more than 38.
func exactDecimal(v string) (bindings.Decimal, bool) {
	n, width, scale, ok := trino.DecimalDigits(v)
	if !ok {
		return bindings.Decimal{}, false
	}
	word := new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1)) // two's complement: And and Rsh behave as on infinite bits
	high := new(big.Int).Rsh(n, 64)
	return bindings.NewDecimal(uint8(width), uint8(scale), bindings.NewHugeInt(word.Uint64(), high.Int64())), true
}
