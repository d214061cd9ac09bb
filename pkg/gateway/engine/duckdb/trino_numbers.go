//go:build cgo

package duckdb

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// arithmetic is + - * / % with the types of Trino: integers stay integers, decimals have Trino's precision and scale, a division by
// zero is an error for both, dates stay dates.
func (r *rewriter) arithmetic(op string, n node, t []*vtype) (node, error) {
	a := args(n)
	x, y := t[0], t[1]
	if x.isUnknown() && y.isUnknown() {
		return typed("integer").of(n, nil)
	}
	if x.isUnknown() && (y.isNumber() || op == "+" && !y.isInterval()) {
		x = y
	}
	if y.isUnknown() && x.isNumber() {
		y = x
	}
	switch {
	case x.isInt() && y.isInt():
		return r.integers(op, n, a, commonType(x, y), x, y)
	case x.isNumber() && y.isNumber() && (x.isFloat() || y.isFloat()):
		return r.floats(op, n, a, commonType(x, y))
	case x.isNumber() && y.isNumber():
		return r.decimals(op, n, a, x, y)
	case op == "+" || op == "-":
		if out, err := r.moments(op, n, a, x, y); out != nil || err != nil {
			return out, err
		}
	case op == "*" && x.isInterval() && y.isInt():
		return x.of(n, nil)
	case op == "*" && x.isInt() && y.isInterval():
		return y.of(n, nil)
	}
	return nil, mismatch(n, op, []*vtype{x, y})
}

// infix is an operator of DuckDB between two operands.
func infix(op string, a, b node) node { return operator(op, a, b) }

// nonZero is the divisor, or an error.
func (r *rewriter) nonZero(b node) (node, error) {
	if v, ok := literalInt(b); ok && v != 0 {
		return b, nil
	}
	return r.template("CASE WHEN $a = 0 THEN FAIL('Division by zero') ELSE $a END", b)
}

func (r *rewriter) integers(op string, n node, a []node, t, x, y *vtype) (node, error) {
	same := x.name == t.name && y.name == t.name
	left, right := a[0], a[1]
	var err error
	if !same {
		for i, side := range []*node{&left, &right} {
			if _, constant := literalInt(*side); !constant && []*vtype{x, y}[i].name != t.name {
				if *side, err = r.castAs(*side, t); err != nil {
					return nil, err
				}
			}
		}
	}
	switch op {
	case "/", "%":
		if right, err = r.nonZero(right); err != nil {
			return nil, err
		}
		return t.of(infix(map[string]string{"/": "//", "%": "%"}[op], left, right), nil)
	}
	_, c0 := literalInt(left)
	_, c1 := literalInt(right)
	if t.name == "integer" || t.name == "bigint" && !(c0 && c1) || !c0 && !c1 {
		if same || t.name == "integer" && (c0 || c1) && (x.name == "integer" || y.name == "integer") {
			return t.of(n, nil)
		}
	}
	return r.castAs(infix(op, left, right), t)
}

func (r *rewriter) floats(op string, n node, a []node, t *vtype) (node, error) {
	if t.name == "double" {
		if op == "%" || op == "/" {
			out, err := r.template("CAST($a AS DOUBLE) "+op+" CAST($b AS DOUBLE)", a...)
			return t.of(out, err)
		}
		return t.of(infix(op, a[0], a[1]), nil)
	}
	return r.castAs(infix(op, a[0], a[1]), t)
}

func (r *rewriter) decimals(op string, n node, a []node, x, y *vtype) (node, error) {
	p1, s1 := x.decimals()
	p2, s2 := y.decimals()
	var out node
	t := decimalType(max(p1-s1, p2-s2)+max(s1, s2)+1, max(s1, s2))
	sides := make([]node, 2)
	for i, v := range []*vtype{x, y} {
		sides[i] = a[i]
		if v.isInt() {
			p, s := v.decimals()
			c, err := r.castAs(a[i], decimalType(p, s))
			if err != nil {
				return nil, err
			}
			sides[i] = c
		}
	}
	switch op {
	case "*":
		if s1+s2 > 38 {
			return nil, errorAt(location(n), engine.KindValue, "DECIMAL scale must be in range [0, precision (38)]: %d", s1+s2)
		}
		t = decimalType(p1+p2, s1+s2)
	case "/":
		t = decimalType(p1+s2+max(s2-s1, 0), max(s1, s2))
		return t.of(r.template(fmt.Sprintf(`CAST("~divide"(CAST($a AS VARCHAR), CAST($b AS VARCHAR), '%d') AS %s)`, max(s1, s2), t.sql()), a...))
	case "%":
		t = decimalType(min(p2-s2, p1-s1)+max(s1, s2), max(s1, s2))
		right, err := r.nonZero(sides[1])
		if err != nil {
			return nil, err
		}
		sides[1] = right
	}
	out = infix(op, sides[0], sides[1])
	return r.castAs(out, t)
}

// moments is addition and subtraction of dates, times and intervals. A nil node without an error: Trino has no such operator.
func (r *rewriter) moments(op string, n node, a []node, x, y *vtype) (node, error) {
	if op == "+" && x.isInterval() && !y.isInterval() {
		return r.moments(op, n, []node{a[1], a[0]}, y, x)
	}
	point := func(t *vtype) bool { return t.name == "date" || t.isStamp() || t.isZoned() }
	switch {
	case x.isInterval() && y.isInterval() && (x.name == y.name || x.name == "interval" || y.name == "interval"):
		return x.of(n, nil)
	case x.name == "date" && y.isInterval():
		if y.name == "interval year to month" {
			return typed("date").of(r.template("CAST($a "+op+" $b AS DATE)", a...))
		}
		return typed("date").of(r.template("CASE WHEN $a "+op+" $b = CAST($a "+op+" $b AS DATE) THEN CAST($a "+op+
			" $b AS DATE) WHEN $a IS NOT NULL AND $b IS NOT NULL THEN CAST(FAIL('Cannot add hour, minutes or seconds to a date') AS DATE) END", a...))
	case x.isStamp() && y.isInterval():
		t := x
		if y.name != "interval year to month" {
			t = stampType(max(3, x.precision()))
		}
		return r.castAs(infix(op, a[0], a[1]), t)
	case x.isZoned() && y.isInterval(), x.name == "time" && y.isInterval():
		return x.of(infix(op, a[0], a[1]), nil)
	case op == "-" && x.name == "date" && y.name == "date":
		return typed("interval day to second").of(r.template("to_milliseconds(($a - $b) * 86400000)", a...))
	case op == "-" && point(x) && point(y):
		return typed("interval day to second").of(r.template("to_milliseconds(epoch_ms(CAST($a AS TIMESTAMP)) - epoch_ms(CAST($b AS TIMESTAMP)))", a...))
	}
	return nil, nil
}
