package rowfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names returns a name for each column of a header. It generates one for a column without a name, and for names that
// have control characters, such as line breaks, are longer than most bytes, reserved (they begin with an underscore),
// or the same as an earlier name for a table. same maps names that a table does not distinguish to one string. system
// reports whether a name is that of a system column of every table; such a name is kept. changed describes the renamed
// columns.
func Names(header []string, most int, same func(string) string, system func(string) bool) (names, changed []string) {
	taken := map[string]bool{}
	for _, h := range header {
		if h != "" && len(h) <= most && clean(h) == h {
			taken[same(h)] = true // a name in the file is not given to another column
		}
	}
	used, last := map[string]bool{}, map[string]int{}
	for i, h := range header {
		name, why := h, ""
		switch {
		case h == "":
			name, why = fmt.Sprintf("column_%d", i+1), fmt.Sprintf("column %d has no name", i+1)
		case clean(h) != h:
			if name = cut(clean(h), most); name == "" || name[0] == '_' && !system(name) {
				name = fmt.Sprintf("column_%d", i+1)
			}
			why = fmt.Sprintf("the name of column %d, %q, has a control character", i+1, h)
		case len(h) > most:
			name, why = cut(h, most), fmt.Sprintf("the name of column %d, %q, is longer than %d bytes", i+1, h, most)
		case h[0] == '_' && !system(h):
			if name = strings.TrimLeft(h, "_"); name == "" || system(name) {
				name = fmt.Sprintf("column_%d", i+1)
			}
			why = fmt.Sprintf("the name of column %d, %q, is reserved", i+1, h)
		case used[same(h)]:
			why = fmt.Sprintf("column %d has the name of another one, %q", i+1, h)
		}
		if why != "" {
			base := name
			for n := max(last[same(base)]+1, 2); used[same(name)] || taken[same(name)]; n++ {
				end := fmt.Sprintf("_%d", n)
				name, last[same(base)] = cut(base, most-len(end))+end, n
			}
			changed = append(changed, fmt.Sprintf("%s: it is called %q", why, name))
		}
		used[same(name)] = true
		names = append(names, name)
	}
	return names, changed
}

// Same maps the names that a table does not distinguish to one string: those that differ in the case of their letters,
// of which one may have several small forms, as σ has.
func Same(name string) string {
	return strings.ToLower(strings.Map(func(c rune) rune {
		least := c
		for r := unicode.SimpleFold(c); r != c; r = unicode.SimpleFold(r) {
			least = min(least, r)
		}
		return least
	}, name))
}

// clean replaces control characters by blanks, and removes those at the ends.
func clean(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, unicode.IsControl), " ")
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " ")
}

// fewRenamed is the number of renamed columns of a file that are listed one by one.
const fewRenamed = 10

// Few shortens the list of renamed columns of a file.
func Few(changed []string) []string {
	if len(changed) <= fewRenamed {
		return changed
	}
	return append(changed[:fewRenamed:fewRenamed],
		fmt.Sprintf("%d more columns are renamed", len(changed)-fewRenamed))
}
