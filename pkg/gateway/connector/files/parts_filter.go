package files

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// mayFit returns false if the folders of a part show that a condition matches none of its rows.
func (t *parted) mayFit(p part, filters []engine.Filter) bool {
	for _, f := range filters {
		k := slices.IndexFunc(t.keys, func(c column) bool { return c.Name == f.Column })
		if k < 0 {
			continue
		}
		v := p.typed[k]
		if s, ok := v.(string); ok && t.keys[k].Type == "varchar" {
			v = text(s)
		}
		if (v == nil) != (f.Op == "is null") || v != nil && !fits(v, f) {
			return false
		}
	}
	return true
}

// fits returns true unless the condition is known to fail for the value.
func fits(v any, f engine.Filter) bool {
	holds := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 }, "in": func(c int) bool { return c == 0 },
		"<>": func(c int) bool { return c != 0 },
		"<":  func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}[f.Op]
	if holds == nil {
		return true
	}
	for _, w := range f.Values {
		c, ok := compare(v, w)
		if !ok || holds(c) {
			return true
		}
	}
	return len(f.Values) == 0
}

// compare orders two values of one kind like the engine.
func compare(a, b any) (int, bool) {
	switch a := a.(type) {
	case int64:
		b, ok := b.(int64)
		return cmp.Compare(a, b), ok
	case text:
		b, ok := b.(string)
		return strings.Compare(string(a), b), ok
	case time.Time:
		b, ok := b.(time.Time)
		return a.Compare(b), ok
	}
	return 0, false
}

// text is a value of type varchar, as opposed to the text of a value of another type.
type text string
