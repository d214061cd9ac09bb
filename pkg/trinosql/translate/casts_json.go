package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Casts between JSON and arrays, maps and rows, and between varchar and types that are not numbers.

func jsonCasts(reg *registry) {
	for _, k := range []types.Kind{types.Array, types.Map, types.Row} {
		reg.casts[kinds{types.JSON, k}] = (*printer).fromJSON
		reg.casts[kinds{k, types.JSON}] = (*printer).toJSON
	}
	for _, k := range []types.Kind{types.Date, types.Timestamp} {
		reg.casts[kinds{k, types.JSON}] = func(p *printer, c *conversion) {
			p.put("CAST(to_json(")
			p.convert(c.node, c.from, types.NewVarchar(types.Unbounded), c.operand)
			p.put(") AS JSON)")
		}
	}
	reg.casts[kinds{types.UUID, types.Varchar}] = func(p *printer, c *conversion) {
		whole := *c
		whole.to = types.NewVarchar(types.Unbounded)
		p.cut(&conversion{node: c.node, from: whole.to, to: c.to, try: c.try,
			operand: operand{write: func() { p.native(&whole) }}})
	}
	reg.casts[kinds{types.Varchar, types.UUID}] = func(p *printer, c *conversion) {
		defer p.inTry(c.try)()
		p.around(`CAST("~uuid"(`, c, ") AS UUID)")
	}
	reg.casts[kinds{types.UUID, types.Varbinary}] = func(p *printer, c *conversion) {
		p.around("unhex(system.main.replace(CAST(", c, " AS VARCHAR), '-', ''))")
	}
	reg.literals["UUID"] = func(p *printer, x *trinosql.TypedLit) {
		p.put(`CAST("~uuid"(`, quoteText(x.Value),
			") AS UUID)")
	}
	reg.rules["round decimal"] = func(p *printer, c *call) { p.roundDecimal(c, "round") }
	reg.rules["truncate decimal"] = func(p *printer, c *call) { p.roundDecimal(c, "truncate") }
	reg.rules["format"] = (*printer).format
}

// inTry encloses in TRY what is written until end is called, if it is set.
func (p *printer) inTry(is bool) (end func()) {
	if !is {
		return func() {}
	}
	p.put(tryOpen)
	return func() { p.put(tryClose) }
}

// carrier is the DuckDB type that holds a value while it is converted from JSON: maps are lists of entries, JSON is
// VARCHAR.
func (p *printer) carrier(at trinosql.Node, t *types.Type) string {
	switch t.Kind {
	case types.Array:
		return p.carrier(at, t.Args[0]) + "[]"
	case types.Map:
		return "STRUCT(k " + p.carrier(at, t.Args[0]) + ", v " + p.carrier(at, t.Args[1]) + ")[]"
	case types.Row:
		fields := make([]string, len(t.Args))
		for i, f := range t.Args {
			fields[i] = "f" + strconv.Itoa(i+1) + " " + p.carrier(at, f)
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case types.JSON:
		return "VARCHAR"
	}
	if f := writers.get().casts[kinds{types.JSON, t.Kind}]; f == nil {
		p.refuse(at, "a cast from json to %s is not supported on zone local", t)
	}
	return p.duckType(at, t)
}

// fromJSON converts JSON to an array, map or row.
func (p *printer) fromJSON(c *conversion) {
	defer p.inTry(c.try)()
	carried := operand{write: func() {
		p.put(`CAST(CAST("~json_nested"(CAST(`, c)
		p.put(" AS VARCHAR), ", quoteText(c.to.Signature()), ") AS JSON) AS ", p.carrier(c.node, c.to), ")")
	}}
	p.uncarried(c.to, carried)
}

// uncarried converts a value from its carrier type.
func (p *printer) uncarried(t *types.Type, x operand) {
	if !carriedOtherwise(t) {
		x.write()
		return
	}
	switch t.Kind {
	case types.JSON:
		p.put("CAST(", x, " AS JSON)")
	case types.Array:
		p.eachItem(x, func(item operand) { p.uncarried(t.Args[0], item) })
	case types.Row:
		p.eachField(t, x, p.uncarried)
	case types.Map:
		e := p.name("x")
		p.put("map_from_entries(list_transform(", x, ", lambda ", e, ": struct_pack(k := ")
		p.uncarried(t.Args[0], p.alias(field(e, 0)))
		p.put(", v := ")
		p.uncarried(t.Args[1], p.alias(field(e, 1)))
		p.put(")))")
	}
}

func carriedOtherwise(t *types.Type) bool {
	if t.Kind == types.Map || t.Kind == types.JSON {
		return true
	}
	for _, a := range t.Args {
		if carriedOtherwise(a) {
			return true
		}
	}
	return false
}

// textCarrier is the type of a value whose parts are converted to VARCHAR.
func (p *printer) textCarrier(at trinosql.Node, t *types.Type) string {
	switch t.Kind {
	case types.Array:
		return p.textCarrier(at, t.Args[0]) + "[]"
	case types.Map:
		if k := t.Args[0].Kind; k > types.Decimal && k != types.Varchar {
			p.refuse(at, "a cast from %s to json is not supported on zone local", t)
		}
		return "MAP(VARCHAR, " + p.textCarrier(at, t.Args[1]) + ")"
	case types.Row:
		fields := make([]string, len(t.Args))
		for i, f := range t.Args {
			fields[i] = "f" + strconv.Itoa(i+1) + " " + p.textCarrier(at, f)
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case types.Unknown, types.Boolean, types.Tinyint, types.Smallint, types.Integer, types.Bigint, types.Real,
		types.Double, types.Decimal, types.Varchar,
		types.JSON, types.Date, types.Timestamp:
		return "VARCHAR"
	}
	p.refuse(at, "a cast from %s to json is not supported on zone local", t)
	return ""
}

// toJSON converts an array, map or row to JSON.
func (p *printer) toJSON(c *conversion) {
	p.put(`CAST("~json_of"(CAST(to_json(CAST(`, c)
	p.put(" AS ", p.textCarrier(c.node, c.from), ")) AS VARCHAR), ", quoteText(c.from.Signature()), ") AS JSON)")
}

// roundDecimal writes round and truncate of a decimal to a number of decimal places.
func (p *printer) roundDecimal(c *call, name string) {
	from, to := c.bound.Args[0], c.bound.Result
	digits := operand{write: func() { p.put("0") }, cheap: true}
	if len(c.args) > 1 {
		digits = c.args[1]
		if n, ok := p.constant(digits.expr); ok && name == "round" && n.IsInt64() && n.Int64() >= 0 && from.N < 38 {
			if keep := int(min(n.Int64(), int64(from.Scale))); keep < from.Scale {
				p.put("CAST(CAST(", c.args[0])
				p.put(" AS ", p.duckType(c.node, types.NewDecimal(from.N-from.Scale+keep+1, keep)), ") AS ",
					p.duckType(c.node, to), ")")
			} else {
				p.put("CAST(", c.args[0], " AS ", p.duckType(c.node, to), ")")
			}
			return
		}
	}
	p.put(`CAST("~round_decimal"('`, name, "', CAST(", c.args[0], " AS VARCHAR), CAST(", digits, " AS VARCHAR), '",
		strconv.Itoa(to.N-to.Scale+from.Scale), "') AS ", p.duckType(c.node, to), ")")
}

// format writes Java's format: a constant string, split at its format specifiers.
func (p *printer) format(c *call) {
	text, ok := c.fn.Args[0].(*trinosql.StringLit)
	if !ok {
		p.refuse(c.node, "format with a format that is not a constant is not supported on zone local")
	}
	var parts []func()
	literal := func(s string) {
		if s != "" {
			parts = append(parts, func() { p.put(quoteText(s)) })
		}
	}
	next := 1
	for f := text.Value; f != ""; {
		i := strings.IndexByte(f, '%')
		if i < 0 {
			literal(f)
			break
		}
		literal(f[:i])
		end := i + 1
		for end < len(f) && strings.IndexByte("-+ 0,(#.123456789", f[end]) >= 0 {
			end++
		}
		if end == len(f) || strings.IndexByte("sdfeExXocbn%", f[end]) < 0 {
			p.refuse(text, "format: '%s' is not supported on zone local", f[i:min(end+1, len(f))])
		}
		spec := f[i+1 : end+1]
		f = f[end+1:]
		verb := spec[len(spec)-1]
		if !fitSpec(spec) {
			p.refuse(text, "format: '%%%s' is not supported on zone local", spec)
		}
		if verb == 'n' || verb == '%' {
			literal(map[byte]string{'n': "\n", '%': "%"}[verb])
			continue
		}
		if len(spec) > 8 || next >= len(c.fn.Args) {
			p.refuse(text, "format: '%%%s' has no argument, or is too wide", spec)
		}
		arg := c.fn.Args[next]
		next++
		if text.Value != "%"+spec && verb != 's' && verb != 'b' {
			spec += "\x1f" + text.Value
		}
		parts = append(parts, func() { p.formatPart(arg, spec, verb) })
	}
	if len(parts) == 0 {
		p.put("''")
		return
	}
	p.put("(")
	p.w.Join(" || ", len(parts), func(i int) { parts[i]() })
	p.put(")")
}

// fitSpec reports whether the flags, width and precision of a format specifier are valid in Java for its conversion.
func fitSpec(spec string) bool {
	verb := spec[len(spec)-1]
	flags := spec[:len(spec)-len(strings.TrimLeft(spec, "-+ 0,(#"))]
	width, precision, hasPrecision := strings.Cut(spec[len(flags):len(spec)-1], ".")
	allowed := map[byte]string{'s': "-", 'b': "-", 'd': "-+ 0,(", 'x': "-0", 'X': "-0", 'o': "-0", 'f': "-+ 0,(",
		'e': "-+ 0(", 'E': "-+ 0("}[verb]
	has := func(f string) bool { return strings.Contains(flags, f) }
	switch {
	case strings.Trim(flags, allowed) != "" || hasPrecision && (precision == "" || strings.IndexByte("sfeE", verb) < 0):
		return false
	case (has("-") || has("0")) && width == "", has("-") && has("0"), has("+") && has(" "):
		return false
	case verb == 'n' || verb == '%':
		return len(spec) == 1
	}
	for i := range flags {
		if strings.Count(flags, flags[i:i+1]) > 1 {
			return false
		}
	}
	return true
}

// formatPart writes an argument in the form of a format specifier, which the whole format may follow.
func (p *printer) formatPart(arg trinosql.Expr, spec string, verb byte) {
	t := p.typeOf(arg)
	name := t.String()
	switch t.Kind {
	case types.Time:
		name = "time"
	case types.TimestampTZ:
		name = "in " + p.zone(arg)
	}
	p.put(`"~format"(`, quoteText(spec), ", ", quoteText(name), ", coalesce(")
	if t.Kind == types.TimestampTZ {
		p.isoStamp(p.operand(arg), t, "java_offset")
	} else if t.Kind == types.JSON {
		p.expr(arg)
	} else if strings.IndexByte("feE", verb) >= 0 || t.Kind == types.Real {
		p.put("CAST(", arg, " AS VARCHAR)")
	} else {
		p.convert(arg, t, types.NewVarchar(types.Unbounded), p.operand(arg))
	}
	p.put(", 'null'))")
}
