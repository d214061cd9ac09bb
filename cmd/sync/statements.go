package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// statements analyses the saved queries of the files against the tables that the project will have. It returns the
// faults of those that the changes would save or break, and notes those of other queries, and which it cannot judge.
// reported are the faults that are known already.
func (l *live) statements(ctx context.Context, want *manifest.Project, changes, gone []manifest.Change,
	reported manifest.Invalid) (bad manifest.Invalid, err error) {
	queries := manifest.Of[*manifest.Query](want, manifest.KindQuery)
	if len(queries) == 0 {
		return nil, nil
	}
	now := l.sqlNames(want, nil)
	then := l.sqlNames(want, slices.Concat(gone, changes))
	texts := map[string]bool{}
	for _, w := range []*sqlNames{now, then} {
		for _, q := range w.queries {
			texts[q.SQL] = true
		}
	}
	if then.read, err = l.columnsOf(ctx, then, slices.Sorted(maps.Keys(texts))); err != nil {
		return nil, err
	}
	now.read = then.read
	saved := map[manifest.Ref]bool{}
	for _, ch := range changes {
		saved[ch.Ref] = true
	}
	type table struct{ name, reason string }
	unread := map[table][]string{}
	analyses, err := then.analyzeAll(queries)
	if err != nil {
		return nil, err
	}
	for i, q := range queries {
		file := q.StatementFile()
		if slices.ContainsFunc(reported, func(p manifest.Problem) bool {
			return p.File == file || p.File == q.At.File
		}) {
			continue
		}
		r := analyses[i]
		if u := r.unknown; u != nil && u.reason != "" {
			t := table{u.name.String(), u.reason}
			unread[t] = append(unread[t], file)
		}
		if r.fault == nil {
			continue
		}
		p := manifest.Problem{Position: manifest.Position{File: file, Line: r.fault.At.Line}, Column: r.fault.At.Col,
			Text: r.fault.Msg, Reads: true}
		if r.fault.Hint != "" {
			p.Text += "; " + r.fault.Hint
		}
		switch {
		case r.fault.Kind == functionMissing && !l.e.Local(): // a hosted zone may have functions of its own
			fmt.Fprintf(l.e.Err, "note: %s\n", p)
		case !saved[q.Ref] && now.analyze(q.SQL).fault != nil:
			fmt.Fprintf(l.e.Err, "note: %s (the project has this query as well)\n", p)
		default:
			bad = append(bad, p)
		}
	}
	for _, u := range slices.SortedFunc(maps.Keys(unread), func(a, b table) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.reason, b.reason))
	}) {
		fmt.Fprintf(l.e.Err, "note: not checked: %s; the columns of %s are not known: %s\n",
			strings.Join(unread[u], ", "), u.name, u.reason)
	}
	return bad, nil
}

const (
	functionMissing = "FUNCTION_NOT_FOUND"
	created         = "apply would create it"
)

// sqlNames are the names that statements have in a project.
type sqlNames struct {
	l        *live
	files    *manifest.Project
	queries  map[string]*manifest.Query // by their names in SQL
	tables   map[analyze.Name]*relation // internal tables, and those that the changes create or delete
	semantic map[analyze.Name]string    // the displayed names of their queries
	catalogs map[string]bool            // true if it can be read now
	read     map[analyze.Name]*relation // tables whose columns were asked for
	done     map[analyze.Name]*relation // saved queries
}

// sqlNames returns the names of the project after some changes.
func (l *live) sqlNames(files *manifest.Project, changes []manifest.Change) *sqlNames {
	n := &sqlNames{l: l, files: files, queries: map[string]*manifest.Query{}, tables: map[analyze.Name]*relation{},
		semantic: map[analyze.Name]string{}, catalogs: map[string]bool{},
		done: map[analyze.Name]*relation{}}
	for _, c := range l.catalogs {
		n.catalogs[strings.ToLower(c.Name)] = true
	}
	for _, q := range manifest.Of[*manifest.Query](l.p, manifest.KindQuery) {
		n.queries[q.SQLName] = q
	}
	for _, t := range manifest.Of[*manifest.SemanticTable](l.p, manifest.KindSemanticTable) {
		n.semantic[lower(t.Catalog, t.Schema, t.Table)] = t.Query
	}
	for _, ch := range changes {
		n.remove(ch.Have, ch.Action)
	}
	for _, ch := range changes {
		n.add(ch.Want)
	}
	for _, k := range []manifest.Kind{manifest.KindTable, manifest.KindBITable} {
		for _, t := range manifest.Of[*manifest.Table](l.p, k) {
			n.internal(t, changes)
		}
	}
	for _, ch := range changes {
		if t, ok := ch.Want.(*manifest.Table); ok && ch.Action == manifest.Create {
			n.internal(t, nil)
		}
	}
	return n
}

func lower(catalog, schema, table string) analyze.Name {
	return analyze.Name{Catalog: strings.ToLower(catalog), Schema: strings.ToLower(schema),
		Table: strings.ToLower(table)}
}

func (n *sqlNames) remove(o manifest.Object, a manifest.Action) {
	switch o := o.(type) {
	case *manifest.Query:
		delete(n.queries, o.SQLName)
	case *manifest.Table:
		n.gone(api.InternalCatalogName, tableSchema(o.Kind), o.Name)
	case *manifest.ParametricTable:
		n.gone(o.Catalog, o.Schema, o.Table)
	case *manifest.SemanticTable:
		delete(n.semantic, lower(o.Catalog, o.Schema, o.Table))
		n.gone(o.Catalog, o.Schema, o.Table)
	case *manifest.Catalog, *manifest.SemanticCatalog:
		if a == manifest.Delete {
			delete(n.catalogs, strings.ToLower(manifest.BaseOf(o).Name))
		}
	}
}

// gone records that a table does not exist any more.
func (n *sqlNames) gone(catalog, schema, table string) {
	name := lower(catalog, schema, table)
	n.tables[name] = &relation{name: name, missing: true}
}

func (n *sqlNames) add(o manifest.Object) {
	switch o := o.(type) {
	case *manifest.Query:
		n.queries[o.SQLName] = o
	case *manifest.SemanticTable:
		n.semantic[lower(o.Catalog, o.Schema, o.Table)] = o.Query
		delete(n.tables, lower(o.Catalog, o.Schema, o.Table))
	case *manifest.ParametricTable:
		name := lower(o.Catalog, o.Schema, o.Table)
		n.tables[name] = &relation{name: name, unknown: true, reason: created}
	case *manifest.Catalog, *manifest.SemanticCatalog:
		if name := strings.ToLower(manifest.BaseOf(o).Name); !n.catalogs[name] {
			n.catalogs[name] = false
		}
	}
}

// internal adds an internal table as it is after some changes.
func (n *sqlNames) internal(t *manifest.Table, changes []manifest.Change) {
	r := &relation{name: lower(api.InternalCatalogName, tableSchema(t.Kind), t.Name), rough: map[string]bool{}}
	r.systemColumns(t.Kind)
	becomes, gone := map[manifest.Ref]*manifest.Column{}, map[manifest.Ref]bool{}
	var more []*manifest.Column
	for _, ch := range changes {
		if ch.Action == manifest.Delete && ch.Ref == t.Ref {
			return
		}
		want, _ := ch.Want.(*manifest.Column)
		switch have, ok := ch.Have.(*manifest.Column); {
		case ok && want == nil:
			gone[have.Ref] = true
		case ok:
			becomes[have.Ref] = want
		case want != nil && want.Table == t.Name && tableSchema(want.Kind) == tableSchema(t.Kind):
			more = append(more, want)
		}
	}
	for _, c := range slices.Concat(t.Columns, more) {
		if gone[c.Ref] {
			continue
		}
		r.add(cmp.Or(becomes[c.Ref], c).Column, cmp.Or(becomes[c.Ref], c).Type)
	}
	n.tables[r.name] = r
}

// analysis is the result of analysing one statement.
type analysis struct {
	columns []analyze.Column
	fault   *analyze.Error
	unknown *relation // the table that ended it
}

// view provides the tables for one analysis.
type view struct {
	n     *sqlNames
	rough map[string]bool
	stop  *relation
}

func (v *view) HasCatalog(c string) bool {
	_, ok := v.n.catalogs[c]
	return ok
}
func (v *view) HasSchema(string, string) bool { return true }

func (v *view) Table(name analyze.Name) (*analyze.Table, bool) {
	r := v.n.find(name)
	switch {
	case r.unknown:
		v.stop = r
		return nil, false
	case r.missing:
		return nil, false
	}
	maps.Copy(v.rough, r.rough)
	return &analyze.Table{Name: name, Columns: r.columns}, true
}

// find finds a table or saved query.
func (n *sqlNames) find(name analyze.Name) *relation {
	if name.Catalog == api.InternalCatalogName && (name.Schema == api.SchemaQuery || name.Schema == api.SchemaMtQuery) {
		return n.query(name, n.queries[name.Table])
	}
	if r := n.tables[name]; r != nil {
		return r
	}
	if title, ok := n.semantic[name]; ok && title != "" {
		for _, q := range n.queries {
			if q.Name == title {
				return n.query(name, q)
			}
		}
	}
	can, ok := n.catalogs[name.Catalog]
	switch {
	case unlisted(name):
		return &relation{name: name, unknown: true}
	case !ok:
		return &relation{name: name, missing: true}
	case !can:
		return &relation{name: name, unknown: true, reason: created}
	}
	if r := n.read[name]; r != nil {
		return r
	}
	return &relation{name: name, unknown: true}
}

// unlisted reports whether a table belongs to the gateway itself, which does not list it.
func unlisted(n analyze.Name) bool {
	return n.Schema == "information_schema" || n.Catalog == "system" || n.Schema == "pg_catalog"
}

// query finds the columns of a saved query. Faults of it are reported where it is checked itself.
func (n *sqlNames) query(name analyze.Name, q *manifest.Query) *relation {
	if q == nil || name.Schema == api.SchemaMtQuery && name.Catalog == api.InternalCatalogName && !q.Materialized {
		return &relation{name: name, missing: true}
	}
	if r := n.done[name]; r != nil {
		return r
	}
	n.done[name] = &relation{name: name, unknown: true} // ends a cycle
	r := &relation{name: name, rough: map[string]bool{}}
	a := n.analyze(q.SQL)
	switch {
	case a.unknown != nil:
		r = a.unknown
	case a.fault != nil:
		r.unknown = true
		if n.files.Get(q.Kind, q.Name) == nil {
			r.reason = a.fault.Error()
		}
	}
	for _, c := range a.columns {
		r.columns = append(r.columns, analyze.TableColumn{Name: c.Name, Type: c.Type})
	}
	n.done[name] = r
	return r
}

// analyzeAll analyses queries, several at once, each goroutine with what it has found of the queries that others read.
func (n *sqlNames) analyzeAll(queries []*manifest.Query) ([]analysis, error) {
	out := make([]analysis, len(queries))
	return out, each.Parallel(len(queries), func() func(int) {
		own := *n
		own.done = map[analyze.Name]*relation{}
		return func(i int) { out[i] = own.analyze(queries[i].SQL) }
	})
}

// analyze analyses a statement. It has no fault if it cannot be judged.
func (n *sqlNames) analyze(sql string) analysis {
	tree, err := trinosql.Parse(sqlstmt.TrimEnd(sql))
	if err != nil {
		return analysis{unknown: &relation{unknown: true}}
	}
	v := &view{n: n, rough: map[string]bool{}}
	a, err := analyze.Analyze(tree, analyze.Options{Catalog: v, DefaultCatalog: api.InternalCatalogName,
		DefaultSchema: api.SchemaTable})
	if err == nil {
		return analysis{columns: a.Output}
	}
	var fault *analyze.Error
	if v.stop != nil || !errors.As(err, &fault) || fault.Unsupported || !certain(fault, v.rough) ||
		fault.Name == "current_user_props" && !n.l.e.Local() {
		return analysis{unknown: cmp.Or(v.stop, &relation{unknown: true})}
	}
	return analysis{fault: fault}
}

// certain reports whether a fault does not hang on columns whose types are not known.
func certain(fault *analyze.Error, rough map[string]bool) bool {
	if len(rough) == 0 {
		return true
	}
	switch fault.Kind {
	case "COLUMN_NOT_FOUND", "AMBIGUOUS_NAME":
		field := slices.ContainsFunc(strings.Split(fault.Name, "."), func(s string) bool {
			return rough[strings.ToLower(s)]
		})
		return !field
	case "TABLE_NOT_FOUND", "CATALOG_NOT_FOUND":
		return true
	}
	return false
}
