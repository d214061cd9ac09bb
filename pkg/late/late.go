// Package late creates values when they are first used: every command pays for package variables that are initialized
// at start.
package late

import (
	"regexp"
	"sync"
)

// Regexp compiles an expression on its first use, and panics then if it is malformed.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
