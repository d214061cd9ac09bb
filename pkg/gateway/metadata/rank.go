package metadata

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// rank orders the documents that share a word with the query by Okapi BM25 (k1 = 1.2, b = 0.75), best first, ties in
// the given order. It returns indexes.
func rank(query string, docs []string) []int {
	const k1, b = 1.2, 0.75
	words := make([]map[string]int, len(docs))
	lengths := make([]float64, len(docs))
	in := map[string]int{} // number of documents that contain a word
	total := 0.0
	for i, d := range docs {
		words[i] = map[string]int{}
		for _, w := range tokens(d) {
			if words[i][w]++; words[i][w] == 1 {
				in[w]++
			}
			lengths[i]++
		}
		total += lengths[i]
	}
	mean := total / float64(max(len(docs), 1))
	scores := make([]float64, len(docs))
	asked := tokens(query)
	slices.Sort(asked)
	var hits []int
	for i := range docs {
		for _, w := range slices.Compact(slices.Clone(asked)) {
			if n := float64(words[i][w]); n > 0 {
				idf := math.Log(1 + (float64(len(docs)-in[w])+0.5)/(float64(in[w])+0.5))
				scores[i] += idf * n * (k1 + 1) / (n + k1*(1-b+b*lengths[i]/mean))
			}
		}
		if scores[i] > 0 {
			hits = append(hits, i)
		}
	}
	slices.SortStableFunc(hits, func(x, y int) int { return cmp.Compare(scores[y], scores[x]) })
	return hits
}

// tokens splits a text into lower-case words: runs of letters and digits, with camelCase split and an English plural s
// dropped, so that "customerOrders" and "order of a customer" share two words. In scripts without word separators each
// character and each pair of characters is a word.
func tokens(s string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) == 0 {
			return
		}
		w := strings.ToLower(string(word))
		if n := len(w); n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:n-1]
		}
		out = append(out, w)
		word = word[:0]
	}
	var last rune
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
		} else if unpartedScript(r) {
			flush()
			out = append(out, string(r))
			if unpartedScript(last) {
				out = append(out, string([]rune{last, r}))
			}
		} else {
			if unicode.IsUpper(r) && unicode.IsLower(last) {
				flush()
			}
			word = append(word, r)
		}
		last = r
	}
	flush()
	return out
}

func unpartedScript(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
