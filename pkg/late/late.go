// Package late makes values when they are first asked for: what package variables make at once, every command pays for.
package late

import (
	"regexp"
	"sync"
)

// Regexp compiles an expression on its first use, and panics then when it is malformed.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
