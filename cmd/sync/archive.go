package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/archive"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Names in the archive of a project.
const (
	objectsName = "objects" // the files of pull
	rowsName    = "rows"    // a Parquet file for each table, in a directory for each kind
)

// moved is what export and import of a project print.
type moved struct {
	Path    string          `json:"path"`
	Objects int             `json:"objects"`
	Rows    int64           `json:"rows"`
	Tables  []archive.Table `json:"tables"`
}

// movedShape leaves out the tables, which a terminal would show as JSON.
var movedShape = cli.Shape{ID: "path", Fields: []cli.Field{{Path: "path"}, {Path: "objects"}, {Path: "rows"}}}

// NewExport returns the command that writes a project with its rows to an archive.
func NewExport(e *cli.Env) *cobra.Command {
	e.Displays(&movedShape, moved{})
	c := &cobra.Command{Use: "export FILE|DIR", Short: "Write a project with the rows of its tables to an archive",
		Args: cobra.ExactArgs(1),
		Long: `Write a project with the rows of its tables to an archive: the files of
` + "`" + e.Name + ` pull` + "`" + `, and a Parquet file for each internal table and BI table. A name that ends in
.tar, .tar.zst or .tar.gz is that of a file, every other one that of a directory. Nothing is overwritten.
docs/backup.md describes the form.

It works on every zone, and ` + "`" + e.Name + ` project import` + "`" + ` on every other one. Tables are read
one after the other: rows that are added meanwhile are in some of them. Secrets are left out and named, as
by pull. Rows of caches and materialized queries, which are computed again, and the system columns are left
out as well.`,
		Example: fmt.Sprintf("  %[1]s project export shop.tar.zst --project shop", e.Name)}
	cli.Annotate(c, append(reading(), spec.ExecuteQuery)...)
	cli.Prints[moved](e, c)
	c.RunE = func(c *cobra.Command, args []string) error {
		opts, err := e.ResultOptions(c)
		if err != nil {
			return err
		}
		if err := archive.Named(args[0]); err != nil {
			return exitcode.Usagef("FILE|DIR: %v", err)
		}
		to := e.Abs(args[0])
		if err := archive.Vacant(to); err != nil {
			return exitcode.Occupied(err)
		}
		out, err := exportProject(c.Context(), e, to)
		if err != nil {
			return err
		}
		return e.Print(cli.Object(out, "path", "objects", "rows").PrintValue(), nil, opts)
	}
	return c
}

func exportProject(ctx context.Context, e *cli.Env, to string) (out moved, err error) {
	temp, done, err := tempfile.MkdirTemp("dig-project-")
	if err != nil {
		return out, err
	}
	defer done()
	dir := filepath.Join(temp, "files")
	o := &options{set: func(string) bool { return false }, explains: true}
	l, want, err := session(ctx, e, o, filepath.Join(dir, objectsName), false)
	if err != nil {
		return out, err
	}
	types, err := l.connectionTypes(ctx)
	if err != nil {
		return out, err
	}
	if unread := l.unreadIn(l.p); len(unread) > 0 {
		return out, &exitcode.Failure{Exit: exitcode.Unavailable, Code: "left-out",
			Msg: fmt.Sprintf("%s cannot be read", phrase.Plural(len(unread), "1 object", "%d objects"))}
	}
	for _, n := range (secrets{e, dir, nil}).kept(l.p, want, types) {
		fmt.Fprintln(e.Err, "note:", n)
	}
	files, err := manifest.Files(l.p)
	if err != nil {
		return out, err
	}
	if err := e.DryRunStep("write %d objects and the rows of the tables to %s", l.p.Len(), to); err != nil {
		return out, err
	}
	objects := filepath.Join(dir, objectsName)
	if err := os.MkdirAll(objects, 0o700); err != nil {
		return out, err
	}
	write, remove, err := manifest.Changed(objects, files)
	if err == nil {
		err = manifest.Write(objects, files, write, remove)
	}
	if err != nil {
		return out, err
	}
	out = moved{Path: to, Objects: l.p.Len(), Tables: []archive.Table{}}
	for _, k := range []manifest.Kind{manifest.KindTable, manifest.KindBITable} {
		for _, t := range manifest.Of[*manifest.Table](l.p, k) {
			file, err := l.exportRows(ctx, dir, k, t, len(out.Tables))
			if err != nil {
				return out, fmt.Errorf("%s: %w", t.Name, err)
			}
			out.Tables, out.Rows = append(out.Tables, file), out.Rows+file.Rows
		}
	}
	err = archive.Write(ctx, to, dir, archive.Manifest{Kind: archive.KindProject, Dig: cli.BuildVersion(),
		Moment: e.Now().UTC().Format("2006-01-02T15:04:05.000Z"), Tables: out.Tables})
	if errors.Is(err, fs.ErrExist) {
		return out, exitcode.Occupied(err)
	}
	return out, err
}

// exportRows writes the rows of a table to a Parquet file, and compares their number with that of the table.
func (l *live) exportRows(ctx context.Context, dir string, k manifest.Kind, t *manifest.Table,
	n int) (file archive.Table, err error) {
	schema := tableSchema(k)
	file = archive.Table{Kind: schema, Name: t.Name, File: fmt.Sprintf("%s/%03d.parquet", rowsName, n)}
	if len(t.Columns) == 0 {
		file.File = ""
		return file, nil
	}
	var names []string
	for _, c := range t.Columns {
		names = append(names, sqltext.Quote(c.Column))
	}
	before, err := contents.Rows(ctx, l.cl, l.project, schema, t.Name)
	if err != nil {
		return file, err
	}
	sql := "SELECT " + strings.Join(names, ", ") + " FROM " + sqltext.Quote(api.InternalCatalogName, schema, t.Name)
	res, err := l.cl.Queries.Execute(ctx, l.project, api.ExecuteByStatement{Statement: sql}, api.ExecuteOptions{})
	if err != nil {
		return file, err
	}
	rows := res.Rows()
	defer rows.Close()
	path := filepath.Join(dir, filepath.FromSlash(file.File))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return file, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return file, err
	}
	st, err := output.WriteRows(f, rows, output.Options{Format: output.Parquet})
	if err = errors.Join(err, f.Close()); err != nil {
		return file, err
	}
	file.Rows = st.Rows
	after, err := contents.Rows(ctx, l.cl, l.project, schema, t.Name)
	if err == nil && (file.Rows < before || file.Rows > after) {
		err = &exitcode.Failure{Exit: exitcode.Unavailable, Code: "incomplete",
			Msg: fmt.Sprintf("the gateway sent %d of %d rows", file.Rows, after)}
	}
	return file, err
}
