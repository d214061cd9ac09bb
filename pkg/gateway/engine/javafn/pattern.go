package javafn

import (
	"errors"
	"regexp"
	resyntax "regexp/syntax"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dlclark/regexp2"
)

const (
	matchTime     = time.Second // for one value and a backtracking pattern
	longPattern   = 4096        // bytes of a backtracking pattern
	nestedPattern = 100         // groups of a backtracking pattern
)

// pattern is a regular expression of Java. Most are matched in linear time; those with features that need backtracking,
// such as lookahead and backreferences, are limited to matchTime.
type pattern struct {
	linear *regexp.Regexp
	back   *regexp2.Regexp
	names  []string // of the groups of back by number, "" for unnamed groups

	// Of a linear pattern: where Go's package differs from Java, and a backtracking pattern for these cases.
	empty    bool // it can match the empty string, which Java also finds directly after another match
	boundary bool // \b and \B are ASCII-only
	posix    bool // [:alpha:] and similar are ASCII-only
	ends     bool // $ does not match before a line feed at the end of the text, and ^ of (?m) does match after it
	slow     func() (*pattern, error)
}

// patterns caches compiled patterns; it is cleared when it is full.
type patterns struct {
	mu   sync.Mutex
	made map[string]*pattern
}

var compiled = &patterns{made: map[string]*pattern{}}

func (p *patterns) get(s string) (*pattern, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if re := p.made[s]; re != nil {
		return re, nil
	}
	re, err := compilePattern(s)
	if err != nil {
		return nil, patternFault(s, err)
	}
	if len(p.made) > 200 {
		clear(p.made)
	}
	p.made[s] = re
	return re, nil
}

func compilePattern(s string) (*pattern, error) {
	found, err := scanPattern(s)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(found.linear)
	if err == nil {
		slow := sync.OnceValues(func() (*pattern, error) {
			unfit := refuses("the pattern '%s' is not supported on zone local for this text", s)
			if found.dropped {
				return nil, unfit
			}
			return backtracking(s, unfit)
		})
		return &pattern{linear: re, empty: matchesEmpty(found.linear), boundary: found.boundary, posix: found.posix,
			ends: found.ends, slow: slow}, nil
	}
	if !backtracks(err) || found.dropped {
		return nil, err
	}
	return backtracking(s, err)
}

// backtracking compiles a pattern for the backtracking library. The error is for a pattern that it does not parse as
// Java does.
func backtracking(s string, unfit error) (*pattern, error) {
	plain, names, ok := numbered(s)
	if !ok {
		return nil, unfit
	}
	back, err := regexp2.Compile(plain, regexp2.RE2)
	if err != nil {
		return nil, err
	}
	back.MatchTimeout = matchTime
	return &pattern{back: back, names: names}, nil
}

// matchesEmpty reports whether a pattern can match the empty string.
func matchesEmpty(s string) bool {
	tree, err := resyntax.Parse(s, resyntax.Perl)
	return err != nil || least(tree) == 0
}

// least is the minimum number of characters that an expression matches, at most 1.
func least(re *resyntax.Regexp) int {
	switch re.Op {
	case resyntax.OpLiteral, resyntax.OpCharClass, resyntax.OpAnyChar, resyntax.OpAnyCharNotNL:
		return 1
	case resyntax.OpCapture, resyntax.OpPlus:
		return least(re.Sub[0])
	case resyntax.OpRepeat:
		return min(re.Min, least(re.Sub[0]))
	case resyntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, least(sub))
		}
		return n
	case resyntax.OpAlternate:
		n := 1
		for _, sub := range re.Sub {
			n = min(n, least(sub))
		}
		return n
	}
	return 0
}

// backtracks reports whether a pattern was rejected for a feature that needs backtracking.
func backtracks(err error) bool {
	var se *resyntax.Error
	if !errors.As(err, &se) {
		return false
	}
	switch e := se.Expr; se.Code {
	case resyntax.ErrInvalidPerlOp, resyntax.ErrInvalidNamedCapture:
		for _, op := range []string{"(?=", "(?!", "(?<=", "(?<!", "(?>"} {
			if strings.HasPrefix(e, op) || strings.HasPrefix(op, e) {
				return true
			}
		}
	case resyntax.ErrInvalidEscape:
		return len(e) > 1 && (e[1] >= '1' && e[1] <= '9' || e[1] == 'k' || e[1] == 'Z')
	}
	return false
}

// wordClass are the characters that \b treats as word characters; \w is ASCII-only.
const wordClass = `[\p{L}\p{M}\p{Nd}\p{Pc}]`

// multiline matches the flag that makes ^ and $ match at lines.
var multiline = late.Regexp(`\(\?[a-z]*m`)

// scanned is the result of scanning a pattern before it is compiled.
type scanned struct {
	linear          string // the pattern in Go's syntax
	boundary, posix bool
	ends            bool // has a $, or a ^ of (?m)
	dropped         bool // a character of the pattern is ignored
}

// scanPattern rejects what has another meaning in Go's package than in Java, and rewrites what only has another syntax.
func scanPattern(s string) (scanned, error) {
	var b strings.Builder
	out := scanned{}
	class := false
	var items classItems
	for i := 0; i < len(s); i++ {
		if class {
			if drop, err := items.next(s, i); err != nil {
				return out, err
			} else if drop {
				out.dropped = true
				continue
			}
		} else {
			items = classItems{}
		}
		switch rest := s[i:]; {
		case s[i] == '\\' && i+1 < len(s):
			switch e := s[i+1]; {
			case e == 'Q':
				quoted, _, _ := strings.Cut(s[i+2:], `\E`)
				b.WriteString(regexp.QuoteMeta(quoted))
				i += min(len(quoted)+3, len(rest)-1)
				continue
			case e == 'u' && len(rest) >= 6:
				b.WriteString(`\x{` + rest[2:6] + `}`)
				i += 5
				continue
			case e == 'x' && len(rest) >= 3 && strings.ContainsRune("89abcdefABCDEF", rune(rest[2])):
				return out, unfit(`a byte beyond ASCII, write \x{...} for a character`)
			case e == 'b' && class:
				return out, unfit(`\b in a class`)
			case !class && (e == 'b' || e == 'B'):
				out.boundary = true
			}
			b.WriteString(rest[:2])
			i++
			continue
		case class && strings.HasPrefix(rest, "[:") && strings.Contains(rest, ":]"):
			name, _, _ := strings.Cut(rest, ":]")
			out.posix = true
			b.WriteString(name + ":]")
			i += len(name) + 1
			continue
		case class && s[i] == '[':
			return out, unfit("a class within a class")
		case class && strings.HasPrefix(rest, "&&"):
			return out, unfit("an intersection of classes")
		case class:
			class = s[i] != ']' || strings.HasSuffix(s[:i], "[") || strings.HasSuffix(s[:i], "[^")
		case s[i] == '[':
			class = true
		case s[i] == '$', s[i] == '^' && multiline().MatchString(s):
			out.ends = true
		case strings.HasPrefix(rest, "(?P"), strings.HasPrefix(rest, "(?U"):
			return out, says("undefined group option")
		}
		b.WriteByte(s[i])
	}
	out.linear = b.String()
	return out, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// numbered removes the names of the groups of a pattern, so that all are numbered from left to right as in Java, and
// rejects what the library parses differently from Java, or too slowly.
func numbered(s string) (plain string, names []string, ok bool) {
	var b strings.Builder
	names = []string{""}
	class, depth, lines := false, 0, multiline().MatchString(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			if i++; i == len(s) {
				return "", nil, false
			}
			if e := s[i]; e >= 'a' && e <= 'z' || e >= 'A' && e <= 'Z' {
				if !strings.ContainsRune("dDsSwWbBAzZnrtfaexupPk", rune(e)) {
					return "", nil, false
				}
				if name, _, found := strings.Cut(s[i+1:], ">"); e == 'k' {
					n := -1
					for k, known := range names {
						if known != "" && "<"+known == name {
							n = k
						}
					}
					if !found || n < 0 || class {
						return "", nil, false
					}
					b.WriteString(`\k<` + strconv.Itoa(n) + `>`)
					i += len(name) + 1
					continue
				}
			}
			switch e := s[i]; {
			case e == 'b' && !class:
				b.WriteString("(?:(?<=" + wordClass + ")(?!" + wordClass + ")|(?<!" + wordClass + ")(?=" + wordClass +
					"))")
			case e == 'Z' && !class:
				b.WriteString(`(?=\n?\z)`)
			case e == 'B' && !class:
				b.WriteString("(?:(?<=" + wordClass + ")(?=" + wordClass + ")|(?<!" + wordClass + ")(?!" + wordClass +
					"))")
			default:
				b.WriteString(s[i-1 : i+1])
			}
			continue
		case class:
			if c == '[' || c == '&' && strings.HasPrefix(s[i:], "&&") {
				return "", nil, false // unions and intersections exist in Java only
			}
			class = c != ']' || s[i-1] == '[' || strings.HasSuffix(s[:i], "[^")
		case c == '[':
			class = true
		case c == '$' && !lines:
			b.WriteString(`(?=\n?\z)`)
			continue
		case c == '^' && lines:
			b.WriteString(`(?:^(?!\z)|\A)`)
			continue
		case c == '(':
			if depth++; depth > nestedPattern {
				return "", nil, false
			}
			rest := s[i+1:]
			if strings.HasPrefix(rest, "?P") { // Go's syntax of a named group
				return "", nil, false
			}
			if name, _, found := strings.Cut(rest, ">"); strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest,
				"?<=") && !strings.HasPrefix(rest, "?<!") {
				if !found {
					return "", nil, false
				}
				names = append(names, name[2:])
				b.WriteByte('(')
				i += len(name) + 1
				continue
			}
			if !strings.HasPrefix(rest, "?") {
				names = append(names, "")
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), names, len(s) <= longPattern
}

// groups is the number of groups of the pattern.
func (p *pattern) groups() int {
	if p.linear != nil {
		return p.linear.NumSubexp()
	}
	return len(p.names) - 1
}

// group is the number of a named group, -1 if there is none.
func (p *pattern) group(name string) int {
	if p.linear != nil {
		return p.linear.SubexpIndex(name)
	}
	for i, known := range p.names {
		if known == name && name != "" {
			return i
		}
	}
	return -1
}

// find returns the positions of up to n matches, of all if n is negative: for each, the start and end in bytes of the
// match and its groups, -1 for a group that did not match.
func (p *pattern) find(text string, n int) ([][]int, error) {
	if p.linear != nil {
		plain := isASCII(text)
		switch {
		case p.posix && !plain:
			return nil, refuses("classes such as [:alpha:] are not supported on zone local for texts beyond ASCII")
		case !(p.empty && n != 1) && (plain || !p.boundary) && !(p.ends && strings.HasSuffix(text, "\n")):
			return p.linear.FindAllStringSubmatchIndex(text, n), nil
		}
		slow, err := p.slow()
		if err != nil {
			return nil, err
		}
		return slow.find(text, n)
	}
	at := byteOffsets(text)
	var found [][]int
	end := time.Now().Add(matchTime)
	for m, err := p.back.FindStringMatch(text); ; m, err = p.back.FindNextMatch(m) {
		if err != nil || m != nil && time.Now().After(end) {
			return nil, refuses("the pattern takes more than %v on a text of %d bytes", matchTime, len(text))
		}
		if m == nil || n >= 0 && len(found) == n {
			return found, nil
		}
		places := make([]int, 0, 2*len(p.names))
		for g := range p.names {
			from, to := -1, -1
			if group := m.GroupByNumber(g); group != nil && len(group.Captures) > 0 {
				from, to = at(group.Index), at(group.Index+group.Length)
			}
			places = append(places, from, to)
		}
		found = append(found, places)
	}
}

// byteOffsets maps the index of a character to that of its first byte.
func byteOffsets(text string) func(int) int {
	if isASCII(text) {
		return func(i int) int { return i }
	}
	offsets := make([]int, 0, len(text)+1)
	for i := range text {
		offsets = append(offsets, i)
	}
	offsets = append(offsets, len(text))
	return func(i int) int { return offsets[i] }
}
