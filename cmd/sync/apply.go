package sync

import (
	"context"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/pkg/api"
)

// applier applies the changes of a plan, one after the other.
type applier struct {
	*live
	vault     secrets
	types     []api.ConnectionConfiguration
	files     *manifest.Project // as in the files, with references not expanded
	plan      []manifest.Change
	looked    bool // the dependants of all deleted objects were read
	noCheck   bool
	allowPart bool
}

// make applies one change.
func (a *applier) make(ctx context.Context, ch manifest.Change) error {
	steps := map[manifest.Kind]func(context.Context, manifest.Change) error{
		manifest.KindFolder: a.folder, manifest.KindConnection: a.connection, manifest.KindCatalog: a.catalog,
		manifest.KindSemanticCatalog: a.semanticCatalog,
		manifest.KindTable:           a.table, manifest.KindColumn: a.column, manifest.KindBITable: a.table,
		manifest.KindBIColumn: a.column, manifest.KindParametricTable: a.parametric, manifest.KindCache: a.cache,
		manifest.KindQuery:         a.query,
		manifest.KindSemanticTable: a.semanticTable, manifest.KindMetadata: a.metadata,
		manifest.KindRelation: a.relation, manifest.KindGoldenSQL: a.golden,
	}
	step := steps[ch.Kind]
	if ch.Action == manifest.Delete {
		if err := a.unforeseen(ctx, ch); err != nil {
			return err
		}
	}
	if ch.Action != manifest.Replace {
		return step(ctx, ch)
	}
	gone := ch
	gone.Action, gone.Want = manifest.Delete, nil
	if err := step(ctx, gone); err != nil && !a.e.Planned(err) {
		return err
	}
	ch.Action, ch.Have = manifest.Create, nil
	return step(ctx, ch)
}

// id returns the id of an object that another one refers to. In a dry run it may not have one yet.
func (a *applier) id(k manifest.Kind, name string) (string, error) {
	if id, ok := a.ids[manifest.Ref{Kind: k, Name: name}]; ok && id != "" {
		return id, nil
	}
	if a.e.DryRun() {
		return "id-of-" + strings.Trim(strings.ReplaceAll(name, "/", "-"), "-"), nil
	}
	return "", &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found", Msg: fmt.Sprintf("there is no %s %s",
		strings.ReplaceAll(string(k), "-", " "), name)}
}

func (a *applier) made(ref manifest.Ref, id string) { a.ids[ref] = id }

// changedSince is the error for an object that changed after it was read.
func changedSince(ch manifest.Change) error {
	return &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
		Msg: fmt.Sprintf("%s %s has been changed since the plan was created; it is not overwritten",
			ch.Kind, ch.Title()),
		Hint: "look at it with `dig diff`, and run apply again"}
}

// same reports whether an object has not changed since it was read.
func same(was, now manifest.Object) bool {
	left, right := manifest.New(), manifest.New()
	if !left.Add(was) || !right.Add(now) { // including the columns of a table
		return false
	}
	changes, extra := manifest.Compare(left, right)
	return len(changes)+len(extra) == 0
}

func (a *applier) folder(ctx context.Context, ch manifest.Change) error {
	switch ch.Action {
	case manifest.Create:
		return a.createFolder(ctx, ch)
	case manifest.Delete:
		// without force: its contents are not part of the plan
		return a.cl.Folders.Delete(ctx, a.project, manifest.BaseOf(ch.Have).ID, nil)
	}
	old, id := manifest.BaseOf(ch.Have).Name, manifest.BaseOf(ch.Have).ID
	var err error
	if path.Dir(old) != path.Dir(ch.Name) {
		_, err = a.cl.Folders.Move(ctx, a.project, id, api.QueryPathUpdateRequest{Path: path.Dir(ch.Name)})
	}
	if path.Base(old) != path.Base(ch.Name) && (err == nil || a.e.Planned(err)) {
		_, err = a.cl.Folders.Rename(ctx, a.project, id, api.QueryFolderRenameRequest{Name: path.Base(ch.Name)})
	}
	a.made(ch.Ref, id)
	return err
}

func (a *applier) createFolder(ctx context.Context, ch manifest.Change) error {
	var f api.QueryFolderItem
	var err error
	if up := path.Dir(ch.Name); up == "/" {
		f, err = a.cl.Folders.Create(ctx, a.project, api.QueryFolderCreateRequest{FolderName: path.Base(ch.Name)})
	} else {
		parent, perr := a.id(manifest.KindFolder, up)
		if perr != nil {
			return perr
		}
		f, err = a.cl.Folders.CreateChild(ctx, a.project, parent,
			api.QueryFolderCreateRequest{FolderName: path.Base(ch.Name)})
	}
	a.made(ch.Ref, f.ID)
	return err
}

func (a *applier) table(ctx context.Context, ch manifest.Change) error {
	tables := a.tablesOf(ch.Kind)
	if ch.Action == manifest.Delete {
		now, err := tables.Columns(ctx, a.project, ch.Name)
		if missing(err) || err == nil && !same(ch.Have, tableOf(ch.Kind, ch.Name, now)) {
			return changedSince(ch)
		}
		if err != nil {
			return err
		}
		if err := a.untouched(ctx, ch); err != nil {
			return err
		}
		return tables.Delete(ctx, a.project, ch.Name)
	}
	cols := ch.Want.(*manifest.Table).Columns
	defs := make([]api.ColumnRequest, len(cols))
	for i, c := range cols {
		defs[i] = columnRequest(c, c.Column)
	}
	if _, done, err := a.e.CreateWhole(ctx, a.cl, a.project, ch.Name, ch.Kind == manifest.KindBITable, defs); done {
		return err
	}
	t, err := tables.Create(ctx, a.project, ch.Name)
	if err != nil && !a.e.Planned(err) {
		return err
	}
	if err == nil && t.TableName != ch.Name {
		return renamedBy(string(ch.Kind), ch.Name, t.TableName)
	}
	if len(defs) == 0 {
		return err
	}
	if _, err = tables.AddColumns(ctx, a.project, ch.Name, defs); err != nil {
		return err
	}
	return a.settleColumns(ctx, tables, ch.Name, cols)
}

// renamedBy is the error for an object to which the gateway gave another name than requested.
func renamedBy(kind, want, have string) error {
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "renamed", Msg: fmt.Sprintf("the gateway has created %s %s "+
		"as %s", kind, want, have),
		Hint: "give it a name that the gateway keeps, of lower-case letters, digits and underscores, and delete " +
			have}
}

func columnRequest(c *manifest.Column, name string) api.ColumnRequest {
	out := api.ColumnRequest{Name: name, DataType: strings.ToUpper(c.Type), DisplayName: c.DisplayName,
		DefaultValue: c.Default, Desc: c.Description}
	if c.NotNull {
		out.IsNotNull = &c.NotNull
	}
	if c.Unique {
		out.IsUnique = &c.Unique
	}
	return out
}

// wholeColumn is a column in the form of an update request.
func wholeColumn(c *manifest.Column) api.ColumnRequest {
	out := columnRequest(c, c.Column)
	out.IsNotNull, out.IsUnique = &c.NotNull, &c.Unique
	if c.Default == nil {
		out.DefaultValue = &api.NoDefault
	}
	if out.Desc == nil {
		out.Desc = new(string)
	}
	return out
}

// settleColumns updates those new columns whose properties the gateway has dropped, as the hosted zones do [L].
func (a *applier) settleColumns(ctx context.Context, tables cli.TableService, table string,
	cols []*manifest.Column) error {
	now, err := tables.Columns(ctx, a.project, table)
	if err != nil {
		return err
	}
	for _, want := range cols {
		at := slices.IndexFunc(now, func(c api.ColumnDetail) bool { return c.Name == want.Column })
		if at < 0 {
			return &exitcode.Failure{Exit: exitcode.Failed, Code: "not-stored",
				Msg: fmt.Sprintf("the gateway accepted column %s of table %s but does not list it",
					want.Column, table),
				Hint: "run apply again"}
		}
		have := columnOf(now[at])
		have.Ref, have.Table = want.Ref, table
		if same(want, have) {
			continue
		}
		if err := a.updateColumn(ctx, tables, table, want.Column, want); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) column(ctx context.Context, ch manifest.Change) error {
	tables := a.tablesOf(ch.Kind)
	if ch.Action == manifest.Create {
		c := ch.Want.(*manifest.Column)
		if _, err := tables.AddColumns(ctx, a.project, c.Table,
			[]api.ColumnRequest{columnRequest(c, c.Column)}); err != nil {
			return err
		}
		return a.settleColumns(ctx, tables, c.Table, []*manifest.Column{c})
	}
	have := ch.Have.(*manifest.Column)
	now, err := tables.Columns(ctx, a.project, have.Table)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(now, func(c api.ColumnDetail) bool { return c.Name == have.Column })
	if at < 0 {
		return changedSince(ch)
	}
	is := columnOf(now[at])
	is.Ref, is.Table = have.Ref, have.Table
	if !same(have, is) {
		return changedSince(ch)
	}
	if ch.Action == manifest.Delete {
		if err := a.untouched(ctx, ch); err != nil {
			return err
		}
		return tables.DeleteColumn(ctx, a.project, have.Table, have.Column)
	}
	return a.updateColumn(ctx, tables, have.Table, have.Column, ch.Want.(*manifest.Column))
}

func (a *applier) updateColumn(ctx context.Context, tables cli.TableService, table, name string,
	c *manifest.Column) error {
	_, err := tables.UpdateColumn(ctx, a.project, table, name, wholeColumn(c))
	return err
}

func schedule(q *manifest.Query) *api.MaterializedQuerySchedule {
	switch s := q.Schedule; {
	case s.Every != "":
		return &api.MaterializedQuerySchedule{Type: "interval", RepeatDuration: &s.Every}
	case s.Cron != "":
		out := &api.MaterializedQuerySchedule{Type: "cron", CronExpression: &s.Cron}
		if s.Timezone != "" {
			out.Timezone = &s.Timezone
		}
		return out
	}
	return &api.MaterializedQuerySchedule{Type: "none"}
}

func (a *applier) query(ctx context.Context, ch manifest.Change) error {
	if ch.Action == manifest.Create {
		q := ch.Want.(*manifest.Query)
		req := api.QueryRequest{DisplayName: &q.Name, InputQuery: &q.SQL, QueryType: "PLAIN"}
		if q.Materialized {
			req.QueryType, req.Schedule = "MATERIALIZED", schedule(q)
		}
		if q.Folder != "/" {
			req.Path = &q.Folder
		}
		if err := trust.KeepWholeChange(ctx, a.e, a.cl, a.project, "", req, a.allowPart); err != nil {
			return err
		}
		made, err := a.cl.Queries.Create(ctx, a.project, req, a.params())
		a.made(ch.Ref, made.ID)
		return err
	}
	have := ch.Have.(*manifest.Query)
	now, err := a.cl.Queries.Get(ctx, a.project, have.ID)
	if missing(err) {
		return changedSince(ch)
	}
	if err != nil {
		return err
	}
	is := queryOf(now)
	if is.Name != have.Name || is.SQL != have.SQL || is.Materialized != have.Materialized ||
		is.Schedule.String() != have.Schedule.String() {
		return changedSince(ch)
	}
	if ch.Action == manifest.Delete {
		return a.cl.Queries.Delete(ctx, a.project, have.ID)
	}
	q := ch.Want.(*manifest.Query)
	var req api.QueryRequest
	move := false
	for _, f := range ch.Fields {
		switch f.Name {
		case "name":
			req.DisplayName = &q.Name
		case "sql":
			req.InputQuery = &q.SQL
		case "type":
			if req.QueryType = "PLAIN"; q.Materialized {
				req.QueryType, req.Schedule = "MATERIALIZED", schedule(q)
			}
		case "schedule":
			if q.Materialized {
				req.Schedule = schedule(q)
			}
		case "folder":
			move = true
		}
	}
	if !reflect.ValueOf(req).IsZero() {
		if err := trust.KeepWholeChange(ctx, a.e, a.cl, a.project, have.ID, req, a.allowPart); err != nil {
			return err
		}
		if _, err = a.cl.Queries.Update(ctx, a.project, have.ID, req, a.params()); err != nil && !a.e.Planned(err) {
			return err
		}
	}
	if move {
		err = a.cl.Queries.Move(ctx, a.project, have.ID, api.QueryPathUpdateRequest{Path: q.Folder})
	}
	a.made(ch.Ref, have.ID)
	return err
}

func (a *applier) params() map[string][]string {
	if a.noCheck {
		return map[string][]string{"checkSchemaExists": {"false"}}
	}
	return nil
}

func (a *applier) golden(ctx context.Context, ch manifest.Change) error {
	if ch.Action == manifest.Delete {
		return a.cl.Metadata.DeleteGoldenSQL(ctx, a.project, manifest.BaseOf(ch.Have).ID)
	}
	g := ch.Want.(*manifest.GoldenSQL)
	_, err := a.cl.Metadata.CreateGoldenSQL(ctx, a.project, api.GoldenSQLRequest{Prompt: g.Prompt, SQL: g.SQL})
	return err
}

func (a *applier) connection(ctx context.Context, ch manifest.Change) error {
	if ch.Action == manifest.Delete {
		return a.cl.Connections.Delete(ctx, a.project, manifest.BaseOf(ch.Have).ID)
	}
	c := a.files.Get(manifest.KindConnection, ch.Name).(*manifest.Connection) // with references
	req := api.ConnectionRequest{Name: c.Name, Type: c.Type}
	var err error
	if ch.Action == manifest.Create || slices.ContainsFunc(ch.Fields,
		func(f manifest.Difference) bool { return f.Name != "name" }) {
		if req.Credential, req.Type, err = a.vault.credential(c, a.types); err != nil {
			return err
		}
	}
	if ch.Action == manifest.Create {
		made, err := resolve.OrAlternative(
			func() (api.Connection, error) { return a.cl.Connections.Create(ctx, a.project, req) },
			func() (api.Connection, error) { return a.cl.Connections.CreateAlt(ctx, a.project, req) })
		a.made(ch.Ref, made.ID)
		if err == nil && made.URL != nil && *made.URL != "" {
			fmt.Fprintf(a.e.Err, "note: connection %s has to be authorized in a browser, at %s\n", c.Name, *made.URL)
		}
		return err
	}
	have := ch.Have.(*manifest.Connection)
	now, err := a.detail(ctx, have.ID)
	if missing(err) || err == nil && !maps.EqualFunc(now, have.Credential,
		func(x, y manifest.Value) bool { return x.String() == y.String() }) {
		return changedSince(ch)
	}
	if err != nil {
		return err
	}
	req.Type = have.Type
	_, err = a.cl.Connections.Update(ctx, a.project, have.ID, req)
	a.made(ch.Ref, have.ID)
	return err
}
