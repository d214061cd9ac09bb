package sqltext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts splits a dotted name. Parts in double quotes may hold dots; none is empty.
func Parts(name string) ([]string, error) {
	var parts []string
	for rest := name; ; {
		var part string
		if strings.HasPrefix(rest, `"`) {
			end := 1
			for end < len(rest) && (rest[end] != '"' || strings.HasPrefix(rest[end+1:], `"`)) {
				if rest[end] == '"' {
					end++
				}
				end++
			}
			if end >= len(rest) {
				return nil, fmt.Errorf("%s: the quote does not end", name)
			}
			part, rest = Unquote(rest[:end+1]), rest[end+1:]
		} else if i := strings.IndexByte(rest, '.'); i >= 0 {
			part, rest = rest[:i], rest[i:]
		} else {
			part, rest = rest, ""
		}
		switch {
		case part == "":
			return nil, fmt.Errorf("%q has an empty part", name)
		case rest != "" && rest[0] != '.':
			return nil, fmt.Errorf("%s: a dot is missing after the quote", name)
		}
		parts = append(parts, part)
		if rest == "" {
			return parts, nil
		}
		rest = rest[1:]
	}
}

// OfQuery derives the name in SQL of a saved query: lower case, with underscores for characters that are neither
// letters nor digits. The service documents the lower case [O]; the underscores are specific to zone local.
func OfQuery(display string) string {
	return strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, strings.TrimSpace(display))
}

// MaxQueryName limits the name of a saved query in SQL, in characters.
const MaxQueryName = 255

// IsQueryName reports whether a name that OfQuery returned can be that of a saved query.
func IsQueryName(name string) bool {
	return strings.Trim(name, "_") != "" && utf8.RuneCountInString(name) <= MaxQueryName
}
