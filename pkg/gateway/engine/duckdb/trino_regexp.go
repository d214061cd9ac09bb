//go:build cgo

package duckdb

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// patterns keeps compiled patterns; it is emptied when it grows.
type patterns struct {
	mu   sync.Mutex
	made map[string]*regexp.Regexp
}

var compiled = &patterns{made: map[string]*regexp.Regexp{}}

func (p *patterns) get(s string) (*regexp.Regexp, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if re := p.made[s]; re != nil {
		return re, nil
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, fmt.Errorf("the pattern '%s' is not supported on zone local: %w", s, err)
	}
	if len(p.made) > 200 {
		clear(p.made)
	}
	p.made[s] = re
	return re, nil
}

func group(re *regexp.Regexp, text string) (int, error) {
	g, err := strconv.Atoi(text)
	if err != nil || g < 0 || g > re.NumSubexp() {
		return 0, says("Pattern has %d groups. Cannot access group %s", re.NumSubexp(), text)
	}
	return g, nil
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
	m := re.FindStringSubmatchIndex(a[0])
	if m == nil || m[2*g] < 0 {
		return "", false, nil
	}
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
	for _, m := range re.FindAllStringSubmatchIndex(a[0], -1) {
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
	for _, m := range re.FindAllStringIndex(a[0], -1) {
		out = append(out, a[0][from:m[0]])
		from = m[1]
	}
	return asJSON(append(out, a[0][from:]))
}

// regexpReplace takes $1 and ${name} for groups, and a backslash before a character for the character.
func regexpReplace(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	var b strings.Builder
	from := 0
	for _, m := range re.FindAllStringSubmatchIndex(a[0], -1) {
		b.WriteString(a[0][from:m[0]])
		if err := expand(&b, re, a[2], a[0], m); err != nil {
			return "", false, err
		}
		if most := 1<<20 + 16*len(a[0]); b.Len() > most && from > 0 { // nothing else bounds the memory it takes
			return "", false, says("regexp_replace: the result would be longer than %d bytes", most)
		}
		from = m[1]
	}
	b.WriteString(a[0][from:])
	return b.String(), true, nil
}

func expand(b *strings.Builder, re *regexp.Regexp, tmpl, src string, m []int) error {
	for i := 0; i < len(tmpl); i++ {
		switch c := tmpl[i]; {
		case c == '\\' && i+1 < len(tmpl):
			i++
			b.WriteByte(tmpl[i])
		case c == '$':
			g := -1
			if end := strings.IndexByte(tmpl[i:], '}'); i+1 < len(tmpl) && tmpl[i+1] == '{' && end > 0 {
				g = re.SubexpIndex(tmpl[i+2 : i+end])
				i += end
			} else {
				for i+1 < len(tmpl) && isDigit(tmpl[i+1]) && (g < 0 || g*10+int(tmpl[i+1]-'0') <= re.NumSubexp()) {
					g = max(g, 0)*10 + int(tmpl[i+1]-'0')
					i++
				}
			}
			if g < 0 || g > re.NumSubexp() {
				return says("Illegal replacement sequence: unknown group")
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
	return strconv.Itoa(len(re.FindAllStringIndex(a[0], -1))), true, nil
}

func regexpPosition(a []string) (string, bool, error) {
	re, err := compiled.get(a[1])
	if err != nil {
		return "", false, err
	}
	m := re.FindStringIndex(a[0])
	if m == nil {
		return "-1", true, nil
	}
	return strconv.Itoa(utf8.RuneCountInString(a[0][:m[0]]) + 1), true, nil
}
