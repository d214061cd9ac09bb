package rowfile

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Names returns a name for each column of a header: its own, or another one if it has none, if it is longer than most bytes, if it is
// reserved because it begins with an underscore, or if an earlier column would be the same column of a table. same maps
// the names of one column to one text, and system tells the columns that every table has, whose names stay. changed says
// what was renamed.
func Names(header []string, most int, same func(string) string, system func(string) bool) (names, changed []string) {
	taken := map[string]bool{}
	for _, h := range header {
		if h != "" && len(h) <= most {
			taken[same(h)] = true // a name that stands in the file is not given to another column
		}
	}
	used := map[string]bool{}
	for i, h := range header {
		name, why := h, ""
		switch {
		case h == "":
			name, why = fmt.Sprintf("column_%d", i+1), fmt.Sprintf("column %d has no name", i+1)
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
			for n := 2; used[same(name)] || taken[same(name)]; n++ {
				end := fmt.Sprintf("_%d", n)
				name = cut(base, most-len(end)) + end
			}
			changed = append(changed, fmt.Sprintf("%s: it is called %q", why, name))
		}
		used[same(name)] = true
		names = append(names, name)
	}
	return names, changed
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
