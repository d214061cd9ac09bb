// Package types represents Trino's data types: parsing, printing, implicit coercions, and the common supertype of two
// types.
//
// A *Type is immutable and may be shared. Compare with Equal: two types with the same String are equal.
package types

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// Kind is a type without its parameters.
type Kind uint8

// The kinds of types. An Opaque type has only a name: json2016, JoniRegExp, HyperLogLog and similar.
const (
	Invalid Kind = iota
	Unknown      // the type of NULL
	Boolean
	Tinyint
	Smallint
	Integer
	Bigint
	Real
	Double
	Decimal // N is the precision, Scale the scale
	Varchar // N is the length, Unbounded without one
	Char    // N is the length
	Varbinary
	Date
	Time        // N is the fractional precision
	TimeTZ      // time(N) with time zone
	Timestamp   // timestamp(N)
	TimestampTZ // timestamp(N) with time zone
	IntervalYM  // interval year to month
	IntervalDS  // interval day to second
	JSON
	UUID
	IPAddress
	Array    // Args[0] is the type of the elements
	Map      // Args are the types of key and value
	Row      // Args are the types of the fields, Names their names
	Function // Args are the types of the arguments and, last, of the result
	Opaque   // identified by Name; qdigest has a type in Args
)

// Unbounded is the length of varchar without a length, as in Trino.
const Unbounded = 1<<31 - 1

// Limits of the parameters of types.
const (
	MaxPrecision     = 38    // of decimal
	MaxCharLength    = 65536 // of char
	MaxTimePrecision = 12    // of time and timestamp
)

// Type is a data type.
type Type struct {
	Kind  Kind
	N     int // length or precision; see Kind
	Scale int
	Args  []*Type
	Names []string // of the fields of a row, "" for a field without a name; nil if no field has one
	Name  string   // of an Opaque type
}

var simple = [...]*Type{
	Unknown: {Kind: Unknown}, Boolean: {Kind: Boolean}, Tinyint: {Kind: Tinyint}, Smallint: {Kind: Smallint},
	Integer: {Kind: Integer}, Bigint: {Kind: Bigint},
	Real: {Kind: Real}, Double: {Kind: Double}, Varbinary: {Kind: Varbinary}, Date: {Kind: Date},
	IntervalYM: {Kind: IntervalYM}, IntervalDS: {Kind: IntervalDS},
	JSON: {Kind: JSON}, UUID: {Kind: UUID}, IPAddress: {Kind: IPAddress}, Varchar: {Kind: Varchar, N: Unbounded},
}

// Of is the type of a kind without parameters. Of(Varchar) is varchar without a length.
func Of(k Kind) *Type {
	if int(k) >= len(simple) || simple[k] == nil {
		panic(fmt.Sprintf("kind %d needs parameters", k))
	}
	return simple[k]
}

// NewVarchar is varchar(n).
func NewVarchar(n int) *Type {
	if n == Unbounded {
		return simple[Varchar]
	}
	return &Type{Kind: Varchar, N: n}
}

// NewChar is char(n).
func NewChar(n int) *Type { return &Type{Kind: Char, N: n} }

// NewDecimal is decimal(precision, scale).
func NewDecimal(precision, scale int) *Type {
	return &Type{Kind: Decimal, N: precision, Scale: scale}
}

// NewTime is a Time, TimeTZ, Timestamp or TimestampTZ with a fractional precision.
func NewTime(k Kind, digits int) *Type { return &Type{Kind: k, N: digits} }

// NewArray is array(element).
func NewArray(element *Type) *Type { return &Type{Kind: Array, Args: []*Type{element}} }

// NewMap is map(key, value).
func NewMap(key, value *Type) *Type { return &Type{Kind: Map, Args: []*Type{key, value}} }

// NewRow is row(fields). Names may be nil; "" is a field without a name.
func NewRow(names []string, fields []*Type) *Type {
	named := false
	for _, n := range names {
		named = named || n != ""
	}
	if !named {
		names = nil
	}
	return &Type{Kind: Row, Args: fields, Names: names}
}

// NewFunction is the type of a lambda.
func NewFunction(args []*Type, result *Type) *Type {
	return &Type{Kind: Function, Args: append(append(make([]*Type, 0, len(args)+1), args...), result)}
}

// NewOpaque is a type of which only the name is known.
func NewOpaque(name string, args ...*Type) *Type { return &Type{Kind: Opaque, Name: name, Args: args} }

// FieldName is the name of a field of a row, "" if it has none.
func (t *Type) FieldName(i int) string {
	if t.Names == nil {
		return ""
	}
	return t.Names[i]
}

var baseNames = [...]string{
	Unknown: "unknown", Boolean: "boolean", Tinyint: "tinyint", Smallint: "smallint", Integer: "integer",
	Bigint: "bigint", Real: "real", Double: "double",
	Decimal: "decimal", Varchar: "varchar", Char: "char", Varbinary: "varbinary", Date: "date", Time: "time",
	TimeTZ:    "time with time zone",
	Timestamp: "timestamp", TimestampTZ: "timestamp with time zone", IntervalYM: "interval year to month",
	IntervalDS: "interval day to second",
	JSON:       "json", UUID: "uuid", IPAddress: "ipaddress", Array: "array", Map: "map", Row: "row",
	Function: "function",
}

// Base is the type's name without parameters: decimal, timestamp with time zone.
func (t *Type) Base() string {
	if t.Kind == Opaque {
		return t.Name
	}
	return baseNames[t.Kind]
}

// Equal reports whether two types are identical, including the names of fields.
func Equal(a, b *Type) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind || a.N != b.N || a.Scale != b.Scale || len(a.Args) != len(b.Args) ||
		a.Name != b.Name {
		return false
	}
	for i := range a.Args {
		if a.FieldName(i) != b.FieldName(i) || !Equal(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// String is the type as Trino displays it: in the columns of a result and in most errors.
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b, false)
	return b.String()
}

// Signature is the type as Trino writes it in errors about functions: map(varchar,bigint), row("a" bigint).
func (t *Type) Signature() string {
	var b strings.Builder
	t.write(&b, true)
	return b.String()
}

func (t *Type) write(b *strings.Builder, signature bool) {
	comma := ", "
	if signature || t.Kind == Function {
		comma = ","
	}
	switch t.Kind {
	case Decimal:
		fmt.Fprintf(b, "decimal(%d,%d)", t.N, t.Scale)
	case Varchar:
		if t.N == Unbounded {
			b.WriteString("varchar")
		} else {
			fmt.Fprintf(b, "varchar(%d)", t.N)
		}
	case Char:
		fmt.Fprintf(b, "char(%d)", t.N)
	case Time, Timestamp:
		fmt.Fprintf(b, "%s(%d)", t.Base(), t.N)
	case TimeTZ:
		fmt.Fprintf(b, "time(%d) with time zone", t.N)
	case TimestampTZ:
		fmt.Fprintf(b, "timestamp(%d) with time zone", t.N)
	default:
		b.WriteString(t.Base())
		if len(t.Args) == 0 && t.Kind != Function {
			return
		}
		b.WriteByte('(')
		for i, a := range t.Args {
			if i > 0 {
				b.WriteString(comma)
			}
			if name := t.FieldName(i); name != "" {
				if signature {
					name = sqltext.Quote(name)
				}
				b.WriteString(name)
				b.WriteByte(' ')
			}
			a.write(b, signature)
		}
		b.WriteByte(')')
	}
}

// Comparable reports whether = and GROUP BY accept the type.
func (t *Type) Comparable() bool {
	switch t.Kind {
	case Array, Row:
		for _, a := range t.Args {
			if !a.Comparable() {
				return false
			}
		}
		return true
	case Map:
		return t.Args[1].Comparable()
	case Opaque:
		return t.Name == "color" || t.Name == "BingTile"
	case Function, Invalid:
		return false
	}
	return true
}

// Orderable reports whether < and ORDER BY accept the type.
func (t *Type) Orderable() bool {
	switch t.Kind {
	case Array, Row:
		for _, a := range t.Args {
			if !a.Orderable() {
				return false
			}
		}
		return true
	case Map, JSON, Function, Opaque, Invalid:
		return false
	}
	return true
}

// Numeric reports whether the type is numeric.
func (t *Type) Numeric() bool { return t.Kind >= Tinyint && t.Kind <= Decimal }

// Text reports whether the type is varchar or char.
func (t *Type) Text() bool { return t.Kind == Varchar || t.Kind == Char }

// Integral reports whether the type is numeric without decimals: bigint, decimal(10,0).
func (t *Type) Integral() bool {
	return t.Kind >= Tinyint && t.Kind <= Bigint || t.Kind == Decimal && t.Scale == 0
}

// DateTime reports whether the type is a date, time, timestamp or interval.
func (t *Type) DateTime() bool { return t.Kind >= Date && t.Kind <= IntervalDS }

// Interval reports whether the type is an interval.
func (t *Type) Interval() bool { return t.Kind == IntervalYM || t.Kind == IntervalDS }
