package suggest

import (
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// Kinds of candidates, in the order in which they are offered.
const (
	KindColumn   = "column"
	KindAlias    = "alias"
	KindTable    = "table"
	KindSchema   = "schema"
	KindCatalog  = "catalog"
	KindFunction = "function"
	KindKeyword  = "keyword"
	KindCommand  = "command"
)

// Candidate is a name or word that can be inserted at the cursor.
type Candidate struct {
	Text   string // to be inserted
	Kind   string
	Detail string // such as the type of a column
}

// Namespace is where names without a catalog or a schema are looked up.
type Namespace struct {
	Catalog, Schema string
	// Other returns the columns of a name that is not among the tables: the literal of a file, in its quotes, or a
	// table of the session.
	Other func(name string) []Column
}

var (
	functionList = sync.OnceValue(func() []Candidate { return Functions(false) })
	keywordList  = sync.OnceValue(func() []Candidate {
		var out []Candidate
		for _, w := range trinosql.Keywords() {
			out = append(out, Candidate{Text: w, Kind: KindKeyword})
		}
		slices.SortFunc(out, func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) })
		return out
	})
	firstWords = sync.OnceValue(func() []Candidate {
		var out []Candidate
		for _, w := range []string{"DESCRIBE", "EXPLAIN", "FROM", "SELECT", "SHOW", "SUMMARIZE", "TABLE", "VALUES",
			"WITH"} {
			out = append(out, Candidate{Text: w, Kind: KindKeyword})
		}
		return out
	})
)

// At returns the candidates for a byte offset of a text, and the offset at which it begins: the candidates replace the
// text between the two.
func At(text string, at int, k *Known, here Namespace) (from int, list []Candidate) {
	at = min(max(at, 0), len(text))
	tokens, before, ok := scan(text, at)
	if !ok {
		return at, nil
	}
	c := &completion{k: k, here: here, at: at, from: at, tokens: tokens}
	c.before = before
	if n := before - 1; n >= 0 && tokens[n].word != "" && tokens[n].to >= at && tokens[n].from < at {
		c.from, c.quoted = tokens[n].from, tokens[n].quoted
		c.prefix = text[c.from:at]
		if c.quoted {
			c.prefix = c.prefix[1:]
		}
		c.before = n
	} else if n >= 0 && tokens[n].word == "" && tokens[n].text != "." && tokens[n].to == at &&
		isDigit(tokens[n].text[0]) {
		return at, nil
	}
	c.qualifiers()
	c.fill()
	return c.from, c.out
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// completion is the work of one call of At.
type completion struct {
	k        *Known
	here     Namespace
	at, from int
	tokens   []token
	before   int // tokens before the name at the cursor and its qualifiers
	prefix   string
	quoted   bool
	parts    []string // qualifiers: the names before the dots
	out      []Candidate
}

// qualifiers parses the names and dots before the cursor.
func (c *completion) qualifiers() {
	for c.before >= 2 && c.tokens[c.before-1].text == "." && c.tokens[c.before-2].word != "" {
		c.parts = append([]string{c.tokens[c.before-2].word}, c.parts...)
		c.before -= 2
	}
}

func (c *completion) add(kind, name, detail string) {
	if len(name) >= len(c.prefix) && strings.EqualFold(name[:len(c.prefix)], c.prefix) {
		c.out = append(c.out, Candidate{Text: c.name(name), Kind: kind, Detail: detail})
	}
}

// name writes a name in the form in which it was begun: in double quotes if it needs them or was begun with one.
func (c *completion) name(name string) string {
	if c.quoted {
		return sqltext.Quote(name)
	}
	return Name(name)
}

func (c *completion) previous(n int) token {
	if c.before-n < 0 {
		return token{}
	}
	return c.tokens[c.before-n]
}

func (c *completion) fill() {
	reads, with := sources(c.tokens)
	switch prev := c.previous(1); {
	case len(c.parts) > 0:
		if c.wantsTable() {
			c.within(true)
			return
		}
		if !c.ofSource(reads, with) {
			c.within(false)
		}
	case c.before == 0:
		c.words(firstWords())
	case c.wantsTable():
		c.tables(with)
	case prev.is("as") && !c.previous(2).is("with") && c.before > 1:
		// a new name, unless a query follows in parentheses
	case prev.is("show"):
		c.words(only("TABLES", "SCHEMAS", "CATALOGS", "COLUMNS", "CREATE", "FUNCTIONS"))
	case c.previous(2).is("show"):
		c.words(only("FROM", "LIKE", "TABLE", "VIEW"))
	case prev.is("group", "order", "partition"):
		c.words(only("BY"))
	case prev.is("explain"):
		c.words(only("ANALYZE", "SELECT", "WITH"))
	default:
		c.columns(reads, with)
		for _, s := range c.visible(reads) {
			if s.alias != "" {
				c.add(KindAlias, s.alias, strings.Join(s.path, "."))
			} else if len(s.path) > 0 {
				c.add(KindAlias, s.path[len(s.path)-1], strings.Join(s.path, "."))
			}
		}
		if !c.quoted {
			if c.prefix != "" {
				c.functions()
			}
			c.words(keywordList())
		}
	}
}

func only(words ...string) []Candidate {
	out := make([]Candidate, len(words))
	for i, w := range words {
		out[i] = Candidate{Text: w, Kind: KindKeyword}
	}
	return out
}

// wantsTable reports whether the name at the cursor is that of a table.
func (c *completion) wantsTable() bool {
	prev := c.previous(1)
	switch {
	case prev.is("from", "join"):
		return !extracting(c.tokens, c.before-1)
	case prev.is("describe", "desc", "summarize", "into", "table", "columns"):
		return c.before <= 3 || prev.is("into")
	case prev.text != ",":
		return false
	}
	depth := prev.depth
	for i := c.before - 2; i >= 0; i-- { // the clause that the comma is in
		switch t := c.tokens[i]; {
		case t.depth > depth:
		case t.depth < depth || t.text == "(" && t.depth == depth:
			return false
		case t.is("from"):
			return !extracting(c.tokens, i)
		case t.is("select", "where", "by", "on", "having", "values", "using"):
			return false
		}
	}
	return false
}

// visible returns the sources whose names are valid at the cursor.
func (c *completion) visible(reads []source) []source {
	var out []source
	for _, s := range reads {
		if s.from <= c.at && c.at <= s.to {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b source) int { return b.from - a.from }) // the innermost first
	return out
}

// columnsOf returns the columns of a source.
func (c *completion) columnsOf(s source, with map[string][]Column) []Column {
	if s.query {
		return s.columns
	}
	if len(s.path) == 1 {
		if cols, ok := with[strings.ToLower(s.path[0])]; ok {
			return cols
		}
	}
	if c.here.Other != nil && (s.literal != "" || len(s.path) == 1) {
		name := s.literal
		if name == "" {
			name = s.path[0]
		}
		if cols := c.here.Other(name); cols != nil {
			return cols
		}
	}
	if t := c.find(s.path); len(t) > 0 {
		return t[0].Columns
	}
	return nil
}

// find looks a table up by name, first in the schema that is in use.
func (c *completion) find(path []string) []Table {
	switch {
	case len(path) == 1 && c.here.Schema != "":
		if t := c.k.Find(c.here.Catalog, c.here.Schema, path[0]); t != nil {
			return t
		}
	case len(path) == 2 && c.here.Catalog != "":
		if t := c.k.Find(c.here.Catalog, path[0], path[1]); t != nil {
			return t
		}
	}
	return c.k.Find(path...)
}

func (c *completion) columns(reads []source, with map[string][]Column) {
	seen := map[string]bool{}
	for _, s := range c.visible(reads) {
		for _, col := range c.columnsOf(s, with) {
			if name := strings.ToLower(col.Name); !seen[name] {
				seen[name] = true
				c.add(KindColumn, col.Name, col.Type)
			}
		}
	}
}

// ofSource completes the columns of an alias or of a table that the statement reads.
func (c *completion) ofSource(reads []source, with map[string][]Column) bool {
	found := false
	for _, s := range c.visible(reads) {
		same := len(c.parts) == 1 && strings.EqualFold(s.alias, c.parts[0])
		if n := len(s.path) - len(c.parts); s.alias == "" && n >= 0 {
			same = slices.EqualFunc(s.path[n:], c.parts, strings.EqualFold)
		}
		if !same {
			continue
		}
		found = true
		for _, col := range c.columnsOf(s, with) {
			c.add(KindColumn, col.Name, col.Type)
		}
	}
	return found
}

// within completes names in a catalog, a schema or, unless a table is wanted, a table.
func (c *completion) within(wantsTable bool) {
	first := c.parts[0]
	switch len(c.parts) {
	case 1:
		for _, s := range c.k.Schemas(first) {
			c.add(KindSchema, s, first)
		}
		c.inSchema(c.here.Catalog, first)
	case 2:
		c.inSchema(first, c.parts[1])
	}
	if wantsTable {
		return
	}
	if t := c.find(c.parts); len(t) > 0 {
		for _, col := range t[0].Columns {
			c.add(KindColumn, col.Name, col.Type)
		}
	}
}

func (c *completion) inSchema(catalog, schema string) {
	if catalog == "" {
		return
	}
	for _, t := range c.k.Tables {
		if strings.EqualFold(t.Catalog, catalog) && strings.EqualFold(t.Schema, schema) {
			c.add(KindTable, t.Name, columnCount(t))
		}
	}
}

// tables offers WITH queries, tables that need no schema, then all others by their whole name, and catalogs.
func (c *completion) tables(with map[string][]Column) {
	for name := range with {
		c.add(KindTable, name, "WITH")
	}
	slices.SortFunc(c.out, func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) })
	if c.here.Schema != "" {
		c.inSchema(c.here.Catalog, c.here.Schema)
		for _, s := range c.k.Schemas(c.here.Catalog) {
			c.add(KindSchema, s, c.here.Catalog)
		}
	}
	for _, t := range c.k.Tables {
		switch name := t.Name; {
		case c.k.bare[t.in()]:
			c.add(KindTable, name, columnCount(t))
		case c.prefix != "" && !c.quoted && t.Schema != "information_schema" && len(name) >= len(c.prefix) &&
			strings.EqualFold(name[:len(c.prefix)], c.prefix):
			c.out = append(c.out, Candidate{Text: c.k.Path(t), Kind: KindTable, Detail: columnCount(t)})
		}
	}
	for _, name := range c.k.Catalogs() {
		c.add(KindCatalog, name, "")
	}
	if !c.quoted && c.prefix != "" {
		c.words(only("LATERAL", "UNNEST"))
	}
}

func columnCount(t Table) string {
	names := make([]string, 0, 4)
	for _, col := range t.Columns {
		if strings.HasPrefix(col.Name, "_") {
			continue
		}
		if len(names) == 4 {
			names = append(names, "…")
			break
		}
		names = append(names, col.Name)
	}
	return strings.Join(names, ", ")
}
