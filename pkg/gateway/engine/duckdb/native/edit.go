package native

import (
	"errors"
	"slices"
	"strings"
)

// Edit replaces text[Pos:End] with New. An edit with Pos == End inserts.
type Edit struct {
	Pos, End int
	New      string
}

// edited is a text after edits, with the origin of each piece, so that an error of DuckDB about the new text can be reported at
// its position in the user's text.
type edited struct {
	text  string
	edits []Edit // sorted, with positions in the original
}

// apply returns the new text. Edits must not overlap; those at one position keep their order.
func apply(text string, edits []Edit) edited {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		if a.Pos != b.Pos {
			return a.Pos - b.Pos
		}
		return a.End - b.End
	})
	var b strings.Builder
	at := 0
	kept := edits[:0:0]
	for _, e := range edits {
		if e.Pos < at { // an edit within a replaced piece: the outer one wins
			continue
		}
		b.WriteString(text[at:e.Pos])
		b.WriteString(e.New)
		at = e.End
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
	shift := 0 // new offset minus original offset, so far
	for _, x := range e.edits {
		from := x.Pos + shift
		if pos < from {
			break
		}
		if pos < from+len(x.New) {
			return x.Pos
		}
		shift += len(x.New) - (x.End - x.Pos)
	}
	return pos - shift
}

// Source is a text and the edits that produced the text that is run.
type Source struct {
	Original string
	layers   []edited // in the order they were applied
	Text     string
}

// Placed gives an error the line and column in the user's text.
func (t *Source) Placed(err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return err
	}
	e := f.e
	e.Line, e.Col = LineCol(t.Original, t.origin(f.pos))
	return &e
}

func (t *Source) origin(pos int) int {
	for _, l := range slices.Backward(t.layers) {
		pos = l.origin(pos)
	}
	return pos
}

// Layer applies edits to the current text.
func (t *Source) Layer(edits []Edit) {
	if len(edits) == 0 {
		return
	}
	l := apply(t.Text, edits)
	t.layers = append(t.layers, l)
	t.Text = l.text
}

// Place is the line and column, in the user's text, of an offset in the text that is run.
func (t *Source) Place(pos int) (line, col int) { return LineCol(t.Original, t.origin(pos)) }

// Written is the dotted name at an offset of the text that is run, or the given name.
func (t *Source) Written(pos int, name string) string {
	if pos < 0 || pos >= len(t.Text) {
		return name
	}
	tokens, err := Lex(t.Text[pos:])
	if err != nil && len(tokens) == 0 {
		return name
	}
	var parts []string
	for i := 0; i < len(tokens) && tokens[i].isName(); i += 2 {
		parts = append(parts, tokens[i].text)
		if i+1 >= len(tokens) || !tokens[i+1].is(".") {
			break
		}
	}
	if len(parts) == 0 || !strings.Contains(strings.ToLower(strings.Join(parts, ".")), strings.ToLower(name)) {
		return name
	}
	return strings.Join(parts, ".")
}

// Guarded puts a list of one value between each TRY and its argument: after an error, DuckDB 1.5 evaluates TRY row by row, and
// then CASE, and the many functions implemented as CASE, write beyond the vector of one value that they are given.
func Guarded(tokens []Token) (edits []Edit) {
	var open []bool // for each open parenthesis, whether it belongs to a TRY
	for i, t := range tokens {
		switch {
		case t.is("("):
			try := i > 0 && tokens[i-1].is("try")
			if open = append(open, try); try {
				edits = append(edits, Edit{Pos: t.End, End: t.End, New: "["})
			}
		case t.is(")") && len(open) > 0:
			if open[len(open)-1] {
				edits = append(edits, Edit{Pos: t.Pos, End: t.Pos, New: "][1]"})
			}
			open = open[:len(open)-1]
		}
	}
	return edits
}
