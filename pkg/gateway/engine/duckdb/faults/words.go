package faults

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql/times"
)

// words turns the errors of DuckDB about values into those of Trino, with Trino's name of the kind.
var words = []struct {
	from func() *regexp.Regexp
	kind string
	to   func(m []string) string
}{
	{late.Regexp(`^(?:Decimal d|D)ivision by zero`), "DIVISION_BY_ZERO",
		func([]string) string { return "Division by zero" }},
	{late.Regexp(`^Overflow in (?:addition|subtraction) of INT64 \((-?\d+) [+-] ` + times.PackedBias + `\)!$`),
		"GENERIC_INTERNAL_ERROR", func(m []string) string {
			return "Millis overflow: " + millis(m[1])
		}},
	{late.Regexp(`^Overflow in addition of INT64 \(` + times.PackedBias + ` \+ (-?\d+)\)!$`), "INVALID_CAST_ARGUMENT",
		func(m []string) string {
			return "Out of range for timestamp with time zone: " + millis(m[1])
		}},
	{late.Regexp(`^Overflow in (addition|subtraction|multiplication) of (INT\d+) \((.*)\)!$`), rangeFault,
		func(m []string) string {
			return intNames[m[2]] + " " + m[1] + " overflow: " + m[3]
		}},
	{late.Regexp(`^Overflow in division of (INT\d+) \((-?\d+)`), rangeFault, func(m []string) string {
		return intNames[m[1]] + " division overflow: " + m[2] + " / -1"
	}},
	{late.Regexp(`^Overflow in (?:add|addition|subtract|subtraction|multiply|multiplication) of DECIMAL|^Overflow in ` +
		`HUGEINT|^Overflow in multiplication of INT128`), rangeFault, func([]string) string {
		return "Decimal overflow"
	}},
	{late.Regexp(`^Type INT128 with value (\S+) can't be cast because the value is out of range for the destination ` +
		`type INT64`), rangeFault, func(m []string) string {
		return "bigint addition overflow: " + m[1] // of a sum
	}},
	{late.Regexp(`^Type INT\d+ with value (\S+) can't be cast because the value is out of range for the destination ` +
		`type (INT\d+)`), rangeFault, func(m []string) string {
		return "Out of range for " + intNames[m[2]] + ": " + m[1]
	}},
	{late.Regexp(`^Type (?:DOUBLE|FLOAT) with value (\S+) can't be cast because the value is out of range for the ` +
		`destination type (INT\d+)`), "INVALID_CAST_ARGUMENT", func(m []string) string {
		return "Unable to cast " + m[1] + " to " + intNames[m[2]]
	}},
	{late.Regexp(`^Could not convert string '((?s:.*))' to (INT\d+|DOUBLE|FLOAT|BOOL)`), "INVALID_CAST_ARGUMENT",
		func(m []string) string {
			if m[2] == "INT128" {
				return "Cannot cast value to UUID: " + m[1]
			}
			return "Cannot cast '" + m[1] + "' to " + strings.ToUpper(intNames[m[2]])
		}},
	{late.Regexp(`^Casting value "(.*)" to type DECIMAL\((\d+),(\d+)\) failed: value is out of range!`),
		"INVALID_CAST_ARGUMENT", func(m []string) string {
			return "Cannot cast DECIMAL '" + m[1] + "' to DECIMAL(" + m[2] + ", " + m[3] + ")"
		}},
	{late.Regexp(`^More than one row returned by a subquery`), "SUBQUERY_MULTIPLE_ROWS",
		func([]string) string { return "Scalar sub-query has returned multiple rows" }},
	{late.Regexp(`^Map keys must be unique`), argumentFault,
		func([]string) string { return "Duplicate map keys are not allowed" }},
	{late.Regexp(`^Map keys can not be NULL`), argumentFault,
		func([]string) string { return "map key cannot be null" }},
}

const (
	rangeFault    = "NUMERIC_VALUE_OUT_OF_RANGE"
	argumentFault = "INVALID_FUNCTION_ARGUMENT"
)

// millis are the milliseconds of a number of microseconds.
func millis(micros string) string {
	n, _ := strconv.ParseInt(micros, 10, 64)
	return strconv.FormatInt(times.FloorDiv(n, 1000), 10)
}

var intNames = map[string]string{"INT8": "tinyint", "INT16": "smallint", "INT32": "integer", "INT64": "bigint",
	"DOUBLE": "double", "FLOAT": "real", "BOOL": "boolean"}

// saidKinds are the kinds of errors that already have Trino's messages, by a part of the message. All others are
// argumentFault.
var saidKinds = []struct {
	part func() *regexp.Regexp
	kind string
}{
	{late.Regexp(`^Division by zero`), "DIVISION_BY_ZERO"},
	{late.Regexp(`^(Out of range for|Decimal overflow|Value out of range|Bucket for value)| overflow: | is out of ` +
		`range for `), rangeFault},
	{late.Regexp(`^Value \[.* does not fit in type`), "GENERIC_INTERNAL_ERROR"},
	{late.Regexp(`^(Cannot cast|Value cannot be cast to|Unable to cast)| cannot be represented as `),
		"INVALID_CAST_ARGUMENT"},
	{late.Regexp(`^Window frame `), "INVALID_WINDOW_FRAME"},
	{late.Regexp(`^Recursion depth limit exceeded|^(ARRAY|ROW) comparison not supported| does not support arrays ` +
		`with elements that are null`), "NOT_SUPPORTED"},
	{late.Regexp(`^(?:duplicate keys|map key is null)$`), "INVALID_CAST_ARGUMENT"},
	{late.Regexp(`^Concatenated string has the length`), "EXCEEDED_FUNCTION_MEMORY_LIMIT"},
	{late.Regexp(`^(value is NaN|integer overflow|Empty key)$`), "GENERIC_INTERNAL_ERROR"},
	{late.Regexp(`^numerical overflow: `), rangeFault},
}

// inTrinosWords returns Trino's message for an error about a value, where it is known, and Trino's name of its kind.
func inTrinosWords(msg string) (string, string) {
	for _, w := range words {
		if m := w.from().FindStringSubmatch(msg); m != nil {
			return w.to(m), w.kind
		}
	}
	for _, k := range saidKinds {
		if k.part().MatchString(msg) {
			return msg, k.kind
		}
	}
	return msg, argumentFault
}
