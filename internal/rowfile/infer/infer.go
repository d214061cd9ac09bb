// Package infer determines the types of columns from their values. Only lossless types are chosen: a column with one
// value that does not fit is varchar.
package infer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Column collects facts about the values of a column. Its fields are exported for JSON.
type Column struct {
	Seen                         bool
	Nullable                     bool
	Text, JSON                   bool // a value that is only a string, a value that is an object or a list
	Whole, Dec, Flag, Date, When int
	Values                       int
	IntDigits, Scale             int
	Exp, UUID                    int   `json:",omitempty"` // numbers with an exponent
	Inexact                      bool  `json:",omitempty"` // a number that no double represents exactly
	Ways                         uint8 `json:",omitempty"` // spellings of true and false, a bit for each
	Forms                        uint8 `json:",omitempty"` // of timestamps, a bit for each
	Double                       int   `json:",omitempty"` // numbers that a double represents exactly
	Long                         bool  `json:",omitempty"` // an integer that no double represents exactly
}

// AddField adds a value that is written without quotes, such as a field of a CSV file: a number, true or false, a date,
// a time or a string. Numbers are represented exactly, as bigint or decimal.
func (c *Column) AddField(s []byte) {
	c.Seen = true
	c.Values++
	if c.Text { // it stays varchar, whatever follows
		return
	}
	switch v := Classify(s); v.Kind {
	case Number:
		c.addNumber(s, v)
	case Flag:
		c.Flag++
		c.Ways |= v.Way
	case Date:
		c.Date++
	case Moment:
		c.When++
		c.Forms |= 1 << v.Form
	case UUID:
		c.UUID++
	default:
		c.Text = true
	}
}

func (c *Column) addNumber(s []byte, v Class) {
	switch {
	case v.Exponent, MinusZero(s): // a double can hold it, a decimal may not
		c.Exp++
	case v.Scale == 0:
		c.Whole++
	default:
		c.Dec++
	}
	c.IntDigits, c.Scale = max(c.IntDigits, int(v.Digits)), max(c.Scale, int(v.Scale))
	if v.Digits+v.Scale > 15 && !c.Inexact {
		c.Inexact = !double(string(s))
	}
}

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

// AddDouble adds a number of a workbook, which stores doubles. It stays one unless a DECIMAL of a table represents it.
func (c *Column) AddDouble(s []byte) {
	if v := Classify(s); v.Kind == Number && !v.Fits(s) {
		c.Seen, c.Values, c.Double = true, c.Values+1, c.Double+1
		return
	}
	c.AddField(s)
}

// AddString adds a string that may be a date, a time or a UUID, and is a string even if it looks like a number.
func (c *Column) AddString(s []byte) {
	if c.Text {
		c.AddField(s)
		return
	}
	switch Classify(s).Kind {
	case Date, Moment, UUID:
		c.AddField(s)
	default:
		c.AddText()
	}
}

// AddText adds a value that is a string, whatever its contents.
func (c *Column) AddText() { c.Seen, c.Text, c.Values = true, true, c.Values+1 }

// AddFlag adds true or false.
func (c *Column) AddFlag() { c.Seen, c.Flag, c.Values = true, c.Flag+1, c.Values+1 }

// AddNested adds an object or a list.
func (c *Column) AddNested() { c.Seen, c.JSON = true, true }

// AddNull adds a missing value.
func (c *Column) AddNull() { c.Nullable = true }

// AddNumber adds a JSON number, which is a bigint or a double if that represents it exactly.
func (c *Column) AddNumber(s string) {
	switch NumberType(s) {
	case "bigint":
		c.Whole++
		if i, err := strconv.ParseInt(s, 10, 64); err != nil || i > 1<<53 || i < -1<<53 {
			c.Long = true // exact as bigint, not as double
		}
	case "double":
		c.Double++
	default:
		c.Text = true
	}
	c.Seen, c.Values = true, c.Values+1
}

// Join merges the information about the same column from elsewhere.
func (c *Column) Join(o Column) {
	c.Seen, c.Nullable = c.Seen || o.Seen, c.Nullable || o.Nullable
	c.Text, c.JSON, c.Long = c.Text || o.Text, c.JSON || o.JSON, c.Long || o.Long
	c.Whole, c.Dec, c.Flag, c.Date, c.When, c.Double = c.Whole+o.Whole, c.Dec+o.Dec, c.Flag+o.Flag, c.Date+o.Date,
		c.When+o.When, c.Double+o.Double
	c.Values += o.Values
	c.Exp, c.UUID, c.Inexact, c.Ways, c.Forms = c.Exp+o.Exp, c.UUID+o.UUID, c.Inexact || o.Inexact, c.Ways|o.Ways,
		c.Forms|o.Forms
	c.IntDigits, c.Scale = max(c.IntDigits, o.IntDigits), max(c.Scale, o.Scale)
}

// Type returns the common type of all values.
func (c *Column) Type() string {
	switch {
	case c.JSON && c.Values == 0:
		return "json"
	case c.Text || c.JSON || c.Values == 0:
		return "varchar"
	case c.Whole == c.Values:
		return "bigint"
	case c.Whole+c.Dec == c.Values && c.IntDigits+c.Scale <= 38:
		return fmt.Sprintf("decimal(%d,%d)", max(c.IntDigits+c.Scale, 1), c.Scale)
	case c.Whole+c.Dec+c.Exp+c.Double == c.Values && !c.Long && !c.Inexact:
		return "double"
	case c.Flag == c.Values && c.Ways&(c.Ways-1) == 0:
		return "boolean"
	case c.Date == c.Values:
		return "date"
	case c.When == c.Values && c.Forms&(c.Forms-1) == 0:
		return "timestamp"
	case c.UUID == c.Values:
		return "uuid"
	}
	return "varchar"
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
	if s[digits] != '.' || len(frac) == 0 {
		return 0, 0
	}
	for _, c := range frac {
		if c < '0' || c > '9' {
			return 0, 0
		}
	}
	return digits, len(frac)
}

// ParseMoment parses a text that Timestamp accepts.
func ParseMoment(s string) (time.Time, bool) {
	form, ok := Timestamp([]byte(s))
	if !ok {
		return time.Time{}, false
	}
	layout := "2006-01-02 15:04"
	if form&FormT != 0 {
		layout = "2006-01-02T15:04"
	}
	if form&FormSeconds != 0 {
		layout += ":05"
	}
	if form&FormZ != 0 {
		layout += "Z"
	}
	t, err := time.Parse(layout, s)
	return t, err == nil
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
	mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
	digits := strings.Trim(strings.Replace(strings.TrimPrefix(mantissa, "-"), ".", "", 1), "0")
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(digits) > 17 || f == 0 && digits != "" || math.IsInf(f, 0) {
		return "varchar"
	}
	return "double"
}
