package sync

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// Objects that prune deletes may be used by objects that are not compared: those that --only excludes, or those that
// refer to them only in a statement. The plan lists these users. apply then requires the names of the deleted objects,
// as the commands that delete one object do. For a rename, which can be undone, the plan only lists them.

// dependOn returns the kinds of objects that can depend on an object of a kind.
func dependOn(k manifest.Kind) []manifest.Kind {
	switch k {
	case manifest.KindConnection:
		return []manifest.Kind{manifest.KindCatalog}
	case manifest.KindCatalog:
		return []manifest.Kind{manifest.KindQuery, manifest.KindParametricTable, manifest.KindCache}
	case manifest.KindTable, manifest.KindBITable:
		return []manifest.Kind{manifest.KindQuery, manifest.KindParametricTable, manifest.KindCache}
	case manifest.KindQuery:
		return []manifest.Kind{manifest.KindQuery, manifest.KindSemanticTable}
	case manifest.KindSemanticCatalog, manifest.KindSemanticTable, manifest.KindParametricTable:
		return []manifest.Kind{manifest.KindQuery}
	case manifest.KindColumn, manifest.KindBIColumn:
		return []manifest.Kind{manifest.KindQuery, manifest.KindParametricTable}
	}
	return nil
}

// dependBelow returns the kinds of objects that can depend on an object of a kind, directly or through others.
func dependBelow(k manifest.Kind) map[manifest.Kind]bool {
	kinds, next := map[manifest.Kind]bool{}, []manifest.Kind{k}
	for n := 0; n < len(next); n++ {
		for _, user := range dependOn(next[n]) {
			if !kinds[user] {
				kinds[user], next = true, append(next, user)
			}
		}
	}
	return kinds
}

// dependants adds to the deletions of a plan the objects that depend on them and are not deleted, and the number of
// deleted rows. It adds to renames the statements that they break.
func (l *live) dependants(ctx context.Context, plan []manifest.Change) error {
	kinds, goes, becomes := map[manifest.Kind]bool{}, map[manifest.Ref]bool{}, map[manifest.Ref]manifest.Object{}
	for _, ch := range plan {
		if ch.Action == manifest.Delete {
			goes[ch.Ref] = true
			maps.Copy(kinds, dependBelow(ch.Kind))
		}
		if renames(ch) || becomesPlain(ch) {
			kinds[manifest.KindQuery] = true
		}
		if ch.Action != manifest.Delete && ch.Have != nil {
			becomes[manifest.BaseOf(ch.Have).Ref] = ch.Want
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	around, err := l.around(ctx, kinds)
	if err != nil {
		return err
	}
	for ref, o := range becomes {
		if around.Get(ref.Kind, ref.Name) != nil {
			around.Drop(ref)
			around.Put(o)
		}
	}
	for _, ch := range plan {
		if ch.Action == manifest.Create && kinds[ch.Kind] {
			around.Put(ch.Want)
		}
	}
	for ref := range goes {
		around.Drop(ref)
	}
	users := usersIn(around)
	for i, ch := range plan {
		if renames(ch) && !replaced(plan, ch) {
			if plan[i].Breaks, err = l.broken(ctx, users, ch); err != nil {
				return err
			}
		} else if becomesPlain(ch) {
			plan[i].Breaks = users.of(storedResult{ch.Have.(*manifest.Query)})
		}
		if ch.Action == manifest.Delete {
			if plan[i].Breaks, err = l.broken(ctx, users, ch); err != nil {
				return err
			}
			if l.e.DryRun() { // statements are shown instead of sent
				continue
			}
			now, err := l.contents(ctx, ch)
			if err != nil {
				return err
			}
			if now.Known {
				plan[i].Rows, plan[i].Mark = &now.Rows, now.Mark()
			}
		}
	}
	return nil
}

func (l *live) broken(ctx context.Context, users users, ch manifest.Change) ([]manifest.Ref, error) {
	more, err := l.parametricOver(ctx, ch)
	return append(users.of(ch.Have), more...), err
}

// renames reports whether a change gives a column or saved query another name in SQL, so that statements with the
// former name break.
func renames(ch manifest.Change) bool {
	switch have := ch.Have.(type) {
	case *manifest.Column:
		want, ok := ch.Want.(*manifest.Column)
		return ok && !strings.EqualFold(have.Column, want.Column)
	case *manifest.Query:
		want, ok := ch.Want.(*manifest.Query)
		return ok && have.SQLName != want.SQLName
	}
	return false
}

// storedResult is what a materialized query is as peaka.mtquery.NAME.
type storedResult struct{ *manifest.Query }

// becomesPlain reports whether a change drops the stored result of a saved query.
func becomesPlain(ch manifest.Change) bool {
	have, ok := ch.Have.(*manifest.Query)
	want, keeps := ch.Want.(*manifest.Query)
	return ok && keeps && have.Materialized && !want.Materialized
}

// replaced reports whether the plan gives the former name of a renamed object to another object, which statements with
// that name then read.
func replaced(plan []manifest.Change, ch manifest.Change) bool {
	return slices.ContainsFunc(plan, func(by manifest.Change) bool {
		switch have := ch.Have.(type) {
		case *manifest.Column:
			want, ok := by.Want.(*manifest.Column)
			return ok && want.Kind == have.Kind && want.Table == have.Table &&
				strings.EqualFold(want.Column, have.Column)
		case *manifest.Query:
			want, ok := by.Want.(*manifest.Query)
			return ok && want.SQLName == have.SQLName
		}
		return false
	})
}

// around returns the objects of some kinds in the project. Kinds that were already read are not read again.
func (l *live) around(ctx context.Context, kinds map[manifest.Kind]bool) (*manifest.Project, error) {
	out, unread := manifest.New(), map[manifest.Kind]bool{}
	for k := range kinds {
		if !l.reads(k) {
			unread[k] = true
		}
	}
	if len(unread) > 0 {
		rest := &live{e: l.e, cl: l.cl, project: l.project, only: unread, all: true}
		if err := rest.read(ctx); err != nil {
			return nil, err
		}
		out.Fill(rest.p.Only(unread), nil)
	}
	out.Fill(l.p.Only(kinds), nil)
	return out, nil
}

// parametricOver returns the parametric tables over an internal table. They are in a catalog without a connection,
// which some gateways do not list.
func (l *live) parametricOver(ctx context.Context, ch manifest.Change) ([]manifest.Ref, error) {
	schema, table, _ := stored(ch.Have)
	if table == "" {
		return nil, nil
	}
	all, err := l.cl.ParametricTables.List(ctx, l.project, api.InternalCatalogID)
	if err != nil && !api.NoRoute(err) && !api.Answered(err) {
		return nil, err
	}
	var out []manifest.Ref
	for _, t := range all {
		if strings.EqualFold(t.FromSchema, schema) && strings.EqualFold(t.FromTable, table) {
			out = append(out, manifest.Ref{Kind: manifest.KindParametricTable,
				Name: manifest.JoinName(api.InternalCatalogName, t.ToSchema, t.ToTable)})
		}
	}
	return out, nil
}

// stored returns the internal table of an object: the table itself, or the table of a column.
func stored(o manifest.Object) (schema, table, column string) {
	switch o := o.(type) {
	case *manifest.Table:
		return tableSchema(o.Kind), o.Name, ""
	case *manifest.Column:
		return tableSchema(o.Kind), o.Table, o.Column
	}
	return "", "", ""
}

// contents identifies the rows that are deleted with a table, or those with a value in a column.
func (l *live) contents(ctx context.Context, ch manifest.Change) (contents.Contents, error) {
	schema, table, column := stored(ch.Have)
	if table == "" {
		return contents.Contents{}, nil
	}
	return contents.Of(ctx, l.cl, l.project, schema, table, column)
}

// untouched rejects the deletion of a table or column if its rows have changed since the plan counted them.
func (a *applier) untouched(ctx context.Context, ch manifest.Change) error {
	at := slices.IndexFunc(a.plan, func(p manifest.Change) bool {
		return p.Action == manifest.Delete &&
			p.Ref == ch.Ref
	})
	if at < 0 || a.plan[at].Rows == nil || a.e.DryRun() {
		return nil
	}
	now, err := a.contents(ctx, ch)
	if err != nil || now.Known && now.Mark() == a.plan[at].Mark {
		return err
	}
	was := *a.plan[at].Rows
	f := changedSince(ch).(*exitcode.Failure)
	f.Msg = fmt.Sprintf("the rows of %s %s have changed since the plan was created, ", words(ch.Kind), ch.Title())
	switch {
	case !now.Known:
		f.Msg = fmt.Sprintf("the rows of %s %s, %d in the plan, cannot be counted now", words(ch.Kind), ch.Title(), was)
	case now.Rows == was:
		f.Msg += fmt.Sprintf("and are %d again", was)
	default:
		f.Msg += fmt.Sprintf("from %d to %d", was, now.Rows)
	}
	f.Msg += "; it is not deleted"
	return f
}

// users finds the objects that depend on an object.
type users struct {
	p        *manifest.Project
	readings map[*manifest.Query]sqlstmt.Reading
}

func usersIn(p *manifest.Project) users {
	u := users{p, map[*manifest.Query]sqlstmt.Reading{}}
	for _, q := range manifest.Of[*manifest.Query](p, manifest.KindQuery) {
		u.readings[q] = sqlstmt.NamingOf(q.SQL)
	}
	return u
}

// of returns the objects that depend on an object, directly or through others, of the kinds that were read.
func (u users) of(gone manifest.Object) []manifest.Ref {
	var out []manifest.Ref
	next := []manifest.Object{gone}
	for n := 0; n < len(next); n++ {
		for _, o := range u.direct(next[n]) {
			if ref := manifest.BaseOf(o).Ref; ref != manifest.BaseOf(gone).Ref && !slices.Contains(out, ref) {
				out, next = append(out, ref), append(next, o)
			}
		}
	}
	return out
}

func (u users) direct(gone manifest.Object) []manifest.Object {
	ref := manifest.BaseOf(gone).Ref
	_, stored := gone.(storedResult)
	var out []manifest.Object
	for _, k := range dependOn(ref.Kind) {
		for _, o := range manifest.Of[manifest.Object](u.p, k) {
			uses := !stored && slices.ContainsFunc(refersTo(o), func(r manifest.Ref) bool {
				return r.Kind == ref.Kind &&
					strings.EqualFold(r.Name, ref.Name)
			})
			if q, ok := o.(*manifest.Query); ok {
				c, column := gone.(*manifest.Column)
				uses = reads(u.readings[q], gone) && (!column || sqlstmt.Mentions(q.SQL, c.Column))
			}
			if uses {
				out = append(out, o)
			}
		}
	}
	return out
}

// reads reports whether a statement reads an object.
func reads(r sqlstmt.Reading, o manifest.Object) bool {
	switch o := o.(type) {
	case *manifest.Table:
		return r.Of(api.InternalCatalogName, o.Name, tableSchema(o.Kind))
	case *manifest.Column:
		schema, table, _ := stored(o)
		return r.Of(api.InternalCatalogName, table, schema)
	case *manifest.Query:
		return r.Of(api.InternalCatalogName, o.SQLName, api.SchemaQuery, api.SchemaMtQuery)
	case storedResult:
		return r.Of(api.InternalCatalogName, o.SQLName, api.SchemaMtQuery)
	case *manifest.Catalog, *manifest.SemanticCatalog:
		return r.Of(manifest.BaseOf(o).Name, "")
	case *manifest.SemanticTable:
		return r.Of(o.Catalog, o.Table, o.Schema)
	case *manifest.ParametricTable:
		return r.Of(o.Catalog, o.Table, o.Schema)
	}
	return false
}

// broken lists, as the end of a line of a plan, the objects that a deletion or another name of an object breaks, or the
// loss of its stored result.
func broken(ch manifest.Change) string {
	if len(ch.Breaks) == 0 {
		return ""
	}
	return "; breaks " + strings.Join(titles(ch.Breaks), ", ")
}

func titles(refs []manifest.Ref) []string {
	var out []string
	for _, r := range refs {
		out = append(out, words(r.Kind)+" "+r.Name)
	}
	return out
}

// agree asks for confirmation of a plan.
func (l *live) agree(named prompt.NamingAll, todo []manifest.Change) error {
	var deleted, needed, why []string
	for _, ch := range todo {
		if ch.Action != manifest.Delete {
			continue
		}
		deleted = append(deleted, ch.Title())
		if len(ch.Breaks) > 0 {
			if !slices.Contains(needed, ch.Title()) {
				needed = append(needed, ch.Title())
			}
			why = append(why, fmt.Sprintf("deleting %s %s breaks %s", words(ch.Kind), ch.Title(),
				strings.Join(titles(ch.Breaks), ", ")))
		}
	}
	to := ""
	if !strings.Contains(l.e.Where(), l.project) { // the question begins with the target
		to = " to project " + l.project
	}
	return l.e.Ask().ConfirmAll(named, deleted, needed, strings.Join(why, "; "), "make %s%s%s?",
		phrase.Plural(len(todo), "this change", "these %d changes"), to, deletions(todo))
}

// unforeseen rejects a deletion if an object depends on the deleted one that did not when the plan was created. All
// kinds are read again before the first deletion, and the saved queries before each deletion.
func (a *applier) unforeseen(ctx context.Context, ch manifest.Change) error {
	kinds := dependBelow(ch.Kind)
	if len(kinds) == 0 || a.e.DryRun() {
		return nil
	}
	now := &live{e: a.e, cl: a.cl, project: a.project, only: kinds, all: true}
	read := now.read
	if a.looked {
		now.clear()
		read = now.readQueries
	}
	if err := read(ctx); err != nil {
		return err
	}
	a.looked = true
	for _, p := range a.plan {
		if p.Action == manifest.Delete {
			now.p.Drop(p.Ref)
		}
	}
	found := usersIn(now.p).of(ch.Have)
	if over, err := a.parametricOver(ctx, ch); err != nil {
		return err
	} else {
		found = append(found, over...)
	}
	found = slices.DeleteFunc(found, func(ref manifest.Ref) bool {
		return slices.ContainsFunc(a.plan, func(p manifest.Change) bool {
			return p.Action == manifest.Delete && p.Ref == ch.Ref && slices.Contains(p.Breaks, ref)
		})
	})
	if len(found) == 0 {
		return nil
	}
	f := changedSince(ch).(*exitcode.Failure)
	f.Msg = fmt.Sprintf("%s %s is now used by %s, unlike when the plan was created; it is not deleted", words(ch.Kind),
		ch.Title(), strings.Join(titles(found), ", "))
	return f
}
