package trinosql

import (
	"errors"
	"strings"
)

// Format lays out a text of one or several statements: a clause on each line, long lists with an item on each line, keywords in upper case,
// names and literals as they are written. Comments stay at the tokens that they stand beside. Formatting the result again changes nothing.
// Statements of which only the kind is known stay as they are. An *Error has its place in the whole text.
func Format(text string) (string, error) {
	out, err := formatOnce(text)
	for range 8 {
		if err != nil {
			return "", err
		}
		again, err := formatOnce(out)
		if err != nil {
			return "", err
		}
		if again == out {
			return out, nil
		}
		out = again
	}
	return "", errors.New("the layout of this text does not settle")
}

func formatOnce(text string) (string, error) {
	f := &formatter{text: text}
	f.read()
	var out strings.Builder
	from := 0
	for i := 0; i < len(f.toks); i++ {
		t := &f.toks[i]
		if t.sym != sSemicolon && t.kind != kEOF {
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
	toks    []ftoken
	queries map[int]bool // offsets at which a query begins
}

type ftoken struct {
	token
	show  string
	word  string         // a keyword in upper case, "" for everything else
	notes *tokenComments // nil for most: the tokens of a large text should stay small
	close int32          // index of the token that closes this bracket or CASE
	glued bool           // no space behind it: a sign, the name of a function
	name  bool           // part of a name or type
}

// tokenComments are those before a token and those behind it.
type tokenComments struct{ lead, trail []fcomment }

func (t *ftoken) comments() *tokenComments {
	if t.notes == nil {
		t.notes = &tokenComments{}
	}
	return t.notes
}

type fcomment struct {
	text  string
	ended bool // a line ends behind it
}

// read cuts the text into tokens and gives each comment to the token before it on its line, or else to the one behind it.
func (f *formatter) read() {
	n := 0
	for l := (lexer{text: f.text, line: 1}); ; n++ {
		if l.next().kind == kEOF {
			break
		}
	}
	f.toks = make([]ftoken, 0, n+1)
	var found [][2]int
	l := lexer{text: f.text, line: 1, comment: func(from, end int) { found = append(found, [2]int{from, end}) }}
	for {
		found = found[:0]
		t := l.next()
		n := ftoken{token: t, show: f.text[t.from.Offset:t.end], close: -1}
		last := 0
		if len(f.toks) > 0 {
			last = f.toks[len(f.toks)-1].end
		}
		for _, c := range found {
			text := strings.TrimRight(f.text[c[0]:c[1]], " \t\r\n")
			upto := t.from.Offset
			behind := f.text[c[1]:upto]
			cm := fcomment{text, strings.HasPrefix(text, "--") || strings.ContainsAny(strings.SplitN(behind, "/*", 2)[0], "\r\n")}
			if len(f.toks) > 0 && n.notes == nil && !strings.ContainsAny(f.text[last:c[0]], "\r\n") {
				before := &f.toks[len(f.toks)-1]
				before.comments().trail = append(before.comments().trail, cm)
			} else {
				n.comments().lead = append(n.comments().lead, cm)
			}
			last = c[1]
		}
		f.toks = append(f.toks, n)
		if t.kind == kEOF {
			return
		}
	}
}

// statement lays out the tokens of one statement.
func (f *formatter) statement(from, to int) (*doc, error) {
	if from == to {
		return concat(), nil
	}
	start := f.toks[from].from
	text := f.text[start.Offset:f.toks[to-1].end]
	tree, err := Parse(text)
	if e, ok := err.(*Error); ok {
		moved := *e
		if e.At.Line == 1 {
			moved.At.Col += start.Col - 1
		}
		moved.At.Line += start.Line - 1
		moved.At.Offset += start.Offset
		return nil, &moved
	}
	if err != nil {
		return nil, err
	}
	inner := tree
	if x, ok := tree.(*Explain); ok {
		inner = x.Statement
	}
	if _, ok := inner.(*Other); ok {
		lead := f.toks[from]
		lead.show = text
		lead.notes = &tokenComments{lead: lead.comments().lead, trail: f.toks[to-1].comments().trail}
		return lead.doc(), nil
	}
	f.mark(tree, from, to, start.Offset)
	return f.query(from, to, hard), nil
}

// mark tells the tokens what the tree knows about them.
func (f *formatter) mark(tree Statement, from, to, shift int) {
	begins := make([]int32, f.toks[to-1].end-shift+1) // 1 + the index of the token that begins at an offset
	for i := from; i < to; i++ {
		begins[f.toks[i].from.Offset-shift] = int32(i) + 1
	}
	at := func(offset int) (int, bool) {
		if offset < 0 || offset >= len(begins) || begins[offset] == 0 {
			return 0, false
		}
		return int(begins[offset]) - 1, true
	}
	named := func(n Node, calls bool) {
		begin, end := n.Span()
		for i, ok := at(begin); ok && i < to && f.toks[i].end-shift <= end; i++ {
			f.toks[i].name = true
			f.toks[i].glued = f.toks[i].glued || calls
		}
	}
	f.queries = map[int]bool{}
	Inspect(tree, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			begin, _ := n.Span()
			f.queries[begin+shift] = true
		case *Ident:
			named(n, false)
		case Type:
			named(n, true)
			begin, end := n.Span()
			for i, ok := at(begin); ok && i < to && f.toks[i].end-shift <= end; i++ {
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
		case "CAST", "TRY_CAST", "TRIM", "EXTRACT", "SUBSTRING", "POSITION", "NORMALIZE", "GROUPING", "LISTAGG", "ROW", "CURRENT_TIME", "CURRENT_TIMESTAMP",
			"LOCALTIME", "LOCALTIMESTAMP", "JSON_EXISTS", "JSON_VALUE", "JSON_QUERY", "JSON_OBJECT", "JSON_ARRAY", "UNNEST":
			t.glued = true
		}
		if t.word == "GROUPING" && i+1 < to && strings.EqualFold(f.toks[i+1].show, "SETS") {
			t.glued = false
		}
	}
}
