package trust

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// A saved query is bound to tables by name whenever it runs, and silently uses a table that was recreated under the
// same name [L]. dig stores the columns the query had when it was saved, or first run from here, and compares.

// SavedRef identifies a saved query.
type SavedRef struct{ id, name string }

func (r SavedRef) key() string {
	if r.id != "" {
		return r.id
	}
	return localstate.QueryName(r.name)
}

// SavedOf returns the saved query that a form runs; false for any other form, and for stored results.
func SavedOf(form api.ExecuteRequest) (SavedRef, bool) {
	switch f := form.(type) {
	case api.ExecuteByID:
		return SavedRef{id: f.ID}, true
	case api.ExecuteByName:
		parts := strings.Split(strings.ReplaceAll(f.QualifiedName, `"`, ""), ".")
		if len(parts) == 3 && strings.EqualFold(parts[0], api.InternalCatalogName) && strings.EqualFold(parts[1],
			api.SchemaQuery) {
			return SavedRef{name: parts[2]}, true
		}
	}
	return SavedRef{}, false
}

func queryColumns(e *cli.Env, project string) (*localstate.Ledger[localstate.QueryColumns], error) {
	dir, p, err := e.Ledgers(project)
	if err != nil {
		return nil, err
	}
	return localstate.NewQueryColumns(dir, p), nil
}

// named adds the missing id or name of a reference. Entries are stored by id, because names are reused.
func (r SavedRef) named(ctx context.Context, cl *api.Client, project string) (SavedRef, error) {
	if r.id != "" && r.name != "" {
		return r, nil
	}
	all, err := cl.Queries.List(ctx, project)
	if err != nil {
		return r, err
	}
	for _, q := range all {
		if q.ID == r.id || r.id == "" && strings.EqualFold(q.Name, r.name) {
			return SavedRef{q.ID, q.Name}, nil
		}
	}
	return r, nil
}

// columnsLimit limits the time to fetch the columns of a query: saving a query must not wait for its computation.
const columnsLimit = 20 * time.Second

// columnsNow returns the columns of a saved query, with types as far as the gateway reports them. It requests no rows,
// so the query computes nothing. The hosted zones report types with values only, so an outer join produces a row of
// NULLs there.
func columnsNow(ctx context.Context, e *cli.Env, cl *api.Client, project, name string) ([]localstate.Column, error) {
	ctx, cancel := context.WithTimeout(ctx, columnsLimit)
	defer cancel()
	none := "SELECT * FROM " + resolve.QueryTable(name).Quoted() + " LIMIT 0"
	sql, format := none, api.Compact
	if e.MayDropRows() {
		sql, format = "SELECT q.* FROM (VALUES 1) AS one (one) LEFT JOIN (\n"+none+"\n) AS q ON true", api.CellTyped
	}
	res, err := cl.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: sql,
		Timeout: api.ExecuteTimeout(columnsLimit)}, api.ExecuteOptions{Format: format})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	cols, err := res.Rows().Columns()
	return StoredColumns(cols), err
}

// StoredColumns returns the names and types of columns in the form in which they are stored.
func StoredColumns(cols []api.ResultColumn) []localstate.Column {
	out := make([]localstate.Column, len(cols))
	for i, c := range cols {
		out[i] = localstate.Column{Name: c.Name, Type: c.DataType}
	}
	return out
}

// NoteColumns stores the columns of a query that was just saved. For a query that fails to run it removes the old
// entry.
func NoteColumns(ctx context.Context, e *cli.Env, cl *api.Client, project string, q api.Query) {
	notes, err := queryColumns(e, project)
	if err == nil {
		var cols []localstate.Column
		if cols, err = columnsNow(ctx, e, cl, project, q.Name); api.Answered(err) || err == nil && len(cols) == 0 {
			err = notes.Remove(q.ID)
		} else if err == nil {
			err = notes.Put(q.ID, localstate.QueryColumns{Name: q.Name, Columns: cols, At: e.Now().UTC()})
		}
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(e.Err, "note: the columns of %s could not be stored for later runs: %v\n", q.Name, err)
	}
}

// ForgetColumns removes the entry of a deleted query.
func ForgetColumns(e *cli.Env, project, id string) {
	if notes, err := queryColumns(e, project); err == nil {
		_ = notes.Remove(id) // a missing entry is not looked up again
	}
}

// SavedColumns compares the columns of saved queries with the stored ones.
type SavedColumns struct {
	Env     *cli.Env
	Cl      *api.Client
	Project string
	Accept  bool // accept the current columns
}

// changed compares the columns of a saved query with the stored ones, and stores them if there are none. It
// returns "" for no change.
func (q *SavedColumns) changed(ctx context.Context, r SavedRef, now []localstate.Column) (string, error) {
	if len(now) == 0 {
		return "", nil
	}
	notes, err := queryColumns(q.Env, q.Project)
	if err != nil {
		return "", err
	}
	all, err := notes.Read()
	if err != nil {
		return "", err
	}
	was, known := all[r.key()]
	if !known && r.id == "" { // the entry is stored under the id if the query was saved from here
		if r, err = r.named(ctx, q.Cl, q.Project); err != nil {
			return "", err
		}
		was, known = all[r.key()]
	}
	same := localstate.SameColumns(was.Columns, now)
	if !known || q.Accept && !same {
		if r, now, err = q.withTypes(ctx, r, now); err != nil {
			return "", err
		}
		return "", notes.Put(r.key(), localstate.QueryColumns{Name: r.name, Columns: now, At: q.Env.Now().UTC()})
	}
	if same && untyped(was.Columns) && !untyped(now) {
		was.Columns = now
		return "", notes.Put(r.key(), was)
	}
	if same {
		return "", nil
	}
	name := r.name
	if name == "" {
		name = was.Name
	}
	return fmt.Sprintf("the columns of query %s are %s; on %s they were %s", strings.TrimSpace(name+" "+r.id),
		localstate.ColumnsText(now), was.At.Format("2006-01-02"), localstate.ColumnsText(was.Columns)), nil
}

// withTypes asks for the types of columns that came without them, in a format that has only names: a change of a type
// would not be noticed later.
func (q *SavedColumns) withTypes(ctx context.Context, r SavedRef,
	cols []localstate.Column) (SavedRef, []localstate.Column, error) {
	if !untyped(cols) {
		return r, cols, nil
	}
	r, err := r.named(ctx, q.Cl, q.Project)
	if err != nil || r.name == "" {
		return r, cols, err
	}
	full, err := columnsNow(ctx, q.Env, q.Cl, q.Project, r.name)
	switch {
	case api.Answered(err):
		return r, cols, nil
	case err == nil && localstate.SameColumns(full, cols):
		cols = full
	}
	return r, cols, err
}

func untyped(cols []localstate.Column) bool {
	return !slices.ContainsFunc(cols, func(c localstate.Column) bool { return c.Type != "" })
}

const acceptHint = "it was changed, or reads a table that was recreated; --accept-columns accepts the current columns"

// Refuse rejects, for --strict, saved queries whose columns have changed, including those that a statement refers to.
func (q *SavedColumns) Refuse(ctx context.Context, form api.ExecuteRequest) error {
	var refs []SavedRef
	if r, ok := SavedOf(form); ok {
		refs = append(refs, r)
	} else if f, ok := form.(api.ExecuteByStatement); ok {
		for _, t := range sqlstmt.Tables(f.Statement) {
			if strings.EqualFold(t.Catalog, api.InternalCatalogName) && t.Schema == api.SchemaQuery {
				refs = append(refs, SavedRef{name: t.Table})
			}
		}
	}
	for _, r := range refs {
		r, err := r.named(ctx, q.Cl, q.Project)
		if err != nil {
			return err
		}
		if r.name == "" {
			continue // the run itself reports that it does not exist
		}
		cols, err := columnsNow(ctx, q.Env, q.Cl, q.Project, r.name)
		if api.Answered(err) {
			continue
		}
		if err != nil {
			return err
		}
		change, err := q.changed(ctx, r, cols)
		if err != nil {
			return err
		}
		if change != "" {
			return &exitcode.Failure{Exit: exitcode.Untrusted, Code: "columns-changed", Msg: change, Hint: acceptHint}
		}
	}
	return nil
}

// Warn warns after a run that the columns of a saved query have changed.
func (q *SavedColumns) Warn(ctx context.Context, r SavedRef, cols []api.ResultColumn, notes io.Writer) {
	change, err := q.changed(ctx, r, StoredColumns(cols))
	switch {
	case err != nil && ctx.Err() == nil:
		fmt.Fprintf(notes, "note: the columns of the query could not be compared with the previous ones: %v\n", err)
	case change != "":
		fmt.Fprintf(notes, "warning: %s; %s\n", change, acceptHint)
	}
}
