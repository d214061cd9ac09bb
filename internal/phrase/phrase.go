// Package phrase has the parts of sentences that commands have in common: counts, and objects by name and id.
package phrase

import (
	"fmt"
	"strings"
)

// NameAndID describes an object by its name and id, or by its id alone if the name is unknown.
func NameAndID(name, id string) string {
	if name == "" || name == id {
		return id
	}
	return fmt.Sprintf("%s (%s)", name, id)
}

// MostNamed is the number of objects that a sentence lists by name; above it, they are counted.
const MostNamed = 10

// Counted lists objects by name, or only counts them when there are many: "2 caches (a, b)".
func Counted(names []string, one, many string) string {
	text := Plural(len(names), one, many)
	if len(names) == 0 || len(names) > MostNamed {
		return text
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}

// Plural formats a count, or returns "" for zero; many contains %d.
func Plural(n int, one, many string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return one
	}
	return fmt.Sprintf(many, n)
}
