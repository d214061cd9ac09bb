package javafn

import (
	"math"
	"strconv"
)

// parseDouble parses a double or a real of the engine, whose NaN may have a sign.
func parseDouble(text string, size int) (float64, error) {
	if text == "-nan" {
		return math.NaN(), nil
	}
	return strconv.ParseFloat(text, size)
}

// isDouble parses a text that may be a double or a real of the engine.
func isDouble(text string, size int) (f float64, ok bool) {
	f, err := parseDouble(text, size)
	return f, err == nil
}
