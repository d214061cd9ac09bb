// Package sqlstmt reads the SQL that users write, for commands that split, limit and page it or look at the tables it
// reads.
//
// Text in Trino's language is parsed. Text that the parser does not accept, such as the syntax of a later version, is
// only split into tokens: see package sqltext.
package sqlstmt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// Split splits a text at its semicolons and omits parts without a statement. Comments belong to the statement after
// them.
func Split(sql string) []sqltext.Part {
	var parts []sqltext.Part
	for _, p := range trinosql.Split(sql) {
		if p.Bad { // a quote or comment that does not end extends to the end of the text
			return sqltext.Split(sql, false)
		}
		text := strings.TrimLeft(sql[p.From:p.To], space)
		from := p.To - len(text)
		line, col := sqltext.PositionOf(sql, from)
		parts = append(parts, sqltext.Part{Text: strings.TrimRight(text, space), Line: line - 1, Col: col - 1})
	}
	return parts
}

const space = " \t\r\n\f\v"

// Single returns the only statement of a text, without its semicolon; a text with none or several is returned
// unchanged.
func Single(sql string) string {
	if parts := Split(sql); len(parts) == 1 {
		return parts[0].Text
	}
	return sql
}

// TrimEnd removes one semicolon at the end of a text, with the white space and comments around it: the hosted zones do
// not accept one. Those between statements stay.
func TrimEnd(sql string) string {
	parts := trinosql.Split(sql)
	switch {
	case slices.ContainsFunc(parts, func(p trinosql.Part) bool { return p.Bad }):
		return sqltext.TrimEnd(sql, false)
	case len(parts) > 0 && parts[len(parts)-1].Ended:
		return sql[:parts[len(parts)-1].End]
	}
	return sql
}

// Limit limits a statement to n rows. LIMIT is appended at the end, where it preserves the order of the rows; a
// statement with its own limit becomes a subquery, with its first line on the second line of the text (wrapped is 1).
func Limit(sql string, n int64) (limited string, wrapped int) {
	q := parse(sql)
	if q == nil {
		return sqltext.Limit(sql, n, false)
	}
	sql = sql[:trinosql.Split(sql)[0].End]
	if q.Limit != nil || q.LimitAll || q.Fetch || q.Offset != nil {
		return within(q, sql, "SELECT * FROM (", fmt.Sprintf(") LIMIT %d", n)), 1
	}
	return fmt.Sprintf("%s\nLIMIT %d", sql, n), 0
}

// Within puts a statement into a query that has one text before it and another behind. Its first line is the second
// one. The functions that it declares stay at the beginning, where alone they are allowed.
func Within(sql, before, behind string) string { return within(parse(sql), sql, before, behind) }

func within(q *trinosql.Query, sql, before, behind string) string {
	head := ""
	if q != nil && q.Routines != nil {
		_, end := q.Routines[len(q.Routines)-1].Span()
		end += trinosql.Split(sql)[0].At.Offset
		head, sql = sql[:end]+" ", sql[end:]
	}
	return head + before + "\n" + sql + "\n" + behind
}

// Limited reports whether a statement has a LIMIT, OFFSET or FETCH of its own.
func Limited(sql string) bool {
	if q := parse(sql); q != nil {
		return q.Limit != nil || q.LimitAll || q.Fetch || q.Offset != nil
	}
	at := sqltext.Clauses(sql, false)
	return at["limit"] >= 0 || at["offset"] >= 0 || at["fetch"] >= 0
}

// Tables returns the tables with three-part names that a statement reads, each once and spelled as in the statement. If
// the text cannot be parsed, the result may include three-part names of columns.
func Tables(sql string) []sqltext.TableRef {
	tree, err := trinosql.Parse(TrimEnd(sql))
	if err != nil {
		return sqltext.TablesIn(sql)
	}
	var found []sqltext.TableRef
	seen := map[sqltext.TableRef]bool{}
	for _, name := range trinosql.Tables(tree) {
		if len(name) != 3 {
			continue
		}
		t := sqltext.TableRef{Catalog: written(name[0]), Schema: written(name[1]), Table: written(name[2])}
		if !seen[t] {
			seen[t] = true
			found = append(found, t)
		}
	}
	return found
}

// parse returns the query in a text; nil if the text is not a query, contains several statements, or cannot be parsed.
func parse(sql string) *trinosql.Query {
	parts := trinosql.Split(sql)
	if len(parts) != 1 || parts[0].Bad {
		return nil
	}
	tree, err := trinosql.Parse(parts[0].Text)
	if err != nil {
		return nil
	}
	q, _ := tree.(*trinosql.Query)
	return q
}

// written returns a name in the form in which it is looked up: in lower case unless it is quoted.
func written(i *trinosql.Ident) string {
	if i.Quoted {
		return i.Name
	}
	return i.Lower()
}

// Params are the parameters of a statement.
type Params struct {
	Placeholders int      // number of ?
	Names        []string // of :NAME in their order, with repetitions
	// the statement with ? and blanks in place of each :NAME, so that the columns of everything else do not change
	Text string
}

// ParamsOf finds the parameters of a statement. A colon is not a parameter if it follows a colon, or if blanks separate
// it from the name.
func ParamsOf(sql string) Params {
	var p Params
	var b strings.Builder
	done, colon, before := 0, -2, -2 // positions of the last colon and of the previous one
	sqltext.Scan(sql, false, func(from, to int) {
		switch c := sql[from]; {
		case c == '?':
			p.Placeholders++
		case c == ':':
			before, colon = colon, from
		case from == colon+1 && before != colon-1 && sqltext.WordStart(c):
			name := sql[from:to]
			p.Names = append(p.Names, name)
			b.WriteString(sql[done:colon] + "?" + strings.Repeat(" ", utf8.RuneCountInString(name)))
			done = to
		}
	})
	p.Text = b.String() + sql[done:]
	return p
}

// WithNulls replaces a ? by NULL where its value is, because values are sent as texts.
func WithNulls(sql string, null []bool) string {
	var b strings.Builder
	done, n := 0, 0
	sqltext.Scan(sql, false, func(from, to int) {
		if sql[from] != '?' {
			return
		}
		if n < len(null) && null[n] {
			b.WriteString(sql[done:from] + "NULL")
			done = to
		}
		n++
	})
	return b.String() + sql[done:]
}

// Reads reports whether a statement reads a table of a catalog; see Reading.Of.
func Reads(sql, catalog, table string, schemas ...string) bool {
	return ReadingOf(sql).Of(catalog, table, schemas...)
}

// Fault returns why a text is not a statement of Trino. It returns nil for a valid statement, and for one that cannot
// be parsed completely here. Parameters such as :name are allowed.
func Fault(sql string) *trinosql.Error {
	text := TrimEnd(sql)
	fault := trinosql.Fault(text)
	if fault == nil {
		return nil
	}
	if p := ParamsOf(text); len(p.Names) > 0 {
		fault = trinosql.Fault(p.Text)
	}
	return fault
}

// Reading holds the names of the tables in a statement, each with one to three parts.
type Reading [][]string

// ReadingOf finds the names of tables in a statement.
func ReadingOf(sql string) Reading {
	var out Reading
	tree, err := trinosql.Parse(TrimEnd(sql))
	if err != nil {
		for _, t := range sqltext.TablesIn(sql) {
			out = append(out, []string{t.Catalog, t.Schema, t.Table})
		}
		return out
	}
	for _, name := range trinosql.Tables(tree) {
		out = append(out, partsOf(name))
	}
	return out
}

func partsOf(name []*trinosql.Ident) []string {
	var parts []string
	for _, p := range name {
		parts = append(parts, p.Name)
	}
	return parts
}

// NamingOf finds the names of tables in a statement as ReadingOf does, and those whose columns or definition it shows:
// without them it fails too.
func NamingOf(sql string) Reading {
	out := ReadingOf(sql)
	tree, err := trinosql.Parse(TrimEnd(sql))
	if err != nil {
		return out
	}
	trinosql.Inspect(tree, func(n trinosql.Node) bool {
		if show, ok := n.(*trinosql.Show); ok && slices.Contains([]string{"COLUMNS", "CREATE TABLE", "CREATE VIEW",
			"CREATE MATERIALIZED VIEW"}, show.What) {
			out = append(out, partsOf(show.Name))
		}
		return true
	})
	return out
}

// Of reports whether the names include a table of a catalog in one of the schemas. Without schemas any schema matches,
// and an empty table matches any table. A name of two parts is taken to be in the catalog peaka, and a name of one part
// to be an internal table or a saved query. Case is ignored.
func (r Reading) Of(catalog, table string, schemas ...string) bool {
	is := func(want, name string) bool { return want == "" || strings.EqualFold(want, name) }
	in := func(names ...string) bool {
		return len(schemas) == 0 || slices.ContainsFunc(names, func(name string) bool {
			return slices.ContainsFunc(schemas, func(s string) bool { return strings.EqualFold(s, name) })
		})
	}
	return slices.ContainsFunc(r, func(name []string) bool {
		switch len(name) {
		case 1:
			return is(catalog, "peaka") && in("table", "query") && is(table, name[0])
		case 2:
			return is(catalog, "peaka") && in(name[0]) && is(table, name[1])
		case 3:
			return is(catalog, name[0]) && in(name[1]) && is(table, name[2])
		}
		return false
	})
}

// Mentions reports whether a statement names a column, in any table, or selects all columns of something or gives them
// other names. It returns true if the text cannot be parsed.
func Mentions(sql, column string) bool {
	tree, err := trinosql.Parse(TrimEnd(sql))
	if err != nil {
		return true
	}
	found, given := false, map[*trinosql.Ident]bool{} // names that the statement gives to its own columns
	trinosql.Inspect(tree, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.SelectExpr:
			given[n.Alias] = true
		case *trinosql.Ident:
			found = found || strings.EqualFold(n.Name, column) && !given[n]
		case *trinosql.SelectStar, *trinosql.TableBody:
			found = true
		case *trinosql.Join:
			found = found || n.Natural
		case *trinosql.Aliased: // names for all columns, by position
			found = found || len(n.Columns) > 0 && ofTable(n.Relation)
		}
		return !found
	})
	return found
}

// ofTable reports whether the columns of a relation are those of tables: others are named where they are made.
func ofTable(r trinosql.Relation) bool {
	switch r := r.(type) {
	case *trinosql.ParenRel:
		return ofTable(r.Relation)
	case *trinosql.Sampled:
		return ofTable(r.Relation)
	case *trinosql.TableRef, *trinosql.Join:
		return true
	}
	return false
}
