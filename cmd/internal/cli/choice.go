package cli

import (
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/nearest"
)

// Word returns the element of a closed set that matches, in the set's spelling; any other word is a usage error that
// suggests the nearest.
func Word(flag, value string, set []string) (string, error) {
	for _, w := range set {
		if strings.EqualFold(w, value) {
			return w, nil
		}
	}
	f := exitcode.Usagef("%s: %q is not one of %s", flag, value, strings.Join(set, ", "))
	if near := nearest.Of(value, set); near != "" {
		f.Hint = "did you mean " + near + "?"
	}
	return "", f
}
