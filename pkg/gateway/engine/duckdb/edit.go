//go:build cgo

package duckdb

import (
	"slices"
	"strings"
)

// edit replaces text[pos:end] with new. An edit with pos == end inserts.
type edit struct {
	pos, end int
	new      string
}

// edited is a text with edits applied and the origin of each piece, so that an error of DuckDB about the new
// text can be reported at its position in the user's text.
type edited struct {
	text  string
	edits []edit // sorted, in terms of the original
	// pairs replace edits for a text that was written from a tree: the new and the original position of a node.
	pairs []origin
}

type origin struct{ now, was int }

// apply returns the new text. Edits must not overlap; those at one position keep their order.
func apply(text string, edits []edit) edited {
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.pos != b.pos {
			return a.pos - b.pos
		}
		return a.end - b.end
	})
	var b strings.Builder
	at := 0
	kept := edits[:0:0]
	for _, e := range edits {
		if e.pos < at { // an edit within a replaced piece: the outer one wins
			continue
		}
		b.WriteString(text[at:e.pos])
		b.WriteString(e.new)
		at = e.end
		kept = append(kept, e)
	}
	b.WriteString(text[at:])
	return edited{text: b.String(), edits: kept}
}

// origin maps an offset of the new text to one of the original; offsets within a replacement map to its beginning.
func (e edited) origin(pos int) int {
	if pos < 0 {
		return -1
	}
	if e.edits == nil {
		i, ok := slices.BinarySearchFunc(e.pairs, pos, func(p origin, pos int) int { return p.now - pos })
		switch {
		case ok:
			return e.pairs[i].was
		case i == 0:
			return -1
		}
		return e.pairs[i-1].was
	}
	shift := 0 // new offset minus original offset, so far
	for _, x := range e.edits {
		from := x.pos + shift
		if pos < from {
			break
		}
		if pos < from+len(x.new) {
			return x.pos
		}
		shift += len(x.new) - (x.end - x.pos)
	}
	return pos - shift
}
