package lineedit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// buffer is a text with a cursor. The cursor is a byte offset between grapheme clusters: characters with their
// combining marks.
type buffer struct {
	text   string
	at     int
	killed string // text of the last deletion of a word or of part of a line
	undos  []undo
	typing bool // the last change typed a letter; one undo reverts consecutive ones
}

type undo struct {
	text string
	at   int
}

// maxUndos limits the number of states for undo.
const maxUndos = 200

// changes records the state before a change, for undo.
func (b *buffer) changes(typing bool) {
	if !(typing && b.typing) {
		if len(b.undos) == maxUndos {
			b.undos = append(b.undos[:0], b.undos[1:]...)
		}
		b.undos = append(b.undos, undo{b.text, b.at})
	}
	b.typing = typing
}

func (b *buffer) undo() {
	if n := len(b.undos); n > 0 {
		b.text, b.at = b.undos[n-1].text, b.undos[n-1].at
		b.undos, b.typing = b.undos[:n-1], false
	}
}

// set replaces the text and puts the cursor at its end.
func (b *buffer) set(text string) {
	if text != b.text {
		b.changes(false)
	}
	b.text, b.at = text, len(text)
}

func (b *buffer) insert(s string, typing bool) {
	b.changes(typing)
	b.text = b.text[:b.at] + s + b.text[b.at:]
	b.at += len(s)
}

// replace replaces the bytes between from and the cursor with s.
func (b *buffer) replace(from int, s string) {
	b.changes(false)
	b.text = b.text[:from] + s + b.text[b.at:]
	b.at = from + len(s)
}

// next and prev return the end of the character after the cursor and the start of the character before it.
func (b *buffer) next() int {
	if b.at == len(b.text) {
		return b.at
	}
	g := graphemes.FromString(b.text[b.at:])
	if !g.Next() {
		return len(b.text)
	}
	return b.at + len(g.Value())
}

func (b *buffer) prev() int {
	if b.at == 0 {
		return 0
	}
	from := b.lineStart(b.at)
	if from == b.at {
		return b.at - 1 // the line feed
	}
	last := from
	g := graphemes.FromString(b.text[from:b.at])
	for p := from; g.Next(); p += len(g.Value()) {
		last = p
	}
	return last
}

func (b *buffer) lineStart(at int) int { return strings.LastIndexByte(b.text[:at], '\n') + 1 }

func (b *buffer) lineEnd(at int) int {
	if n := strings.IndexByte(b.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(b.text)
}

// near returns the part of the text that fits a screen: height lines before and after the cursor's.
func (b *buffer) near(height int) (from, to int) {
	from, to = b.lineStart(b.at), b.lineEnd(b.at)
	for range height {
		if from > 0 {
			from = b.lineStart(from - 1)
		}
		if to < len(b.text) {
			to = b.lineEnd(to + 1)
		}
	}
	return from, to
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func (b *buffer) wordBack() int {
	at := b.at
	for seen := false; at > 0; {
		r, n := utf8.DecodeLastRuneInString(b.text[:at])
		if !wordRune(r) && seen {
			break
		}
		seen = seen || wordRune(r)
		at -= n
	}
	return at
}

func (b *buffer) wordForward() int {
	at := b.at
	for seen := false; at < len(b.text); {
		r, n := utf8.DecodeRuneInString(b.text[at:])
		if !wordRune(r) && seen {
			break
		}
		seen = seen || wordRune(r)
		at += n
	}
	return at
}

// delete removes the bytes between the cursor and another position.
func (b *buffer) delete(to int, keep bool) {
	from := b.at
	if to < from {
		from, to = to, from
	}
	if from == to {
		return
	}
	b.changes(false)
	if keep {
		b.killed = b.text[from:to]
	}
	b.text, b.at = b.text[:from]+b.text[to:], from
}

// vertical moves the cursor one line up or down, and reports whether there is such a line.
func (b *buffer) vertical(down bool) bool {
	from := b.lineStart(b.at)
	col := utf8.RuneCountInString(b.text[from:b.at])
	var to int
	if down {
		end := b.lineEnd(b.at)
		if end == len(b.text) {
			return false
		}
		to = end + 1
	} else {
		if from == 0 {
			return false
		}
		to = b.lineStart(from - 1)
	}
	for end := b.lineEnd(to); col > 0 && to < end; col-- {
		_, n := utf8.DecodeRuneInString(b.text[to:])
		to += n
	}
	b.at = to
	b.at = b.whole(b.at)
	return true
}

// whole rounds a position inside a character down to its beginning.
func (b *buffer) whole(at int) int {
	from := b.lineStart(at)
	g := graphemes.FromString(b.text[from:b.lineEnd(at)])
	for p := from; g.Next(); p += len(g.Value()) {
		if p+len(g.Value()) > at {
			return p
		}
	}
	return at
}

// transpose exchanges the two characters before the cursor, or those around it.
func (b *buffer) transpose() {
	if b.at == b.lineEnd(b.at) && b.at > b.lineStart(b.at) {
		b.at = b.prev()
	}
	if b.at == b.lineStart(b.at) || b.at == b.lineEnd(b.at) {
		return
	}
	from, to := b.prev(), b.next()
	b.changes(false)
	b.text = b.text[:from] + b.text[b.at:to] + b.text[from:b.at] + b.text[to:]
	b.at = to
}

// cleaned is pasted text with line feeds as line endings, and valid UTF-8.
func cleaned(s string) string {
	return strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\uFFFD")
}
