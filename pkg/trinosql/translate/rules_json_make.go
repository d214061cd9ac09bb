package translate

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf16"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// JSON_OBJECT and JSON_ARRAY.

// jsonObject writes an object. Trino stores its members in a java.util.HashMap and writes them in the order of that, so
// several keys must be constants.
func (p *printer) jsonObject(x *trinosql.JSONObject) {
	p.jsonReturns(x, "JSON_OBJECT", x.Returning, x.Format)
	absent := x.Nulls == "ABSENT"
	keys := make([]string, len(x.Members))
	for i, m := range x.Members {
		s, ok := m.Key.(*trinosql.StringLit)
		if !ok && len(x.Members) > 1 {
			p.refuse(m.Key, "JSON_OBJECT with several keys that are not constants is not supported on zone local")
		}
		if ok {
			keys[i] = s.Value
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(keys)))) < len(keys) {
		switch {
		case absent:
			p.refuse(x, "JSON_OBJECT with a key twice is not supported on zone local")
		case x.Unique == "WITH":
			p.put(`CAST("~error"('duplicate key passed to JSON_OBJECT function') AS VARCHAR)`)
		default:
			p.put(`CAST("~error"(chr(1) || 'NOT_SUPPORTED' || chr(1) || 'cannot construct a JSON object with ` +
				`duplicate key') AS VARCHAR)`)
		}
		return
	}
	const first = 12 // members of a HashMap before it first grows
	if absent && len(keys) > first {
		p.refuse(x, "JSON_OBJECT with more than %d members and ABSENT ON NULL is not supported on zone local", first)
	}
	p.put(`('{' || coalesce(list_aggregate(CAST([`)
	order := hashOrder(keys)
	p.list(len(order), func(i int) {
		m := x.Members[order[i]]
		p.put("(")
		if s, ok := m.Key.(*trinosql.StringLit); ok {
			p.put(quoteText(jsonString(s.Value)))
		} else {
			p.fill(m.Key, `CASE WHEN $1 IS NULL THEN "~error"('null value passed for JSON object key to JSON_OBJECT `+
				`function') ELSE "~sqljson_string"($1) END`, p.operand(m.Key))
		}
		p.put(" || ':' || ")
		p.jsonItem(m.Value, !absent)
		p.put(")")
	})
	p.put(`] AS VARCHAR[]), 'string_agg', ','), '') || '}')`)
}

// jsonArray writes an array.
func (p *printer) jsonArray(x *trinosql.JSONArray) {
	p.jsonReturns(x, "JSON_ARRAY", x.Returning, x.Format)
	p.put(`('[' || coalesce(list_aggregate(CAST([`)
	p.list(len(x.Values), func(i int) { p.jsonItem(x.Values[i], x.Nulls == "NULL") })
	p.put(`] AS VARCHAR[]), 'string_agg', ','), '') || ']')`)
}

func (p *printer) jsonReturns(x trinosql.Expr, name string, returning trinosql.Type, format string) {
	if t := p.a.Types[x]; returning != nil && (t.Kind != types.Varchar || t.N != types.Unbounded) || format != "" {
		p.refuse(x, "%s with RETURNING is not supported on zone local", name)
	}
}

// jsonItem writes the JSON text of a value. For NULL it is null, or NULL if nulls is not set.
func (p *printer) jsonItem(in *trinosql.JSONInput, nulls bool) {
	switch in.X.(type) {
	case *trinosql.JSONObject, *trinosql.JSONArray:
		if in.Format == "" {
			p.expr(in.X)
			return
		}
	case *trinosql.JSONFunc:
		if p.a.Types[in.X].Kind != types.Boolean && in.X.(*trinosql.JSONFunc).Name == "JSON_QUERY" {
			p.refuse(in.X, "JSON_QUERY in JSON_OBJECT and JSON_ARRAY is not supported on zone local")
		}
	}
	if in.Format != "" {
		p.refuse(in.X, "FORMAT in JSON_OBJECT and JSON_ARRAY is not supported on zone local")
	}
	if p.a.Types[in.X].Kind == types.TimestampTZ { // the zone is lost when it is coerced to varchar
		delete(p.a.Coercions, in.X)
	}
	t := p.typeOf(in.X)
	write := func() {
		p.put("CAST(")
		p.convert(in.X, t, types.Of(types.JSON), p.operand(in.X))
		p.put(" AS VARCHAR)")
	}
	switch {
	case t.Kind == types.Unknown:
		write = func() { p.put("CAST(NULL AS VARCHAR)") }
	case t.Kind == types.Varchar:
		write = func() { p.put(`"~sqljson_string"(`, in.X, ")") }
	case t.Kind == types.Char || t.Kind == types.TimestampTZ:
		write = func() {
			p.put(`"~sqljson_string"(`)
			p.convert(in.X, t, types.NewVarchar(types.Unbounded), p.operand(in.X))
			p.put(")")
		}
	}
	if !nulls {
		write()
		return
	}
	p.put("coalesce(")
	write()
	p.put(", 'null')")
}

// jsonString is a JSON string.
func jsonString(s string) string {
	var b []byte
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c < ' ':
			b = append(b, controlText(c)...)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			b = fmt.Appendf(b, `\u%04X\u%04X`, high, low)
		default:
			b = append(b, string(c)...)
		}
	}
	return string(append(b, '"'))
}

func controlText(c rune) string {
	if i := slices.Index([]rune{'\b', '\t', '\n', '\f', '\r'}, c); i >= 0 {
		return `\` + string("btnfr"[i])
	}
	text, err := json.Marshal(string(c))
	if err != nil {
		panic(err) // never for a string
	}
	return string(text[1 : len(text)-1])
}

// hashOrder are the indices of keys in the iteration order of a java.util.HashMap to which they were added in order.
func hashOrder(keys []string) []int {
	size := 16
	for len(keys)*4 > size*3 {
		size *= 2
	}
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	bucket := func(key string) int {
		var h int32
		for _, u := range utf16.Encode([]rune(key)) {
			h = 31*h + int32(u)
		}
		return int((uint32(h) ^ uint32(h)>>16) & uint32(size-1))
	}
	slices.SortStableFunc(order, func(a, b int) int { return bucket(keys[a]) - bucket(keys[b]) })
	return order
}
