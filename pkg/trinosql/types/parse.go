package types

import (
	"fmt"
	"strconv"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// UnknownError is the error for a type that does not exist.
type UnknownError struct{ Text string }

func (e *UnknownError) Error() string { return "Unknown type: " + e.Text }

// UnsupportedError is the error for a type that Trino parses and does not support.
type UnsupportedError struct{ Text string }

func (e *UnsupportedError) Error() string { return e.Text + " type not supported" }

// RangeError is the error for a type parameter that is out of range.
type RangeError struct{ Msg string }

func (e *RangeError) Error() string { return e.Msg }

// Parse parses a type as written in a statement or printed by Trino: varchar(10), array(row(a bigint)), timestamp(3)
// with time zone.
func Parse(text string) (*Type, error) {
	tree, err := trinosql.ParseType(text)
	if err != nil {
		return nil, err
	}
	return FromTree(tree)
}

// FromTree is the type that a syntax tree denotes. Errors are an *UnknownError, an *UnsupportedError or a *RangeError.
func FromTree(tree trinosql.Type) (*Type, error) {
	t, err := fromTree(tree)
	if _, ok := err.(*UnknownError); ok {
		text := trinosql.String(tree) // the whole type, as in Trino's message
		if _, row := tree.(*trinosql.RowType); row {
			text = "ROW" + text[len("row"):]
		}
		return nil, &UnknownError{text}
	}
	return t, err
}

func fromTree(tree trinosql.Type) (*Type, error) {
	switch tree := tree.(type) {
	case *trinosql.RowType:
		names, fields := make([]string, len(tree.Fields)), make([]*Type, len(tree.Fields))
		for i, f := range tree.Fields {
			if f.Name != nil {
				names[i] = f.Name.Name
				if !f.Name.Quoted {
					names[i] = f.Name.Lower()
				}
			}
			var err error
			if fields[i], err = fromTree(f.Type); err != nil {
				return nil, err
			}
		}
		return NewRow(names, fields), nil
	case *trinosql.TimeType:
		k := map[string]Kind{"TIME": Time, "TIMESTAMP": Timestamp}[tree.Name]
		if tree.WithZone {
			k++ // TimeTZ and TimestampTZ
		}
		digits := 3
		if tree.Precision != nil {
			n, err := strconv.Atoi(tree.Precision.Number)
			switch {
			case tree.Precision.Type != nil:
				return nil, &UnknownError{}
			case err != nil || n > MaxTimePrecision:
				return nil, &UnknownError{}
			}
			digits = n
		}
		return NewTime(k, digits), nil
	case *trinosql.IntervalType:
		switch {
		case tree.From == "YEAR" && tree.To == "MONTH":
			return simple[IntervalYM], nil
		case tree.From == "DAY" && tree.To == "SECOND":
			return simple[IntervalDS], nil
		}
		to := tree.To
		if to == "" {
			to = tree.From
		}
		return nil, &UnsupportedError{"INTERVAL " + tree.From + " TO " + to}
	case *trinosql.NamedType:
		return named(tree)
	}
	return nil, &UnknownError{}
}

var plain = map[string]*Type{
	"unknown": simple[Unknown], "boolean": simple[Boolean], "tinyint": simple[Tinyint], "smallint": simple[Smallint],
	"integer": simple[Integer], "int": simple[Integer],
	"bigint": simple[Bigint], "real": simple[Real], "double": simple[Double], "varbinary": simple[Varbinary],
	"date": simple[Date], "json": simple[JSON],
	"uuid": simple[UUID], "ipaddress": simple[IPAddress], "interval year to month": simple[IntervalYM],
	"interval day to second": simple[IntervalDS],
	"hyperloglog":            NewOpaque("HyperLogLog"), "p4hyperloglog": NewOpaque("P4HyperLogLog"),
	"setdigest": NewOpaque("SetDigest"), "tdigest": NewOpaque("tdigest"),
	"joniregexp": NewOpaque("JoniRegExp"), "jsonpath": NewOpaque("JsonPath"), "json2016": NewOpaque("json2016"),
	"jsonpath2016": NewOpaque("JsonPath2016"),
	"codepoints":   NewOpaque("CodePoints"), "color": NewOpaque("color"), "likepattern": NewOpaque("LikePattern"),
	"re2jregexp": NewOpaque("Re2JRegExp"),
	"model":      NewOpaque("Model"), "regressor": NewOpaque("Regressor"),
	// of a plugin
	"geometry": NewOpaque("Geometry"), "sphericalgeography": NewOpaque("SphericalGeography"),
	"bingtile": NewOpaque("BingTile"), "kdbtree": NewOpaque("KdbTree"),
}

// Parametric is the name of an opaque type that has a type as its parameter, as Trino displays it; "" for others. The
// base is in lower case.
func Parametric(base string) string {
	return map[string]string{"qdigest": "qdigest", "classifier": "Classifier"}[base]
}

func named(tree *trinosql.NamedType) (*Type, error) {
	base := tree.Name.Lower()
	var args []*Type
	var numbers []int
	for _, p := range tree.Params {
		if p.Type != nil {
			t, err := fromTree(p.Type)
			if err != nil {
				return nil, err
			}
			args = append(args, t)
			continue
		}
		n, err := strconv.Atoi(p.Number)
		if err != nil {
			n = Unbounded + 1
		}
		numbers = append(numbers, n)
	}
	if t := plain[base]; t != nil && len(tree.Params) == 0 {
		return t, nil
	}
	switch base {
	case "varchar":
		switch {
		case len(tree.Params) == 0:
			return simple[Varchar], nil
		case len(numbers) == 1 && len(args) == 0 && numbers[0] <= Unbounded:
			return NewVarchar(numbers[0]), nil
		}
	case "char":
		switch {
		case len(tree.Params) == 0:
			return NewChar(1), nil
		case len(numbers) == 1 && len(args) == 0 && numbers[0] <= MaxCharLength:
			return NewChar(numbers[0]), nil
		}
	case "decimal":
		if len(args) > 0 || len(numbers) > 2 {
			return nil, &UnknownError{}
		}
		precision, scale := MaxPrecision, 0
		if len(numbers) > 0 {
			precision = numbers[0]
		}
		if len(numbers) > 1 {
			scale = numbers[1]
		}
		switch {
		case precision < 1 || precision > MaxPrecision:
			return nil, &RangeError{fmt.Sprintf("DECIMAL precision must be in range [1, %d]: %s", MaxPrecision,
				tree.Params[0].Number)}
		case scale > precision:
			return nil, &RangeError{fmt.Sprintf("DECIMAL scale must be in range [0, precision (%d)]: %s", precision,
				tree.Params[1].Number)}
		}
		return NewDecimal(precision, scale), nil
	case "array":
		if len(args) == 1 && len(numbers) == 0 {
			return NewArray(args[0]), nil
		}
	case "map":
		if len(args) == 2 && len(numbers) == 0 {
			return NewMap(args[0], args[1]), nil
		}
	case "function":
		if len(args) > 0 && len(numbers) == 0 {
			return NewFunction(args[:len(args)-1], args[len(args)-1]), nil
		}
	default:
		if name := Parametric(base); name != "" && len(args) == 1 && len(numbers) == 0 {
			return NewOpaque(name, args[0]), nil
		}
	}
	return nil, &UnknownError{}
}
