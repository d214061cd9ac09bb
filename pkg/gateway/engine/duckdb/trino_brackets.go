//go:build cgo

package duckdb

// bracket is what a statement holds between a parenthesis or square bracket and the one that closes it. All are found in one pass, so
// that a long or deeply nested statement takes no longer for each of its tokens.
type bracket struct {
	close  int   // the index of the closing token, or -1
	commas []int // those that stand in no inner bracket
	as     int   // the last AS that stands in no inner bracket, or -1
}

// findBrackets finds the brackets of a statement by the index of the opening token.
func findBrackets(tokens []token) map[int]*bracket {
	out := map[int]*bracket{}
	var open []int
	for i, t := range tokens {
		if t.kind != tokOp && !t.is("as") {
			continue
		}
		switch t.text {
		case "(", "[":
			open = append(open, i)
			out[i] = &bracket{close: -1, as: -1}
		case ")", "]":
			if len(open) > 0 {
				out[open[len(open)-1]].close = i
				open = open[:len(open)-1]
			}
		case ",":
			if len(open) > 0 {
				b := out[open[len(open)-1]]
				b.commas = append(b.commas, i)
			}
		case "as":
			if len(open) > 0 {
				out[open[len(open)-1]].as = i
			}
		}
	}
	return out
}

// closing is the index of the token that closes the bracket at i, or -1.
func (x *syntax) closing(i int) int {
	if b := x.brackets[i]; b != nil {
		return b.close
	}
	return -1
}

// level follows the brackets around the current token and the clauses that they are in: "select", "from" or another. before is the
// text of the token before.
func (x *syntax) level(t token, before string) {
	switch {
	case t.is("("):
		x.clauses, x.openers = append(x.clauses, ""), append(x.openers, before)
	case t.is(")") && len(x.openers) > 0:
		x.clauses, x.openers = x.clauses[:len(x.clauses)-1], x.openers[:len(x.openers)-1]
	case t.is("select"), t.is("from"):
		x.clauses[len(x.clauses)-1] = t.text
	}
}

func (x *syntax) clause() string { return x.clauses[len(x.clauses)-1] }
