package trinosql

// query lays out a query, or another statement, with a break between its clauses.
func (f *formatter) query(from, to int, between *doc) *doc {
	var parts []*doc
	start := from
	for i := from; i < to; i = f.next(i, to) {
		if i > start && f.clause(i, from) {
			parts = append(parts, f.clauseDoc(start, i), between)
			start = i
		}
	}
	return concat(append(parts, f.clauseDoc(start, to))...)
}

// next is the index after a token, a bracket or a CASE.
func (f *formatter) next(i, to int) int {
	if c := int(f.toks[i].close); c >= 0 && c < to {
		return c + 1
	}
	return i + 1
}

// clause reports whether a clause of the query that begins at from begins at i.
func (f *formatter) clause(i, from int) bool {
	before := func(n int) string {
		if i-n < from {
			return ""
		}
		return f.toks[i-n].word
	}
	switch f.toks[i].word {
	case "SELECT", "WHERE", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH", "VALUES", "TABLE", "UNION",
		"INTERSECT", "EXCEPT":
		return before(1) != "CREATE"
	case "FROM":
		return before(1) != "DISTINCT" || before(2) != "IS" && before(2) != "NOT"
	case "GROUP":
		return before(1) != "WITHIN"
	case "WITH":
		return f.queries[f.toks[i].from.Offset]
	}
	return f.join(i, before(1))
}

// join reports whether the words of a join begin at i.
func (f *formatter) join(i int, before string) bool {
	switch f.toks[i].word {
	case "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL":
		switch before {
		case "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER":
			return false
		}
		return true
	}
	return false
}

// clauseDoc lays out one clause: its words, then the items of its list.
func (f *formatter) clauseDoc(from, to int) *doc {
	i := from
	head := []*doc{f.tok(i)}
	with := f.toks[i].word == "WITH" && f.queries[f.toks[i].from.Offset]
	switch f.toks[i].word {
	case "SELECT", "GROUP", "ORDER", "WITH", "UNION", "INTERSECT", "EXCEPT":
		for i+1 < to {
			w := f.toks[i+1].word
			if w != "BY" && w != "DISTINCT" && w != "ALL" && w != "RECURSIVE" {
				break
			}
			i++
			head = append(head, space, f.tok(i))
		}
		i++
	case "FROM", "WHERE", "HAVING", "WINDOW", "VALUES":
		i++
	default:
		if f.toks[i].close >= 0 {
			return f.pieces(from, to, false)
		}
		return group(f.piece(from, to, false))
	}
	if i >= to {
		return concat(head...)
	}
	pieces := f.cut(i, to)
	switch {
	case with:
		return concat(append(head, space, f.list(pieces, space, true))...)
	case len(pieces) == 1:
		return group(append(head, space, f.piece(i, to, false))...)
	}
	return group(append(head, nest(line, f.list(pieces, line, false)))...)
}

// cut splits a list at its commas; each piece ends with its comma.
func (f *formatter) cut(from, to int) [][2]int {
	var out [][2]int
	start := from
	for i := from; i < to; i = f.next(i, to) {
		if f.toks[i].sym == sComma && i+1 < to {
			out = append(out, [2]int{start, i + 1})
			start = i + 1
		}
	}
	return append(out, [2]int{start, to})
}

func (f *formatter) list(pieces [][2]int, between *doc, with bool) *doc {
	var parts []*doc
	for i, p := range pieces {
		if i > 0 {
			parts = append(parts, between)
		}
		d := f.piece(p[0], p[1], with)
		if !with {
			d = group(d)
		}
		parts = append(parts, d)
	}
	return concat(parts...)
}

func (f *formatter) pieces(from, to int, with bool) *doc { return f.list(f.cut(from, to), line, with) }

// piece lays out an item of a list, with possible breaks before AND, OR, ORDER and joins.
func (f *formatter) piece(from, to int, with bool) *doc {
	var parts []*doc
	between := 0
	for i := from; i < to; i = f.next(i, to) {
		t := &f.toks[i]
		breaks := false
		switch t.word {
		case "BETWEEN":
			between++
		case "AND":
			if between > 0 {
				between--
			} else {
				breaks = true
			}
		case "OR", "ORDER":
			breaks = true
		default:
			breaks = i > from && f.join(i, f.toks[i-1].word)
		}
		if i > from {
			if breaks {
				parts = append(parts, nest(line))
			} else if f.apart(i-1, i) {
				parts = append(parts, space)
			}
		}
		switch {
		case t.close >= 0 && t.word == "CASE":
			parts = append(parts, f.cases(i, int(t.close)))
		case t.close >= 0:
			parts = append(parts, f.bracket(i, int(t.close), with))
		default:
			parts = append(parts, f.tok(i))
		}
	}
	return concat(parts...)
}

// bracket lays out the content of parentheses or square brackets.
func (f *formatter) bracket(from, to int, with bool) *doc {
	if from+1 == to {
		return concat(f.tok(from), f.tok(to))
	}
	if !f.queries[f.toks[from+1].from.Offset] {
		return group(f.tok(from), nest(soft, f.pieces(from+1, to, false)), soft, f.tok(to))
	}
	if with {
		return concat(f.tok(from), nest(hard, f.query(from+1, to, hard)), hard, f.tok(to))
	}
	return group(f.tok(from), nest(soft, f.query(from+1, to, line)), soft, f.tok(to))
}

func (f *formatter) cases(from, to int) *doc {
	parts := []*doc{f.tok(from)}
	var arms []*doc
	start := from + 1
	cut := func(end int) {
		if end > start {
			d := group(f.piece(start, end, false))
			if w := f.toks[start].word; w == "WHEN" || w == "ELSE" {
				arms = append(arms, line, d)
			} else {
				parts = append(parts, space, d)
			}
		}
		start = end
	}
	for i := from + 1; i < to; i = f.next(i, to) {
		if w := f.toks[i].word; w == "WHEN" || w == "ELSE" {
			cut(i)
		}
	}
	cut(to)
	return group(append(parts, nest(arms...), line, f.tok(to))...)
}

// apart reports whether there is a space between two tokens.
func (f *formatter) apart(i, j int) bool {
	a, b := &f.toks[i], &f.toks[j]
	switch b.sym {
	case sComma, sRParen, sRBracket, sSemicolon:
		return false
	case sDot:
		return a.kind == kInteger || a.kind == kDecimal
	case sLBracket:
		return a.kind == kSymbol && a.sym != sRParen && a.sym != sRBracket
	case sLParen:
		return !a.glued && a.sym != sDot
	}
	if a.sym == sDot {
		return false
	}
	if a.sym == sMinus || a.sym == sPlus {
		return !a.glued
	}
	return true
}
