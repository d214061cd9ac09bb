package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// modeFlags say what an import does with the rows that the table has.
type modeFlags struct {
	mode    string
	key     []string
	missing bool
}

func (f *modeFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.mode, "mode", api.ImportAppend, "append, replace or upsert")
	c.Flags().StringSliceVar(&f.key, "key", nil, "with --mode upsert: the columns whose values identify a row")
	c.Flags().BoolVar(&f.missing, "delete-missing", false,
		"with --mode upsert: delete the rows whose key is not in the file")
	complete.Values(c, "mode", api.ImportAppend, api.ImportReplace, api.ImportUpsert)
}

// read checks the flags before anything is read or requested.
func (f *modeFlags) read(e *cli.Env) (m api.ImportMode, err error) {
	upsert := f.mode == api.ImportUpsert
	switch {
	case !slices.Contains([]string{api.ImportAppend, api.ImportReplace, api.ImportUpsert}, f.mode):
		return m, exitcode.Usagef("--mode %q is not append, replace or upsert", f.mode)
	case !upsert && (len(f.key) > 0 || f.missing):
		return m, exitcode.Usagef("--key and --delete-missing require --mode upsert")
	case upsert && len(f.key) == 0:
		return m, exitcode.Usagef("--mode upsert requires --key with the columns that identify a row")
	case f.mode == api.ImportAppend:
		return m, nil
	case !e.Local():
		return m, onlyLocal(e, "--mode "+f.mode).WithHint("import into a new table, and let a saved query that your " +
			"readers name select from it")
	}
	return api.ImportMode{Mode: f.mode, Key: f.key, DeleteMissing: f.missing}, nil
}

// onlyLocal is the error for what would change or remove single rows of a hosted zone, or rename a table.
func onlyLocal(e *cli.Env, what string) *exitcode.Failure {
	return exitcode.Usagef("%s is possible on zone local only: the API of %s has no operation that changes or deletes "+
		"rows, or renames a table", what, e.Run.Settings.Where())
}

// checkKey rejects a key that the import does not fill, and returns it as the table spells it.
func checkKey(k tableKind, key []string, cols []api.ColumnDetail, req api.ImportRequest) ([]string, error) {
	var own []string
	for _, m := range req.Mappings {
		own = append(own, m.Name)
	}
	stored := slices.Clone(key)
	for i, name := range key {
		if !slices.Contains(own, name) {
			stored[i] = k.stored(name)
		}
		if slices.Contains(own, stored[i]) {
			continue
		}
		if slices.ContainsFunc(cols, func(c api.ColumnDetail) bool { return c.Name == stored[i] }) {
			return nil, exitcode.Usagef("--key %q: the file has no values for this column", name)
		}
		f := exitcode.Usagef("--key %q: the table has no such column", name)
		if s := nearest.Of(name, own); s != "" {
			return nil, f.WithHint("did you mean %q?", s)
		}
		return nil, f.WithHint("the file fills: %s", strings.Join(own, ", "))
	}
	return stored, nil
}

// emptying is the error for a file without rows whose import would delete all rows: it is more often a failed export
// than a wish.
func emptying(k tableKind, m api.ImportMode, file, table string) error {
	flag := "--mode replace"
	if m.DeleteMissing {
		flag = "--delete-missing"
	}
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "no-rows",
		Msg:  fmt.Sprintf("%s has no rows, and %s would delete all rows of %s; nothing was sent", file, flag, table),
		Hint: fmt.Sprintf("`dig %s truncate %s` deletes them", k.noun, shell.Quote(table))}
}

// changed says what an import has done to the rows of a table.
func changed(m api.ImportMode, table string, rows int64, r api.ImportJobResult) string {
	switch {
	case m.Appends():
		return fmt.Sprintf("imported %s into %s", rowCount(rows), table)
	case r.Inserted == nil || r.Updated == nil || r.Unchanged == nil || r.Deleted == nil:
		return fmt.Sprintf("imported %s into %s; how many were changed is not known", rowCount(rows), table)
	case m.Mode == api.ImportReplace:
		return fmt.Sprintf("replaced the %s of %s by %d", rowCount(*r.Deleted), table, *r.Inserted)
	}
	s := fmt.Sprintf("imported %s into %s: %d inserted, %d updated, %d unchanged", rowCount(rows), table, *r.Inserted,
		*r.Updated, *r.Unchanged)
	if m.DeleteMissing {
		s += fmt.Sprintf(", %d deleted", *r.Deleted)
	}
	return s
}
