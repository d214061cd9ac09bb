package infer

import (
	"math"
	"strconv"
	"strings"
)

// double reports whether a number survives the conversion to a double: the shortest text of that double has the same
// digits.
func double(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && significant(s) == significant(strconv.FormatFloat(f, 'e', -1, 64))
}

func significant(s string) string {
	s, _, _ = strings.Cut(strings.ToLower(s), "e")
	return strings.Trim(strings.Replace(strings.TrimPrefix(s, "-"), ".", "", 1), "0")
}

// NumberType returns the type that represents a number exactly: bigint, double, or varchar if neither does. A number of
// 17 digits is the exact output of a double.
func NumberType(s string) string {
	if !strings.ContainsAny(s, ".eE") {
		if _, err := strconv.ParseInt(s, 10, 64); err == nil && s != "-0" {
			return "bigint"
		}
		if s != "-0" {
			return "varchar"
		}
	}
	digits := significant(s)
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(digits) > 17 || f == 0 && digits != "" || math.IsInf(f, 0) {
		return "varchar"
	}
	return "double"
}

// number returns the number of digits before and after the point of a number that is lossless as a bigint or a decimal.
// digits is 0 for any other number: a leading zero or plus sign would be lost, as would the sign of -0.
func number(s []byte) (digits, scale int) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 1 && s[0] == '0' {
		return 0, 0
	}
	if digits == len(s) {
		if digits > 19 || negative && s[0] == '0' {
			return 0, 0
		}
		return digits, 0
	}
	frac := s[digits+1:]
	if s[digits] != '.' || !allDigits(frac) {
		return 0, 0
	}
	return digits, len(frac)
}
