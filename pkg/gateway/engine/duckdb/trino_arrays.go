//go:build cgo

package duckdb

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

const outside = "'Array subscript must be less than or equal to array length: ' || CAST($b AS VARCHAR) || ' > ' || CAST(len($a) AS VARCHAR)"

// subscript is a[i]: what is not there is an error, unlike element_at.
func (r *rewriter) subscript(n node, t []*vtype) (node, error) {
	a := args(n)
	switch {
	case t[0].isArray():
		return t[0].kids[0].of(r.template("CASE WHEN $b > len($a) THEN FAIL("+outside+") WHEN $b = 0 THEN FAIL('SQL array indices start at 1')"+
			" WHEN $b < 0 THEN FAIL('Array subscript is negative: ' || CAST($b AS VARCHAR)) ELSE list_extract($a, $b) END", a...))
	case t[0].isMap():
		return t[0].kids[1].of(r.template("CASE WHEN NOT map_contains($a, $b) THEN FAIL('Key not present in map: ' || CAST($b AS VARCHAR)) ELSE map_extract_value($a, $b) END", a...))
	case t[0].isRow():
		i, ok := literalInt(a[1])
		if !ok || i < 1 || int(i) > len(t[0].kids) {
			return nil, mismatch(n, "[]", t)
		}
		return t[0].kids[i-1].of(call("struct_extract_at", a[0], a[1]), nil)
	}
	return nil, mismatch(n, "[]", t)
}

func (r *rewriter) elementAt(n node, t []*vtype) (node, error) {
	a := args(n)
	switch {
	case t[0].isArray():
		return t[0].kids[0].of(r.template("CASE WHEN $b = 0 THEN FAIL('SQL array indices start at 1') ELSE list_extract($a, $b) END", a...))
	case t[0].isMap():
		return t[0].kids[1].of(r.template("map_extract_value($a, $b)", a...))
	}
	return nil, mismatch(n, "element_at", t)
}

func (r *rewriter) cardinality(n node, t []*vtype) (node, error) {
	switch {
	case t[0].isMap():
		return typed("bigint").of(r.template("CAST(cardinality($a) AS BIGINT)", args(n)...))
	case t[0].isArray():
		return typed("bigint").of(r.template("CAST(len($a) AS BIGINT)", args(n)...))
	}
	return nil, mismatch(n, "cardinality", t)
}

// textOrList is reverse of a text or an array, and length of a text or a binary.
func (r *rewriter) textOrList(name string, n node, t []*vtype) (node, error) {
	switch {
	case t[0].isText() || t[0].isUnknown():
		if name == "length" {
			return typed("bigint").of(n, nil)
		}
		return typed("varchar").of(n, nil)
	case name == "length" && t[0].name == "varbinary":
		return typed("bigint").of(r.template("CAST(octet_length($a) AS BIGINT)", args(n)...))
	case name == "reverse" && t[0].isArray():
		return t[0].of(r.template("list_reverse($a)", args(n)...))
	}
	return nil, mismatch(n, name, t)
}

// sequence lists numbers, dates or timestamps, both ends included, 10000 of them at most.
func (r *rewriter) sequence(n node, t []*vtype) (node, error) {
	a, kind := args(n), t[0]
	tooMany := "FAIL('result of sequence function must not have more than 10000 entries')"
	switch {
	case kind.isInt() && t[1].isInt() && len(a) == 2:
		return typed("array", typed("bigint")).of(r.template("CASE WHEN abs($b - $a) >= 10000 THEN "+tooMany+
			" ELSE CAST(generate_series(CAST($a AS BIGINT), CAST($b AS BIGINT), CASE WHEN $a <= $b THEN CAST(1 AS BIGINT) ELSE CAST(-1 AS BIGINT) END) AS BIGINT[]) END", a...))
	case kind.isInt() && t[1].isInt() && t[2].isInt():
		return typed("array", typed("bigint")).of(r.template("CASE WHEN $c = 0 THEN FAIL('step must not be zero') WHEN ($b - $a) // $c >= 10000 THEN "+tooMany+
			" WHEN sign($b - $a) = 0 - sign($c) AND $a <> $b THEN FAIL('sequence stop value should be greater than or equal to start value if step is greater than zero otherwise stop should be less than or equal to start')"+
			" ELSE CAST(generate_series(CAST($a AS BIGINT), CAST($b AS BIGINT), CAST($c AS BIGINT)) AS BIGINT[]) END", a...))
	case (kind.name == "date" || kind.isStamp()) && t[1].name == kind.name:
		if len(a) == 2 {
			if kind.name != "date" {
				return nil, mismatch(n, "sequence", t)
			}
			step, err := r.template("CASE WHEN $a <= $b THEN to_days(1) ELSE to_days(-1) END", a...)
			if err != nil {
				return nil, err
			}
			a = append(a, step)
		} else if !t[2].isInterval() {
			return nil, mismatch(n, "sequence", t)
		} else if t[2].name == "interval year to month" { // counted from the start: DuckDB counts on from a month's last day
			m := "(12 * date_part('year', $c) + date_part('month', $c))"
			return typed("array", kind).of(r.template(`list_filter(list_transform(range(0, abs(date_sub('month', $a, $b)) // abs(`+m+`) + 1),
				lambda "~i": CAST($a + to_months(CAST("~i" * `+m+` AS INTEGER)) AS `+kind.sql()+`)), lambda "~e": CASE WHEN `+m+` > 0 THEN "~e" <= $b ELSE "~e" >= $b END)`, a...))
		}
		return typed("array", kind).of(r.template("CAST(generate_series(CAST($a AS TIMESTAMP), CAST($b AS TIMESTAMP), $c) AS "+kind.sql()+"[])", a...))
	}
	return nil, mismatch(n, "sequence", t)
}

// arrayJoin writes elements as CAST(... AS varchar) does, without the NULLs unless a text stands for them.
func (r *rewriter) arrayJoin(n node, t []*vtype) (node, error) {
	a := args(n)
	if !t[0].isArray() {
		return nil, mismatch(n, "array_join", t)
	}
	e := columnNode("~e")
	e[typeKey] = t[0].kids[0]
	text, err := r.convert(n, e, t[0].kids[0], typed("varchar"))
	if err != nil {
		return nil, err
	}
	if len(a) == 3 {
		return typed("varchar").of(r.template(`array_to_string(list_transform($a, lambda "~e": coalesce($d, $c)), $b)`, append(a, text)...))
	}
	return typed("varchar").of(r.template(`array_to_string(list_transform($a, lambda "~e": $c), $b)`, append(a, text)...))
}

// format is Java's, for a constant format: each part is written by the function that keeps its rounding.
func (r *rewriter) format(n node, t []*vtype) (node, error) {
	a := args(n)
	f, ok := literalText(a[0])
	if !ok {
		return nil, unsupported(n, "format needs a constant format on zone local")
	}
	var out node
	add := func(p node) {
		if out == nil {
			out = p
		} else {
			out = infix("||", out, p)
		}
	}
	next := 1
	for f != "" {
		i := strings.IndexByte(f, '%')
		if i < 0 {
			add(textConst(f))
			break
		}
		if i > 0 {
			add(textConst(f[:i]))
		}
		end := i + 1
		for end < len(f) && strings.IndexByte("-+ 0,(#.123456789", f[end]) >= 0 {
			end++
		}
		if end == len(f) || strings.IndexByte("sdfeExXcbn%", f[end]) < 0 || strings.Contains(f[i:end], "$") {
			return nil, unsupported(n, "format: '%s' is not supported on zone local", f[i:min(end+1, len(f))])
		}
		spec := f[i+1 : end+1]
		f = f[end+1:]
		if verb := spec[len(spec)-1]; verb == 'n' || verb == '%' {
			add(textConst(map[byte]string{'n': "\n", '%': "%"}[verb]))
			continue
		}
		if len(spec) > 8 || next >= len(a) {
			return nil, unsupported(n, "format: '%%%s' has no argument, or is too wide", spec)
		}
		text, err := r.convert(n, a[next], t[next], typed("varchar"))
		if verb := spec[len(spec)-1]; err == nil && (verb == 'f' || verb == 'e' || verb == 'E') {
			text, err = r.template("CAST($a AS VARCHAR)", a[next])
		}
		if err != nil {
			return nil, err
		}
		part, err := r.template(fmt.Sprintf(`"~format"(%s, %s, coalesce($a, 'null'))`, sqltext.Literal(spec), sqltext.Literal(t[next].name)), text)
		if err != nil {
			return nil, err
		}
		add(part)
		next++
	}
	if out == nil {
		out = textConst("")
	}
	return typed("varchar").of(out, nil)
}

// unnestRows opens a map, or an array of rows, into columns.
func (r *rewriter) unnestRows(n node, t []*vtype) (node, error) {
	x := args(n)[0]
	if t[0].isMap() {
		x = call("map_entries", x)
	} else if !t[0].isArray() || !t[0].kids[0].isRow() {
		return nil, unsupported(n, "UNNEST of %s gives one column", t[0].name)
	}
	depth := intConst(2)
	depth["alias"] = "max_depth"
	return call("unnest", x, depth), nil
}
