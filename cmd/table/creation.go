package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
)

// tableCreation is the creation of a table with its columns. Zone local does it in one transaction. The service needs
// two requests, and a record in the state directory exists while only the first may have been done, so that the same
// command can finish it.
type tableCreation struct {
	e       *cli.Env
	k       tableKind
	cl      *api.Client
	project string
	name    string
	defs    []api.ColumnRequest

	notes *localstate.Ledger[localstate.Creation]
	key   string
}

func newTableCreation(e *cli.Env, k tableKind, cl *api.Client, project, name string,
	defs []api.ColumnRequest) (*tableCreation, error) {
	state, p, err := e.Ledgers(project)
	if err != nil {
		return nil, err
	}
	return &tableCreation{e: e, k: k, cl: cl, project: project, name: name, defs: defs,
		notes: localstate.NewCreations(state, p), key: localstate.TableKey(k.noun, k.stored(name))}, nil
}

// standing finds the table in the project. ok is false if it does not exist.
func (m *tableCreation) standing(ctx context.Context) (t api.Table, ok bool, err error) {
	all, err := m.k.client(m.cl).List(ctx, m.project)
	for _, t := range all {
		if strings.EqualFold(t.TableName, m.k.stored(m.name)) {
			return t, true, err
		}
	}
	return t, false, err
}

// begun reports whether an earlier run has started to create the table.
func (m *tableCreation) begun() (bool, error) {
	notes, err := m.notes.Read()
	_, ok := notes[m.key]
	return ok, err
}

// create creates a table that does not exist, with its columns. On failure, what this run created is removed, or the
// error lists the rest.
func (m *tableCreation) create(ctx context.Context) (api.Table, error) {
	if t, done, err := m.e.CreateWhole(ctx, m.cl, m.project, m.name, m.k.bi(), m.defs); done {
		return t, err
	}
	if !m.e.DryRun() {
		note := localstate.Creation{At: m.e.Now().UTC()}
		for _, d := range m.defs {
			note.Columns = append(note.Columns, d.Name)
		}
		if err := m.notes.Put(m.key, note); err != nil {
			return api.Table{}, &exitcode.Failure{Exit: exitcode.Failed, Code: "ledger", Err: err,
				Hint: "DIG_STATE_DIR sets the directory for these records",
				Msg:  "nothing was sent, because no record of it can be written: " + err.Error()}
		}
	}
	t, err := m.k.client(m.cl).Create(ctx, m.project, m.name)
	if m.e.Planned(err) {
		return t, m.addColumns(ctx, m.k.stored(m.name), true)
	}
	if refused(err) {
		return t, errors.Join(err, m.forget())
	}
	if err != nil {
		return t, m.left(err, "the table may have been created without columns")
	}
	return t, m.addColumns(ctx, t.TableName, true)
}

// createOrFind creates the table, or finds that another run has created one with the columns meanwhile.
func (m *tableCreation) createOrFind(ctx context.Context) (made bool, err error) {
	_, err = m.create(ctx)
	var ae *api.Error
	if err == nil || !errors.As(err, &ae) {
		return err == nil, err
	}
	if cli.Classify(ctx, err).Exit != exitcode.Conflict {
		return false, err
	}
	own, other := m.columns(ctx, m.name)
	if other != nil || !m.complete(own) {
		return false, err
	}
	return false, m.forget()
}

// finish completes a table that an earlier run has started to create. A table with other columns than requested is left
// unchanged.
func (m *tableCreation) finish(ctx context.Context, t api.Table) error {
	own, err := m.columns(ctx, t.TableName)
	if err != nil {
		return err
	}
	if len(own) == 0 {
		return m.addColumns(ctx, t.TableName, false)
	}
	if !m.complete(own) {
		return errors.Join(m.exists(t), m.forget())
	}
	return m.forget()
}

func (m *tableCreation) exists(t api.Table) error {
	return &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
		Msg:  fmt.Sprintf("%s %q already exists; nothing was sent", m.k.noun, t.TableName),
		Hint: fmt.Sprintf("`dig %s column add` adds columns to it", m.k.noun)}
}

// taken is the error for a table that was to be created by this run, and exists.
func (m *tableCreation) taken() error {
	return &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
		Msg: fmt.Sprintf("the %s %s exists; nothing was sent", m.k.noun, m.k.stored(m.name))}
}

// columns are the columns that are not system columns.
func (m *tableCreation) columns(ctx context.Context, table string) ([]api.ColumnDetail, error) {
	cols, err := m.k.client(m.cl).Columns(ctx, m.project, table)
	var own []api.ColumnDetail
	for _, c := range cols {
		if !rowset.SystemColumn(c.Name) {
			own = append(own, c)
		}
	}
	return own, err
}

// complete reports whether columns have the requested names, types and constraints.
func (m *tableCreation) complete(own []api.ColumnDetail) bool {
	have := map[string]api.ColumnDetail{}
	for _, c := range own {
		have[c.Name] = c
	}
	for _, d := range m.defs {
		if c := have[m.k.stored(d.Name)]; !api.SameColumnType(c.DataType, d.DataType) || len(lacks(d, c)) > 0 {
			return false
		}
	}
	return len(own) == len(m.defs)
}

// addColumns adds the columns to a table that has none. made means that this run created it.
func (m *tableCreation) addColumns(ctx context.Context, table string, made bool) error {
	if len(m.defs) == 0 {
		return m.forget()
	}
	_, err := m.k.client(m.cl).AddColumns(ctx, m.project, table, m.defs)
	if err == nil {
		return m.forget()
	}
	if errors.Is(err, cli.ErrDone) {
		return err
	}
	if !refused(err) {
		if own, look := m.columns(ctx, table); look == nil && m.complete(own) {
			return m.forget() // the answer was lost, but the columns exist
		}
		return m.left(err, "the table exists, but its columns may be missing")
	}
	if !made {
		return errors.Join(usageWrap(err, fmt.Sprintf("the table %s exists without columns; `dig %s delete` removes it",
			table, m.k.noun)), m.forget())
	}
	if why := m.remove(ctx, table); why != "" {
		return errors.Join(usageWrap(err, "the table was created without columns and remains: "+why), m.forget())
	}
	return errors.Join(err, m.forget())
}

// forget removes the record.
func (m *tableCreation) forget() error {
	if m.e.DryRun() {
		return nil
	}
	return m.notes.Remove(m.key)
}

// left formats an error after which the state of the table is unknown. The record remains.
func (m *tableCreation) left(err error, what string) error {
	if errors.Is(err, cli.ErrDone) {
		return err
	}
	return usageWrap(err, what+"; run the same command again: it checks the table first, and completes it")
}

// remove deletes the table that this run created, unless it has been changed since. Otherwise it returns why the table
// is kept.
func (m *tableCreation) remove(ctx context.Context, table string) string {
	own, err := m.columns(ctx, table)
	if err == nil && len(own) > 0 && !m.complete(own) {
		return "it has columns that this run did not create"
	}
	var n int64
	if err == nil {
		n, err = contents.Rows(ctx, m.cl, m.project, m.k.noun, table)
	}
	if err == nil && n > 0 {
		return phrase.Plural(int(n), "it contains 1 row", "it contains %d rows")
	}
	if err == nil {
		err = m.e.DropEmpty(ctx, m.cl, m.k.client(m.cl), m.project, table, m.k.bi())
	}
	if err != nil {
		return cli.Classify(ctx, err).Msg
	}
	forgetImports(m.e, m.project, m.k.noun, m.k.stored(m.name))
	return ""
}

// ofResult leaves out of an error of an import of --into what names flags of the import.
func ofResult(err error) error {
	var (
		f  *exitcode.Failure
		ae *api.Error
	)
	const cannot = "--create cannot create"
	switch {
	case errors.As(err, &f) && strings.HasPrefix(f.Msg, cannot):
		f.Msg = "the table cannot have" + strings.TrimPrefix(f.Msg, cannot)
		f.Hint = "give the column of the result another name by AS"
	case errors.As(err, &f) && strings.Contains(f.Hint, "--"):
		f.Hint = ""
	case errors.As(err, &ae) && ae.Kind == api.KindNotFound:
		ae.Hint = "without --into-mode the table is created"
	}
	return err
}

// hintCreate suggests --create if the import failed because the table does not exist.
func hintCreate(ctx context.Context, cl cli.TableService, project, table string, k tableKind, err error) error {
	var ae *api.Error
	if !errors.As(err, &ae) || ae.Hint != "" {
		return err
	}
	all, listing := cl.List(ctx, project)
	if listing != nil || slices.ContainsFunc(all, func(t api.Table) bool { return t.TableName == k.stored(table) }) {
		return err
	}
	ae.Hint = "--create creates the table from the header of the file"
	return err
}
