package transpile

import (
	_ "embed"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func (t *transpiler) special(x *trinosql.Func, form string) {
	switch form {
	case "if":
		t.w.Fill("CASE WHEN $1 THEN $2", x.Args...)
		if len(x.Args) > 2 {
			t.put(" ELSE ", x.Args[2])
		}
		t.put(" END")
	case "coalesce", "nullif":
		t.put(form, "(", x.Args, ")")
	default:
		t.refuse(x, "%s", form)
	}
}

// round writes round. It rounds half away from zero; for doubles other dialects round half to even.
func (t *transpiler) round(x *trinosql.Func) {
	k := t.typeOf(x.Args[0]).Kind
	if k == types.Decimal && t.to != BigQuery {
		digits := "0"
		if len(x.Args) > 1 {
			n, ok := x.Args[1].(*trinosql.IntLit)
			if !ok {
				t.refuse(x, "round to digits that are not a constant")
			}
			digits = n.Text
		}
		t.w.Fill("CAST(round($1, "+digits+") AS "+t.typeName(x, t.a.Types[x])+")", x.Args[0])
		return
	}
	if (k == types.Double || k == types.Real) && t.to == PostgreSQL {
		digits := "0"
		if len(x.Args) > 1 {
			n, ok := x.Args[1].(*trinosql.IntLit)
			if !ok {
				t.refuse(x, "round to digits that are not a constant")
			}
			digits = n.Text
		}
		factor := "CAST(1e" + digits + " AS double precision)"
		t.w.Fill("(sign($1) * floor(abs($1) * "+factor+" + 0.5) / "+factor+")", x.Args[0])
		return
	}
	t.refuse(x, "round of %s", t.typeOf(x.Args[0]))
}

// extreme writes greatest and least, which are NULL if any argument is.
func (t *transpiler) extreme(x *trinosql.Func, name string) {
	if t.typeOf(x).Kind == types.Varchar && t.to == PostgreSQL {
		t.refuse(x, "%s of texts", name)
	}
	if t.to == PostgreSQL {
		t.put("CASE WHEN ")
		t.w.Join(" AND ", len(x.Args), func(i int) { t.put(x.Args[i], " IS NOT NULL") })
		t.put(" THEN ")
		defer t.put(" END")
	}
	t.put(name, "(", x.Args, ")")
}

func (t *transpiler) listagg(x *trinosql.Listagg) {
	t.ownAggregate(x, "LISTAGG")
	if x.Overflow == "TRUNCATE" || x.Distinct || x.Filter != nil && (t.to == MySQL || t.to == BigQuery) {
		t.refuse(x, "LISTAGG with DISTINCT, FILTER or TRUNCATE")
	}
	separator := ""
	if x.Separator != nil {
		separator = x.Separator.Value
	}
	if t.to == MySQL {
		t.put("group_concat(", x.X, " ")
		t.w.OrderBy(x.Within)
		t.put(" SEPARATOR ", t.text(separator), ")")
		return
	}
	t.put("string_agg(", x.X, ", ", t.text(separator), " ")
	t.w.OrderBy(x.Within)
	t.put(")")
	if x.Filter != nil {
		t.put(" FILTER (WHERE ", x.Filter, ")")
	}
}
