package types

import (
	"fmt"
	"strings"
)

// Names are the names of types in a dialect, by kind: with %d for the parameters of a type, and %s for the types
// within.
type Names map[Kind]string

// Of is the name of a type, and false if the dialect has none for it or for a type within.
func (n Names) Of(t *Type) (name string, ok bool) {
	name, ok = n[t.Kind]
	values := []any{t.N, t.Scale}[:strings.Count(name, "%d")]
	if strings.Contains(name, "%s") {
		for _, within := range t.Args {
			arg, has := n.Of(within)
			values, ok = append(values, arg), ok && has
		}
	}
	return fmt.Sprintf(name, values...), ok
}
