package functions

import (
	"math"
	"strconv"
	"strings"
)

// evaluate evaluates a numeric rule of the table, such as min(38, p + 1). It supports + - * /, min, max and
// parentheses.
func evaluate(expr string, vars map[string]int64) (int64, bool) {
	e := &evaluator{text: expr, vars: vars, ok: true}
	n := e.sum()
	e.space()
	return n, e.ok && e.i == len(e.text)
}

type evaluator struct {
	text string
	i    int
	vars map[string]int64
	ok   bool
}

func (e *evaluator) space() {
	for e.i < len(e.text) && e.text[e.i] == ' ' {
		e.i++
	}
}

func (e *evaluator) take(c byte) bool {
	e.space()
	if e.i < len(e.text) && e.text[e.i] == c {
		e.i++
		return true
	}
	return false
}

func (e *evaluator) sum() int64 {
	n := e.product()
	for {
		switch {
		case e.take('+'):
			n += e.product()
		case e.take('-'):
			n -= e.product()
		default:
			return n
		}
	}
}

func (e *evaluator) product() int64 {
	n := e.value()
	for {
		switch {
		case e.take('*'):
			n = multiply(n, e.value())
		case e.take('/'):
			d := e.value()
			if d == 0 {
				e.ok = false
				return 0
			}
			n /= d
		default:
			return n
		}
	}
}

// multiply saturates: lengths of unbounded texts are multiplied, and then bounded by min.
func multiply(a, b int64) int64 {
	if a != 0 && b != 0 && (a*b/b != a || a*b == math.MinInt64) {
		if (a < 0) != (b < 0) {
			return math.MinInt64 / 2
		}
		return math.MaxInt64 / 2
	}
	return a * b
}

func (e *evaluator) value() int64 {
	if e.take('(') {
		n := e.sum()
		e.ok = e.ok && e.take(')')
		return n
	}
	from := e.i
	for e.i < len(e.text) && strings.IndexByte(" ()+-*/,", e.text[e.i]) < 0 {
		e.i++
	}
	word := strings.ToLower(e.text[from:e.i])
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return n
	}
	if word == "min" || word == "max" {
		e.ok = e.ok && e.take('(')
		a := e.sum()
		e.ok = e.ok && e.take(',')
		b := e.sum()
		e.ok = e.ok && e.take(')')
		if word == "min" {
			return min(a, b)
		}
		return max(a, b)
	}
	n, known := e.vars[word]
	e.ok = e.ok && known
	return n
}
