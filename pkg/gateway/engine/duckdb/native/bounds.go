package native

import (
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
)

// Bounds rejects a text that exceeds one of these limits.
func Bounds(tokens []Token) error {
	if len(tokens) > limits.MaxTokens {
		return ErrorAt(tokens[limits.MaxTokens].Pos, engine.KindLimit, "the statement has %d words and signs, more than %d; put long lists into a table", len(tokens), limits.MaxTokens)
	}
	depth, parts, casts := 0, 1, 0
	for i, t := range tokens {
		switch {
		case t.is("(") || t.is("[") || t.is("{"):
			if depth++; depth > limits.MaxNesting {
				return ErrorAt(t.Pos, engine.KindLimit, "brackets nest deeper than %d levels", limits.MaxNesting)
			}
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		case t.is("."):
			if parts++; parts > limits.MaxParts {
				return ErrorAt(t.Pos, engine.KindLimit, "a name has more than %d parts", limits.MaxParts)
			}
		case i == 0 || !tokens[i-1].is("."):
			parts = 1
		}
		if t.is("::") {
			if casts++; casts > limits.MaxSigns {
				return ErrorAt(t.Pos, engine.KindLimit, "more than %d casts", limits.MaxSigns)
			}
		}
	}
	return nil
}

// doubledStars is how often the same star occurs in a select list, at least 1.
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
