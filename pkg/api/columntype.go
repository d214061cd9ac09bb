package api

import (
	"fmt"
	"strconv"
	"strings"
)

// ColumnTypes lists the types that a column of an internal table can have [S]. On zone local a DECIMAL may also have a
// precision and a scale.
func ColumnTypes() []string {
	return []string{"VARCHAR", "BIGINT", "BOOLEAN", "DECIMAL", "TIMESTAMP", "TIME", "DATE", "UUID"}
}

// The precision and the scale of a DECIMAL without them [L], and the highest precision.
const (
	DecimalPrecision = 38
	DecimalScale     = 10
	MaxPrecision     = 38
)

// DecimalType is the name of a decimal type in lists of columns: "decimal" or "decimal(15,2)".
func DecimalType(precision, scale int) string {
	if precision == DecimalPrecision && scale == DecimalScale {
		return "decimal"
	}
	return fmt.Sprintf("decimal(%d,%d)", precision, scale)
}

// DecimalOf returns the precision and the scale of a decimal type in lower case; ok is false for other types.
func DecimalOf(typ string) (precision, scale int, ok bool) {
	rest, ok := strings.CutPrefix(typ, "decimal")
	if !ok || rest == "" {
		return DecimalPrecision, DecimalScale, ok
	}
	rest, open := strings.CutPrefix(strings.TrimSpace(rest), "(")
	rest, closed := strings.CutSuffix(rest, ")")
	first, second, two := strings.Cut(rest, ",")
	precision, err := strconv.Atoi(strings.TrimSpace(first))
	if two && err == nil {
		scale, err = strconv.Atoi(strings.TrimSpace(second))
	}
	ok = open && closed && err == nil && precision >= 1 && precision <= MaxPrecision && scale >= 0 && scale <= precision
	return precision, scale, ok
}

// ColumnType returns a type of a column as lists of columns have it; ok is false if no column can have it.
func ColumnType(s string) (typ string, ok bool) {
	typ = strings.ToLower(strings.TrimSpace(s))
	if precision, scale, ok := DecimalOf(typ); ok {
		return DecimalType(precision, scale), true
	}
	for _, t := range ColumnTypes() {
		if strings.EqualFold(t, typ) {
			return typ, true
		}
	}
	return typ, false
}

// SameColumnType reports whether two types of columns are the same one.
func SameColumnType(a, b string) bool {
	a, _ = ColumnType(a)
	b, _ = ColumnType(b)
	return a == b
}

// WidenDecimal returns the decimal type that has the values of a decimal type and a number, which may have an exponent;
// ok is false if no type has them.
func WidenDecimal(typ, number string) (wider string, ok bool) {
	precision, scale, ok := DecimalOf(typ)
	number = strings.ToLower(strings.Trim(number, " \t\n\v\f\r")) // as imports do
	if number != "" && strings.ContainsAny(number[:1], "+-") {
		number = number[1:]
	}
	number, exponent, scientific := strings.Cut(number, "e")
	whole, fraction, _ := strings.Cut(number, ".")
	digits := whole + fraction
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	point := len(whole)
	if scientific {
		exp, err := strconv.Atoi(exponent)
		if err != nil {
			return "", false
		}
		point += max(min(exp, 1000), -1000)
	}
	point -= len(digits) - len(strings.TrimLeft(digits, "0"))
	if digits = strings.Trim(digits, "0"); digits == "" {
		return typ, true
	}
	before, after := max(precision-scale, point), max(scale, len(digits)-point)
	return DecimalType(before+after, after), before+after <= MaxPrecision
}
