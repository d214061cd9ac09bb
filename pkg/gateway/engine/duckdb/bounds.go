//go:build cgo

package duckdb

import (
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// The parser and the planner call themselves for each level, take time that grows faster than the text, and cannot be interrupted. What
// a text may have of each is counted before they see it.
const (
	maxTokens  = 64 << 10 // words, numbers, texts and signs
	maxNesting = 500      // brackets in each other
	maxParts   = 100      // names joined by dots
	maxSigns   = 1000     // prefix signs, subscripts or casts in a row
)

// bounds refuses a text that is too large in one of these ways.
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

// maxExpanded is how many tables a statement may read when each name of a WITH list counts as what stands behind it, as it does for the
// planner: a name that is read twice doubles that. So does a list of columns that has one star twice.
const maxExpanded = 2000

// doubledStars is how often the star of one table stands in a list of columns, at least 1.
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

// bracketDepth is how deep the brackets of a text nest.
func bracketDepth(tokens []token) int {
	depth, most := 0, 0
	for _, t := range tokens {
		switch {
		case t.is("(") || t.is("[") || t.is("<"):
			depth++
		case t.is(")") || t.is("]") || t.is(">"):
			depth--
		}
		most = max(most, depth)
	}
	return most
}
