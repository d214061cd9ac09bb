//go:build cgo

package duckdb

import (
	"regexp"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// words turns the errors of DuckDB about values into those of Trino.
var words = []struct {
	from func() *regexp.Regexp
	to   func(m []string) string
}{
	{late.Regexp(`^Overflow in (addition|subtraction|multiplication) of (INT\d+) \((.*)\)!$`), func(m []string) string {
		return intNames[m[2]] + " " + m[1] + " overflow: " + m[3]
	}},
	{late.Regexp(`^Type INT\d+ with value (\S+) can't be cast because the value is out of range for the destination type (INT\d+)`), func(m []string) string {
		return "Out of range for " + intNames[m[2]] + ": " + m[1]
	}},
	{late.Regexp(`^Type (?:DOUBLE|FLOAT) with value (\S+) can't be cast because the value is out of range for the destination type (INT\d+)`), func(m []string) string {
		return "Unable to cast " + m[1] + " to " + intNames[m[2]]
	}},
	{late.Regexp(`^Could not convert string '((?s:.*))' to (INT\d+|DOUBLE|FLOAT|BOOL)`), func(m []string) string {
		if m[2] == "INT128" {
			return "Cannot cast value to UUID: " + m[1]
		}
		return "Cannot cast '" + m[1] + "' to " + strings.ToUpper(intNames[m[2]])
	}},
	{late.Regexp(`^Casting value "(.*)" to type DECIMAL\((\d+),(\d+)\) failed: value is out of range!`), func(m []string) string {
		return "Cannot cast DECIMAL '" + m[1] + "' to DECIMAL(" + m[2] + ", " + m[3] + ")"
	}},
}

var intNames = map[string]string{"INT8": "tinyint", "INT16": "smallint", "INT32": "integer", "INT64": "bigint", "DOUBLE": "double", "FLOAT": "real", "BOOL": "boolean"}

// inTrinosWords words an error about a value as Trino does, where that is known.
func inTrinosWords(msg string) string {
	for _, w := range words {
		if m := w.from().FindStringSubmatch(msg); m != nil {
			return w.to(m)
		}
	}
	return msg
}
