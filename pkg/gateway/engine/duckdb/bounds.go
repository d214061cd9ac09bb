//go:build cgo

package duckdb

import (
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// The parser and the planner are recursive, take superlinear time, and cannot be interrupted. The number of
// tokens, levels and others is therefore limited before they see a text.
const (
	maxTokens  = 64 << 10 // identifiers, numbers, texts and operators
	maxNesting = 500      // levels of brackets
	maxParts   = 100      // parts of a dotted name
	maxSigns   = 1000     // consecutive prefix operators, subscripts or casts
)

// bounds rejects a text that exceeds one of these limits.
func bounds(tokens []token) error {
	if len(tokens) > maxTokens {
		return errorAt(tokens[maxTokens].pos, engine.KindLimit, "the statement has %d words and signs, more than %d; put long lists into a table", len(tokens), maxTokens)
	}
	depth, parts, casts := 0, 1, 0
	for i, t := range tokens {
		switch {
		case t.is("(") || t.is("[") || t.is("{"):
			if depth++; depth > maxNesting {
				return errorAt(t.pos, engine.KindLimit, "brackets nest deeper than %d levels", maxNesting)
			}
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		case t.is("."):
			if parts++; parts > maxParts {
				return errorAt(t.pos, engine.KindLimit, "a name has more than %d parts", maxParts)
			}
		case i == 0 || !tokens[i-1].is("."):
			parts = 1
		}
		if t.is("::") {
			if casts++; casts > maxSigns {
				return errorAt(t.pos, engine.KindLimit, "more than %d casts", maxSigns)
			}
		}
	}
	return nil
}

// maxExpanded is the maximum number of tables that a statement reads after each name of a WITH list is expanded, as by the
// planner: a name that is read twice doubles the number, and so does a select list with the same star twice.
const maxExpanded = 2000

// doubledStars is the maximum number of stars of the same table in a select list, at least 1.
func doubledStars(list []any) float64 {
	most, seen := 1, map[string]int{}
	for _, x := range list {
		if e, _ := x.(map[string]any); str(e, "class") == "STAR" {
			name := str(e, "relation_name")
			seen[name]++
			most = max(most, seen[name])
		}
	}
	return float64(most)
}
