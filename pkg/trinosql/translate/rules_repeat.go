package translate

import (
	"strconv"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Trino limits the result of repeat by the bytes that its elements take in Trino's memory.

func repeatRules(reg *registry) {
	const checks = `CASE WHEN $2 > 10000 THEN "~error"('count argument of repeat function must be less than or equal ` +
		`to 10000') WHEN $2 < 0 THEN "~error"('count argument of repeat function must be greater than or equal to 0')`
	const most, end = 1000000,
		` WHEN $2 IS NOT NULL THEN list_transform(system.main.range(CAST($2 AS BIGINT)), lambda "~i": $1) END`
	plain := mustParts(checks + end)
	limited := mustParts(checks + ` WHEN $2 > 0 AND $3 > (` + strconv.Itoa(most) +
		` + $2) // $2 THEN "~error"('result of repeat function must not take more than ` +
		strconv.Itoa(most) + ` bytes')` + end)
	reg.rules["repeat"] = func(p *printer, c *call) {
		t := c.bound.Args[0]
		p.bindOnce(c.args, func(args []operand) { // the element, too: random() has one value
			if fixedBytes(t) > 0 { // too few to reach the limit
				p.expand(&call{node: c.node, args: args}, plain)
				return
			}
			size := operand{cheap: true, write: func() { p.bytes(t, args[0]) }}
			p.expand(&call{node: c.node, args: []operand{args[0], args[1], size}}, limited)
		})
	}
}

// fixedBytes is how many bytes an element of a type takes in Trino, with the one that marks NULL; 0 if that depends on
// the value.
func fixedBytes(t *types.Type) int {
	switch t.Kind {
	case types.Unknown, types.Boolean, types.Tinyint:
		return 2
	case types.Smallint:
		return 3
	case types.Integer, types.Real, types.Date, types.IntervalYM:
		return 5
	case types.Bigint, types.Double, types.IntervalDS, types.Time:
		return 9
	case types.Decimal:
		return wide(t.N > 18, 17)
	case types.Timestamp:
		return wide(t.N > 6, 13)
	case types.TimestampTZ:
		return wide(t.N > 3, 13)
	case types.UUID:
		return 17
	}
	return 0
}

func wide(is bool, bytes int) int {
	if is {
		return bytes
	}
	return 9
}

// bytes writes how many bytes a value takes in Trino.
func (p *printer) bytes(t *types.Type, x operand) {
	const offset = " + 5" // of a value of variable length
	if n := fixedBytes(t); n > 0 {
		p.put(strconv.Itoa(n))
		return
	}
	list := func(elements string, t *types.Type) {
		p.put("coalesce(")
		if n := fixedBytes(t); n > 0 {
			p.put("len(", elements, ") * ", strconv.Itoa(n))
		} else {
			e := p.name("x")
			p.put("list_sum(list_transform(", elements, ", lambda ", e, ": ")
			p.bytes(t, p.alias(e))
			p.put("))")
		}
		p.put(", 0)")
	}
	text := p.capture(x.write)
	switch t.Kind {
	case types.Array:
		list(text, t.Args[0])
	case types.Map:
		list("map_keys("+text+")", t.Args[0])
		p.put(" + ")
		list("map_values("+text+")", t.Args[1])
		p.put(" + coalesce(cardinality(", text, "), 0) * 8")
	case types.Row:
		p.w.Join(" + ", len(t.Args), func(i int) { p.bytes(t.Args[i], p.alias(field(text, i))) })
	case types.Varbinary:
		p.put("coalesce(octet_length(", text, "), 0)")
	default:
		p.put("coalesce(strlen(CAST(", text, " AS VARCHAR)), 0)")
	}
	p.put(offset)
}
