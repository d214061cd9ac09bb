package cli

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
)

// Word is the one of a closed set that was meant, in the set's spelling; another one is a usage error that names the nearest.
func Word(flag, value string, set []string) (string, error) {
	for _, w := range set {
		if strings.EqualFold(w, value) {
			return w, nil
		}
	}
	f := Usagef("%s: %q is none of %s", flag, value, strings.Join(set, ", "))
	if near := nearest.Of(value, set); near != "" {
		f.Hint = "did you mean " + near + "?"
	}
	return "", f
}

// Plural words a number, nothing for none; many holds %d.
func Plural(n int, one, many string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return one
	}
	return fmt.Sprintf(many, n)
}
