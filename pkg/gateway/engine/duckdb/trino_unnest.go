//go:build cgo

package duckdb

import (
	"strconv"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// values puts each row of VALUES 1, 2 in parentheses.
func (x *syntax) values(i int) {
	k := i + 1
	for {
		start := k
		depth := 0
		for ; k < len(x.tokens); k++ {
			t := x.tokens[k]
			if depth == 0 && (t.is(",") || t.is(")") || t.kind == tokWord && k > start && endsValues[t.text]) {
				break
			}
			if (t.is("(") || t.is("[")) && x.closing(k) > 0 {
				k = x.closing(k)
			} else if t.is("(") || t.is("[") {
				depth++
			} else if t.is(")") || t.is("]") {
				depth--
			}
		}
		if k == start {
			return
		}
		if !x.is(start, "(") || x.closing(start) != k-1 {
			x.replace(x.at(start).pos, x.at(start).pos, "(")
			x.replace(x.at(k-1).end, x.at(k-1).end, ")")
		}
		if !x.is(k, ",") {
			return
		}
		k++
	}
}

var endsValues = set(`order limit offset fetch union intersect except`)

// unnest makes UNNEST(a, b) WITH ORDINALITY AS t(x, y, n) a subquery.
func (x *syntax) unnest(i int) error {
	end := -1
	if x.is(i+1, "(") {
		end = x.closing(i + 1)
	}
	if end < 0 {
		return nil
	}
	if x.clause() == "select" {
		return x.mismatched(i, "<expression>")
	}
	commas := x.brackets[i+1].commas
	args, last, ordinality := len(commas)+1, end, 0
	if x.is(end+1, "with", "ordinality") {
		last, ordinality = end+2, 1
	}
	k := last + 1
	if x.is(k, "as") {
		k++
	}
	names := 0
	if x.at(k).isName() && x.is(k+1, "(") {
		if c := x.closing(k + 1); c > 0 {
			names = (c - k - 1) / 2
		}
	}
	f := `"~unnest"(`
	switch {
	case names == 0 || names == args+ordinality:
	case args == 1:
		f = `"~unnest_rows"(`
	default:
		return errorAt(x.at(i).pos, engine.KindUnsupported, "UNNEST of several arguments gives one column for each on zone local")
	}
	col := 0
	name := func() string {
		col++
		if f != `"~unnest"(` {
			return ""
		}
		return ` AS "_col` + strconv.Itoa(col-1) + `"`
	}
	x.replace(x.at(i).pos, x.at(i+1).end, "(SELECT "+f)
	for _, c := range commas {
		x.replace(x.at(c).pos, x.at(c).end, ")"+name()+", "+f)
	}
	tail := ")" + name()
	if f != `"~unnest"(` {
		tail = ", " + strconv.Itoa(names-ordinality) + ")"
	}
	if ordinality == 1 {
		tail += `, "~ordinality"()` + name()
	}
	x.replace(x.at(end).pos, x.at(last).end, tail+")")
	return nil
}

// nulls moves IGNORE NULLS into the parentheses of its function.
func (x *syntax) nulls(i int) {
	if !x.is(i+1, "nulls") || !x.is(i-1, ")") {
		return
	}
	if x.is(i, "ignore") {
		x.replace(x.at(i-1).pos, x.at(i-1).pos, " IGNORE NULLS")
	}
	x.replace(x.at(i).pos, x.at(i+1).end, "")
}

// within moves the order of listagg(...) WITHIN GROUP (ORDER BY ...) into the parentheses.
func (x *syntax) within(i int) error {
	if !x.is(i+1, "group", "(") || !x.is(i-1, ")") {
		return nil
	}
	from := i - 1
	for k := i - 2; k > i-12 && k > 0; k-- {
		if !x.is(k, "on", "overflow") {
			continue
		}
		if !x.is(k+2, "error", ")") {
			return errorAt(x.at(k).pos, engine.KindUnsupported, "ON OVERFLOW TRUNCATE is not supported on zone local")
		}
		from = k
	}
	x.replace(x.at(from).pos, x.at(i+2).end, " ")
	return nil
}
