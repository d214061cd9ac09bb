package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// conversion is a cast, explicit or implicit.
type conversion struct {
	node     trinosql.Node
	from, to *types.Type
	try      bool // TRY_CAST
	operand
}

type kinds struct{ from, to types.Kind }

func (p *printer) castExpr(x *trinosql.Cast) {
	c := &conversion{node: x, from: p.typeOf(x.X), to: p.a.Types[x], try: x.Try, operand: p.operand(x.X)}
	if !c.try || c.cheap {
		p.cast(c)
		return
	}
	text := p.capture(c.write)
	c.operand = operand{expr: x.X, write: func() { p.put(text) }}
	if !fails(text) {
		p.cast(c)
		return
	}
	p.bindOnce([]operand{c.operand}, func(args []operand) { // TRY_CAST applies to the conversion, not to its operand
		c.operand = args[0]
		p.cast(c)
	})
}

// harmless are functions of DuckDB that never fail and are not aggregates.
var harmless = map[string]bool{"trim": true, "ltrim": true, "rtrim": true, "lower": true, "upper": true, "substr": true,
	"replace": true, "coalesce": true,
	"nullif": true, "length": true, "contains": true, "starts_with": true, "translate": true, "list_extract": true,
	"struct_extract_at": true, "TRY_CAST": true,
	"string_split": true, "list_aggregate": true, "list_transform": true, "list_reverse": true, "IN": true, "": true}

// Expressions that cannot fail although they contain operators that may: casts of numeric literals, and divisions by
// positive constants (0 and -1 may fail).
var (
	numericLiteral   = late.Regexp(`CAST\('([0-9]+)' AS (INTEGER|BIGINT)\)`)
	constantDivision = late.Regexp(` (%|//) [1-9][0-9]*([ )]|$)`)
)

// fails reports whether an expression may fail, or is not allowed in TRY: anything except operators on strings,
// divisions by constants and harmless functions.
func fails(text string) bool {
	text = strings.ReplaceAll(text, `system.main."~~"(`, "(") // LIKE with a checked pattern
	text = constantDivision().ReplaceAllString(numericLiteral().ReplaceAllString(text, "$1"), "$2")
	for _, s := range []string{" + ", " - ", " * ", " / ", " % ", " // ", "SELECT "} {
		if strings.Contains(text, s) {
			return true
		}
	}
	for {
		before, after, found := strings.Cut(text, "(")
		if !found {
			return false
		}
		name := before[strings.LastIndexFunc(before, func(r rune) bool {
			return r != '_' && r != '"' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})+1:]
		if !harmless[name] {
			return true
		}
		text = after
	}
}

// convert writes an implicit cast.
func (p *printer) convert(at trinosql.Node, from, to *types.Type, x operand) {
	p.cast(&conversion{node: at, from: from, to: to, operand: x})
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
	if f := writers.get().casts[kinds{c.from.Kind, c.to.Kind}]; f != nil {
		f(p, c)
		return
	}
	p.refuse(c.node, "a cast from %s to %s is not supported on zone local", c.from, c.to)
}

// native writes DuckDB's own cast.
func (p *printer) native(c *conversion) {
	if c.try {
		p.put("TRY_CAST(")
	} else {
		p.put("CAST(")
	}
	p.put(c, " AS ", p.duckType(c.node, c.to), ")")
}

func nativeCast(p *printer, c *conversion) { p.native(c) }
