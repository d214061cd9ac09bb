package javafn

import "strconv"

// levenshtein is the number of characters to insert, delete or replace that turn one string into the other. The caller
// limits the product of their lengths.
func levenshtein(args []string) (string, bool, error) {
	a, b := []rune(args[0]), []rune(args[1])
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return strconv.Itoa(row[len(b)]), true, nil
}

// hamming is the number of positions at which two strings of equal length differ.
func hamming(args []string) (string, bool, error) {
	a, b := []rune(args[0]), []rune(args[1])
	if len(a) != len(b) {
		return "", false, says("The input strings to hamming_distance function must have the same length")
	}
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return strconv.Itoa(n), true, nil
}
