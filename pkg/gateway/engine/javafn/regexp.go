package javafn

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func group(re *pattern, text string) (int, error) {
	g, err := strconv.Atoi(text)
	if err == nil && g < 0 {
		return 0, says("Group cannot be negative")
	}
	if err != nil || g > re.groups() {
		return 0, says("Pattern has %d groups. Cannot access group %s", re.groups(), text)
	}
	return g, nil
}

func regexpLike(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	found, err := re.find(a[0], 1)
	return strconv.FormatBool(len(found) > 0), true, err
}

func regexpExtract(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	g, err := group(re, a[2])
	if err != nil {
		return "", false, err
	}
	found, err := re.find(a[0], 1)
	if err != nil || len(found) == 0 || found[0][2*g] < 0 {
		return "", false, err
	}
	m := found[0]
	return a[0][m[2*g]:m[2*g+1]], true, nil
}

func regexpExtractAll(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	g, err := group(re, a[2])
	if err != nil {
		return "", false, err
	}
	out := []any{}
	found, err := re.find(a[0], -1)
	if err != nil {
		return "", false, err
	}
	for _, m := range found {
		if m[2*g] < 0 {
			out = append(out, nil)
		} else {
			out = append(out, a[0][m[2*g]:m[2*g+1]])
		}
	}
	return asJSON(out)
}

func regexpSplit(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	out, from := []string{}, 0
	found, err := re.find(a[0], -1)
	if err != nil {
		return "", false, err
	}
	for _, m := range found {
		out = append(out, a[0][from:m[0]])
		from = m[1]
	}
	return asJSON(append(out, a[0][from:]))
}

// regexpReplace expands $1 and ${name} to groups, and a backslash with a character to the character.
func regexpReplace(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	var b strings.Builder
	from := 0
	found, err := re.find(a[0], -1)
	if err != nil {
		return "", false, err
	}
	for _, m := range found {
		b.WriteString(a[0][from:m[0]])
		if err := expand(&b, re, a[2], a[0], m); err != nil {
			return "", false, err
		}
		if most := 1<<20 + 16*len(a[0]); b.Len() > most && from > 0 { // there is no other limit on its memory
			return "", false, says("regexp_replace: the result would be longer than %d bytes", most)
		}
		from = m[1]
	}
	b.WriteString(a[0][from:])
	return b.String(), true, nil
}

func expand(b *strings.Builder, re *pattern, tmpl, src string, m []int) error {
	for i := 0; i < len(tmpl); i++ {
		switch c := tmpl[i]; {
		case c == '\\':
			if i++; i == len(tmpl) {
				return says(`Illegal replacement sequence: \`)
			}
			b.WriteByte(tmpl[i])
		case c == '$':
			g, name := -1, ""
			if i+1 < len(tmpl) && tmpl[i+1] == '{' { // the end of the text ends a name as well
				group, _, _ := strings.Cut(tmpl[i+2:], "}")
				name = "{ " + group + " }"
				g = re.group(group)
				i += len("{}") + len(group)
			} else {
				for i+1 < len(tmpl) && isDigit(tmpl[i+1]) && (g < 0 || g*10+int(tmpl[i+1]-'0') <= re.groups()) {
					g = max(g, 0)*10 + int(tmpl[i+1]-'0')
					i++
				}
				if name = strconv.Itoa(g); g < 0 {
					return says("Illegal replacement sequence: %s", tmpl)
				}
			}
			if g < 0 || g > re.groups() {
				return says("Illegal replacement sequence: unknown group %s", name)
			}
			if m[2*g] >= 0 {
				b.WriteString(src[m[2*g]:m[2*g+1]])
			}
		default:
			b.WriteByte(c)
		}
	}
	return nil
}

func regexpCount(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	found, err := re.find(a[0], -1)
	return strconv.Itoa(len(found)), true, err
}

// regexpPosition is the position of the n-th match at or after a position.
func regexpPosition(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	start, err := strconv.Atoi(a[2])
	if err != nil {
		return "", false, err
	}
	n, err := strconv.Atoi(a[3])
	if err != nil {
		return "", false, err
	}
	switch {
	case start < 1:
		return "", false, says("start position cannot be smaller than 1")
	case n < 1:
		return "", false, says("occurrence cannot be smaller than 1")
	}
	if a[0] == "" {
		return "-1", true, nil
	}
	from := 0
	for range start - 1 {
		if from >= len(a[0]) {
			return "-1", true, nil
		}
		_, size := utf8.DecodeRuneInString(a[0][from:])
		from += size
	}
	if from >= len(a[0]) { // nothing matches at the end, not even the empty string
		return "-1", true, nil
	}
	found, err := findFrom(re, a[0], a[1], from)
	if err != nil {
		return "", false, err
	}
	if len(found) < n {
		return "-1", true, nil
	}
	return strconv.Itoa(utf8.RuneCountInString(a[0][:found[n-1][0]]) + 1), true, nil
}

// findFrom returns the matches that begin at or after an offset.
func findFrom(re *pattern, text, source string, from int) ([][]int, error) {
	found, err := re.find(text, -1)
	if err != nil || from == 0 {
		return found, err
	}
	for len(found) > 0 && found[0][0] < from {
		if found[0][1] <= from {
			found = found[1:]
			continue
		}
		// the pattern may examine the text before the offset
		if strings.ContainsAny(source, `^\`) || strings.Contains(source, "(?<") {
			return nil, refuses("the pattern '%s' with a start within a match is not supported on zone local", source)
		}
		if found, err = re.find(text[from:], -1); err != nil {
			return nil, err
		}
		for _, m := range found {
			m[0] += from
		}
		break
	}
	return found, nil
}

// regexpPieces splits a text by its matches: the text before each match with its groups, and the text after the last
// one without groups.
func regexpPieces(a []string) (string, bool, error) {
	type piece struct {
		F1 string    `json:"f1"`
		F2 []*string `json:"f2"`
	}
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	found, err := re.find(a[0], -1)
	if err != nil {
		return "", false, err
	}
	pieces := []piece{}
	from := 0
	for _, m := range found {
		p := piece{F1: a[0][from:m[0]], F2: []*string{}}
		for i := 2; i < len(m); i += 2 {
			var group *string
			if m[i] >= 0 {
				text := a[0][m[i]:m[i+1]]
				group = &text
			}
			p.F2 = append(p.F2, group)
		}
		pieces, from = append(pieces, p), m[1]
	}
	return asJSON(append(pieces, piece{F1: a[0][from:]}))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
