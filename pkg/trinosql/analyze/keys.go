package analyze

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// keys assigns the same number to expressions that are equivalent.
type keys struct {
	of     map[trinosql.Expr]int
	fields map[*Field]int
	texts  map[string]int
}

// Key returns a number that is the same for equivalent expressions.
func (a *Analysis) Key(x trinosql.Expr) int { return a.key(x) }

// FieldKey is the Key of a reference to the column.
func (a *Analysis) FieldKey(f *Field) int { return a.fieldKey(f) }

func (a *Analysis) key(x trinosql.Expr) int {
	k := &a.keys
	if n, ok := k.of[x]; ok {
		return n
	}
	if k.of == nil {
		k.of, k.fields, k.texts = map[trinosql.Expr]int{}, map[*Field]int{}, map[string]int{}
	}
	var b strings.Builder
	if ref := a.Columns[x]; ref != nil {
		b.WriteString("column ")
		b.WriteString(strconv.Itoa(k.field(ref.Field)))
	} else {
		head(&b, x)
		for _, c := range children(x) {
			b.WriteByte(' ')
			b.WriteString(strconv.Itoa(a.key(c)))
		}
	}
	n := k.intern(b.String())
	k.of[x] = n
	return n
}

// fieldKey is the key of a reference to the column.
func (a *Analysis) fieldKey(f *Field) int {
	if a.keys.of == nil {
		a.keys.of, a.keys.fields, a.keys.texts = map[trinosql.Expr]int{}, map[*Field]int{}, map[string]int{}
	}
	return a.keys.intern("column " + strconv.Itoa(a.keys.field(f)))
}

func (k *keys) field(f *Field) int {
	n, ok := k.fields[f]
	if !ok {
		n = len(k.fields)
		k.fields[f] = n
	}
	return n
}

func (k *keys) intern(text string) int {
	n, ok := k.texts[text]
	if !ok {
		n = len(k.texts)
		k.texts[text] = n
	}
	return n
}

// head writes an expression without its operands.
func head(b *strings.Builder, x trinosql.Expr) {
	fmt.Fprintf(b, "%T ", x)
	if q := query(x); q != nil {
		b.WriteString(trinosql.String(q))
	}
	switch x := x.(type) {
	case *trinosql.Deref:
		b.WriteString(windowKey(x.Field)) // r."x" is another expression than r.x, and r."X" is not
	case *trinosql.Unary:
		b.WriteString(x.Op)
	case *trinosql.Binary:
		b.WriteString(x.Op)
	case *trinosql.Compare:
		b.WriteString(x.Op)
	case *trinosql.Quantified:
		fmt.Fprint(b, x.Op, x.Quantifier)
	case *trinosql.Between:
		fmt.Fprint(b, x.Not)
	case *trinosql.InList:
		fmt.Fprint(b, x.Not)
	case *trinosql.InQuery:
		fmt.Fprint(b, x.Not)
	case *trinosql.LikeExpr:
		fmt.Fprint(b, x.Not)
	case *trinosql.IsNull:
		fmt.Fprint(b, x.Not)
	case *trinosql.IsDistinct:
		fmt.Fprint(b, x.Not)
	case *trinosql.Logic:
		b.WriteString(x.Op)
	case *trinosql.Func:
		fmt.Fprintf(b, "%s %v %v %d %d %s %v", funcName(x), x.Distinct, x.Star, len(x.Args), len(x.OrderBy), x.Nulls,
			x.Filter != nil)
		sorts(b, x.OrderBy)
		if x.OverName != nil {
			fmt.Fprintf(b, " over %q", x.OverName.Lower())
		}
		if x.Over != nil {
			fmt.Fprintf(b, " over %d", len(x.Over.PartitionBy))
			sorts(b, x.Over.OrderBy)
			if x.Over.Base != nil {
				fmt.Fprintf(b, " %q", x.Over.Base.Lower())
			}
			if f := x.Over.Frame; f != nil {
				fmt.Fprintf(b, " %s %s", f.Kind, f.Start.Kind)
				if f.End != nil {
					fmt.Fprintf(b, " %s", f.End.Kind)
				}
			}
		}
	case *trinosql.Listagg:
		fmt.Fprintf(b, "%v %s %s %v", x.Distinct, x.Overflow, x.Count, x.Filter != nil)
		for _, s := range []*trinosql.StringLit{x.Separator, x.Filler} {
			if s != nil {
				fmt.Fprintf(b, " %q", s.Value)
			}
		}
		sorts(b, x.Within)
	case *trinosql.Lambda:
		for _, p := range x.Params {
			fmt.Fprintf(b, "%q ", p.Name)
		}
	case *trinosql.Case:
		fmt.Fprint(b, x.Operand != nil, x.Else != nil)
	case *trinosql.Cast:
		fmt.Fprint(b, x.Try, strings.ToLower(trinosql.String(x.Type)))
	case *trinosql.Trim:
		fmt.Fprint(b, x.Spec)
	case *trinosql.Normalize:
		b.WriteString(x.Form)
	case *trinosql.Extract:
		b.WriteString(x.Field.Lower())
	case *trinosql.Ident: // the parameter of a lambda
		fmt.Fprintf(b, "%q", x.Name)
	case *trinosql.Param:
		fmt.Fprint(b, x.Index)
	case *trinosql.JSONFunc, *trinosql.JSONObject, *trinosql.JSONArray:
		b.WriteString(trinosql.String(x))
	default:
		if len(children(x)) == 0 && query(x) == nil {
			b.WriteString(trinosql.String(x))
		}
	}
}

func sorts(b *strings.Builder, items []*trinosql.SortItem) {
	for _, s := range items {
		fmt.Fprintf(b, " %v%s", s.Desc, s.Nulls)
	}
}

// internRow is the key of a field of a row.
func (k *keys) internRow(row, field int) int {
	return k.intern("field " + strconv.Itoa(row) + " " + strconv.Itoa(field))
}
