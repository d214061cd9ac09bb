package trinosql

import (
	"encoding/hex"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// Precedences of expressions, loosest first.
const (
	precLambda = iota
	precOr
	precAnd
	precNot
	precPredicate
	precConcat
	precSum
	precProd
	precSign
	precZone
	precPrimary
)

func precOf(x Expr) int {
	switch x := x.(type) {
	case *Lambda:
		return precLambda
	case *Logic:
		if x.Op == "OR" {
			return precOr
		}
		return precAnd
	case *Not:
		return precNot
	case *Compare, *Quantified, *Between, *InList, *InQuery, *LikeExpr, *IsNull, *IsDistinct:
		return precPredicate
	case *Binary:
		switch x.Op {
		case "||":
			return precConcat
		case "+", "-":
			return precSum
		}
		return precProd
	case *Unary:
		return precSign
	case *AtTimeZone:
		return precZone
	}
	return precPrimary
}

// expr prints an expression where the grammar allows one that binds at least as tightly as least.
func (p *printer) expr(x Expr, least int) {
	if p.overridden(x) {
		return
	}
	if precOf(x) < least {
		p.put("(")
		defer p.put(")")
	}
	switch x := x.(type) {
	case *Ident:
		p.name(x)
	case *Deref:
		p.target(x.Base)
		p.put(".")
		p.name(x.Field)
	case *NullLit:
		p.put("NULL")
	case *BoolLit:
		if x.Value {
			p.put("TRUE")
		} else {
			p.put("FALSE")
		}
	case *StringLit:
		p.text(x.Value)
	case *BinaryLit:
		p.put("X'", strings.ToUpper(hex.EncodeToString(x.Value)), "'")
	case *IntLit:
		p.put(x.Text)
	case *DecimalLit:
		p.put(x.Text)
	case *DoubleLit:
		p.put(x.Text)
	case *TypedLit:
		if plainName(x.Type) && !Reserved(x.Type) {
			p.put(x.Type)
		} else {
			p.put(sqltext.Quote(x.Type))
		}
		p.put(" ", QuoteText(x.Value))
	case *IntervalLit:
		p.put("INTERVAL ")
		if x.Negative {
			p.put("-")
		}
		p.put(QuoteText(x.Value), " ", x.From)
		if x.To != "" {
			p.put(" TO ", x.To)
		}
	case *Param:
		p.put("?")
	case *Unary:
		p.put(x.Op)
		if _, ok := x.X.(*Unary); ok {
			p.put(" ") // -- would begin a comment
		}
		p.expr(x.X, precSign)
	case *Binary:
		prec := precOf(x)
		p.expr(x.L, prec)
		p.put(" ", x.Op, " ")
		p.expr(x.R, prec+1)
	case *Compare:
		p.put(tight{x.L}, " ", x.Op, " ", tight{x.R})
	case *Quantified:
		p.put(tight{x.X}, " ", x.Op, " ", x.Quantifier, " (", x.Query, ")")
	case *Between:
		p.tested(x.X, x.Not, "BETWEEN ")
		p.put(tight{x.Lo}, " AND ", tight{x.Hi})
	case *InList:
		p.tested(x.X, x.Not, "IN (")
		p.put(x.List, ")")
	case *InQuery:
		p.tested(x.X, x.Not, "IN (")
		p.put(x.Query, ")")
	case *LikeExpr:
		p.tested(x.X, x.Not, "LIKE ")
		p.expr(x.Pattern, precConcat)
		if x.Escape != nil {
			p.put(" ESCAPE ", tight{x.Escape})
		}
	case *IsNull:
		p.expr(x.X, precConcat)
		p.is(x.Not, "NULL")
	case *IsDistinct:
		p.expr(x.L, precConcat)
		p.is(x.Not, "DISTINCT FROM ")
		p.expr(x.R, precConcat)
	case *Not:
		p.put("NOT ")
		p.expr(x.X, precNot)
	case *Logic:
		for i, t := range x.Terms {
			if i > 0 {
				p.put(" ", x.Op, " ")
			}
			p.expr(t, precOf(x)+1)
		}
	default:
		p.form(x)
	}
}

// target prints an expression that is followed by a dot or a bracket.
func (p *printer) target(x Expr) {
	switch x.(type) {
	case *IntLit, *DecimalLit, *DoubleLit: // 1.a would be lexed differently
		p.put("(", x, ")")
	default:
		p.expr(x, precPrimary)
	}
}

func (p *printer) tested(x Expr, not bool, test string) {
	p.expr(x, precConcat)
	if not {
		p.put(" NOT")
	}
	p.put(" ", test)
}

func (p *printer) is(not bool, what string) {
	p.put(" IS ")
	if not {
		p.put("NOT ")
	}
	p.put(what)
}

// form prints the expressions that have brackets or keywords of their own.
func (p *printer) form(x Expr) {
	switch x := x.(type) {
	case *Func:
		p.call(x)
	case *Listagg:
		p.listagg(x)
	case *Lambda:
		if len(x.Params) == 1 {
			p.name(x.Params[0])
		} else {
			p.put("(")
			p.names(x.Params, ", ")
			p.put(")")
		}
		p.put(" -> ", x.Body)
	case *Subquery:
		p.put("(", x.Query, ")")
	case *Exists:
		p.put("EXISTS (", x.Query, ")")
	case *Case:
		p.put("CASE")
		if x.Operand != nil {
			p.put(" ", x.Operand)
		}
		for _, w := range x.Whens {
			p.put(" WHEN ", w.Cond, " THEN ", w.Then)
		}
		if x.Else != nil {
			p.put(" ELSE ", x.Else)
		}
		p.put(" END")
	case *Cast:
		if x.Try {
			p.put("TRY_")
		}
		p.put("CAST(", x.X, " AS ", x.Type, ")")
	case *Array:
		p.put("ARRAY[", x.Items, "]")
	case *Row:
		if !x.Bare {
			p.put("ROW")
		}
		p.put("(", x.Items, ")")
	case *Subscript:
		p.target(x.X)
		p.put("[", tight{x.Index}, "]")
	case *AtTimeZone:
		p.expr(x.X, precZone)
		p.put(" AT TIME ZONE ")
		p.expr(x.Zone, precPrimary)
	case *Current:
		p.put(x.What)
		if x.Precision != "" {
			p.put("(", x.Precision, ")")
		}
	case *Trim:
		p.trim(x)
	case *Substring:
		p.put("SUBSTRING(", tight{x.X}, " FROM ", tight{x.From})
		if x.For != nil {
			p.put(" FOR ", tight{x.For})
		}
		p.put(")")
	case *Position:
		p.put("POSITION(", tight{x.Sub}, " IN ", tight{x.X}, ")")
	case *Normalize:
		p.put("NORMALIZE(", tight{x.X})
		if x.Form != "" {
			p.put(", ", x.Form)
		}
		p.put(")")
	case *Extract:
		p.put("EXTRACT(")
		p.name(x.Field)
		p.put(" FROM ", tight{x.X}, ")")
	case *Grouping:
		p.put("GROUPING(", x.Columns, ")")
	default:
		p.json(x)
	}
}
