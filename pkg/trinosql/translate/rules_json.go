package translate

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

var (
	jsonPath = late.Regexp(`^\s*(lax|strict)\s+\$((?:\.[A-Za-z_]\w*|\."[^"\\]*"|\[\d{1,9}\]|\[\*\])*)\s*$`)
	jsonStep = late.Regexp(`\.[A-Za-z_]\w*|\."[^"\\]*"|\[\d+\]|\[\*\]`)
)

// jsonFunc writes JSON_EXISTS, JSON_VALUE and JSON_QUERY with paths of names, indices and [*].
func (p *printer) jsonFunc(x *trinosql.JSONFunc) {
	refuse := func(what string) { p.refuse(x, "%s %s is not supported on zone local", x.Name, what) }
	switch t := p.typeOf(x.Input.X); {
	case t.Kind != types.Varchar || x.Input.Format != "" && x.Input.Format != "JSON":
		refuse("of a value of type " + t.String())
	case len(x.Passing) > 0:
		refuse("with PASSING")
	case x.Format != "":
		refuse("with FORMAT")
	}
	path := jsonPath().FindStringSubmatch(x.Path.Value)
	if path == nil {
		refuse("with the path '" + x.Path.Value + "'")
	}
	steps := []string{path[1]}
	for _, s := range jsonStep().FindAllString(path[2], -1) {
		if s[0] == '.' {
			steps = append(steps, "."+strings.Trim(s[1:], `"`))
		} else {
			steps = append(steps, s[1:len(s)-1])
		}
	}
	text, err := json.Marshal(steps)
	if err != nil {
		panic(err)
	}
	call := func(name string, more ...string) {
		p.put(`"~sqljson_`, name, `"(`, x.Input.X)
		for _, m := range append([]string{string(text)}, more...) {
			p.put(", ", quoteText(m))
		}
		p.put(")")
	}
	how := func(b *trinosql.JSONBehaviour, normal string) string {
		if b == nil {
			return normal
		}
		return b.Kind
	}
	switch t := p.a.Types[x]; x.Name {
	case "JSON_EXISTS":
		p.put("(")
		call("exists", how(x.Error, "FALSE"))
		p.put(" = 'true')")
	case "JSON_QUERY":
		if t.Kind != types.Varchar {
			refuse("with RETURNING " + t.String())
		}
		wrapper := cmp.Or(strings.TrimPrefix(x.Wrapper, "WITH "), "WITHOUT")
		p.cut(&conversion{node: x, from: types.NewVarchar(types.Unbounded), to: t, operand: operand{write: func() {
			call("query", wrapper, cmp.Or(x.Quotes, "KEEP"), how(x.Empty, "NULL"), how(x.Error, "NULL"))
		}}})
	default:
		p.jsonValue(x, t, operand{write: func() { call("item", how(x.Empty, "NULL"), how(x.Error, "NULL")) }})
	}
}

// jsonValue casts the item that JSON_VALUE selects to the type of RETURNING. A failed cast is handled by ON ERROR.
func (p *printer) jsonValue(x *trinosql.JSONFunc, t *types.Type, found operand) {
	to := p.duckType(x, t)
	if t.Kind == types.TimestampTZ {
		p.refuse(x, "JSON_VALUE with RETURNING %s is not supported on zone local", t)
	}
	for _, b := range []*trinosql.JSONBehaviour{x.Empty, x.Error} {
		if b != nil && b.Value != nil && strings.Contains(p.capture(func() { p.expr(b.Value) }), "SELECT ") {
			p.refuse(b.Value, "a subquery as the default of JSON_VALUE is not supported on zone local")
		}
	}
	p.bindOnce([]operand{found}, func(args []operand) {
		item := args[0]
		rest := func(from *types.Type) operand {
			return operand{write: func() { p.fill(x, "CAST(substr($1, 2) AS "+p.duckType(x, from)+")", item) }}
		}
		p.put("CASE WHEN ", item, " IS NULL THEN NULL")
		for _, d := range []struct {
			mark string
			b    *trinosql.JSONBehaviour
		}{{"E", x.Empty}, {"X", x.Error}} {
			if d.b != nil && d.b.Kind == "DEFAULT" {
				p.fill(x, " WHEN $1 = '"+d.mark+"' THEN ", item)
				p.expr(d.b.Value)
			}
		}
		p.put(" ELSE coalesce(CASE substr(", item, ", 1, 1)")
		for _, k := range []struct{ mark, name string }{{"s", "varchar"}, {"i", "bigint"}, {"d", "double"},
			{"b", "boolean"}} {
			from, err := types.Parse(k.name)
			if err != nil {
				panic(err)
			}
			if !types.Equal(from, t) && (writers.get().casts[kinds{from.Kind, t.Kind}] == nil ||
				!functions.CanCast(from, t)) {
				continue
			}
			p.put(" WHEN '", k.mark, "' THEN ")
			p.cast(&conversion{node: x, from: from, to: t, try: true, operand: rest(from)})
		}
		p.put(" END")
		switch {
		case x.Error == nil || x.Error.Kind == "NULL":
		case x.Error.Kind == "DEFAULT":
			p.put(", ", x.Error.Value)
		default:
			p.fill(x, `, CAST("~sqljson_fault"('Cannot cast value of type ' || CASE substr($1, 1, 1) WHEN 's' THEN `+
				`'varchar' WHEN 'i' THEN 'integer' WHEN 'd' THEN 'double' ELSE 'boolean' END || ' to declared return `+
				`type of function JSON_VALUE: ' || `+quoteText(t.String())+") AS "+to+")", item)
		}
		p.put(") END")
	})
}
