package query

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// intoFlags make a table of a result.
type intoFlags struct{ table, mode string }

// intoCreate is the mode in which the table must not exist.
const intoCreate = "create"

func (f *intoFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.table, "into", "", "store the result in an internal table, instead of printing it")
	c.Flags().StringVar(&f.mode, "into-mode", intoCreate,
		"with --into: create the table, append to one that exists, or replace its rows (zone local)")
	complete.Values(c, "into-mode", intoCreate, api.ImportAppend, api.ImportReplace)
	cli.Annotate(c, spec.ListInternalTables) // the import is a command of its own
}

func (f *intoFlags) given(c *cobra.Command) bool {
	return c.Flags().Changed("into") || c.Flags().Changed("into-mode")
}

// check rejects flags that do not go together.
func (f *intoFlags) check(c *cobra.Command) error {
	switch {
	case f.table == "":
		return exitcode.Usagef("--into requires the name of a table")
	case strings.Count(f.table, ".") == 2:
		return exitcode.Usagef("--into stores in an internal table of the project: %s names a catalog", f.table).
			WithHint("give the name of the table alone")
	case !slices.Contains([]string{intoCreate, api.ImportAppend, api.ImportReplace}, f.mode):
		return exitcode.Usagef("--into-mode %q is not create, append or replace", f.mode)
	}
	for _, name := range []string{"output", "out", "out-dir", "jq", "columns", "template", "null", "no-header", "json",
		"ndjson", "csv", "tsv", "markdown", "chart", "show", "all", "raw", "typed", "vertical", "profile-columns",
		"manifest"} {
		if flag := c.Flag(name); flag != nil && flag.Changed {
			return exitcode.Usagef("--%s cannot be used with --into", name)
		}
	}
	return nil
}

// intoTable stores the result of a statement in a table: it is written to a file with its types, which is imported.
func (f *sqlFlags) intoTable(e *cli.Env, c *cobra.Command) error {
	if err := f.into.check(c); err != nil {
		return err
	}
	if len(f.inputs) > 1 {
		return exitcode.Usagef("--into stores the result of one statement, not of %d inputs", len(f.inputs))
	}
	dir, done, err := tempfile.MkdirTemp("dig-into-")
	if err != nil {
		return err
	}
	defer done()
	file := filepath.Join(dir, "result.parquet")
	e.Run.Flags.Out = file
	if err := c.Flags().Set("output", output.Parquet.String()); err != nil {
		return err
	}
	if f.into.mode == api.ImportReplace && !e.Local() {
		return exitcode.Usagef("--into-mode replace is possible on zone local only: the API of %s has no operation "+
			"that deletes rows", e.Run.Settings.Where()).WithHint("store the result in a new table")
	}
	cl, err := e.Client()
	if err != nil {
		return err
	}
	project, err := e.Target().ProjectID(c.Context(), cl)
	if err != nil {
		return err
	}
	if f.into.mode == intoCreate {
		if err := f.into.unused(c.Context(), cl, project); err != nil {
			return err
		}
	}
	if err := f.run(e, c); err != nil || e.DryRun() {
		return err
	}
	args := append([]string{"table", "import", "--retries", strconv.Itoa(e.Run.Flags.Repeats())},
		e.TargetFlags(project)...)
	if limit := e.Run.Settings.Timeout.Value; limit != "" {
		args = append(args, "--timeout", limit)
	}
	switch f.into.mode {
	case intoCreate:
		args = append(args, "--create")
	case api.ImportReplace:
		args = append(args, "--create", "--mode", api.ImportReplace)
	}
	args = append(args, "--again", "--result", "--", f.into.table, file)
	switch code := e.Again(c.Context(), args); code {
	case exitcode.OK:
		return nil
	case exitcode.Unavailable, exitcode.Pending, exitcode.Interrupted:
		return &exitcode.Failure{Exit: code, Code: "into",
			Msg: "--into: it is not certain whether the result is stored in " + f.into.table}
	default:
		return &exitcode.Failure{Exit: code, Code: "into", Msg: "--into: the result is not stored in " + f.into.table}
	}
}

// unused fails if the table exists.
func (f *intoFlags) unused(ctx context.Context, cl *api.Client, project string) error {
	all, err := cl.Tables.List(ctx, project)
	same := func(t api.Table) bool { return strings.EqualFold(t.TableName, f.table) }
	if err == nil && slices.ContainsFunc(all, same) {
		err = &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict", Msg: "--into: the table " + f.table +
			" exists", Hint: "--into-mode append adds the rows, also to an empty table of a run that was cut off; " +
			"--into-mode replace replaces its rows"}
	}
	return err
}
