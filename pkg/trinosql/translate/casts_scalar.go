package translate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Casts among booleans, numbers and strings. DuckDB performs those that it performs as Trino does; the others call the
// function ~cast, which has Trino's rules and messages.

var (
	integers = []types.Kind{types.Tinyint, types.Smallint, types.Integer, types.Bigint}
	floats   = []types.Kind{types.Real, types.Double}
	numbers  = []types.Kind{types.Tinyint, types.Smallint, types.Integer, types.Bigint, types.Real,
		types.Double, types.Decimal}
)

func scalarCasts(reg *registry) {
	for _, from := range integers {
		for _, to := range integers {
			if to >= from {
				reg.casts[kinds{from, to}] = nativeCast
			} else {
				reg.casts[kinds{from, to}] = checked("TRY_CAST($1 AS ${R})")
			}
		}
		reg.casts[kinds{from, types.Decimal}] = (*printer).toDecimal
		for _, f := range floats {
			reg.casts[kinds{from, f}] = nativeCast
			reg.casts[kinds{f, from}] = checked("TRY_CAST(round($1) AS ${R})")
		}
		reg.casts[kinds{types.Decimal, from}] = checked("TRY_CAST($1 AS ${R})")
		reg.casts[kinds{types.Boolean, from}] = nativeCast
		reg.casts[kinds{from, types.Boolean}] = nativeCast
	}
	reg.casts[kinds{types.Real, types.Double}] = nativeCast
	reg.casts[kinds{types.Double, types.Real}] = checked("TRY_CAST($1 AS ${R})")
	for _, f := range floats {
		reg.casts[kinds{f, types.Decimal}] = (*printer).toDecimal
		reg.casts[kinds{types.Decimal, f}] = (*printer).decimalFloat
		reg.casts[kinds{types.Boolean, f}] = nativeCast
		reg.casts[kinds{f, types.Boolean}] = nativeCast
	}
	reg.casts[kinds{types.Decimal, types.Decimal}] = (*printer).toDecimal
	reg.casts[kinds{types.Decimal, types.Boolean}] = nativeCast
	reg.casts[kinds{types.Boolean, types.Decimal}] = func(p *printer, c *conversion) {
		if c.to.N > c.to.Scale {
			p.native(c)
			return
		}
		wider := types.NewDecimal(min(c.to.N+1, 38), min(c.to.Scale, 37)) // which has a 1
		inner := *c
		p.toDecimal(&conversion{node: c.node, from: wider, to: c.to, try: c.try, operand: operand{write: func() {
			inner.to = wider
			p.native(&inner)
		}}})
	}
	reg.casts[kinds{types.Varchar, types.Varchar}] = (*printer).cut
	for _, k := range numbers {
		reg.casts[kinds{k, types.Varchar}] = (*printer).numberText
		reg.casts[kinds{types.Varchar, k}] = (*printer).textNumber
	}
	for _, k := range append([]types.Kind{types.Boolean, types.Varchar}, numbers...) {
		reg.casts[kinds{k, types.JSON}] = func(p *printer, c *conversion) { p.around("CAST(to_json(", c, ") AS JSON)") }
		switch k {
		case types.Decimal: // to_json converts it to a double
			reg.casts[kinds{k, types.JSON}] = (*printer).decimalJSON
			// to_json does not escape code points beyond the basic plane, which Jackson writes as surrogate pairs
		case types.Varchar:
			reg.casts[kinds{k, types.JSON}] = templated(`CASE WHEN regexp_matches($1, '[\x{10000}-\x{10FFFF}]') THEN ` +
				`CAST("~json_text"($1) AS JSON) ELSE CAST(to_json($1) AS JSON) END`)
		}
		reg.casts[kinds{types.JSON, k}] = func(p *printer, c *conversion) {
			defer p.inTry(c.try)()
			p.put(`CAST("~json_cast"(CAST(`, c, " AS VARCHAR), ", quoteText(c.to.String()), ") AS ",
				p.duckType(c.node, c.to), ")")
		}
	}
	for k, size := range map[types.Kind]string{types.Double: "64", types.Real: "32"} {
		reg.casts[kinds{k, types.JSON}] = func(p *printer, c *conversion) {
			p.around(`CAST("~json_double"(CAST(`, c, " AS VARCHAR), '"+size+"') AS JSON)")
		}
	}
	reg.literals["JSON"] = func(p *printer, x *trinosql.TypedLit) {
		p.put(`CAST("~json_parse"(`, quoteText(x.Value),
			") AS JSON)")
	}
	reg.casts[kinds{types.Varchar, types.Varbinary}] = func(p *printer, c *conversion) { p.around("encode(", c, ")") }
	reg.casts[kinds{types.Boolean, types.Varchar}] = (*printer).numberText
	reg.casts[kinds{types.Varchar, types.Boolean}] = func(p *printer, c *conversion) {
		p.guarded(c, "CASE WHEN lower($1) IN ('t', 'true', '1') THEN true WHEN lower($1) IN ('f', 'false', '0') THEN "+
			"false ELSE ${CAST} END")
	}
}

// templated returns a conversion by a template.
func templated(template string) func(p *printer, c *conversion) {
	return func(p *printer, c *conversion) { p.fill(nil, template, c.operand) }
}

// checked returns a conversion by a template that is NULL for a value that does not fit.
func checked(template string) func(p *printer, c *conversion) {
	return func(p *printer, c *conversion) { p.guarded(c, "coalesce("+template+", ${CAST})") }
}

// guarded writes a template in which ${CAST} is the conversion by ~cast.
func (p *printer) guarded(c *conversion, template string) {
	to := p.duckType(c.node, c.to)
	text := "CAST($1 AS VARCHAR)"
	if c.from.Kind == types.Varchar {
		text = "$1"
	}
	slow := fmt.Sprintf(`CAST("~cast"(%s, %s, %s) AS %s)`, text, quoteText(c.from.String()), quoteText(c.to.String()),
		to)
	template = strings.ReplaceAll(strings.ReplaceAll(template, "${CAST}", slow), "${R}", to)
	defer p.inTry(c.try)()
	p.fill(nil, template, c.operand)
}

func (p *printer) toDecimal(c *conversion) {
	if c.to.N-c.to.Scale >= 19 && c.from.Kind >= types.Tinyint && c.from.Kind <= types.Bigint {
		p.native(c)
		return
	}
	if c.from.Kind == types.Decimal && c.to.Scale >= c.from.Scale && c.to.N-c.to.Scale >= c.from.N-c.from.Scale {
		p.native(c)
		return
	}
	if c.from.Kind == types.Real || c.from.Kind == types.Double {
		p.guarded(c, "${CAST}")
		return
	}
	p.guarded(c, "coalesce(TRY_CAST($1 AS ${R}), ${CAST})")
}

// decimalFloat converts a decimal to a floating point number. Up to 18 digits Trino divides the unscaled value by a
// power of ten, otherwise it parses the text; DuckDB does neither if there are more digits than the result can
// represent.
func (p *printer) decimalFloat(c *conversion) {
	to, whole := p.duckType(c.node, c.to), 15
	if c.to.Kind == types.Real {
		whole = 7
	}
	switch {
	case c.from.N <= whole:
		p.native(c)
	case c.from.N > 18:
		p.around("CAST(CAST(", c, " AS VARCHAR) AS "+to+")")
	default:
		p.around("CAST(CAST(CAST(system.main.replace(CAST(", c,
			fmt.Sprintf(" AS VARCHAR), '.', '') AS BIGINT) AS %s) / CAST('1e%d' AS %[1]s) AS %[1]s)", to, c.from.Scale))
	}
}

// numberText formats numbers as Java does.
func (p *printer) numberText(c *conversion) {
	// DuckDB omits a zero before the point
	if c.from.Kind == types.Decimal && c.from.N == c.from.Scale && c.from.N < 38 {
		inner := c.operand
		wider := types.NewDecimal(c.from.N+1, c.from.Scale)
		p.numberText(&conversion{node: c.node, from: wider, to: c.to, try: c.try, operand: operand{write: func() {
			p.put("CAST(", inner, " AS ", p.duckType(c.node, wider), ")")
		}}})
		return
	}
	if c.from.Kind == types.Decimal && c.from.N == c.from.Scale && c.to.N == types.Unbounded {
		p.fill(nil, "CASE WHEN starts_with($1, '.') "+
			"THEN '0' || $1 WHEN starts_with($1, '-.') THEN '-0' || substr($1, 2) ELSE $1 END",
			operand{write: func() { p.native(c) }})
		return
	}
	if c.to.N == types.Unbounded && c.from.Kind != types.Real && c.from.Kind != types.Double {
		p.native(c)
		return
	}
	p.guarded(c, "${CAST}")
}

// decimalJSON writes a decimal as a JSON number, with its trailing zeros, and in Java's format if its scale is large.
func (p *printer) decimalJSON(c *conversion) {
	text := &conversion{node: c.node, from: c.from, to: types.NewVarchar(types.Unbounded), operand: c.operand}
	if c.from.Scale <= 6 {
		p.put("CAST(", func() { p.numberText(text) }, " AS JSON)")
		return
	}
	p.put(`CAST("~json_of"(CAST(to_json(`)
	p.numberText(text)
	p.put(") AS VARCHAR), ", quoteText(c.from.Signature()), ") AS JSON)")
}

// textNumber parses numbers as Java does.
func (p *printer) textNumber(c *conversion) {
	digits := map[types.Kind]int{types.Tinyint: 2, types.Smallint: 4, types.Integer: 9, types.Bigint: 18}[c.to.Kind]
	switch {
	case digits > 0:
		p.guarded(c, "CASE WHEN regexp_full_match($1, '[+-]?[0-9]{1,"+strconv.Itoa(digits)+
			"}') THEN CAST($1 AS ${R}) ELSE ${CAST} END")
	case c.to.Kind == types.Double:
		p.guarded(c, `CASE WHEN regexp_full_match($1, '[+-]?[0-9]{1,17}([.][0-9]{1,17})?') THEN CAST($1 AS ${R}) `+
			`ELSE ${CAST} END`)
	default:
		p.guarded(c, "${CAST}")
	}
}

// cut truncates a string to the length of its type.
func (p *printer) cut(c *conversion) {
	if c.to.N >= c.from.N {
		c.write()
		return
	}
	p.put("substr(", c, ", 1, ", strconv.Itoa(c.to.N), ")")
}
