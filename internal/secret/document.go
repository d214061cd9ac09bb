package secret

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/jsontext"
)

// Masked is a document without its secrets.
type Masked struct {
	Text  string   // the document as it was written, without its secrets; JSON if the document was
	Found []string // the secrets
	First string   // the path of the first secret, "" if there is none or the document itself is one
	Any   bool     // whether there is a secret, also one that is not a string, such as a PIN
}

// Document masks the secrets of a JSON document, which may be cut off: the values of members that are named like
// secrets, of credentials all but the fields that may be shown, and secrets within other strings, also those that are
// documents or statements in turn. Other texts are masked as Hide does it.
func Document(text string) Masked { return member("", text) }

// Result masks in a JSON document only secrets that are known: within members that are named like secrets as all does
// it, in other strings as some does.
func Result(text string, all, some func(string) string) string {
	d := document{text: text, all: all, some: some}
	if root, ok := parse(text); ok {
		d.walk(root, place{})
		return d.masked().Text
	}
	return all(text)
}

// member masks the value of a member.
func member(name, text string) Masked {
	d := document{text: text}
	root, ok := parse(text)
	if !ok {
		d.replace(name, 0, len(text), Hide(text), InText(text)...)
		return d.masked()
	}
	p := place{}
	if name != "" {
		p = d.enter(p, name, "", root)
	}
	d.walk(root, p)
	return d.masked()
}

// Open returns a member of a credential without the secrets in it, and the path of the first secret: the member itself,
// or one within it; "" for none.
func Open(name string, raw json.RawMessage) (open any, path string, err error) {
	m := member(name, string(raw))
	open, err = jsontext.Decode([]byte(m.Text))
	return open, m.First, err
}

// Within returns the strings in a member of a credential that look like secrets.
func Within(name string, x any) []string {
	raw, err := json.Marshal(x)
	if err != nil {
		return nil
	}
	return member(name, string(raw)).Found
}

// document collects the secrets of a document.
type document struct {
	text  string
	first string
	any   bool
	found []string
	spans []span
	with  []string // what replaces each span

	all, some func(string) string // of Result
}

// place is where a value stands.
type place struct {
	path, name string
	secret     bool // it is within a member that is one
	credential bool // it is within a credential
	types      bool // its names are those of columns, and its values types
}

func (d *document) replace(path string, from, to int, with string, found ...string) {
	if d.text[from:to] == with {
		return
	}
	if !d.any {
		d.first, d.any = path, true
	}
	d.found = append(d.found, found...)
	d.spans, d.with = append(d.spans, span{from, to}), append(d.with, with)
}

func (d *document) masked() Masked {
	var b strings.Builder
	at := 0
	for i, s := range d.spans {
		b.WriteString(d.text[at:s.from])
		b.WriteString(d.with[i])
		at = s.to
	}
	b.WriteString(d.text[at:])
	return Masked{Text: b.String(), Found: d.found, First: d.first, Any: d.any}
}

func (d *document) walk(n *node, p place) {
	switch raw := d.text[n.from:n.to]; raw[0] {
	case '{':
		pair, bound, secrets := pairName(n), d.bindsSecret(n), columnsOf(n)
		for _, m := range n.members {
			if m.value != nil && m.name == "data" && secrets != nil {
				d.rows(m.value, secrets, d.enter(p, m.name, pair, m.value))
			} else if m.value != nil {
				q := d.enter(p, m.name, pair, m.value)
				q.secret = q.secret || bindings(m.name) && (bound || d.all != nil)
				d.walk(m.value, q)
			}
		}
	case '[':
		pair := false // ["password", "x"]
		if len(n.members) == 2 {
			name := n.members[0].value.text
			pair = Named(name) && !ambiguous(name)
		}
		for i, m := range n.members {
			d.walk(m.value, place{path: fmt.Sprintf("%s[%d]", p.path, i), name: p.name,
				secret: p.secret || pair && i == 1, credential: p.credential})
		}
	case '"':
		d.str(n, raw, p)
	case 't', 'f', 'n': // it only says whether there is a secret
	default:
		if d.all == nil && (p.secret || p.credential && !OpenField(p.name)) {
			d.replace(p.path, n.from, n.to, quote(Mark))
		}
	}
}

// columnsOf returns which columns of a result are named like secrets; nil if n is not a result, or none is.
func columnsOf(n *node) []bool {
	var out []bool
	for _, m := range n.members {
		if m.name != "columns" || m.value == nil {
			continue
		}
		for _, c := range m.value.members {
			if c.value == nil {
				break
			}
			name := c.value.text
			for _, of := range c.value.members {
				if of.name == "columnName" && of.value != nil {
					name = of.value.text
				}
			}
			out = append(out, Named(name))
		}
	}
	if !slices.Contains(out, true) {
		return nil
	}
	return out
}

// rows masks the cells of rows that are lists, by their columns.
func (d *document) rows(data *node, secrets []bool, p place) {
	for i, row := range data.members {
		if d.text[row.value.from] != '[' { // of a format with names
			d.walk(row.value, p)
			continue
		}
		for j, cell := range row.value.members {
			q := p
			q.path = fmt.Sprintf("%s[%d][%d]", p.path, i, j)
			q.secret = p.secret || j < len(secrets) && secrets[j]
			d.walk(cell.value, q)
		}
	}
}

// enter returns the place of a member. pair is the name to which its object gives a value.
func (d *document) enter(p place, name, pair string, value *node) place {
	q := place{path: p.path + "." + name, name: name, secret: p.secret, credential: p.credential}
	if p.path == "" {
		q.path = name
	}
	switch low := strings.ToLower(name); {
	case (low == "credential" || low == "credentials" || low == "extraparameters") && d.text[value.from] == '{' &&
		!p.credential:
		q.credential = true
		return q // its own members decide
	case low == "types":
		q.types = true
	case pairValue(low):
		q.secret = q.secret || Named(pair)
	}
	q.secret = q.secret || !p.types && Named(name) && !(pair != "" && strings.EqualFold(name, "key"))
	return q
}

// str masks a string or the secrets in it.
func (d *document) str(n *node, raw string, p place) {
	text, whole := unquote(raw)
	if text == "" || masked(text) {
		return
	}
	if d.all != nil {
		d.known(n, text, p)
		return
	}
	if p.secret || p.credential && !OpenField(p.name) {
		d.replace(p.path, n.from, n.to, quote(Mark), append([]string{text}, d.inner(p, text).Found...)...)
		return
	}
	inner := d.inner(p, text)
	if !whole && !inner.Any { // what is cut off may be the beginning of a secret
		if at := strings.LastIndexAny(text, " \t\n,;"); len(text)-at > 8 {
			inner.Text = text[:at+1] + Mark
		}
	}
	if inner.Text == text {
		return
	}
	path := p.path
	if inner.First != "" {
		path += "." + inner.First
	}
	d.replace(path, n.from, n.to, quote(inner.Text), inner.Found...)
}

// known masks known secrets in a string.
func (d *document) known(n *node, text string, p place) {
	with := text
	switch _, ok := parse(text); {
	case p.secret, p.credential && !OpenField(p.name):
		with = d.all(text)
	case ok && (text[0] == '{' || text[0] == '['):
		with = Result(text, d.all, d.some)
	default:
		with = d.some(text)
	}
	if with != text {
		d.replace(p.path, n.from, n.to, quote(with))
	}
}

// inner masks the secrets within a string.
func (d *document) inner(p place, text string) Masked {
	if trimmed := strings.TrimSpace(text); trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') {
		if _, ok := parse(text); ok {
			return Document(text)
		}
	}
	if statement(p.name) {
		return Masked{Text: Statement(text), Found: InStatement(text), Any: Statement(text) != text}
	}
	return Masked{Text: Hide(text), Found: InText(text), Any: Hide(text) != text}
}

// statement reports whether a member holds SQL.
func statement(name string) bool {
	switch strings.ToLower(name) {
	case "statement", "inputquery", "query", "sql", "goldensql", "expression", "filter", "condition":
		return true
	}
	return false
}

// bindings reports whether a member holds the values of the parameters of a statement.
func bindings(name string) bool {
	return strings.EqualFold(name, "bindings") || strings.EqualFold(name, "bindArgs")
}

// bindsSecret reports whether an object has a statement with parameters in which something is masked: its bindings may
// be the values that are.
func (d *document) bindsSecret(n *node) bool {
	for _, m := range n.members {
		if m.value == nil || !strings.EqualFold(m.name, "statement") {
			continue
		}
		if text, _ := unquote(d.text[m.value.from:m.value.to]); takesSecret(text) {
			return true
		}
	}
	return false
}

// pairName returns the name of an object that gives a value to a name, such as {"name": "password", "value": "x"}; ""
// for none.
func pairName(n *node) (name string) {
	gives := false
	for _, m := range n.members {
		switch low := strings.ToLower(m.name); {
		case pairValue(low):
			gives = true
		case m.value == nil || m.value.text == "":
		case Named(name): // the first that is a secret's
		case low == "name", low == "key", low == "fieldname", low == "field", low == "header", low == "parametername",
			low == "type", low == "property", low == "column", low == "columnname":
			name = m.value.text
		}
	}
	if !gives {
		return ""
	}
	return name
}

func pairValue(low string) bool {
	return low == "value" || low == "fieldvalue" || low == "parametervalue" || low == "val" || low == "content" ||
		low == "defaultvalue"
}

func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
