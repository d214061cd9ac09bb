// Package sync has the commands that keep the objects of a project as files: pull, diff, plan and apply.
package sync

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// options are the flags of the commands.
type options struct {
	only                           []string
	force, prune, noCheck, partial bool
	named                          prompt.NamingAll
	secrets                        bool     // send secrets of existing connections again
	from                           []string // directories outside DIR whose files references may name

	set      func(flag string) bool
	explains bool // --explain shows the reads, not the changes that follow from them
	warned   bool // of secrets in the files
}

// kinds are the values of --only with the kinds of objects they select.
func kinds() []struct {
	word string
	of   []manifest.Kind
} {
	return []struct {
		word string
		of   []manifest.Kind
	}{
		{"connections", []manifest.Kind{manifest.KindConnection}},
		{"catalogs", []manifest.Kind{manifest.KindCatalog}},
		{"tables", []manifest.Kind{manifest.KindTable, manifest.KindColumn}},
		{"bitables", []manifest.Kind{manifest.KindBITable, manifest.KindBIColumn}},
		{"parametric-tables", []manifest.Kind{manifest.KindParametricTable}},
		{"caches", []manifest.Kind{manifest.KindCache}},
		{"queries", []manifest.Kind{manifest.KindFolder, manifest.KindQuery}},
		{"semantic-catalogs", []manifest.Kind{manifest.KindSemanticCatalog, manifest.KindSemanticTable}},
		{"metadata", []manifest.Kind{manifest.KindMetadata}},
		{"relations", []manifest.Kind{manifest.KindRelation}},
		{"golden-sql", []manifest.Kind{manifest.KindGoldenSQL}},
	}
}

func onlyFlag(e *cli.Env, c *cobra.Command, o *options) {
	var words []string
	for _, k := range kinds() {
		words = append(words, k.word)
	}
	o.set = c.Flags().Changed
	c.Flags().StringSliceVar(&o.only, "only", nil, "look at these kinds of objects only: "+strings.Join(words, ", "))
	complete.Values(c, "only", words...)
}

// kinds returns the kinds that --only selects, by default all.
func (o *options) kinds() (map[manifest.Kind]bool, error) {
	out := map[manifest.Kind]bool{}
	if o.set("only") && len(o.only) == 0 {
		return nil, exitcode.Usagef("--only is empty")
	}
	var words []string
	for _, k := range kinds() {
		words = append(words, k.word)
		if len(o.only) == 0 || slices.Contains(o.only, k.word) {
			for _, kind := range k.of {
				out[kind] = true
			}
		}
	}
	for _, w := range o.only {
		if !slices.Contains(words, w) {
			return nil, exitcode.Usagef("--only: %q is not one of %s", w, strings.Join(words, ", "))
		}
	}
	return out, nil
}

// reading are the operations that read a project.
func reading() []spec.Op {
	return []spec.Op{spec.ListCatalogs, spec.ListConnections, spec.GetConnectionDetail, spec.ListConnectionConfigs,
		spec.ListQueryFolders, spec.ListInternalTables, spec.ListInternalColumns, spec.ListBiTables, spec.ListBiColumns,
		spec.ListParametricTables, spec.ListCacheStatuses, spec.GetCacheSettings, spec.ListQueries, spec.ListSchemas,
		spec.ListTables, spec.GetProjectMetadata, spec.ListRelations, spec.ListGoldenSqls}
}

const about = `
DIR has one file for each connection, catalog, table, saved query and so on: SQL in .sql, the rest in YAML. Objects are
identified by their names, and refer to each other by name, so the files fit every project of every zone. Nothing else is stored:
which objects differ is found by reading the project.`

// session opens the files, which must exist if files is set, and reads the project.
func session(ctx context.Context, e *cli.Env, o *options, dir string, files bool) (*live, *manifest.Project, error) {
	only, err := o.kinds()
	if err != nil {
		return nil, nil, err
	}
	want, err := manifest.Read(e.Abs(dir))
	switch {
	case errors.Is(err, manifest.ErrNoProject) && !files:
		want = manifest.New()
	case errors.Is(err, manifest.ErrNoProject) && !exists(e.Abs(dir)):
		return nil, nil, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
			Msg: dir + ": no such file or directory", Hint: fmt.Sprintf("`%s pull %s` writes the current project there",
				e.Name, dir)}
	case errors.Is(err, manifest.ErrNoProject):
		return nil, nil, exitcode.Usagef("%s: %v", dir, err).WithHint("`%s pull %s` writes the current project there",
			e.Name, dir)
	case err != nil:
		return nil, nil, faulty(dir, err)
	}
	bad, err := plainSecrets(want)
	if err != nil {
		return nil, nil, err
	}
	if files && !o.warned { // pull notes those that it writes
		for _, name := range exposed(want) {
			fmt.Fprintf(e.Err, "warning: %s looks as if it contained a secret: see who reads the files\n", name)
		}
	}
	if len(bad) > 0 && !o.warned {
		fmt.Fprintf(e.Err, "warning: secrets are written out in %s; use ${env:NAME}, ${file:PATH} or ${keyring:NAME}\n",
			strings.Join(bad, ", "))
	}
	o.warned = true
	cl, err := e.Client()
	if err != nil {
		return nil, nil, err
	}
	project, err := e.Target().ProjectID(ctx, cl)
	if err != nil {
		return nil, nil, err
	}
	if !e.Local() {
		plainDecimals(want)
	}
	l := &live{e: e, cl: cl, project: project, only: only}
	if o.explains && e.Run.Flags.Explain {
		ctx = cli.ShownByExplain(ctx)
	}
	if err := l.read(ctx); err != nil {
		return nil, nil, err
	}
	return l, want.Only(only), nil
}

// plainDecimals gives decimals the one type of them that the hosted zones have [S].
func plainDecimals(p *manifest.Project) {
	for _, kind := range []manifest.Kind{manifest.KindTable, manifest.KindBITable} {
		for _, t := range manifest.Of[*manifest.Table](p, kind) {
			for _, c := range t.Columns {
				if _, _, decimal := api.DecimalOf(c.Type); decimal {
					c.Type = api.DecimalType(api.DecimalPrecision, api.DecimalScale)
				}
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// faulty is the error for files that cannot be read.
func faulty(dir string, err error) error {
	var bad manifest.Invalid
	if !errors.As(err, &bad) {
		return exitcode.Usagef("%s: %v", dir, err)
	}
	f := exitcode.Usagef("%s", bad.Error())
	f.Code = "invalid-files"
	return f.WithHint("paths are below %s; docs/projects-in-git.md describes the files", dir)
}

// NewDiff returns the command that shows how files and a project differ.
func NewDiff(e *cli.Env) *cobra.Command {
	o := options{explains: true}
	c := &cobra.Command{Use: "diff DIR", Short: "Show how the files of a project differ from the project",
		Args: cobra.ExactArgs(1),
		Long: `Show how the files of a project differ from the project: + is only in the files, - only in the project,
~ in both and different, ! different in a way that apply cannot change.
` + about + `

Secrets cannot be read back and are not compared (see apply --secrets). Exit codes: 0 the same, 1 different, 2 trouble.`,
		Example: fmt.Sprintf("  %[1]s diff shop\n  %[1]s diff shop --zone us --project Production -o json", e.Name)}
	onlyFlag(e, c, &o)
	fromFlag(c, &o)
	cli.Annotate(c, reading()...)
	return comparing(e, c, &o, func(changes, extra []manifest.Change) ([]manifest.Change, []manifest.Change) {
		return slices.Concat(changes, extra), nil
	}, true)
}

// NewPlan returns the command that shows what apply would do.
func NewPlan(e *cli.Env) *cobra.Command {
	o := options{explains: true}
	c := &cobra.Command{Use: "plan DIR", Short: "Show what apply would do", Args: cobra.ExactArgs(1),
		Long: `Show the changes that apply would make to the project, in their order. What only the project has is
deleted with --prune only. Saved queries are analysed against the tables and columns that the project will
have; faults are reported with file, line and column.
` + about + `

Exit codes: 0 nothing to do, 1 there is, 2 trouble.`,
		Example: fmt.Sprintf("  %[1]s plan shop\n  %[1]s plan shop --prune --profile production -o json", e.Name)}
	onlyFlag(e, c, &o)
	fromFlag(c, &o)
	pruneFlag(c, &o)
	secretsFlag(c, &o)
	cli.Annotate(c, append(reading(), spec.ExecuteQuery)...)
	return comparing(e, c, &o, func(changes, extra []manifest.Change) ([]manifest.Change, []manifest.Change) {
		return steps(&o, changes, extra)
	}, false)
}

func pruneFlag(c *cobra.Command, o *options) {
	c.Flags().BoolVar(&o.prune, "prune", false, "also delete the objects that only the project has")
	c.Flags().BoolVar(&o.noCheck, "no-check", false, "save queries even if their tables or columns do not exist")
}

func secretsFlag(c *cobra.Command, o *options) {
	c.Flags().BoolVar(&o.secrets, "secrets", false,
		"also send the credentials of connections whose secrets cannot be compared, whether they have changed or not")
}

func fromFlag(c *cobra.Command, o *options) {
	c.Flags().StringArrayVar(&o.from, "secrets-from", nil,
		"let references such as ${file:/run/secrets/shop} name files in this directory, too; repeat")
}

// steps returns the changes of apply, and the objects that it leaves.
func steps(o *options, changes, extra []manifest.Change) (do, leave []manifest.Change) {
	if o.prune {
		return slices.Concat(changes, extra), nil
	}
	return changes, extra
}

// comparing completes a command that compares, with the exit codes of diff.
func comparing(e *cli.Env, c *cobra.Command, o *options, choose func(changes, extra []manifest.Change) (show,
	leave []manifest.Change), whole bool) *cobra.Command {
	cli.Prints[[]step](e, cli.Compares(c))
	c.RunE = func(c *cobra.Command, args []string) error {
		e.CollectLess()
		shown, err := func() (int, error) {
			opts, err := e.ResultOptions(c)
			if err != nil {
				return 0, err
			}
			l, want, err := session(c.Context(), e, o, args[0], true)
			if err != nil {
				return 0, err
			}
			s := secrets{e, e.Abs(args[0]), o.from}
			changes, extra, err := differences(l, want, s)
			if err != nil {
				return 0, err
			}
			if o.secrets {
				changes = manifest.Resend(changes, want, l.p)
			}
			if !whole {
				if err := l.sound(c.Context(), o, want, changes, extra); err != nil {
					return 0, err
				}
			}
			todo, leave := choose(changes, extra)
			if !whole {
				if err := l.dependants(c.Context(), todo); err != nil {
					return 0, err
				}
				s.mark(todo, want)
			}
			return len(todo), show(e, opts, todo, leave, whole)
		}()
		return cli.Compared(c.Context(), shown == 0, err)
	}
	return c
}

// differences compares the files with the project.
func differences(l *live, want *manifest.Project, s secrets) (changes, extra []manifest.Change, err error) {
	if err := s.allowed(want); err != nil {
		return nil, nil, err
	}
	compared, err := s.compared(want, l.p)
	if err != nil {
		return nil, nil, err
	}
	compared = manifest.Spelled(compared, l.p)
	l.leaveUnread(compared)
	changes, extra = manifest.Compare(compared, l.p)
	return changes, extra, l.referred(want, changes)
}

// NewApply returns the command that changes a project to match the files.
func NewApply(e *cli.Env) *cobra.Command {
	var o options
	c := &cobra.Command{Use: "apply DIR", Short: "Change a project to match the objects in files",
		Args: cobra.ExactArgs(1),
		Long: `Create and change the objects of a project so that they match the files. Only differences are sent, in
the order in which objects refer to each other, after a prompt that shows them; --yes skips the prompt.
Objects that only the project has are kept, unless --prune is given; deletions come last. The plan names
what depends on an object that is deleted and remains, such as the saved queries that read a table. If
anything does, the name of the object is asked for, or --yes needs --confirm NAME.
` + about + `

Queries, columns, caches and metadata are read again before they are changed or deleted, connections before they are
changed, and tables before they are deleted; objects that were changed in the meantime are not overwritten. After a
failure the same command continues where this one ended; where only the reply to a change was lost, the project is read and
apply continues by itself, unless --retries is 0. At the end the project is read again and compared.

Secrets cannot be read back, so that a new password alone is not detected. --secrets sends the credentials of all connections
that have some; then a second run sends them again.`,
		Example: fmt.Sprintf("  %[1]s apply shop\n  %[1]s apply shop --profile production --prune --yes\n  %[1]s "+
			"apply shop --dry-run", e.Name)}
	onlyFlag(e, c, &o)
	fromFlag(c, &o)
	pruneFlag(c, &o)
	secretsFlag(c, &o)
	trust.AllowPartFlag(c, &o.partial)
	o.named.Register(c)
	cli.Annotate(c, append(reading(), spec.ExecuteQuery)...)
	cli.Annotate(c, writing()...)
	cli.Prints[[]step](e, c)
	c.RunE = func(c *cobra.Command, args []string) error {
		opts, err := e.ResultOptions(c)
		if err != nil {
			return err
		}
		if err := output.CheckFile(outFile(e)); err != nil {
			return e.Named("--out", err)
		}
		known := []string{"action", "kind", "name", "fields", "breaks", "rows", "sends", "done"}
		for _, want := range opts.Columns {
			if top, _, _ := strings.Cut(want, "."); !slices.Contains(known, top) {
				return cell.UnknownColumn(want, known)
			}
		}
		return apply(c.Context(), e, &o, args[0], opts)
	}
	return c
}

func outFile(e *cli.Env) string {
	if f := e.Run.Flags.Out; f != "" && f != "-" && !e.DryRun() {
		return e.Abs(f)
	}
	return ""
}
