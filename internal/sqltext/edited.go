package sqltext

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Text is the result of edits of another text, the original. It knows from which place of the original each of its own
// comes.
type Text struct {
	original, text string
	pieces         []piece // in order; they cover text
}

// piece is a part of a Text: a copy of the original from a place, or words that were added there.
type piece struct {
	begin, end int // in the text
	at         int // in the original
	added      bool
}

// EditPart is what an Edit writes: words, or a copy of the text that is edited.
type EditPart struct {
	Words    string
	From, To int // if Words is ""
}

// Edit replaces the text between two byte offsets.
type Edit struct {
	From, To int
	With     []EditPart
}

// Words returns an edit that writes words.
func Words(from, to int, words string) Edit {
	return Edit{From: from, To: to, With: []EditPart{{Words: words}}}
}

// NewText returns an original text.
func NewText(s string) *Text { return &Text{s, s, []piece{{end: len(s)}}} }

func (t *Text) String() string { return t.text }

// Edit returns the text with edits, which do not overlap. Those of one offset keep their order.
func (t *Text) Edit(edits ...Edit) *Text {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.From - b.From })
	b := builder{of: t}
	done := 0
	for _, e := range edits {
		b.copy(done, e.From)
		b.parts(e.From, e.With)
		done = e.To
	}
	b.copy(done, len(t.text))
	return b.done()
}

// Compose returns a text of parts. Its words stand for a place of this one.
func (t *Text) Compose(at int, parts ...EditPart) *Text {
	b := builder{of: t}
	b.parts(at, parts)
	return b.done()
}

// Original returns the offset in the original of one in the text.
func (t *Text) Original(at int) int {
	i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].end > at })
	if i == len(t.pieces) {
		if i == 0 {
			return 0
		}
		i--
	}
	p := t.pieces[i]
	if p.added {
		return p.at
	}
	return min(p.at+max(at-p.begin, 0), len(t.original))
}

// Position returns the 1-based line and column, in characters, in the original of those in the text.
func (t *Text) Position(line, col int) (int, int) {
	at := 0
	for n := 1; n < line; n++ {
		next := strings.IndexByte(t.text[at:], '\n')
		if next < 0 {
			return line, col
		}
		at += next + 1
	}
	for ; col > 1 && at < len(t.text); col-- {
		_, n := utf8.DecodeRuneInString(t.text[at:])
		at += n
	}
	return t.PositionAt(at)
}

// PositionAt returns the 1-based line and column, in characters, in the original of an offset in the text.
func (t *Text) PositionAt(at int) (line, col int) { return PositionOf(t.original, t.Original(at)) }

// PositionOf returns the 1-based line and column, in characters, of a byte offset.
func PositionOf(text string, at int) (line, col int) {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	return 1 + strings.Count(text[:at], "\n"), 1 + utf8.RuneCountInString(text[begin:at])
}

// builder makes a Text from another one.
type builder struct {
	of     *Text
	b      strings.Builder
	pieces []piece
}

func (b *builder) parts(at int, parts []EditPart) {
	for _, p := range parts {
		if p.Words == "" {
			b.copy(p.From, p.To)
			continue
		}
		begin := b.b.Len()
		b.b.WriteString(p.Words)
		b.pieces = append(b.pieces, piece{begin, b.b.Len(), b.of.Original(at), true})
	}
}

func (b *builder) copy(from, to int) {
	all := b.of.pieces
	for i := sort.Search(len(all), func(i int) bool { return all[i].end > from }); i < len(all); i++ {
		p := all[i]
		begin, end := max(p.begin, from), min(p.end, to)
		if begin >= end {
			break
		}
		at := p.at
		if !p.added {
			at += begin - p.begin
		}
		n := b.b.Len()
		b.b.WriteString(b.of.text[begin:end])
		b.pieces = append(b.pieces, piece{n, b.b.Len(), at, p.added})
	}
}

func (b *builder) done() *Text { return &Text{b.of.original, b.b.String(), b.pieces} }
