// Package nearest suggests the intended name for a misspelt one.
package nearest

import "strings"

// Of returns the candidate that is most similar to word, "" if none is similar. Case, spaces, hyphens and underscores
// are ignored. A candidate is similar if it starts with the word, or if it differs by at most two edits, one for a word
// of up to three letters and a third of the letters for a long one; a transposition of adjacent letters is one edit.
func Of(word string, candidates []string) string {
	w := fold(word)
	if w == "" {
		return ""
	}
	folded := make([]string, len(candidates))
	for i, c := range candidates {
		if folded[i] = fold(c); folded[i] == w {
			return c
		}
	}
	for i, c := range folded {
		if len(w) > 1 && strings.HasPrefix(c, w) {
			return candidates[i]
		}
	}
	runes := []rune(w)
	best, limit := "", 3
	switch {
	case len(runes) < 4:
		limit = 2
	case len(runes) > 6:
		limit = len(runes)/3 + 1
	}
	for i, c := range folded {
		if d := distance(runes, []rune(c)); d < limit {
			best, limit = candidates[i], d
		}
	}
	if best != "" {
		return best
	}
	for i, c := range folded {
		if len(c) > 2 && strings.HasPrefix(w, c) {
			return candidates[i]
		}
	}
	return ""
}

func fold(s string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(s))
}

// distance is the Levenshtein distance with transpositions of adjacent letters counted as one.
func distance(x, y []rune) int {
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
