package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// conversion is a cast, written out or left to coercion.
type conversion struct {
	node     trinosql.Node
	from, to *types.Type
	try      bool // TRY_CAST
	operand
}

type kinds struct{ from, to types.Kind }

// casts write conversions between kinds of types. Files casts_*.go add to it from init.
var casts = map[kinds]func(p *printer, c *conversion){}

func (p *printer) castExpr(x *trinosql.Cast) {
	p.cast(&conversion{node: x, from: p.typeOf(x.X), to: p.a.Types[x], try: x.Try, operand: p.operand(x.X)})
}

func (p *printer) cast(c *conversion) {
	switch {
	case types.Equal(c.from, c.to):
		c.write()
		return
	case c.from.Kind == types.Unknown:
		p.native(c)
		return
	}
	if f := casts[kinds{c.from.Kind, c.to.Kind}]; f != nil {
		f(p, c)
		return
	}
	p.refuse(c.node, "a cast from %s to %s is not supported on zone local", c.from, c.to)
}

// native is DuckDB's own cast.
func (p *printer) native(c *conversion) {
	if c.try {
		p.put("TRY_CAST(")
	} else {
		p.put("CAST(")
	}
	c.write()
	p.put(" AS ", p.duckType(c.node, c.to), ")")
}

func nativeCast(p *printer, c *conversion) { p.native(c) }
