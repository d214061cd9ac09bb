//go:build cgo

package duckdb

import "strings"

// endsList are the words that end a select list.
var endsList = set(`from where group having window qualify order limit offset fetch union except intersect`)

// noAlias are words that may end an expression and thus are not an alias.
var noAlias = set(`end null true false unknown`)

// selectTexts splits the first select list of a statement into its entries as they are written, without their aliases.
func selectTexts(sql string) []string {
	tokens, err := lex(sql)
	if err != nil {
		return nil
	}
	depth, at := 0, -1
	for i, t := range tokens { // the SELECT after the WITH list, whose queries are in parentheses
		depth += nesting(t)
		if depth == 0 && t.is("select") {
			at = i + 1
			break
		}
	}
	if at < 0 {
		return nil
	}
	for at < len(tokens) && (tokens[at].is("all") || tokens[at].is("distinct")) {
		at++
	}
	var out []string
	from := at
	end := func(i int) {
		if i > from {
			out = append(out, withoutAlias(sql, tokens[from:i]))
		}
		from = i + 1
	}
	for i := at; i < len(tokens); i++ {
		t := tokens[i]
		if depth == 0 && (t.is(";") || t.kind == tokWord && endsList[t.text]) {
			end(i)
			return out
		}
		if depth += nesting(t); depth == 0 && t.is(",") {
			end(i)
		}
	}
	end(len(tokens))
	return out
}

func nesting(t token) int {
	switch {
	case t.is("(") || t.is("["):
		return 1
	case t.is(")") || t.is("]"):
		return -1
	}
	return 0
}

// withoutAlias is the text of an entry up to its alias.
func withoutAlias(sql string, entry []token) string {
	n := len(entry)
	if n > 2 && entry[n-2].is("as") {
		n -= 2
	} else if last := entry[n-1]; n > 1 && last.isName() && !(last.kind == tokWord && noAlias[last.text]) {
		before := entry[n-2]
		interval := false
		for _, t := range entry {
			interval = interval || t.is("interval") // its unit is not an alias
		}
		if !interval && (before.isName() || before.kind == tokNumber || before.kind == tokString || before.is(")") || before.is("]")) {
			n--
		}
	}
	return strings.TrimSpace(sql[entry[0].pos:entry[n-1].end])
}
