package agent

import "strings"

// growing assembles the text of one message of a stream. Its events contain either pieces or the whole text so far;
// which one is undocumented, so it is inferred from the texts, and while both are possible only text that is right in
// both cases is shown.
type growing struct {
	text string // settled
	kind growth
	held []string // received since; pieces or the whole text
}

type growth int

const (
	unknownGrowth growth = iota
	inPieces
	asWhole
)

// A text that repeats at least this many bytes of the text before it is not a piece: shorter repetitions occur with
// digits and blanks.
const (
	repeatedUntold = 4
	repeatedPieces = 16 // the messages are marked as pieces
)

// add takes the text of an event and returns the new part. whole means that it is certainly the whole text so far,
// piece that it is marked as a piece; the result restarted means that the text does not continue what was shown.
func (g *growing) add(p string, whole, piece bool) (news string, restarted bool) {
	switch {
	case p == "":
		return "", false
	case whole:
		g.held = nil
		switch {
		case strings.HasPrefix(p, g.text):
			return g.settle(p), false
		case strings.HasPrefix(g.text, p): // an earlier state
			return "", false
		}
		g.text = p
		return p, true
	case g.text == "":
		g.text = p
		return p, false
	case len(g.held) > 0:
		return g.resolve(p), false
	}
	goesOn := strings.HasPrefix(p, g.text)
	switch g.kind {
	case asWhole:
		switch {
		case goesOn:
			return g.settle(p), false
		case strings.HasPrefix(g.text, p):
			return "", false
		}
		g.text = p
		return p, true
	case inPieces:
		least := repeatedUntold
		if piece {
			least = repeatedPieces
		}
		if goesOn && len(g.text) >= least {
			return g.settle(p), false
		}
	default:
		switch {
		case goesOn && len(g.text) >= repeatedPieces:
			g.kind = asWhole
			return g.settle(p), false
		case goesOn:
			g.held = []string{p}
			return "", false
		}
	}
	g.kind = inPieces
	g.text += p
	return p, false
}

// resolve adds one more text to those that are held back.
func (g *growing) resolve(p string) string {
	last := g.held[len(g.held)-1]
	if p == last {
		g.held = append(g.held, p)
		return ""
	}
	if strings.HasPrefix(p, last) {
		g.kind, g.held = asWhole, nil
		return g.settle(p)
	}
	g.kind = inPieces
	return g.settle(g.text + strings.Join(append(g.held, p), ""))
}

// end returns the remaining text at the end of the stream.
func (g *growing) end(piece bool) string {
	if len(g.held) == 0 {
		return ""
	}
	if piece {
		return g.settle(g.text + strings.Join(g.held, ""))
	}
	return g.settle(g.held[len(g.held)-1])
}

// settle replaces the settled text by text, which starts with it, and returns the new part.
func (g *growing) settle(text string) string {
	news := text[len(g.text):]
	g.text, g.held = text, nil
	return news
}
