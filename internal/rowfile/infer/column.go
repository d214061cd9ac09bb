// Package infer determines the types of columns from their values. Only lossless types are chosen: a column with one
// value that does not fit is varchar.
package infer

import (
	"bytes"
	"fmt"
	"strconv"
)

// Value is the text of a value in a file, and what the file says about it.
type Value struct {
	Text []byte
	Raw  []byte // the text in the file, if Text is the same value as its type has it; else nil
	Kind Kind
}

// AsText is the value as a text.
func (v Value) AsText() []byte {
	if v.Raw != nil {
		return v.Raw
	}
	return v.Text
}

// Kind is the kind of a value in a file.
type Kind uint8

// The kinds of values.
const (
	Null   Kind = iota
	Field       // what its text looks like, as in CSV
	Double      // a number of a workbook, which stores doubles: their shortest text
	Number      // a Field in a column of decimals
	String      // a string: varchar, unless it is a date, a time or a UUID
	Opaque      // a varchar, whatever it contains
	Clock       // a time of a column of times
	Nested      // an object or a list, as JSON without white space
	Float       // a Field in a column of doubles
)

// Sort is what the text of a value is, as far as it decides the type of its column.
type Sort uint8

// The sorts of values.
const (
	Texts      Sort = iota
	Wholes          // bigint
	Decimals        // numbers with a point that a DECIMAL of a table represents
	Wides           // numbers with a point that it does not represent
	Exponents       // doubles, such as numbers with an exponent, that it represents
	Doubles         // other doubles
	MinusZeros      // negative zeros, whose sign only a double preserves
	Flags
	Dates
	Moments
	UUIDs
	Clocks
	Nesteds
	Sorts int = iota
)

// Column collects facts about the values of a column. Those that decide its type are exported for JSON.
type Column struct {
	Nullable  bool
	Empty     int64        `json:",omitempty"` // empty strings, which are NULL unless the column is of strings
	Values    int64        // all other values but NULL
	Counts    [Sorts]int64 // of Values
	IntDigits int          // before the point, the most of a number
	Scale     int
	Inexact   bool     `json:",omitempty"` // a number that no double represents exactly
	Long      bool     `json:",omitempty"` // an integer that no double represents exactly
	Ways      uint8    `json:",omitempty"` // spellings of true and false, a bit for each
	Forms     uint8    `json:",omitempty"` // of timestamps, a bit for each
	Declared  string   `json:",omitempty"` // the type that the file declares
	Strings   bool     `json:",omitempty"` // the file says that some values are strings
	First     *Samples `json:"-"`          // the first value of each sort; nil unless they are wanted
}

// Samples are values of a column, for messages.
type Samples struct {
	Of    [Sorts]Sample
	Empty Sample
	Mixed bool // not all texts are the same as the first
}

// Sample is a value and its position in the file.
type Sample struct {
	At   int64
	Text string
}

// Add adds a value at a position in the file.
func (c *Column) Add(v Value, at int64) {
	switch {
	case v.Kind == Null:
		c.Nullable = true
		return
	case len(v.Text) == 0: // it remains an empty string in a varchar column, and is NULL in others
		c.Nullable = true
		if c.Empty++; c.Empty == 1 && c.First != nil {
			c.First.Empty = Sample{At: at}
		}
		return
	}
	sort := c.sort(v)
	c.Values++
	c.Counts[sort]++
	if c.First == nil {
		return
	}
	switch first := &c.First.Of[sort]; {
	case c.Counts[sort] == 1:
		*first = Sample{at, string(v.AsText())}
	case sort == Texts && !c.First.Mixed:
		c.First.Mixed = string(v.AsText()) != first.Text
	}
}

func (c *Column) sort(v Value) Sort {
	switch v.Kind {
	case Opaque:
		c.Strings = true
		return Texts
	case Clock:
		return Clocks
	case Nested:
		return Nesteds
	}
	text := v.Text
	if v.Kind == Number && bytes.IndexByte(text, '.') < 0 { // a column of decimals is not one of bigints
		text = append(append(make([]byte, 0, 64), text...), ".0"...)
	}
	class := classify(text)
	if v.Kind == String {
		switch class.Kind {
		case Date, Moment, UUID:
		default:
			c.Strings = true
			return Texts
		}
	}
	switch class.Kind {
	case Figure:
		return c.number(text, v.Kind, class)
	case Flag:
		c.Ways |= class.Way
		return Flags
	case Date:
		return Dates
	case Moment:
		c.Forms |= 1 << class.Form
		return Moments
	case UUID:
		return UUIDs
	}
	return Texts
}

func (c *Column) number(text []byte, kind Kind, class Class) Sort {
	fits := class.Fits(text)
	switch {
	case kind == Float && fits:
		return Exponents
	case (kind == Float || kind == Double) && !fits:
		return Doubles
	}
	c.IntDigits, c.Scale = max(c.IntDigits, int(class.Digits)), max(c.Scale, int(class.Scale))
	if class.Digits+class.Scale > 15 && !c.Inexact {
		c.Inexact = !double(string(text))
	}
	switch {
	case minusZero(text):
		return MinusZeros
	case class.Exponent && fits:
		return Exponents
	case class.Exponent:
		return Doubles
	case class.Scale == 0:
		return Wholes
	case fits:
		return Decimals
	}
	return Wides
}

// AddNumber adds a JSON number, which is a bigint or a double if that represents it exactly.
func (c *Column) AddNumber(s string) {
	sort := Texts
	switch NumberType(s) {
	case "bigint":
		sort = Wholes
		if i, err := strconv.ParseInt(s, 10, 64); err != nil || i > 1<<53 || i < -1<<53 {
			c.Long = true // exact as bigint, not as double
		}
	case "double":
		sort = Doubles
	}
	c.Values++
	c.Counts[sort]++
}

// Join merges the information about the same column from elsewhere.
func (c *Column) Join(o Column) {
	c.Nullable, c.Empty, c.Values = c.Nullable || o.Nullable, c.Empty+o.Empty, c.Values+o.Values
	for i, n := range o.Counts {
		c.Counts[i] += n
	}
	c.IntDigits, c.Scale = max(c.IntDigits, o.IntDigits), max(c.Scale, o.Scale)
	c.Inexact, c.Long, c.Strings = c.Inexact || o.Inexact, c.Long || o.Long, c.Strings || o.Strings
	c.Ways, c.Forms = c.Ways|o.Ways, c.Forms|o.Forms
	if c.First != nil && o.First != nil {
		c.First.join(o.First)
	}
}

// join adds the samples of other values of the column.
func (s *Samples) join(o *Samples) {
	a, b := s.Of[Texts], o.Of[Texts]
	s.Mixed = s.Mixed || o.Mixed || a.At > 0 && b.At > 0 && a.Text != b.Text
	for i, other := range o.Of {
		s.Of[i] = s.Of[i].earlier(other)
	}
	s.Empty = s.Empty.earlier(o.Empty)
}

func (s Sample) earlier(o Sample) Sample {
	if s.At == 0 || o.At > 0 && o.At < s.At {
		return o
	}
	return s
}

// Move changes the positions of the samples.
func (s *Samples) Move(to func(int64) int64) {
	s.Empty.move(to)
	for i := range s.Of {
		s.Of[i].move(to)
	}
}

func (s *Sample) move(to func(int64) int64) {
	if s.At > 0 {
		s.At = to(s.At)
	}
}

// Numbers is the number of values that are numbers.
func (c *Column) Numbers() int64 {
	n := &c.Counts
	return n[Wholes] + n[Decimals] + n[Wides] + n[Exponents] + n[Doubles] + n[MinusZeros]
}

// Type returns the type that the file declares, or else the common type of all values.
func (c *Column) Type() string {
	n := &c.Counts
	plain := n[Wholes] + n[Decimals] + n[Wides]
	switch {
	case c.Declared != "":
		return c.Declared
	case c.Values == 0:
		return "varchar"
	case n[Nesteds] == c.Values:
		return "json"
	case n[Wholes] == c.Values:
		return "bigint"
	case plain == c.Values && c.IntDigits+c.Scale <= 38:
		return fmt.Sprintf("decimal(%d,%d)", max(c.IntDigits+c.Scale, 1), c.Scale)
	case c.Numbers() == c.Values && !c.Long && !c.Inexact:
		return "double"
	case n[Flags] == c.Values && c.Ways&(c.Ways-1) == 0:
		return "boolean"
	case n[Dates] == c.Values:
		return "date"
	case n[Moments] == c.Values && c.Forms&(c.Forms-1) == 0:
		return "timestamp"
	case n[UUIDs] == c.Values:
		return "uuid"
	}
	return "varchar"
}
