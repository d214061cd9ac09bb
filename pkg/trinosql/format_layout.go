package trinosql

import (
	"strings"
	"unicode/utf8"
)

const (
	formatWidth  = 100
	formatIndent = 4
	deepestNest  = 25 // levels that are indented: a deeply nested statement must not become mostly white space
	tooWide      = 1 << 30
)

// doc is a text with possible line breaks, which are chosen for a given width.
type doc struct {
	kind  docKind
	text  string
	parts []*doc
	width int // on one line
}

type docKind uint8

const (
	dText docKind = iota
	dConcat
	dSpace
	dLine // a space, or a new line in a group that does not fit
	dSoft // nothing, or a new line
	dHard // always a new line
	dGroup
	dNest
)

var (
	space = &doc{kind: dSpace, width: 1}
	line  = &doc{kind: dLine, width: 1}
	soft  = &doc{kind: dSoft}
	hard  = &doc{kind: dHard, width: tooWide}
)

func written(s string) *doc {
	d := &doc{text: s, width: utf8.RuneCountInString(s)}
	if strings.ContainsAny(s, "\r\n") {
		d.width = tooWide
	}
	return d
}

func several(k docKind, parts []*doc) *doc {
	d := &doc{kind: k, parts: parts}
	for _, p := range parts {
		d.width = min(tooWide, d.width+p.width)
	}
	return d
}

func concat(parts ...*doc) *doc {
	if len(parts) == 1 {
		return parts[0]
	}
	return several(dConcat, parts)
}

func group(parts ...*doc) *doc { return several(dGroup, parts) }
func nest(parts ...*doc) *doc  { return several(dNest, parts) }

func (f *formatter) tok(i int) *doc { return f.toks[i].doc() }

// doc is a token with its comments.
func (t *ftoken) doc() *doc {
	if t.notes == nil {
		return written(t.show)
	}
	var parts []*doc
	for _, c := range t.notes.lead {
		parts = append(parts, hard, written(c.text), space)
		if c.ended {
			parts = append(parts, hard)
		}
	}
	parts = append(parts, written(t.show))
	for _, c := range t.notes.trail {
		parts = append(parts, space, written(c.text))
		if c.ended {
			parts = append(parts, hard)
		}
	}
	return concat(parts...)
}

// layout writes docs. Breaks and spaces are written with the text after them, so that no line ends in white space.
type layout struct {
	out    strings.Builder
	col    int
	indent int // of the line that is about to begin
	broken bool
	spaced bool
}

func (l *layout) put(d *doc, depth int, flat bool) {
	switch d.kind {
	case dText:
		if d.text == "" {
			return
		}
		switch {
		case l.broken && l.out.Len() > 0:
			l.out.WriteString("\n" + strings.Repeat(" ", l.indent))
			l.col = l.indent
		case l.spaced && l.out.Len() > 0:
			l.out.WriteString(" ")
			l.col++
		}
		l.broken, l.spaced = false, false
		l.out.WriteString(d.text)
		l.col += d.width
		if i := strings.LastIndexByte(d.text, '\n'); i >= 0 {
			l.col = utf8.RuneCountInString(d.text[i+1:])
		}
	case dSpace:
		l.spaced = true
	case dLine, dSoft, dHard:
		if flat && d.kind != dHard {
			l.spaced = l.spaced || d.kind == dLine
			return
		}
		l.broken, l.indent = true, min(depth, deepestNest)*formatIndent
	case dNest:
		for _, p := range d.parts {
			l.put(p, depth+1, flat)
		}
	case dConcat:
		for _, p := range d.parts {
			l.put(p, depth, flat)
		}
	case dGroup:
		col := l.col
		if l.broken {
			col = l.indent
		}
		flat = flat || col+d.width <= formatWidth
		for _, p := range d.parts {
			l.put(p, depth, flat)
		}
	}
}
