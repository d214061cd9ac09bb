// Package uses holds the command that lists what uses an object of a project.
package uses

import (
	"context"
	"fmt"
	"io"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

var linkShape = cli.Shape{ID: "name", Fields: []cli.Field{
	{Path: "kind"},
	{Path: "name", Key: true},
	{Path: "through"},
	{Path: "id", Only: output.InRecords},
}}

// New returns the command `uses`.
func New(e *cli.Env) *cobra.Command {
	var on, mermaid bool
	var kind string
	c := &cobra.Command{
		Use: "uses TABLE|QUERY|CATALOG|CONNECTION", Short: "List what uses a table, saved query, catalog or connection",
		Args: cobra.ExactArgs(1),
		Long: `List what uses a table, saved query, catalog or connection, directly or through other objects: catalogs,
saved queries, semantic and parametric tables, caches, relations and golden queries. With --on, list what it
uses itself.

A table is named CATALOG.SCHEMA.TABLE, an internal one also by its name alone. The tables that a statement reads
are found by parsing it. What another project reads through a shared catalog is not known.

The prompts of commands that delete such an object list the same, except relations and golden queries, which
only describe tables.`,
		Example: fmt.Sprintf("  %[1]s uses peaka.table.people\n  %[1]s uses revenue --on\n  %[1]s uses shop --mermaid",
			e.Name),
	}
	c.Flags().BoolVar(&on, "on", false, "list what the object uses, instead of what uses it")
	c.Flags().BoolVar(&mermaid, "mermaid", false, "print a flowchart of Mermaid; arrows point to what is used")
	c.Flags().StringVar(&kind, "kind", "", "kind of the object, if several have the name")
	kinds := []string{string(uses.Table), string(uses.Query), string(uses.Catalog), string(uses.Connection)}
	complete.Values(c, "kind", kinds...)
	cli.Annotate(c, uses.Operations()...)
	e.Displays(&linkShape, uses.Link{})
	return cli.Leaf[[]uses.Link](e, spec.ListCatalogs, c, e.CheckThenProject(func(args []string) (run cli.ProjectRun,
		err error) {
		if kind != "" {
			if kind, err = cli.Word("--kind", kind, kinds); err != nil {
				return nil, err
			}
		}
		for _, name := range []string{"output", "jq", "columns", "quiet"} {
			if mermaid && c.Flags().Changed(name) {
				return nil, exitcode.Usagef("--%s cannot be used with --mermaid", name)
			}
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			g, err := uses.Read(ctx, cl, p)
			if err == nil {
				err = g.Err()
			}
			if err != nil {
				return cli.View{}, err
			}
			at, err := g.Find(ctx, cl, p, uses.Kind(kind), args[0])
			if err != nil {
				return cli.View{}, err
			}
			found := g.Users(nil, at)
			if on {
				found = g.Used(at)
			}
			for _, kind := range g.Unlisted {
				fmt.Fprintf(e.Err, "warning: %s could not be listed\n", kind)
			}
			if !mermaid {
				return cli.List(found.Links, "kind", "name", "through").PrintValue(), nil
			}
			w, commit, abort, err := e.Writer()
			if err != nil {
				return cli.View{}, err
			}
			if _, err := io.WriteString(w, found.Mermaid()); err != nil {
				abort()
				return cli.View{}, err
			}
			return cli.View{Printed: true}, commit()
		}, nil
	}))
}
