package sync

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
)

// NewPull returns the command that writes a project to files.
func NewPull(e *cli.Env) *cobra.Command {
	o := options{explains: true}
	c := &cobra.Command{Use: "pull DIR", Short: "Write the objects of a project to files", Args: cobra.ExactArgs(1),
		Long: "Write the objects of a project to files, and remove the files of objects that the project does not " +
			"have.\n" + about + `

Secrets are never written: a reference such as ${env:SHOP_PASSWORD} stands for each one that is required, and references
that the files have already are kept, as are names after renamed-from.

Files that would be changed or removed must be committed in git, so that nothing is lost; --force overwrites others.
Files that are not those of a project, such as a README.md, are not touched.`,
		Example: fmt.Sprintf("  %[1]s pull shop\n  %[1]s pull shop --only queries,tables --zone us --project Shop",
			e.Name)}
	onlyFlag(e, c, &o)
	fromFlag(c, &o)
	c.Flags().BoolVar(&o.force, "force", false, "overwrite and remove files that are not committed in git")
	cli.Annotate(c, reading()...)
	cli.Prints[pulled](e, c)
	c.RunE = func(c *cobra.Command, args []string) error {
		opts, err := e.ResultOptions(c)
		if err != nil {
			return err
		}
		p, err := pull(c.Context(), e, &o, args[0])
		if err != nil {
			return err
		}
		if !forPeople(e, opts) {
			return e.Print(cli.Object(p, "directory", "objects", "written", "removed").PrintValue(), nil, opts)
		}
		for _, files := range []struct {
			sign  string
			names []string
		}{{"written", p.Written}, {"removed", p.Removed}} {
			for _, name := range files.names {
				fmt.Fprintf(e.OnScreen(), "%s  %s\n", files.sign, name)
			}
		}
		fmt.Fprintf(e.Err, "%d objects in %s: %d files written, %d removed\n", p.Objects, p.Directory, len(p.Written),
			len(p.Removed))
		return nil
	}
	return c
}

// forPeople reports whether changes are printed as lines instead of records.
func forPeople(e *cli.Env, o output.Options) bool {
	return e.Run.Flags.Out == "" && o.Format == output.Table && len(o.Columns) == 0
}

func pull(ctx context.Context, e *cli.Env, o *options, dir string) (pulled, error) {
	var none pulled
	e.CollectLess()
	l, _, err := session(ctx, e, o, dir, false)
	if err != nil {
		return none, err
	}
	full := e.Abs(dir)
	old, err := manifest.Read(full)
	foreign := errors.Is(err, manifest.ErrNoProject)
	if foreign {
		old = manifest.New()
	} else if err != nil {
		return none, faulty(dir, err)
	}
	types, err := l.connectionTypes(ctx)
	if err != nil {
		return none, err
	}
	for _, n := range (secrets{e, full, o.from}).kept(l.p, old, types) {
		fmt.Fprintln(e.Err, "note:", n)
	}
	for _, m := range l.unreadIn(l.p) {
		l.p.Drop(m.Ref)
	}
	for _, m := range l.unreadIn(old) {
		l.p.Put(m)
	}
	l.p.Fill(old, l.only)
	files, err := manifest.Files(l.p)
	if err != nil {
		return none, err
	}
	write, remove, err := manifest.Changed(full, files)
	if err != nil {
		return none, exitcode.Usagef("%s: %v", dir, err)
	}
	if !o.force {
		if err := mayOverwrite(ctx, full, dir, foreign, write, remove); err != nil {
			return none, err
		}
	}
	if len(write)+len(remove) > 0 {
		if err := e.DryRunStep("write %d files of %d objects to %s, and remove %d", len(write), l.p.Len(), dir,
			len(remove)); err != nil {
			return none, err
		}
		if err := os.MkdirAll(full, 0o777); err != nil {
			return none, err
		}
		if err := manifest.Write(full, files, write, remove); err != nil {
			return none, err
		}
	}
	return pulled{dir, l.p.Len(), nonNil(write), nonNil(remove)}, nil
}

// pulled is the result of a pull.
type pulled struct {
	Directory string   `json:"directory"`
	Objects   int      `json:"objects"`
	Written   []string `json:"written"`
	Removed   []string `json:"removed"`
}

func nonNil(s []string) []string { return append([]string{}, s...) }
