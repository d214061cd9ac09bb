package agent

import "strings"

// growing is the text of one message of a stream. Its events carry pieces, or the whole text so far; which of them is documented
// nowhere, so it is told from the texts, and while both are possible nothing is shown that one of them would not have.
type growing struct {
	text string // settled
	kind growth
	held []string // what came since, and may be pieces or the whole
}

type growth int

const (
	unknownGrowth growth = iota
	inPieces
	asWhole
)

// A piece that repeats at least so much of what came before is no piece: less may happen to digits and blanks.
const (
	repeatedUntold = 4
	repeatedPieces = 16 // where the messages say that they are pieces
)

// add takes the text of an event and returns what is new. whole says that it is the text so far for sure, piece that it is called a
// piece; anew, that the text does not go on with what was shown.
func (g *growing) add(p string, whole, piece bool) (news string, anew bool) {
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

// resolve takes one more text after some that are held back.
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

// end returns what is left when nothing more comes.
func (g *growing) end(piece bool) string {
	if len(g.held) == 0 {
		return ""
	}
	if piece {
		return g.settle(g.text + strings.Join(g.held, ""))
	}
	return g.settle(g.held[len(g.held)-1])
}

// settle makes text, which begins with what is settled, the settled text, and returns what is new of it.
func (g *growing) settle(text string) string {
	news := text[len(g.text):]
	g.text, g.held = text, nil
	return news
}
