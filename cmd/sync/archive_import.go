package sync

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/archive"
	"github.com/dig-cli/dig/internal/intake"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// NewImport returns the command that creates the objects and rows of an archive in a project.
func NewImport(e *cli.Env) *cobra.Command {
	var o options
	c := &cobra.Command{Use: "import FILE|DIR", Short: "Create the objects and rows of an archive in a project",
		Args: cobra.ExactArgs(1),
		Long: `Create the objects and rows of an archive of ` + "`" + e.Name + ` project export` + "`" + ` in a
project: first the tables, then their rows, then everything else, each after a prompt that shows the
changes as apply does; --yes skips it.

A table must have no rows. One that has as many as in the archive, and its columns, is taken for one that was
imported before, with a note: after a failure the same command continues. Every other one, and all that
apply refuses, is refused before anything is changed, and so is a second import into a project while one of
this computer runs. Rows of BI tables can be imported on zone local only. Secrets are references such as
${env:SHOP_PASSWORD}, whose values must be set.`,
		Example: fmt.Sprintf("  %[1]s project create shop && %[1]s project import shop.tar.zst --project shop",
			e.Name)}
	fromFlag(c, &o)
	c.Flags().BoolVar(&o.noCheck, "no-check", false, "save queries even if their tables or columns do not exist")
	cli.Annotate(c, append(reading(), spec.ExecuteQuery, spec.ImportCsv)...)
	cli.Annotate(c, writing()...)
	cli.Prints[moved](e, c)
	c.RunE = func(c *cobra.Command, args []string) error {
		opts, err := e.ResultOptions(c)
		if err != nil {
			return err
		}
		if err := e.Permit(); err != nil {
			return err
		}
		out, err := importProject(c.Context(), e, o, args[0])
		if err != nil {
			return err
		}
		return e.Print(cli.Object(out, "path", "objects", "rows").PrintValue(), nil, opts)
	}
	return c
}

func importProject(ctx context.Context, e *cli.Env, o options, name string) (out moved, err error) {
	from := e.Abs(name)
	if _, err := os.Stat(from); err != nil {
		return out, e.Unread("FILE", name, err)
	}
	temp, done, err := tempfile.MkdirTemp("dig-project-")
	if err != nil {
		return out, err
	}
	defer done()
	dir := filepath.Join(temp, "files")
	m, err := archive.Extract(ctx, from, dir)
	var bad *archive.Damage
	switch {
	case errors.As(err, &bad):
		return out, &exitcode.Failure{Exit: exitcode.Failed, Code: string(api.KindDamaged), Err: err,
			Msg: err.Error() + "; nothing was sent", Hint: "export the project again"}
	case errors.Is(err, archive.ErrForm):
		return out, &exitcode.Failure{Exit: exitcode.Failed, Code: "no-archive", Msg: err.Error(), Err: err}
	case err != nil:
		return out, err
	case m.Kind != archive.KindProject:
		return out, exitcode.Usagef("%s is not an exported project but a %s", name, m.Kind).
			WithHint("`dig gateway restore` restores a backup of zone local")
	}
	for _, t := range m.Tables {
		if t.Kind == api.SchemaBI && t.Rows > 0 && !e.Local() {
			return out, exitcode.Usagef("the archive has rows of BI table %s, and %s accepts them only in its web "+
				"studio; nothing was sent", t.Name, e.Run.Settings.Where())
		}
	}
	objects := filepath.Join(dir, objectsName)
	quiet := output.Options{Format: output.Table}
	cl, err := e.Client()
	if err != nil {
		return out, err
	}
	project, err := e.Target().ProjectID(ctx, cl)
	if err != nil {
		return out, err
	}
	if !e.DryRun() {
		release, err := alone(e, project)
		if err != nil {
			return out, err
		}
		defer release()
	}
	whole := o
	whole.set = func(string) bool { return false }
	a, todo, _, err := planned(ctx, e, &whole, objects)
	if err != nil {
		return out, err
	}
	if err := a.vacant(ctx, m.Tables, todo); err != nil {
		return out, err
	}
	first := whole
	first.only = []string{"tables", "bitables"}
	if err := apply(ctx, e, &first, objects, quiet); err != nil && !errors.Is(err, cli.ErrDone) {
		return out, err
	}
	out = moved{Path: from, Tables: []archive.Table{}}
	for _, t := range m.Tables {
		if err := e.DryRunStep("import %s into %s", rows(t.Rows), t.Name); err != nil {
			return out, err
		}
		if t.Rows == 0 || e.DryRun() {
			continue
		}
		if err := importRows(ctx, e, cl, project, dir, t); err != nil {
			return out, err
		}
		out.Tables, out.Rows = append(out.Tables, t), out.Rows+t.Rows
	}
	out.Objects = a.files.Len()
	if err := apply(ctx, e, &whole, objects, quiet); err != nil {
		return out, err
	}
	for _, t := range out.Tables { // another computer may have imported meanwhile
		if err := imported(ctx, cl, project, t); err != nil {
			return out, err
		}
	}
	return out, nil
}

// alone keeps other processes of this computer from importing into a project until release is called.
func alone(e *cli.Env, project string) (release func(), err error) {
	state, p, err := e.Ledgers(project)
	if err != nil {
		return nil, err
	}
	release, err = localstate.NewImports(state, p).Hold("project import")
	if errors.Is(err, localstate.ErrBusy) {
		return nil, &exitcode.Failure{Exit: exitcode.Conflict, Code: "import-running",
			Msg:  "another process is importing an archive into this project; nothing was sent",
			Hint: "wait for it to end"}
	}
	return release, err
}

// vacant refuses tables of the project with other rows than those of the archive, before anything is changed.
func (a *applier) vacant(ctx context.Context, tables []archive.Table, todo []manifest.Change) error {
	for _, t := range tables {
		kind := manifest.KindTable
		if t.Kind == api.SchemaBI {
			kind = manifest.KindBITable
		}
		if a.p.Get(kind, t.Name) == nil {
			continue
		}
		have, err := contents.Rows(cli.LookUp(ctx), a.cl, a.project, t.Kind, t.Name)
		if err != nil {
			return err
		}
		changed := slices.ContainsFunc(todo, func(ch manifest.Change) bool {
			c, ok := ch.Want.(*manifest.Column)
			return ok && c.Table == t.Name && tableSchema(ch.Kind) == t.Kind
		})
		if err := otherRows(t, have, changed); err != nil {
			return err
		}
	}
	return nil
}

// otherRows refuses a table that has rows, unless an earlier import may have stored them.
func otherRows(t archive.Table, have int64, changed bool) error {
	if have == 0 || have == t.Rows && !changed {
		return nil
	}
	f := &exitcode.Failure{Exit: exitcode.Conflict, Code: "has-rows",
		Msg:  fmt.Sprintf("table %s has %s, and the archive %d", t.Name, rows(have), t.Rows),
		Hint: "import into another project, or delete the table"}
	if have == t.Rows {
		f.Msg = fmt.Sprintf("table %s has %s, and other columns than in the archive", t.Name, rows(have))
	}
	return f
}

func rows(n int64) string { return phrase.Plural(int(n), "1 row", "%d rows") }

// imported compares the number of rows of a table with that of the archive.
func imported(ctx context.Context, cl *api.Client, project string, t archive.Table) error {
	now, err := contents.Rows(ctx, cl, project, t.Kind, t.Name)
	if err == nil && now != t.Rows {
		err = &exitcode.Failure{Exit: exitcode.Failed, Code: "incomplete",
			Msg: fmt.Sprintf("table %s has %s after the import, and the archive %d", t.Name, rows(now), t.Rows)}
	}
	return err
}

// importRows imports the rows of one table, which are stored all or none: their number says whether they are.
func importRows(ctx context.Context, e *cli.Env, cl *api.Client, project, dir string, t archive.Table) error {
	have, err := contents.Rows(ctx, cl, project, t.Kind, t.Name)
	if err == nil {
		err = otherRows(t, have, false)
	}
	if err != nil {
		return err
	}
	if have > 0 {
		fmt.Fprintf(e.Err, "note: %s has %s already, as many as the archive; they are not imported again\n", t.Name,
			rows(have))
		return nil
	}
	path := filepath.Join(dir, filepath.FromSlash(t.File))
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	doc, err := intake.Open(ctx, path, f, rowfile.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", t.File, err)
	}
	defer doc.Close()
	if err := doc.Learn(ctx, false); err != nil {
		return fmt.Errorf("%s: %w", t.File, err)
	}
	req := api.ImportRequest{ContainsHeader: true}
	for _, name := range doc.Header {
		if !rowset.SystemColumn(name) {
			req.Mappings = append(req.Mappings, api.ImportMapping{Name: name, CSVColumnName: name})
		}
	}
	send := cl.Tables.Import
	if t.Kind == api.SchemaBI {
		send = cl.ImportBI
	}
	if _, _, err := cli.ImportDocument(ctx, send, project, t.Name, req, doc, e.Run.Flags.Repeats(),
		nil); err != nil {
		return fmt.Errorf("rows of table %s (the same command continues): %w", t.Name, err)
	}
	return imported(ctx, cl, project, t)
}
