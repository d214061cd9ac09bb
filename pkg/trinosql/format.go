package trinosql

import (
	"errors"
	"strings"
)

// Format lays out a text of one or several statements: a clause on each line, long lists with an item on each line,
// keywords in upper case, names and literals as they are written. Comments stay next to their tokens. Formatting the
// result again changes nothing. Statements of kind Other, and those with functions of their own, are not changed. An
// *Error has its place in the whole text.
func Format(text string) (string, error) {
	out, settled, err := formatOnce(text)
	if err != nil {
		return "", err
	}
	if settled {
		return out, nil
	}
	for range 8 {
		again, _, err := formatOnce(out)
		if err != nil {
			return "", err
		}
		if again == out {
			return out, nil
		}
		out = again
	}
	return "", errors.New("the layout of this text changes whenever it is formatted again")
}

// formatOnce lays out a text. settled reports that formatting the result again would not change it: without comments
// the layout depends on the tokens alone, which stay the same.
func formatOnce(text string) (out string, settled bool, err error) {
	f := &formatter{text: text}
	f.read()
	out, err = f.whole()
	return out, !f.notes, err
}

func (f *formatter) whole() (string, error) {
	var out strings.Builder
	from := 0
	var body routineBody
	for i := 0; i < len(f.toks); i++ {
		t := &f.toks[i]
		if inside := body.next(t.show, t.token); t.kind != kEOF && (inside || t.sym != sSemicolon) {
			continue
		}
		if i == from && t.notes == nil {
			from = i + 1
			continue
		}
		d, err := f.statement(from, i)
		if err != nil {
			return "", err
		}
		if from == i {
			t.show = "" // only comments
		}
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		l := layout{}
		l.out.Grow(f.toks[i].end - f.toks[from].from.Offset)
		l.put(concat(d, f.tok(i)), 0, false)
		out.WriteString(strings.Trim(l.out.String(), " \t\r\n") + "\n")
		from = i + 1
	}
	return out.String(), nil
}

// formatter holds the tokens of a text with their comments.
type formatter struct {
	text    string
	lexed   []token // the same tokens for the parser
	toks    []ftoken
	queries map[int]bool // offsets at which a query begins
	notes   bool         // there are comments, or statements that are not changed
}

type ftoken struct {
	token
	show  string
	word  string         // a keyword in upper case, "" for everything else
	notes *tokenComments // nil for most: the tokens of a large text should stay small
	close int32          // index of the token that closes this bracket or CASE
	glued bool           // no space after it: a sign, the name of a function
	name  bool           // part of a name or type
}

// tokenComments are the comments before and after a token.
type tokenComments struct{ lead, trail []fcomment }

func (t *ftoken) comments() *tokenComments {
	if t.notes == nil {
		t.notes = &tokenComments{}
	}
	return t.notes
}

type fcomment struct {
	text  string
	ended bool // a line ends after it
}

// read cuts the text into tokens and attaches each comment to the token before it on its line, or else to the one after
// it.
func (f *formatter) read() {
	var found []foundComment
	l := lexer{text: f.text, line: 1, comment: func(from, end int) {
		found = append(found,
			foundComment{len(f.lexed), from, end})
	}}
	f.lexed = make([]token, 0, len(f.text)/4+2)
	for len(f.lexed) == 0 || f.lexed[len(f.lexed)-1].kind != kEOF {
		f.lexed = append(f.lexed, l.next())
	}
	f.toks = make([]ftoken, 0, len(f.lexed))
	f.notes = len(found) > 0
	for i, t := range f.lexed {
		n := ftoken{token: t, show: f.text[t.from.Offset:t.end], close: -1}
		last := 0
		if len(f.toks) > 0 {
			last = f.toks[len(f.toks)-1].end
		}
		for ; len(found) > 0 && found[0].token == i; found = found[1:] {
			c := found[0]
			text := strings.TrimRight(f.text[c.from:c.end], " \t\r\n")
			upto := t.from.Offset
			behind := f.text[c.end:upto]
			cm := fcomment{text, strings.HasPrefix(text, "--") || strings.ContainsAny(strings.SplitN(behind, "/*",
				2)[0], "\r\n")}
			if len(f.toks) > 0 && n.notes == nil && !strings.ContainsAny(f.text[last:c.from], "\r\n") {
				before := &f.toks[len(f.toks)-1]
				before.comments().trail = append(before.comments().trail, cm)
			} else {
				n.comments().lead = append(n.comments().lead, cm)
			}
			last = c.end
		}
		f.toks = append(f.toks, n)
	}
}

// foundComment is a comment before a token.
type foundComment struct{ token, from, end int }

// parse reads the tokens of one statement, whose places are those in the whole text.
func (f *formatter) parse(from, to int) (Statement, error) {
	last := f.lexed[to-1]
	l := lexer{text: f.text, at: last.from.Offset, line: last.from.Line, bol: last.from.Offset - last.from.Col + 1}
	l.skip(last.end - last.from.Offset)
	tokens := f.lexed[from : to+1]
	tokens[to-from] = token{kind: kEOF, from: l.pos(), end: last.end}
	p := &parser{lex: lexer{text: f.text}, tokens: tokens, tok: tokens[0]}
	return p.whole()
}

// statement lays out the tokens of one statement.
func (f *formatter) statement(from, to int) (*doc, error) {
	if from == to {
		return concat(), nil
	}
	start := f.toks[from].from
	text := f.text[start.Offset:f.toks[to-1].end]
	tree, err := f.parse(from, to)
	if err != nil {
		return nil, err
	}
	inner := tree
	if x, ok := tree.(*Explain); ok {
		inner = x.Statement
	}
	_, other := inner.(*Other)
	if q, ok := inner.(*Query); other || ok && q.Routines != nil {
		f.notes = true
		lead := f.toks[from]
		lead.show = text
		lead.notes = &tokenComments{lead: lead.comments().lead, trail: f.toks[to-1].comments().trail}
		return lead.doc(), nil
	}
	f.mark(tree, from, to, start.Offset)
	return f.query(from, to, hard), nil
}

// mark copies properties from the tree to the tokens.
func (f *formatter) mark(tree Statement, from, to, shift int) {
	begins := make([]int32, f.toks[to-1].end-shift+1) // 1 + the index of the token that begins at an offset
	for i := from; i < to; i++ {
		begins[f.toks[i].from.Offset-shift] = int32(i) + 1
	}
	at := func(offset int) (int, bool) {
		if offset -= shift; offset < 0 || offset >= len(begins) || begins[offset] == 0 {
			return 0, false
		}
		return int(begins[offset]) - 1, true
	}
	named := func(n Node, calls bool) {
		begin, end := n.Span()
		for i, ok := at(begin); ok && i < to && f.toks[i].end <= end; i++ {
			f.toks[i].name = true
			f.toks[i].glued = f.toks[i].glued || calls
		}
	}
	f.queries = map[int]bool{}
	Inspect(tree, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			begin, _ := n.Span()
			f.queries[begin] = true
		case *Ident:
			named(n, false)
		case Type:
			named(n, true)
			begin, end := n.Span()
			for i, ok := at(begin); ok && i < to && f.toks[i].end <= end; i++ {
				f.toks[i].glued = i+1 < to && f.toks[i+1].sym == sLParen
			}
		case *Func:
			if k := len(n.Name); k > 0 {
				named(n.Name[k-1], true)
			}
		case *Unary:
			if i, ok := at(n.Pos().Offset); ok {
				f.toks[i].glued = i+1 < to && f.toks[i+1].sym != sMinus
			}
		}
		return true
	})
	var open []int
	for i := from; i < to; i++ {
		t := &f.toks[i]
		if t.kind == kIdent && !t.name {
			t.word = strings.ToUpper(t.show)
			t.show = t.word
		}
		switch {
		case t.sym == sLParen, t.sym == sLBracket, t.word == "CASE":
			open = append(open, i)
		case (t.sym == sRParen || t.sym == sRBracket || t.word == "END") && len(open) > 0:
			f.toks[open[len(open)-1]].close = int32(i)
			open = open[:len(open)-1]
		}
		switch t.word {
		case "CAST", "TRY_CAST", "TRIM", "EXTRACT", "SUBSTRING", "POSITION", "NORMALIZE", "GROUPING", "LISTAGG", "ROW",
			"CURRENT_TIME", "CURRENT_TIMESTAMP",
			"LOCALTIME", "LOCALTIMESTAMP", "JSON_EXISTS", "JSON_VALUE", "JSON_QUERY", "JSON_OBJECT",
			"JSON_ARRAY", "UNNEST":
			t.glued = true
		}
		if t.word == "GROUPING" && i+1 < to && strings.EqualFold(f.toks[i+1].show, "SETS") {
			t.glued = false
		}
	}
}
