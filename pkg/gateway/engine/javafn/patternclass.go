package javafn

import (
	"strings"
	"unicode/utf8"
)

// classItems tracks the items of a class, because Java parses some "-" differently: it drops a "-" that follows a
// range, as in [a-z-.], unless the class ends there, and gives [\w-.] another meaning.
type classItems struct {
	end int // of the item
	// what precedes: 0 nothing, 'c' a character, '-' a character and a "-", 'r' a range, 's' a set such as \w, 'd' a
	// dropped "-"
	state byte
}

func (c *classItems) next(s string, i int) (drop bool, err error) {
	if i < c.end {
		return false, nil
	}
	rest := s[i:]
	last := strings.HasPrefix(rest, "-]")
	item := byte('c')
	_, n := utf8.DecodeRuneInString(rest)
	switch {
	case rest[0] == '-' && c.state == 'c' && !last:
		c.state = '-'
		return false, nil
	case rest[0] == '-' && c.state == 'r' && !last:
		c.state = 'd'
		return true, nil
	case rest[0] == '-' && c.state == 's' && !last, rest[0] == '-' && c.state == 'd':
		return false, unfit(`a "-" within a class that begins no range, write \- or have it at the end`)
	case strings.HasPrefix(rest, "[:") && strings.Contains(rest, ":]"):
		item, n = 's', strings.Index(rest, ":]")+2
	case rest[0] == '\\' && len(rest) > 1:
		item, n = classEscape(rest)
	}
	c.end = i + n
	switch {
	case c.state == '-' && item == 'c':
		c.state = 'r'
	case c.state == 'd' && (item == 's' || strings.HasPrefix(rest[n:], "-") && !strings.HasPrefix(rest[n:], "-]")):
		return false, unfit(`a "-" within a class that begins no range, write \- or have it at the end`)
	default:
		c.state = item
	}
	return false, nil
}

// classEscape is the kind of an escape in a class, and its bytes.
func classEscape(rest string) (kind byte, n int) {
	switch e := rest[1]; {
	case strings.IndexByte("dDwWsShHvVRpP", e) >= 0:
		kind, n = 's', 2
		if e|0x20 == 'p' && len(rest) > 2 {
			n = 3
		}
	case e == 'u':
		kind, n = 'c', 6
	case e == 'x':
		kind, n = 'c', 4
	default:
		kind, n = 'c', 2
	}
	if end := strings.IndexByte(rest, '}'); n > 2 && len(rest) > 2 && rest[2] == '{' && end > 0 {
		n = end + 1
	}
	return kind, min(n, len(rest))
}
