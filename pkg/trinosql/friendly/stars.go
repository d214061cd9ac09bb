package friendly

import (
	"context"
	"regexp"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// starColumn is a column for which a star stands.
type starColumn struct {
	name  string
	text  string // that refers to it
	table string // the last part of the name of its table, if it is known
}

// starOf returns the columns for which a star stands, or table.* if there is a target.
func (r *rewriter) starOf(ctx context.Context, at int, target trinosql.Expr, s *trinosql.Select,
	sc *scope) ([]starColumn, error) {
	if len(s.From) == 0 {
		return nil, r.fail(at, "SELECT * not allowed in queries without FROM clause")
	}
	if target != nil {
		from, to := target.Span()
		return r.columnsOf(ctx, namedTable{r.text.String()[from:to], from}, s, sc)
	}
	cols, err := r.reads(ctx, s, sc)
	if err != nil {
		return nil, err
	}
	list := make([]starColumn, len(cols))
	twice := false
	for i, c := range cols {
		list[i] = starColumn{name: c.Name, text: trinosql.QuoteName(c.Name)}
		twice = twice || count(cols, c.Name) > 1
	}
	if !twice {
		return list, nil
	}
	return list, r.qualify(ctx, list, s, sc)
}

func tableName(text string) string {
	if parts, err := sqltext.Parts(text); err == nil {
		return parts[len(parts)-1]
	}
	return ""
}

// qualify names the tables of columns of which several have one name. Behind the columns of USING, which have no table,
// a star has those of each table. Columns of one name whose tables are not known have no text.
func (r *rewriter) qualify(ctx context.Context, list []starColumn, s *trinosql.Select, sc *scope) error {
	of, known := []starColumn(nil), true
	for _, rel := range s.From {
		for _, name := range tablesOf(rel) {
			if known = known && name.text != ""; !known {
				break
			}
			cols, err := r.columnsOf(ctx, name, s, sc)
			if err != nil {
				return err
			}
			of = append(of, cols...)
		}
	}
	using := len(list) - len(of)
	for i := range of {
		known = known && using >= 0 && strings.EqualFold(list[using+i].name, of[i].name)
	}
	if known {
		copy(list[using:], of)
		return nil
	}
	for i, c := range list {
		for j, other := range list {
			if i != j && strings.EqualFold(c.name, other.name) {
				list[i].text = ""
			}
		}
	}
	return nil
}

// columnsOf returns the columns of a table.
func (r *rewriter) columnsOf(ctx context.Context, name namedTable, s *trinosql.Select,
	sc *scope) ([]starColumn, error) {
	cols, err := r.ask(ctx, sc, name.at, false, append([]sqltext.EditPart{words("SELECT " + name.text + ".*")},
		fromOf(s)...)...)
	if err != nil {
		return nil, err
	}
	list := make([]starColumn, len(cols))
	for i, c := range cols {
		list[i] = starColumn{c.Name, name.text + "." + trinosql.QuoteName(c.Name), tableName(name.text)}
		if count(cols, c.Name) > 1 {
			list[i].text = ""
		}
	}
	return list, nil
}

// namedTable is a table of FROM by the name that columns are qualified with.
type namedTable struct {
	text string
	at   int
}

// tablesOf are the tables of FROM, without text those that have no name.
func tablesOf(rel trinosql.Relation) []namedTable {
	at, _ := rel.Span()
	switch rel := rel.(type) {
	case *trinosql.Aliased:
		return []namedTable{{trinosql.QuoteName(rel.Alias.Name), at}}
	case *trinosql.TableRef:
		var parts []string
		for _, p := range rel.Name {
			parts = append(parts, trinosql.QuoteName(p.Name))
		}
		if n := len(parts) - 1; n > 0 && rel.Name[0].Pos() == rel.Name[n].Pos() { // of a file
			parts = parts[n:]
		}
		return []namedTable{{strings.Join(parts, "."), at}}
	case *trinosql.Sampled:
		return tablesOf(rel.Relation)
	case *trinosql.ParenRel:
		return tablesOf(rel.Relation)
	case *trinosql.Join:
		return append(tablesOf(rel.Left), tablesOf(rel.Right)...)
	}
	return []namedTable{{at: at}}
}

// stars writes the columns for the first star with EXCLUDE or REPLACE.
func (r *rewriter) stars(ctx context.Context, s *trinosql.Select, sc *scope) ([]sqltext.Edit, error) {
	for _, item := range s.Items {
		star, ok := item.(*trinosql.SelectStar)
		if e := r.extras[item]; ok && e != nil && e.Kind == trinosql.StarChanges {
			return r.changed(ctx, star, e, s, sc)
		}
	}
	return nil, nil
}

func (r *rewriter) changed(ctx context.Context, star *trinosql.SelectStar, e *trinosql.Extra, s *trinosql.Select,
	sc *scope) ([]sqltext.Edit, error) {
	at, _ := star.Span()
	if len(star.Columns) > 0 {
		return nil, r.fail(e.Words[0], "EXCLUDE and REPLACE do not go with names of columns")
	}
	list, err := r.starOf(ctx, at, star.Target, s, sc)
	if err != nil {
		return nil, err
	}
	left, out := make([]bool, len(list)), make([]*trinosql.SelectExpr, len(list))
	for _, name := range e.Exclude {
		last := name[len(name)-1]
		found := false
		for i, c := range list {
			if strings.EqualFold(c.name, last.Name) && (len(name) == 1 ||
				strings.EqualFold(c.table, name[len(name)-2].Name)) {
				left[i], found = true, true
			}
		}
		if !found {
			return nil, r.unknown(name[0], "EXCLUDE", last.Name, list)
		}
	}
	for _, x := range e.Replace {
		found := false
		for i, c := range list {
			switch {
			case !strings.EqualFold(c.name, x.Alias.Name):
			case left[i] || out[i] != nil:
				return nil, r.fail(x.Alias.Pos().Offset, "column %s is excluded or replaced already", x.Alias.Name)
			default:
				out[i], found = x, true
			}
		}
		if !found {
			return nil, r.unknown(x.Alias, "REPLACE", x.Alias.Name, list)
		}
	}
	var with []sqltext.EditPart
	for i, c := range list {
		if left[i] {
			continue
		}
		if len(with) > 0 {
			with = append(with, words(", "))
		}
		switch {
		case out[i] != nil:
			with = append(with, nodeOf(out[i]))
		case c.text == "":
			return nil, r.ambiguous(at, c)
		default:
			with = append(with, words(c.text))
		}
	}
	if len(with) == 0 {
		return nil, r.fail(e.Words[0], "EXCLUDE leaves no column")
	}
	return []sqltext.Edit{{From: at, To: e.Words[1], With: with}}, nil
}

func (r *rewriter) ambiguous(at int, c starColumn) error {
	return r.fail(at, "several columns are named %s, and nothing tells them apart: name the columns, or give the "+
		"tables aliases", c.name)
}

func (r *rewriter) unknown(id *trinosql.Ident, word, name string, list []starColumn) error {
	var names []string
	for _, c := range list {
		names = append(names, c.name)
	}
	err := r.fail(id.Pos().Offset, "%s: there is no column %s", word, name)
	if near := nearest.Of(name, names); near != "" {
		err.Hint = "did you mean " + trinosql.QuoteName(near) + "?"
	}
	return err
}

// columns writes the items of the first one with COLUMNS.
func (r *rewriter) columns(ctx context.Context, s *trinosql.Select, sc *scope) ([]sqltext.Edit, error) {
	for _, item := range s.Items {
		x, ok := item.(*trinosql.SelectExpr)
		if !ok {
			continue
		}
		if calls := columnsCalls(x.Expr); len(calls) > 0 && !r.declares(sc) {
			return r.matched(ctx, x, calls, s, sc)
		}
	}
	if s.Where != nil {
		if calls := columnsCalls(s.Where); len(calls) > 0 && !r.declares(sc) {
			return nil, r.fail(calls[0].Pos().Offset, "COLUMNS stands in a select list only")
		}
	}
	return nil, nil
}

// declares reports whether the statement declares functions, of which one may be named columns.
func (r *rewriter) declares(sc *scope) bool {
	for ; sc != nil; sc = sc.outer {
		if sc.head[1] > 0 {
			return true
		}
	}
	return false
}

// columnsCalls are COLUMNS('pattern') and COLUMNS(*) in an expression.
func columnsCalls(x trinosql.Expr) (calls []*trinosql.Func) {
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Query:
			return false
		case *trinosql.Func:
			if len(n.Name) != 1 || n.Name[0].Lower() != "columns" {
				return true
			}
			text := false
			if len(n.Args) == 1 {
				_, text = n.Args[0].(*trinosql.StringLit)
			}
			if text || n.Star && n.Label == nil {
				calls = append(calls, n)
			}
		}
		return true
	})
	return calls
}

// matched writes an item for each column that COLUMNS stands for.
func (r *rewriter) matched(ctx context.Context, item *trinosql.SelectExpr, calls []*trinosql.Func, s *trinosql.Select,
	sc *scope) ([]sqltext.Edit, error) {
	at := calls[0].Pos().Offset
	pattern := ""
	for i, c := range calls {
		this := ""
		if !c.Star {
			this = c.Args[0].(*trinosql.StringLit).Value
		}
		if i > 0 && this != pattern {
			return nil, r.fail(c.Pos().Offset, "COLUMNS with several patterns in one expression")
		}
		pattern = this
	}
	matches, err := regexp.Compile(pattern)
	if err != nil {
		return nil, r.fail(calls[0].Args[0].Pos().Offset, "COLUMNS: %v", err)
	}
	list, err := r.starOf(ctx, at, nil, s, sc)
	if err != nil {
		return nil, err
	}
	from, to := item.Span()
	_, end := item.Expr.Span()
	alone := trinosql.Expr(calls[0]) == item.Expr
	var with []sqltext.EditPart
	for _, c := range list {
		if !matches.MatchString(c.name) {
			continue
		}
		if c.text == "" {
			return nil, r.ambiguous(at, c)
		}
		if len(with) > 0 {
			with = append(with, words(", "))
		}
		done := from
		for _, call := range calls {
			begin, end := call.Span()
			if begin > done {
				with = append(with, copyOf(done, begin))
			}
			with = append(with, words(c.text))
			done = end
		}
		if done < end {
			with = append(with, copyOf(done, end))
		}
		if item.Alias != nil {
			with = append(with, copyOf(end, to))
		} else if !alone {
			with = append(with, words(" AS "+trinosql.QuoteName(c.name)))
		}
	}
	if len(with) == 0 {
		return nil, r.fail(at, "COLUMNS: no column matches '%s'", pattern)
	}
	return []sqltext.Edit{{From: from, To: to, With: with}}, nil
}
