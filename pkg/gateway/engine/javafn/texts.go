package javafn

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Functions that the engine implements, except in TRY.

// longest is the maximum length of a function's result for a text.
func longest(text string) int { return 1<<20 + 16*len(text) }

// replaceAll implements replace. The empty string occurs before each character and at the end.
func replaceAll(a []string) (string, bool, error) {
	if n := strings.Count(a[0], a[1]); n > 0 && len(a[0])+n*(len(a[2])-len(a[1])) > longest(a[0]) {
		return "", false, refuses("replace in TRY: a result of more than %d bytes is not supported on zone local",
			longest(a[0]))
	}
	return strings.ReplaceAll(a[0], a[1], a[2]), true, nil
}

// pad implements lpad and rpad: a string, a number of characters and the padding.
func pad(name string, a []string) (string, bool, error) {
	n, err := strconv.Atoi(a[1])
	if err != nil {
		return "", false, err
	}
	have := utf8.RuneCountInString(a[0])
	if have >= n {
		return string([]rune(a[0])[:n]), true, nil
	}
	fill := []rune(a[2])
	if n-have > longest("")/4 {
		return "", false, refuses("%s in TRY: a result of more than %d characters is not supported on zone local",
			name, longest("")/4)
	}
	b := make([]rune, 0, n-have)
	for i := range n - have {
		b = append(b, fill[i%len(fill)])
	}
	if name == "lpad" {
		return string(b) + a[0], true, nil
	}
	return a[0] + string(b), true, nil
}

// formatNumber formats a number with at most three digits and a unit: 123K, 1.5M.
func formatNumber(a string) (string, bool, error) {
	f, err := strconv.ParseFloat(a, 64)
	n, whole := strconv.ParseInt(a, 10, 64)
	switch {
	case whole == nil:
		f = float64(n)
	case strings.HasSuffix(a, "nan"):
		f = 0
	case err != nil:
		return "", false, err
	default: // as Java casts a double to long
		f = math.Trunc(min(max(f, math.MinInt64), math.MaxInt64))
	}
	unit := 0
	for math.Abs(f) >= 1000 && unit < 5 {
		f /= 1000
		unit++
	}
	digits := 0
	switch { // Trino compares with the sign: negative numbers have two digits
	case f < 10:
		digits = 2
	case f < 100:
		digits = 1
	}
	text := new(big.Rat).SetFloat64(f).FloatString(digits) // half away from zero
	if digits > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "" || text == "-0" {
		text = "0"
	}
	return text + []string{"", "K", "M", "B", "T", "Q"}[unit], true, nil
}
