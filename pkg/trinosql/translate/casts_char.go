package translate

import (
	"strconv"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Values of type char are stored without trailing spaces, which are added when they are converted to varchar.

func charCasts(reg *registry) {
	toChar := func(p *printer, c *conversion) {
		if c.from.Kind == types.Char && c.from.N <= c.to.N {
			c.write()
			return
		}
		p.around("rtrim(substr(", c, ", 1, "+strconv.Itoa(c.to.N)+"), ' ')")
	}
	reg.casts[kinds{types.Varchar, types.Char}] = toChar
	reg.casts[kinds{types.Char, types.Char}] = toChar
	reg.casts[kinds{types.Char, types.Varchar}] = func(p *printer, c *conversion) {
		text := operand{write: func() { p.padded(c.operand, c.from.N) }}
		p.cut(&conversion{node: c.node, from: types.NewVarchar(c.from.N), to: c.to, try: c.try, operand: text})
	}
	reg.casts[kinds{types.Char, types.Opaque}] = func(p *printer, c *conversion) { p.padded(c.operand, c.from.N) }

	reg.rules["char length"] = func(p *printer, c *call) {
		p.put("CASE WHEN ", c.args[0], " IS NOT NULL THEN CAST(", strconv.Itoa(c.bound.Args[0].N), " AS BIGINT) END")
	}
	reg.rules["char concat"] = func(p *printer, c *call) {
		p.put("rtrim((", func() { p.padded(c.args[0], c.bound.Args[0].N) }, " || ", c.args[1], "), ' ')")
	}
	for _, key := range []string{"substring(varchar(x), bigint)", "substring(varchar(x), bigint, bigint)"} {
		reg.rules["char "+key] = func(p *printer, c *call) {
			value, n := c.args[0], c.bound.Args[0].N
			padded := *c
			padded.args = append([]operand{{write: func() { p.padded(value, n) }}}, c.args[1:]...)
			p.expand(&padded, templates()[key].parts)
		}
	}
}

// padded writes a char with its trailing spaces.
func (p *printer) padded(x operand, n int) {
	if n <= 1000 { // allowed in TRY
		p.put("system.main.")
	}
	p.put("rpad(", x, ", ", strconv.Itoa(n), ", ' ')")
}
