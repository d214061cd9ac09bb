//go:build cgo

package duckdb

import (
	"math"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
)

// What DuckDB's grammar has beyond Trino's is refused by its tokens, so that a statement that runs here runs on the hosted zones too.

// notCalls are names that DuckDB's parser takes for something else than a call, and Trino does not know.
var notCalls = set(`ifnull overlay treat collation grouping_id xmlelement`)

// extra refuses words of DuckDB's grammar, and what follows them.
func (x *syntax) extra(i int) error {
	t := x.tokens[i]
	switch t.text {
	case "from":
		if x.is(i-1, "(") && !x.is(i-2, "trim") || x.is(i-1, "union") || x.is(i-1, "except") || x.is(i-1, "intersect") ||
			(x.is(i-1, "all") || x.is(i-1, "distinct")) && (x.is(i-2, "union") || x.is(i-2, "except") || x.is(i-2, "intersect")) {
			return x.mismatched(i, "<query>")
		}
	case "with":
		return x.withList(i)
	case "by":
		if x.is(i+1, "name") && (x.is(i-1, "union") || x.is(i-1, "all") && x.is(i-2, "union")) {
			return x.mismatched(i, "<query>")
		}
	case "as":
		if x.at(i+1).kind == tokString {
			return x.mismatched(i+1, "<identifier>")
		}
	case "isnull", "notnull":
		if p := x.at(i - 1); i > 0 && (p.kind == tokNumber || p.kind == tokString || p.kind == tokQuoted || p.is(")") || p.is("]") || p.kind == tokWord && !beforeValue[p.text] && !p.is("as")) {
			return x.mismatched(i, "")
		}
	case "is":
		k := i + 1
		if x.is(k, "not") {
			k++
		}
		if x.is(k, "true") || x.is(k, "false") || x.is(k, "unknown") {
			return x.mismatched(k, "'DISTINCT', 'NULL'")
		}
	case "like", "similar":
		if x.is(i-1, "*") {
			return x.mismatched(i, "")
		}
	case "collate":
		if x.at(i+1).isName() && i > 0 && !beforeValue[x.at(i-1).text] && !x.is(i-1, ",") {
			return x.mismatched(i, "")
		}
	case "in":
		if n := x.at(i + 1); !n.is("(") && i > 0 && !x.is(i-1, ",") && !beforeValue[x.at(i-1).text] && n.kind != tokOp && !x.inPosition() {
			return x.mismatched(i+1, "'('")
		}
	}
	return nil
}

// inPosition reports whether the innermost bracket is that of position(... IN ...).
func (x *syntax) inPosition() bool {
	return len(x.openers) > 0 && x.openers[len(x.openers)-1] == "position"
}

// withList refuses a query that begins with FROM after its WITH list.
func (x *syntax) withList(i int) error {
	if i > 0 && !x.is(i-1, "(") {
		return nil
	}
	k := i + 1
	if x.is(k, "recursive") {
		k++
	}
	for x.at(k).isName() {
		k++
		if x.is(k, "(") {
			if k = x.closing(k) + 1; k <= 0 {
				return nil
			}
		}
		if !x.is(k, "as") {
			return nil
		}
		for k++; x.is(k, "not") || x.is(k, "materialized"); k++ {
			return x.mismatched(k, "'('")
		}
		if !x.is(k, "(") {
			return nil
		}
		if k = x.closing(k) + 1; k <= 0 {
			return nil
		}
		if !x.is(k, ",") {
			break
		}
		k++
	}
	if x.is(k, "from") {
		return x.mismatched(k, "<query>")
	}
	return nil
}

var (
	numberForm = late.Regexp(`(?i)^([0-9]+(_[0-9]+)*(\.([0-9]+(_[0-9]+)*)?)?|\.[0-9]+(_[0-9]+)*)(e[+-]?[0-9]+)?$`)
	radixForm  = late.Regexp(`(?i)^0(x[0-9a-f]+(_[0-9a-f]+)*|b[01]+(_[01]+)*|o[0-7]+(_[0-7]+)*)$`)
)

// number reads the numbers that DuckDB reads otherwise, and refuses what is none.
func (x *syntax) number(i int) error {
	t := x.tokens[i]
	if n := x.at(i + 1); n.kind == tokWord && n.pos == t.end {
		return x.mismatched(i+1, "")
	}
	switch {
	case radixForm().MatchString(t.text):
		v, err := strconv.ParseInt(strings.ReplaceAll(strings.ToLower(t.text), "_", ""), 0, 64)
		if err != nil {
			return errorAt(t.pos, engine.KindValue, "Invalid numeric literal: %s", t.text)
		}
		x.replace(t.pos, t.end, strconv.FormatInt(v, 10))
	case !numberForm().MatchString(t.text):
		return x.mismatched(i, "")
	case strings.HasSuffix(t.text, "."):
		digits := strings.ReplaceAll(t.text[:len(t.text)-1], "_", "")
		x.replace(t.pos, t.end, "CAST('"+digits+"' AS DECIMAL("+strconv.Itoa(max(len(strings.TrimLeft(digits, "0")), 1))+",0))")
	case strings.ContainsAny(t.text, "eE"):
		if f, _ := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64); math.IsInf(f, 0) {
			x.replace(t.pos, t.end, "CAST('Infinity' AS DOUBLE)")
		}
	}
	return nil
}

// escapes reports whether the escape character of a pattern stands before what can be escaped only.
func escapes(pattern, escape string) bool {
	if len([]rune(escape)) != 1 {
		return true // the engine says what is wrong
	}
	for {
		_, rest, ok := strings.Cut(pattern, escape)
		if !ok {
			return true
		}
		after := strings.TrimPrefix(rest, escape)
		if after == rest && !strings.HasPrefix(rest, "%") && !strings.HasPrefix(rest, "_") {
			return false
		}
		pattern = after
	}
}
