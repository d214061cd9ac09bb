package transpile

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

//go:embed functions.txt
var functionList string

// table has the lines of functions.txt: by name and number of arguments, the text for each dialect.
var table = sync.OnceValue(func() map[string][3]string {
	m := map[string][3]string{}
	for line := range strings.Lines(functionList) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, " | ")
		if len(cells) != 4 {
			panic("functions.txt: " + line) // a test reads the file
		}
		m[cells[0]] = [3]string(cells[1:])
	}
	return m
})

var place = map[Target]int{PostgreSQL: 0, MySQL: 1, BigQuery: 2}

// find is the text for a function, "" if there is none.
func (t *transpiler) find(name string, args int) string {
	cells, ok := table()[name+"/"+itoa(args)]
	if !ok {
		cells, ok = table()[name+"/*"]
	}
	if !ok || cells[place[t.to]] == "-" {
		return ""
	}
	return cells[place[t.to]]
}

// named writes a call according to the table.
func (t *transpiler) named(name string, at trinosql.Node, args []trinosql.Expr) {
	text := t.find(name, len(args))
	switch {
	case text == "" || strings.HasPrefix(text, "agg ") || strings.HasPrefix(text, "win "):
		t.refuse(at, "%s", name)
	case len(args) > 0 && t.typeOf(args[0]).Kind == types.Unknown, len(args) > 0 && name == "reverse" &&
		!t.isText(args[0]):
		t.refuse(at, "%s of %s", name, t.typeOf(args[0]))
	case text == "=":
		t.put(name, "(", args, ")")
	default:
		t.w.Fill(text, args...)
	}
}

func (t *transpiler) function(x *trinosql.Func) {
	name := strings.ToLower(x.Name[len(x.Name)-1].Name)
	if form := t.a.Specials[x]; form != "" {
		t.special(x, form)
		return
	}
	if x.Nulls == "IGNORE" && t.to != BigQuery {
		t.refuse(x, "IGNORE NULLS")
	}
	switch name {
	case "concat":
		if t.typeOf(x).Kind != types.Varchar {
			t.refuse(x, "concat of %s", t.typeOf(x))
		}
		sep, head := " || ", "("
		if t.to == MySQL {
			sep, head = ", ", "concat("
		}
		t.put(head)
		t.w.Join(sep, len(x.Args), func(i int) { t.put(x.Args[i]) })
		t.put(")")
	case "substr", "substring":
		var length trinosql.Expr
		if len(x.Args) > 2 {
			length = x.Args[2]
		}
		t.substring(x, x.Args[0], x.Args[1], length)
	case "trim", "ltrim", "rtrim":
		spec := map[string]string{"ltrim": "LEADING", "rtrim": "TRAILING"}[name]
		var chars trinosql.Expr
		if len(x.Args) > 1 {
			chars = x.Args[1]
		}
		t.trim(x.Args[0], chars, spec, x)
	case "replace":
		if t.literal(x.Args[1]) != "" && len(x.Args) == 3 {
			t.put("replace(", x.Args, ")")
			return
		}
		t.refuse(x, "replace of a text that may be empty")
	case "mod":
		t.binary2(x, x.Args[0], "%", x.Args[1])
	case "ceil", "ceiling", "floor":
		if k := t.typeOf(x.Args[0]).Kind; k >= types.Tinyint && k <= types.Bigint {
			t.put(x.Args[0])
			return
		}
		t.named(name, x, x.Args)
	case "sign":
		t.put("CAST(sign(", x.Args[0])
		t.put(") AS ", t.typeName(x, t.a.Types[x]), ")")
	case "split_part":
		if n, ok := constant(x.Args[2]); !ok || n < 1 {
			t.refuse(x, "split_part at a position that is not a positive constant")
		}
		t.named(name, x, x.Args)
	case "round":
		t.round(x)
	case "greatest", "least":
		t.extreme(x, name)
	case "now":
		t.current(&trinosql.Current{What: "CURRENT_TIMESTAMP"})
	case "date":
		if k := t.typeOf(x.Args[0]).Kind; k != types.Timestamp && k != types.Date {
			t.refuse(x, "date of %s", t.typeOf(x.Args[0]))
		}
		t.w.Fill("CAST($1 AS date)", x.Args[0])
	case "date_trunc", "date_add", "date_diff":
		t.dateFunction(x, name)
	default:
		t.call(x, name)
	}
}

// binary2 writes a function that is an operator in other dialects.
func (t *transpiler) binary2(x *trinosql.Func, l trinosql.Expr, op string, r trinosql.Expr) {
	switch {
	case t.to == BigQuery || t.typeOf(x).Kind == types.Double || t.typeOf(x).Kind == types.Real:
		t.refuse(x, "mod")
	default:
		t.w.Fill("($1 "+op+" $2)", l, r)
	}
}

func last(list []trinosql.Expr) trinosql.Expr { return list[len(list)-1] }

// literal is the value of a string literal, "" for other expressions.
func (t *transpiler) literal(x trinosql.Expr) string {
	if s, ok := x.(*trinosql.StringLit); ok {
		return s.Value
	}
	return ""
}

// call writes a scalar function, an aggregate or a window function.
func (t *transpiler) call(x *trinosql.Func, name string) {
	text := t.find(name, len(x.Args))
	kind, rest, aggregate := strings.Cut(text, " ")
	aggregate = aggregate && (kind == "agg" || kind == "win")
	if text == "" || !aggregate && (x.Over != nil || x.OverName != nil || x.Filter != nil || x.Distinct ||
		x.OrderBy != nil) {
		t.refuse(x, "%s", name)
	}
	if !aggregate {
		t.named(name, x, x.Args)
		return
	}
	if x.Over == nil && x.OverName == nil {
		t.ownAggregate(x, name)
	} else {
	}
	for _, a := range x.Args {
		if k := t.typeOf(a).Kind; k == types.Row || k == types.Real && (rest == "sum" || rest == "avg") ||
			k == types.Unknown {
			t.refuse(x, "%s of %s", name, t.typeOf(a))
		}
	}
	args := x.Args
	if i := strings.IndexByte(rest, '('); i >= 0 && len(args) > 0 { // a template for the argument
		t.template(x, rest)
		return
	}
	float := rest == "avg" && (t.typeOf(args[0]).Integral() || t.typeOf(args[0]).Kind == types.Double)
	if rest == "avg" && t.typeOf(args[0]).Kind == types.Decimal {
		if t.to == BigQuery {
			t.refuse(x, "avg of decimals")
		}
		t.put("CAST(")
		defer t.put(" AS ", t.typeName(x, t.a.Types[x]), ")")
	}
	if rest == "sum" && t.typeOf(args[0]).Integral() && t.to != MySQL { // the type is wider in other dialects
		t.put("CAST(")
		defer t.put(" AS ", t.typeName(x, types.Of(types.Bigint)), ")")
	}
	t.put(rest, "(")
	if x.Distinct {
		t.put("DISTINCT ")
	}
	emulated := x.Filter != nil && (t.to == MySQL || t.to == BigQuery)
	if emulated {
		t.put("CASE WHEN ", x.Filter, " THEN ")
	}
	switch {
	case (x.Star || len(args) == 0 && name == "count") && emulated:
		t.put("1")
	case x.Star || len(args) == 0 && name == "count":
		t.put("*")
	case float && t.to != BigQuery:
		t.w.Fill("CAST($1 AS "+t.typeName(x, types.Of(types.Double))+")", args[0])
	default:
		t.w.Join(", ", len(args), func(i int) {
			t.put(args[i])
			if (rest == "min" || rest == "max") && t.to == PostgreSQL && t.isText(args[i]) {
				t.put(` COLLATE "C"`)
			}
		})
	}
	if emulated {
		t.put(" END")
	}
	if x.OrderBy != nil {
		if name != "array_agg" {
			t.refuse(x, "ORDER BY in %s", name)
		}
		t.put(" ")
		t.w.OrderBy(x.OrderBy)
	}
	if x.Nulls == "IGNORE" {
		t.put(" IGNORE NULLS")
	}
	t.put(")")
	if x.Filter != nil && !emulated {
		t.put(" FILTER (WHERE ", x.Filter, ")")
	}
	t.over(x)
}

// ownAggregate rejects an aggregate of columns of an outer query alone: in other dialects it is one of that query.
func (t *transpiler) ownAggregate(x trinosql.Expr, name string) {
	in := t.a.Reaches(x)
	if !in.Own && (in.Outer || in.OuterWithin) {
		t.refuse(x, "%s of columns of an outer query alone", name)
	}
}

// template writes an aggregate whose argument is written differently.
func (t *transpiler) template(x *trinosql.Func, text string) {
	if x.Distinct || x.OrderBy != nil || x.Filter != nil && (t.to == MySQL || t.to == BigQuery) {
		t.refuse(x, "%s with DISTINCT, ORDER BY or FILTER", x.Name[len(x.Name)-1].Name)
	}
	if !strings.Contains(text, "$1") { // lag(CAST($2 AS integer)): the first argument is unchanged
		i := strings.IndexByte(text, '(')
		t.put(text[:i+1], x.Args[0], ", ")
		t.w.Fill(text[i+1:], x.Args...)
	} else {
		t.w.Fill(text, x.Args...)
	}
	if x.Filter != nil {
		t.put(" FILTER (WHERE ", x.Filter, ")")
	}
	t.over(x)
}

func (t *transpiler) over(x *trinosql.Func) {
	switch {
	case x.Over != nil:
		if f := x.Over.Frame; f != nil {
			if t.to == MySQL && (len(x.Args) == 0 && !x.Star) {
				t.refuse(f, "a frame of %s", x.Name[len(x.Name)-1].Name)
			}
			if f.Kind == "GROUPS" && t.to != PostgreSQL || f.Kind == "RANGE" && (f.Start.Value != nil || f.End != nil &&
				f.End.Value != nil) {
				t.refuse(f, "a frame of %s", f.Kind)
			}
		}
		t.put(" OVER ", x.Over)
	case x.OverName != nil:
		t.put(" OVER ", t.quoted(x.OverName.Name, x.OverName.Quoted))
	}
}
