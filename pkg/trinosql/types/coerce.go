package types

// Common is the type that values of both types are implicitly coerced to, nil if there is none.
func Common(a, b *Type) *Type {
	c, _ := compatible(a, b)
	return c
}

// CanCoerce reports whether values of one type are implicitly coerced to another.
func CanCoerce(from, to *Type) bool {
	_, ok := compatible(from, to)
	return ok
}

// compatible is the common supertype of both types, and whether that is the second one.
func compatible(from, to *Type) (common *Type, coercible bool) {
	if Equal(from, to) || from.Kind == Unknown {
		return to, true
	}
	if to.Kind == Unknown {
		return from, false
	}
	if from.Kind == to.Kind && from.Name == to.Name {
		return compatibleKind(from, to)
	}
	if c := CoerceBase(from, to.Kind, to.Name); c != nil {
		return compatible(c, to)
	}
	if c := CoerceBase(to, from.Kind, from.Name); c != nil {
		common, _ = compatible(from, c)
	}
	return common, false
}

func compatibleKind(from, to *Type) (*Type, bool) {
	var c *Type
	switch from.Kind {
	case Decimal:
		scale := max(from.Scale, to.Scale)
		c = NewDecimal(min(MaxPrecision, max(from.N-from.Scale, to.N-to.Scale)+scale), scale)
	case Varchar:
		c = NewVarchar(max(from.N, to.N))
	case Char, Time, TimeTZ, Timestamp, TimestampTZ:
		c = &Type{Kind: from.Kind, N: max(from.N, to.N)}
	case Array, Map, Row:
		if len(from.Args) != len(to.Args) {
			return nil, false
		}
		c = &Type{Kind: from.Kind, Args: make([]*Type, len(from.Args))}
		all := true
		for i := range from.Args {
			part, ok := compatible(from.Args[i], to.Args[i])
			if part == nil {
				return nil, false
			}
			all = all && ok
			c.Args[i] = part
			if name := from.FieldName(i); name != "" && name == to.FieldName(i) {
				if c.Names == nil {
					c.Names = make([]string, len(c.Args))
				}
				c.Names[i] = name
			}
		}
		return c, all
	default:
		return nil, false
	}
	return c, Equal(c, to)
}

// CoerceBase is the type of another kind that a type is coerced to, with parameters that lose nothing; nil if there is
// none. The name is that of an Opaque kind.
func CoerceBase(t *Type, k Kind, name string) *Type {
	if t.Kind == k && t.Name == name {
		return t
	}
	switch t.Kind {
	case Unknown:
		switch k {
		case Boolean, Bigint, Integer, Double, Real, Varbinary, Date, JSON, IntervalYM, IntervalDS:
			return simple[k]
		case Time, TimeTZ, Timestamp, TimestampTZ:
			return NewTime(k, 3)
		case Varchar:
			return NewVarchar(0)
		case Char:
			return NewChar(0)
		case Decimal:
			return NewDecimal(1, 0)
		case Opaque:
			switch name {
			case "HyperLogLog", "SetDigest", "P4HyperLogLog", "JoniRegExp", "JsonPath", "color", "CodePoints":
				return NewOpaque(name)
			}
		}
	case Tinyint, Smallint, Integer, Bigint:
		switch {
		case k > t.Kind && k <= Double:
			return simple[k]
		case k == Decimal:
			return NewDecimal(map[Kind]int{Tinyint: 3, Smallint: 5, Integer: 10, Bigint: 19}[t.Kind], 0)
		}
	case Decimal:
		if k == Real || k == Double {
			return simple[k]
		}
	case Real:
		if k == Double {
			return simple[k]
		}
	case Date:
		if k == Timestamp || k == TimestampTZ {
			return NewTime(k, 0)
		}
	case Time:
		if k == TimeTZ {
			return NewTime(k, t.N)
		}
	case Timestamp:
		if k == TimestampTZ {
			return NewTime(k, t.N)
		}
	case Varchar:
		if k == Char {
			return NewChar(min(MaxCharLength, t.N))
		}
		return textBase(k, name)
	case Char:
		return textBase(k, name)
	case Opaque:
		if t.Name == "P4HyperLogLog" && name == "HyperLogLog" {
			return NewOpaque(name)
		}
	}
	return nil
}

// textBase is CoerceBase for a string: the types of constant patterns and paths.
func textBase(k Kind, name string) *Type {
	if k == Opaque {
		switch name {
		case "JoniRegExp", "Re2JRegExp", "JsonPath", "CodePoints":
			return NewOpaque(name)
		}
	}
	return nil
}
