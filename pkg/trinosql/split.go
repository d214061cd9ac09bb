package trinosql

import "strings"

// Part is one statement of a text that holds several.
type Part struct {
	Text string // without the semicolon, and without white space and comments around it
	At   Pos    // of its first token in the whole text
	End  int    // byte offset after its last token
	// From and To are the byte offsets of the statement with the comments around it: after the previous semicolon, and
	// at its own or the end of the text.
	From, To int
	// Ended reports whether a semicolon follows.
	Ended bool
	// Bad reports that it has a character that begins no token, such as the quote of a text that does not end.
	Bad bool
}

// Split cuts a text at the semicolons between statements. Parts without a token are left out.
func Split(text string) []Part {
	var parts []Part
	l := lexer{text: text, line: 1}
	var first token
	end, from, bad := -1, 0, false
	var body routineBody
	for {
		t := l.next()
		inside := body.next(text[t.from.Offset:t.end], t)
		done := t.kind == kEOF || t.sym == sSemicolon && !inside
		switch {
		case !done && end < 0:
			first, end, bad = t, t.end, t.kind == kBad
		case !done:
			end, bad = t.end, bad || t.kind == kBad
		case end >= 0:
			parts = append(parts, Part{text[first.from.Offset:end], first.from, end, from, t.from.Offset,
				t.sym == sSemicolon, bad})
			end = -1
		}
		if t.kind == kEOF {
			return parts
		}
		if done {
			from = t.end
		}
	}
}

// routineBody follows BEGIN and END in the bodies of the functions of a statement, whose semicolons do not end it.
type routineBody struct {
	words    []string // the first ones of the statement
	function bool
	depth    int
	last     string
}

// next reads a token, and reports whether it is in a body.
func (b *routineBody) next(text string, t token) bool {
	word := ""
	if t.kind == kIdent {
		word = strings.ToUpper(text)
	}
	if len(b.words) < 4 {
		b.words = append(b.words, word)
		switch strings.Join(b.words, " ") {
		case "WITH FUNCTION", "CREATE FUNCTION", "CREATE OR REPLACE FUNCTION":
			b.function = true
		}
	}
	if b.function {
		last := b.last
		if b.last = word; last == "END" { // of END alone, END CASE, END IF and so on
			switch word {
			case "IF", "LOOP", "WHILE", "REPEAT":
			default:
				b.depth = max(0, b.depth-1)
			}
		}
		if word == "BEGIN" || word == "CASE" && last != "END" {
			b.depth++
		}
	}
	inside := b.depth > 0
	if t.sym == sSemicolon && !inside {
		*b = routineBody{}
	}
	return inside
}

// Tables lists the names of the tables that a statement reads, in the order of the text; names of its WITH queries are
// omitted in their scope.
func Tables(s Statement) [][]*Ident {
	var found [][]*Ident
	var scope []map[string]bool
	named := func(name []*Ident) bool {
		if len(name) == 1 {
			for _, names := range scope {
				if names[name[0].Lower()] {
					return true
				}
			}
		}
		return false
	}
	var visit func(n Node) bool
	visit = func(n Node) bool {
		var name []*Ident
		switch n := n.(type) {
		case *Query:
			if n.With == nil {
				return true
			}
			names := map[string]bool{}
			scope = append(scope, names)
			for _, q := range n.With.Queries {
				if n.With.Recursive {
					names[q.Name.Lower()] = true
				}
				Inspect(q.Query, visit)
				names[q.Name.Lower()] = true
			}
			Inspect(n.Body, visit)
			for _, o := range n.OrderBy {
				Inspect(o, visit)
			}
			scope = scope[:len(scope)-1]
			return false
		case *TableRef:
			name = n.Name
		case *TableBody:
			name = n.Name
		case *Show:
			if n.What == "STATS" && n.Query == nil {
				name = n.Name
			}
		}
		if name != nil && !named(name) {
			found = append(found, name)
		}
		return true
	}
	Inspect(s, visit)
	return found
}

// Measures are the dimensions of a text that determine the cost of reading it.
type Measures struct {
	Tokens  int
	Depth   int // of nested brackets
	Parts   int // of the longest name, joined by dots
	TooDeep Pos // of the first bracket beyond maxDepth
	TooMany Pos // of the first token beyond maxTokens
	TooLong Pos // of the first dot beyond maxParts
}

// Measure reads a text without parsing it and reports where it exceeds the limits.
func Measure(text string, maxTokens, maxDepth, maxParts int) Measures {
	var m Measures
	l := lexer{text: text, line: 1}
	depth, parts := 0, 1
	var before symbol
	for {
		t := l.next()
		if t.kind == kEOF {
			return m
		}
		if m.Tokens++; m.Tokens == maxTokens+1 {
			m.TooMany = t.from
		}
		switch t.sym {
		case sLParen, sLBracket:
			if depth++; depth == maxDepth+1 && m.Depth <= maxDepth {
				m.TooDeep = t.from
			}
			m.Depth = max(m.Depth, depth)
		case sRParen, sRBracket:
			depth--
		case sDot:
			if parts++; parts == maxParts+1 && m.Parts <= maxParts {
				m.TooLong = t.from
			}
			m.Parts = max(m.Parts, parts)
		default:
			if before != sDot {
				parts = 1
			}
		}
		before = t.sym
	}
}
