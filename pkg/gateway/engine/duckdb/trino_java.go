//go:build cgo

package duckdb

import (
	"encoding/json"
	"io"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// What Trino's functions show of the Java that they are written in.

// javaText writes a value, given as Trino's CAST(... AS varchar), as %s of Java's String.format does.
func javaText(typ, text string) string {
	switch {
	case typ == "double" || typ == "real":
		bits := map[string]int{"double": 64, "real": 32}[typ]
		f, err := strconv.ParseFloat(text, bits)
		if a := math.Abs(f); err != nil || math.IsInf(f, 0) || math.IsNaN(f) || a != 0 && (a < 1e-3 || a >= 1e7) {
			return text
		}
		out := strconv.FormatFloat(f, 'f', -1, bits)
		if !strings.Contains(out, ".") {
			out += ".0"
		}
		return out
	case typ == "time":
		return javaClock(text)
	case typ == "timestamp with time zone":
		day, rest, _ := strings.Cut(text, " ")
		clock, zone, _ := strings.Cut(rest, " ")
		if zone == "UTC" {
			zone = "Z[UTC]"
		}
		return day + "T" + javaClock(clock) + zone
	case strings.HasPrefix(typ, "timestamp"):
		day, clock, _ := strings.Cut(text, " ")
		return day + "T" + javaClock(clock)
	}
	return text
}

// javaClock writes a time of day with no more than it needs: no seconds, or seconds, or groups of three digits of them.
func javaClock(s string) string {
	clock, frac, _ := strings.Cut(s, ".")
	frac = strings.TrimRight(frac, "0")
	for len(frac)%3 != 0 {
		frac += "0"
	}
	switch {
	case frac != "":
		return clock + "." + frac
	case strings.Count(clock, ":") == 2:
		return strings.TrimSuffix(clock, ":00")
	}
	return clock
}

// notInURL are the characters that java.net.URI refuses.
var notInURL = late.Regexp("[\\s\"<>\\\\^`{|}]")

// parseURL reads what java.net.URI takes for one.
func parseURL(s string) (*url.URL, bool) {
	if notInURL().MatchString(s) {
		return nil, false
	}
	u, err := url.Parse(s)
	return u, err == nil
}

// jsonNumber is the number at a path of a JSON text, as it is written there: $."a"[0] and the like, as jsonPath makes them.
func jsonNumber(a []string) (string, bool, error) {
	d := json.NewDecoder(strings.NewReader(a[0]))
	d.UseNumber()
	for _, m := range jsonStepForm().FindAllStringSubmatch(a[1], -1) {
		t, err := d.Token()
		if err != nil {
			return "", false, nil
		}
		index, err := strconv.Atoi(m[2])
		found := false
		for at := 0; d.More() && !found; at++ {
			if t == json.Delim('{') {
				key, err := d.Token()
				if err != nil {
					return "", false, nil
				}
				found = m[2] == "" && key == strings.ReplaceAll(m[1], `\"`, `"`)
			} else {
				found = t == json.Delim('[') && err == nil && at == index
			}
			if !found {
				var skip json.RawMessage
				if err := d.Decode(&skip); err != nil {
					return "", false, nil
				}
			}
		}
		if !found {
			return "", false, nil
		}
	}
	var v json.RawMessage
	if err := d.Decode(&v); err != nil && err != io.EOF {
		return "", false, nil
	}
	return string(v), true, nil
}

var jsonStepForm = late.Regexp(`\."((?:[^"\\]|\\.)*)"|\[(\d+)\]`)

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
