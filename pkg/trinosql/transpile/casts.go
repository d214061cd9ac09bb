package transpile

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// cast writes casts that behave the same in every dialect, or in a form that does.
func (t *transpiler) cast(x *trinosql.Cast) {
	from, to := t.typeOf(x.X), t.a.Types[x]
	number := func(k types.Kind) bool { return k >= types.Tinyint && k <= types.Decimal }
	float := func(k types.Kind) bool { return k == types.Real || k == types.Double }
	word := "CAST"
	if x.Try {
		switch t.to {
		case BigQuery:
			word = "SAFE_CAST"
		default:
			t.refuse(x, "TRY_CAST")
		}
	}
	text := to.Kind == types.Varchar
	plain := plainTexts[to.Kind]
	literal := plain != nil && plain().MatchString(t.literal(x.X))
	switch {
	case from.Kind >= types.Array && !types.Equal(from, to):
		t.refuse(x, "a cast from %s to %s", from, to)
	case (from.Kind == to.Kind && from.Kind != types.Timestamp && from.Kind != types.Time) ||
		from.Kind == types.Unknown:
	case number(from.Kind) && number(to.Kind):
		if to.Integral() && float(from.Kind) {
			t.put(word, "(round(", x.X)
			if t.to == PostgreSQL {
				t.refuse(x, "a cast from %s to %s", from, to) // rounds half to even
			}
			t.put(") AS ", t.typeName(x, to), ")")
			return
		}
		if to.Kind == types.Decimal && float(from.Kind) {
			t.refuse(x, "a cast from %s to %s", from, to)
		}
	case text && (from.Integral() || from.Kind == types.Decimal || from.Kind == types.Date ||
		from.Kind == types.Boolean && t.to != MySQL || from.Kind == types.UUID):
		if to.N != types.Unbounded {
			t.refuse(x, "a cast from %s to %s", from, to)
		}
	case from.Kind == types.Timestamp && to.Kind == types.Timestamp && t.to != PostgreSQL && to.N < from.N,
		from.Kind == types.Time && to.Kind == types.Time && to.N < from.N:
		t.refuse(x, "a cast from %s to %s", from, to)
	case from.Kind == types.Varchar && (number(to.Kind) || to.Kind == types.Date || to.Kind == types.Boolean ||
		to.Kind == types.UUID):
		// each dialect parses strings in its own way, and MySQL converts a string that is not a number to 0
		if !literal {
			t.refuse(x, "a cast from %s to %s", from, to)
		}
	case from.Kind == types.Date && to.Kind == types.Timestamp, from.Kind == types.Timestamp && to.Kind == types.Date:
	case from.Kind == types.Boolean && to.Integral():
	case from.Kind == to.Kind:
	default:
		t.refuse(x, "a cast from %s to %s", from, to)
	}
	if text && to.N != types.Unbounded && t.to == BigQuery {
		t.w.Fill("substr($1, 1, "+itoa(to.N)+")", x.X)
		return
	}
	t.castTo(word, x, x.X, to)
}

func (t *transpiler) current(x *trinosql.Current) {
	switch {
	case x.What == "CURRENT_DATE" && t.to == BigQuery:
		t.put("CURRENT_DATE()")
	case x.What == "CURRENT_DATE":
		t.put("CURRENT_DATE")
	case x.What == "CURRENT_TIMESTAMP" && t.to == BigQuery:
		t.put("CURRENT_TIMESTAMP()")
	case x.What == "CURRENT_TIMESTAMP" && t.to != MySQL:
		t.put("CURRENT_TIMESTAMP")
	default:
		t.refuse(x, "%s", x.What)
	}
}

// blanks are the characters that Trino trims besides spaces, except those outside of ASCII.
const blanks = ` \t\n\v\f\r`

func (t *transpiler) trim(x, chars trinosql.Expr, spec string, at trinosql.Node) {
	if chars != nil {
		if t.to == MySQL {
			t.refuse(at, "TRIM of several characters")
		}
		name := map[string]string{"LEADING": "ltrim", "TRAILING": "rtrim"}[spec]
		if name == "" {
			name = "trim"
			if t.to == PostgreSQL {
				name = "btrim"
			}
		}
		t.w.Fill(name+"($1, $2)", x, chars)
		return
	}
	name := map[string]string{"LEADING": "ltrim", "TRAILING": "rtrim"}[spec]
	switch t.to {
	case PostgreSQL:
		if name == "" {
			name = "btrim"
		}
		t.w.Fill(name+`($1, E'`+blanks+`')`, x)
	case BigQuery:
		if name == "" {
			name = "trim"
		}
		t.w.Fill(name+`($1, '`+blanks+`')`, x)
	default:
		pattern := map[string]string{"LEADING": `^[[:space:]]+`, "TRAILING": `[[:space:]]+$`}[spec]
		if pattern == "" {
			pattern = `^[[:space:]]+|[[:space:]]+$`
		}
		t.w.Fill("regexp_replace($1, '"+pattern+"', '')", x)
	}
}

// substring writes a substring. For position 0 Trino returns an empty string, other dialects count from it.
func (t *transpiler) substring(at trinosql.Node, x, from, length trinosql.Expr) {
	n, ok := from.(*trinosql.IntLit)
	if !ok || n.Text == "0" {
		t.refuse(at, "a substring from a position that is not a positive constant")
	}
	if length == nil {
		t.w.Fill("substr($1, $2)", x, from)
		return
	}
	if _, ok := length.(*trinosql.IntLit); !ok {
		t.refuse(at, "a substring whose length is not a constant")
	}
	t.w.Fill("substr($1, $2, $3)", x, from, length)
}
