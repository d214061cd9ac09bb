package manifest

import "strings"

// mostLines limits the lines that are compared one by one.
const mostLines = 2000

// DiffLines compares two texts: lines of the first one start with "- ", those of the second with "+ ", and common ones
// near them with two spaces.
func DiffLines(from, to string) []string {
	a, b := strings.Split(from, "\n"), strings.Split(to, "\n")
	if from == "" {
		a = nil
	}
	if to == "" {
		b = nil
	}
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []string
	for _, l := range a[max(0, head-1):head] {
		out = append(out, "  "+l)
	}
	out = append(out, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	if tail > 0 {
		out = append(out, "  "+a[len(a)-tail])
	}
	return out
}

// middle compares by the longest common subsequence.
func middle(a, b []string) []string {
	var out []string
	if len(a)*len(b) > mostLines*mostLines {
		for _, l := range a {
			out = append(out, "- "+l)
		}
		for _, l := range b {
			out = append(out, "+ "+l)
		}
		return out
	}
	long := make([][]int, len(a)+1)
	for i := range long {
		long[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || long[i+1][j] >= long[i][j+1]):
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}
