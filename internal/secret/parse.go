package secret

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/jsontext"
)

// unquote returns a string literal as text; whole is false if it is cut off.
func unquote(raw string) (text string, whole bool) {
	if json.Unmarshal([]byte(raw), &text) == nil {
		return text, true
	}
	for cut := len(raw); cut > max(0, len(raw)-12); cut-- { // an escape may be cut off
		if utf8.ValidString(raw[:cut]) && json.Unmarshal([]byte(raw[:cut]+`"`), &text) == nil {
			return text, false
		}
	}
	return strconv.Quote(raw), false
}

// node is a value of a document.
type node struct {
	from, to int
	text     string // of a short string
	members  []entry
}

// entry is a member of an object, or an element of an array, which has no name.
type entry struct {
	name  string
	value *node // nil where the document is cut off
}

// deepest is how deep a document may nest.
const deepest = 1000

// parse reads a document, which may be cut off anywhere. ok is false if it is not one.
func parse(text string) (*node, bool) {
	if jsontext.Deeper(text, deepest) >= 0 {
		return nil, false
	}
	p := parser{text: text}
	n := p.value()
	p.blanks()
	return n, n != nil && !p.bad && p.at == len(text)
}

type parser struct {
	text string
	at   int
	bad  bool
}

func (p *parser) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// next moves to the next character that is not blank; 0 at the end.
func (p *parser) next() byte {
	if p.blanks(); p.at >= len(p.text) || p.bad {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) value() *node {
	c := p.next()
	n := &node{from: p.at}
	switch {
	case c == 0:
		return nil
	case c == '{' || c == '[':
		p.at++
		p.members(n, c == '{')
	case c == '"':
		p.str()
		if p.at-n.from < 80 {
			n.text, _ = unquote(p.text[n.from:p.at])
		}
	default:
		for p.at < len(p.text) && strings.IndexByte("+-.0123456789aefnlrstuE", p.text[p.at]) >= 0 {
			p.at++
		}
		p.bad = p.bad || p.at == n.from || !scalar(p.text[n.from:p.at], p.at == len(p.text))
	}
	n.to = p.at
	return n
}

// scalar reports whether a text is a number, true, false or null, or if it was cut off, the beginning of one.
func scalar(text string, cut bool) bool {
	if json.Valid([]byte(text)) {
		return true
	}
	return cut && (json.Valid([]byte(text+"0")) || slices.ContainsFunc([]string{"true", "false", "null"},
		func(w string) bool { return strings.HasPrefix(w, text) }))
}

func (p *parser) members(n *node, named bool) {
	for p.next() != 0 {
		switch c := p.text[p.at]; {
		case c == '}' && named, c == ']' && !named:
			p.at++
			return
		case c == ',' && len(n.members) > 0:
			p.at++
			continue
		}
		var m entry
		if named {
			from := p.at
			if p.text[p.at] != '"' {
				p.bad = true
				return
			}
			p.str()
			m.name, _ = unquote(p.text[from:p.at])
			if c := p.next(); c == ':' {
				p.at++
			} else if c != 0 {
				p.bad = true
				return
			}
		}
		m.value = p.value()
		n.members = append(n.members, m)
	}
}

// str moves behind a string.
func (p *parser) str() {
	for p.at++; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '\\':
			p.at++
		case '"':
			p.at++
			return
		}
	}
	p.at = min(p.at, len(p.text))
}
