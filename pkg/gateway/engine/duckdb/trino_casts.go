//go:build cgo

package duckdb

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/javafn"
)

// cast is CAST and TRY_CAST.
func (r *rewriter) cast(n node, t []*vtype) (node, error) {
	to := treeTypeDeep(sub(n, "cast_type"))
	if to == nil {
		return nil, unsupported(n, "this CAST is not supported on zone local")
	}
	try := n["try_cast"] == true
	out, err := r.convert(n, sub(n, "child"), t[0], to)
	if err != nil {
		return nil, err
	}
	if out == nil {
		n[typeKey] = to
		return nil, nil
	}
	if zone := out[zoneKey]; try && zone == nil {
		if class(out) == "CAST" && identical(sub(out, "child"), sub(n, "child")) {
			out["try_cast"] = true
		} else {
			out = operatorNode("OPERATOR_TRY", out)
		}
	}
	return to.of(out, nil)
}

// treeTypeDeep reads nested types as well.
func treeTypeDeep(t node) *vtype {
	info := sub(t, "type_info")
	switch str(t, "id") {
	case "LIST":
		if k := treeTypeDeep(sub(info, "child_type")); k != nil {
			return typed("array", k)
		}
		return nil
	case "MAP":
		kids := list(sub(sub(info, "child_type"), "type_info"), "child_types")
		if len(kids) == 2 {
			k, v := treeTypeDeep(pairType(kids[0])), treeTypeDeep(pairType(kids[1]))
			if k != nil && v != nil {
				return typed("map", k, v)
			}
		}
		return nil
	case "STRUCT":
		out := &vtype{}
		var f []string
		for _, c := range list(info, "child_types") {
			k := treeTypeDeep(pairType(c))
			if k == nil {
				return nil
			}
			m, _ := c.(node)
			name := str(m, "first")
			out.names, out.kids = append(out.names, name), append(out.kids, k)
			f = append(f, fieldName(name)+k.name)
		}
		out.name = "row(" + strings.Join(f, ", ") + ")"
		return out
	}
	return treeType(t)
}

func pairType(v any) node {
	m, _ := v.(node)
	return sub(m, "second")
}

// convert casts x from one type to another as Trino does. nil means that DuckDB's own cast, which stands in n, does so.
func (r *rewriter) convert(n, x node, from, to *vtype) (node, error) {
	refuse := func() (node, error) {
		return nil, errorAt(location(n), engine.KindValue, "Cannot cast %s to %s", from.name, to.name)
	}
	native := func() (node, error) {
		if class(n) == "CAST" && identical(sub(n, "child"), x) && x[zoneKey] == nil {
			return nil, nil
		}
		return r.castAs(x, to)
	}
	from0 := from.name
	if from.isUnknown() || from0 == to.name && !to.isZoned() {
		return native()
	}
	if text, ok := literalText(x); ok && plainLiteral(text, to) {
		return native()
	}
	if from0 == "json" {
		return r.fromJSON(x, to, refuse)
	}
	switch {
	case to.isText():
		return r.toText(x, from, native, refuse)
	case to.isInt():
		switch {
		case from.isFloat():
			return to.of(r.template("CAST(round($a) AS "+to.sql()+")", x))
		case from.isText():
			return to.of(r.template("CASE WHEN regexp_full_match($a, '[+-]?[0-9]+') THEN CAST($a AS "+to.sql()+") WHEN $a IS NOT NULL THEN CAST(FAIL('Cannot cast ''' || $a || ''' to "+
				strings.ToUpper(to.name)+"') AS "+to.sql()+") END", x))
		case from.isNumber(), from0 == "boolean":
			return native()
		}
	case to.isNumber():
		if from.isNumber() || from.isText() || from0 == "boolean" {
			return native()
		}
	case to.name == "boolean":
		if from.isText() {
			return to.of(r.template("CASE WHEN lower($a) IN ('t', 'true', '1') THEN true WHEN lower($a) IN ('f', 'false', '0') THEN false WHEN $a IS NOT NULL THEN CAST(FAIL('Cannot cast ''' || $a || ''' to BOOLEAN') AS BOOLEAN) END", x))
		}
		if from.isNumber() {
			return native()
		}
	case to.name == "date":
		switch {
		case from.isText():
			return to.of(r.template(`CAST("~iso_day"($a) AS DATE)`, x))
		case from.isStamp():
			return native()
		case from.isZoned():
			return to.of(r.template("CAST($a AS DATE)", r.local(x, from)))
		}
	case to.isStamp(), to.name == "time":
		switch {
		case from.isText() && to.isStamp():
			at, err := r.template(`CAST("~iso_clock"($a) AS TIMESTAMP)`, x)
			if err != nil {
				return nil, err
			}
			return r.narrow(at, to)
		case from.isText(), from0 == "time":
			return native()
		case from0 == "date" && to.isStamp():
			return native()
		case from.isStamp() && to.isStamp():
			return r.narrow(x, to)
		case from.isStamp():
			return native()
		case from.isZoned() && to.isStamp():
			return r.narrow(r.local(x, from), to)
		case from.isZoned():
			return to.of(r.template("CAST($a AS TIME)", r.local(x, from)))
		}
	case to.isZoned():
		switch {
		case from.isZoned():
			return x, nil
		case from.isText():
			return to.of(r.template(`CAST("~iso_timestamp"($a) AS TIMESTAMPTZ)`, x))
		case from0 == "date" || from.isStamp():
			return native()
		}
	case to.name == "json":
		if from.isZoned() || from0 == "varbinary" || from.isInterval() {
			return refuse()
		}
		return to.of(r.template("to_json($a)", x))
	case to.name == "uuid":
		if from.isText() {
			return native()
		}
	case to.isArray() && from.isArray():
		e := columnNode("~e")
		e[typeKey] = from.kids[0]
		item, err := r.convert(n, e, from.kids[0], to.kids[0])
		if err != nil {
			return nil, err
		}
		if class(item) == "CAST" {
			return native()
		}
		return to.of(r.template(`list_transform($a, lambda "~e": $b)`, x, item))
	case to.isMap() && from.isMap(), to.isRow() && from.isRow():
		for i := range to.kids {
			if i < len(from.kids) && to.kids[i].isText() && !from.kids[i].isText() && !from.kids[i].isInt() {
				return nil, unsupported(n, "CAST from %s to %s is not supported on zone local", from.name, to.name)
			}
		}
		return native()
	}
	return refuse()
}

// plainLiteral reports whether DuckDB reads a literal as Trino does, so that nothing has to be checked when it runs.
func plainLiteral(text string, to *vtype) bool {
	var ok bool
	switch {
	case to.isInt():
		return integerText().MatchString(text)
	case to.name == "date":
		_, ok, _ = javafn.CastDate(text)
	case to.isStamp():
		_, ok, _ = javafn.CastTimestamp(text)
	case to.isZoned():
		_, ok, _ = javafn.CastInstant(text)
	}
	return ok
}

// narrow casts a timestamp to fewer digits of the second; DuckDB rounds as Trino does.
func (r *rewriter) narrow(x node, to *vtype) (node, error) {
	return r.castAs(x, to)
}

// toText writes values as Trino's CAST(... AS varchar).
func (r *rewriter) toText(x node, from *vtype, native, refuse func() (node, error)) (node, error) {
	text := typed("varchar")
	switch {
	case from.isFloat():
		return text.of(r.template(`"~double"(CAST($a AS VARCHAR))`, x))
	case from.isStamp():
		switch from.precision() {
		case 0:
			return native()
		case 3:
			return text.of(r.template("strftime($a, '%Y-%m-%d %H:%M:%S.%g')", x))
		case 9:
			return text.of(r.template("strftime($a, '%Y-%m-%d %H:%M:%S.%n')", x))
		}
		return text.of(r.template("strftime($a, '%Y-%m-%d %H:%M:%S.%f')", x))
	case from.isZoned():
		zone, _ := x[zoneKey].(string)
		if zone == "" {
			zone = "UTC"
		}
		return text.of(r.template("strftime($a, '%Y-%m-%d %H:%M:%S.%f') || $b", r.local(x, from), textConst(" "+zone)))
	case from.name == "varbinary", from.isArray(), from.isMap(), from.isRow(), from.isInterval():
		return refuse()
	}
	return native()
}

// fromJSON takes a value out of JSON.
func (r *rewriter) fromJSON(x node, to *vtype, refuse func() (node, error)) (node, error) {
	switch {
	case to.name == "json":
		return r.castAs(x, to)
	case to.isArray(), to.isMap(), to.isRow():
		return r.castAs(x, to)
	case to.isText(), to.isNumber(), to.name == "boolean":
		inner := "json_extract_string($a, '$')"
		switch {
		case to.isInt():
			inner = "CAST(round(CAST(" + inner + " AS DECIMAL(38,10))) AS " + to.sql() + ")"
		case !to.isText():
			inner = "CAST(" + inner + " AS " + to.sql() + ")"
		}
		return to.of(r.template("CASE WHEN json_type($a) IN ('ARRAY', 'OBJECT') THEN CAST(FAIL('Cannot cast JSON to "+to.name+"') AS "+to.sql()+") ELSE "+inner+" END", x))
	}
	return refuse()
}
