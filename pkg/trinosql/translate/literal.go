package translate

import (
	"encoding/hex"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func (p *printer) literalValue(x trinosql.Expr) {
	switch x := x.(type) {
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
		if f := writers.get().literals[strings.ToUpper(x.Type)]; f != nil {
			f(p, x)
			return
		}
		if t := p.a.Types[x]; p.timeLiteral(x, t) {
			return
		} else if t.Kind == types.Decimal {
			p.put("CAST(", quoteText(strings.ReplaceAll(x.Value, "_", "")), " AS ", p.duckType(x, t), ")")
		} else {
			n := utf8.RuneCountInString(x.Value)
			p.convert(x, types.NewVarchar(n), t, operand{write: func() { p.put(quoteText(x.Value)) }, cheap: true})
		}
	case *trinosql.IntervalLit:
		p.special(x)
	case *trinosql.Param:
		if p.o.Param == nil {
			p.refuse(x, "parameters are not supported on zone local")
		}
		p.put(p.o.Param(x.Index))
	}
}

// number writes a number literal with its type.
func (p *printer) number(x trinosql.Expr) { p.signed("", x) }

// signed writes a number literal with a sign that is part of it.
func (p *printer) signed(sign string, x trinosql.Expr) { p.numberAs(sign, x, p.a.Types[x]) }

func (p *printer) numberAs(sign string, x trinosql.Expr, t *types.Type) {
	var text string
	switch x := x.(type) {
	case *trinosql.IntLit:
		text = integer(x.Text).String()
	case *trinosql.DecimalLit:
		text = x.Text
	case *trinosql.DoubleLit:
		text = x.Text
	}
	if t.Kind == types.Integer && sign == "" {
		p.put(text)
		return
	}
	if i, ok := x.(*trinosql.IntLit); ok && t.Kind == types.Decimal && t.N == 38 &&
		len(integer(i.Text).String()) > t.N-t.Scale && integer(i.Text).Sign() != 0 {
		p.refuse(x, "%s%s as %s, the common type with the other operand, is not supported on zone local", sign, text, t)
	}
	p.put("CAST('", sign, text, "' AS ", p.duckType(x, t), ")")
}

// integer is the value of an integer literal in any base. 007 is not octal.
func integer(text string) *big.Int {
	base := 0
	if strings.TrimLeft(text, "0123456789") == "" {
		base = 10
	}
	n, ok := new(big.Int).SetString(text, base)
	if !ok {
		panic("not an integer: " + text)
	}
	return n
}

// numeral splits a number literal into its sign, if any, and the number.
func (p *printer) numeral(x trinosql.Expr) (sign string, lit trinosql.Expr) {
	if u, ok := x.(*trinosql.Unary); ok && p.a.Operators[x] == nil {
		if u.Op == "-" {
			sign = "-"
		}
		x = u.X
	}
	switch x.(type) {
	case *trinosql.IntLit, *trinosql.DecimalLit, *trinosql.DoubleLit:
		return sign, x
	}
	return "", nil
}

// constant is the value of an integer literal.
func (p *printer) constant(x trinosql.Expr) (*big.Int, bool) {
	sign, lit := p.numeral(x)
	n, ok := lit.(*trinosql.IntLit)
	if !ok {
		return nil, false
	}
	v := integer(n.Text)
	if sign != "" {
		v.Neg(v)
	}
	return v, true
}
