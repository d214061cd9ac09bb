package translate

import (
	"encoding/hex"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// literals write literals of types with a name, such as DATE, by that name in upper case.
var literals = map[string]func(p *printer, x *trinosql.TypedLit){}

func (p *printer) literalValue(x trinosql.Expr) {
	switch x := x.(type) {
	case *trinosql.NullLit:
		p.put("NULL")
	case *trinosql.BoolLit:
		if x.Value {
			p.put("true")
		} else {
			p.put("false")
		}
	case *trinosql.StringLit:
		p.put(quoteText(x.Value))
	case *trinosql.BinaryLit:
		p.put("unhex('", hex.EncodeToString(x.Value), "')")
	case *trinosql.IntLit, *trinosql.DecimalLit, *trinosql.DoubleLit:
		p.number(x)
	case *trinosql.TypedLit:
		if f := literals[strings.ToUpper(x.Type)]; f != nil {
			f(p, x)
			return
		}
		p.refuse(x, "a literal of type %s is not supported on zone local", x.Type)
	case *trinosql.IntervalLit:
		p.special(x)
	case *trinosql.Param:
		p.refuse(x, "parameters are not supported on zone local")
	}
}

// number writes a number with its type.
func (p *printer) number(x trinosql.Expr) {
	var text string
	switch x := x.(type) {
	case *trinosql.IntLit:
		text = x.Text
	case *trinosql.DecimalLit:
		text = x.Text
	case *trinosql.DoubleLit:
		text = x.Text
	}
	p.put("CAST('", text, "' AS ", p.duckType(x, p.a.Types[x]), ")")
}
